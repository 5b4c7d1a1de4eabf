//! Xiangqi as a game of the lab: legal moves, the classical evaluation, the
//! thesis' static estimate of captures.
//!
//! Repetitions and the natural move limit are left out: they depend on the moves
//! played before, and a transposition table does not know those. Whoever has no
//! legal move loses.

use crate::board::{Move, MoveList, PieceKind, Position, Undo};
use crate::eval::{EvalKind, Evaluator};
use crate::score::Score;

use super::game::Game;

/// A position and the moves searched from it.
#[derive(Clone)]
pub struct Xiangqi {
    position: Position,
    evaluator: Evaluator,
    /// Moves and null moves, to be taken back.
    played: Vec<(Option<Move>, Undo)>,
    /// The moves of the root if not all legal ones are to be searched.
    root_moves: Option<Vec<Move>>,
}

impl Xiangqi {
    /// The game at this position.
    pub fn new(position: Position) -> Xiangqi {
        let evaluator = Evaluator::new(EvalKind::Classical, &position);
        Xiangqi { position, evaluator, played: Vec::new(), root_moves: None }
    }

    /// The game at this position with only these moves to choose from, for
    /// referees that forbid some: a player must not repeat its checks for ever.
    pub fn with_root_moves(position: Position, moves: Vec<Move>) -> Xiangqi {
        Xiangqi { root_moves: Some(moves), ..Xiangqi::new(position) }
    }
}

impl Game for Xiangqi {
    type Move = Move;

    fn moves(&self) -> Vec<Move> {
        match &self.root_moves {
            Some(moves) if self.played.is_empty() => moves.clone(),
            _ => self.position.legal_moves().to_vec(),
        }
    }

    fn make(&mut self, m: Move) {
        self.evaluator.push(&self.position, m);
        let undo = self.position.make(m);
        self.played.push((Some(m), undo));
    }

    fn unmake(&mut self) {
        match self.played.pop() {
            Some((Some(m), undo)) => {
                self.position.unmake(m, undo);
                self.evaluator.pop();
            }
            Some((None, undo)) => self.position.unmake_null(undo),
            None => {}
        }
    }

    fn final_score(&self, ply: usize) -> Score {
        Score::mated_in(ply)
    }

    fn evaluate(&mut self) -> i32 {
        self.evaluator.evaluate(&self.position)
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn in_check(&self) -> bool {
        self.position.in_check()
    }

    /// The thesis' estimate (section 2.4.3): the value of the piece taken, less
    /// that of the piece that takes it if it can be taken back.
    fn capture_gain(&mut self, m: Move) -> Option<i32> {
        let captured = self.position.piece_at(m.to())?;
        let capturing = self.position.piece_at(m.from())?;
        let cost = if self.is_protected(m) { exchange_value(capturing.kind()) } else { 0 };
        Some(exchange_value(captured.kind()) - cost)
    }

    fn make_null(&mut self) -> bool {
        let undo = self.position.make_null();
        self.played.push((None, undo));
        true
    }
}

impl Xiangqi {
    /// Whether the capture can be answered by one on the same square.
    fn is_protected(&mut self, capture: Move) -> bool {
        let undo = self.position.make(capture);
        let mut replies = MoveList::new();
        self.position.captures_into(&mut replies);
        self.position.unmake(capture, undo);
        replies.iter().any(|reply| reply.to() == capture.to())
    }
}

/// The thesis' values for exchanges (section 2.4.3).
const fn exchange_value(kind: PieceKind) -> i32 {
    match kind {
        PieceKind::King => 5,
        PieceKind::Rook => 4,
        PieceKind::Knight | PieceKind::Cannon => 3,
        PieceKind::Pawn => 2,
        PieceKind::Advisor | PieceKind::Elephant => 1,
    }
}
