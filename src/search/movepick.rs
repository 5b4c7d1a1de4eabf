//! The staged move picker: hands out moves one by one, the most promising
//! ones first, and generates a class of moves only when it is reached.

use arrayvec::ArrayVec;

use crate::board::{
    Bitboard, CheckSquares, Move, MoveList, PieceKind, Position, Square, advisor_attacks,
    cannon_attacks, elephant_attacks, exchange_value, knight_attacks, pawn_attacks,
};

use super::history::{Histories, QuietHistory};
use super::params::Params;

/// Bits of a sort key for the place of a move in its list; scores fit into the others.
const PLACE_BITS: u32 = 7;
const LAST_PLACE: i32 = (1 << PLACE_BITS) - 1;
const _: () = assert!(MoveList::CAPACITY <= 1 << PLACE_BITS);

/// Where a picker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Table,
    GoodCaptures,
    Refutations,
    Quiets,
    BadCaptures,
    Checks,
    Evasions,
    Done,
}

/// What a picker is asked to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every move.
    All,
    /// Captures only, those that lose more than the threshold left out.
    Captures,
    /// The same, then the quiet moves that give check.
    CapturesAndChecks,
}

/// A move about to be searched, with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct ScoredMove {
    /// The move.
    pub m: Move,
    /// Its number among the legal moves of the node, from 1.
    pub number: usize,
    /// Whether it takes a piece.
    pub is_capture: bool,
    /// Whether it gives check.
    pub gives_check: bool,
    /// Its history score.
    pub history: i32,
    /// Whether it is a killer or the counter move.
    pub is_refutation: bool,
}

/// What the picker needs to know of the node; the same on each call.
pub struct Context<'a> {
    /// The position.
    pub position: &'a Position,
    /// The history tables.
    pub histories: &'a Histories,
    /// Their rows for the quiet moves of the node.
    pub quiets: &'a QuietHistory<'a>,
    /// Where the side to move gives check.
    pub check_squares: &'a CheckSquares,
    /// The constants of the search.
    pub params: &'a Params,
}

/// Hands out the pseudo-legal moves of one node, each once.
pub struct MovePicker {
    stage: Stage,
    scope: Scope,
    table_move: Option<Move>,
    /// Two killers and the counter move.
    refutations: [Option<Move>; 3],
    /// Captures must win at least this to come before the quiet moves.
    see_threshold: i32,
    /// The moves generated for the stage.
    moves: MoveList,
    /// The score of each of `moves` and its place, the first one's the highest.
    sort_keys: ArrayVec<i32, { MoveList::CAPACITY }>,
    /// How many moves of the stage are behind.
    next: usize,
    /// Captures that lose material, in the order found.
    bad: ArrayVec<Move, { MoveList::CAPACITY }>,
    skip_quiets: bool,
}

impl MovePicker {
    /// A picker for a node; `table_move` is tested for pseudo-legality here.
    pub fn new(
        position: &Position,
        scope: Scope,
        table_move: Option<Move>,
        refutations: [Option<Move>; 3],
        see_threshold: i32,
    ) -> MovePicker {
        let table_move = table_move.filter(|&m| {
            position.is_pseudo_legal(m)
                && (scope == Scope::All
                    || position.is_capture(m) && position.see_ge(m, see_threshold))
        });
        MovePicker {
            stage: Stage::Table,
            scope,
            table_move,
            refutations,
            see_threshold,
            moves: MoveList::new(),
            sort_keys: ArrayVec::new(),
            next: 0,
            bad: ArrayVec::new(),
            skip_quiets: false,
        }
    }

    /// From now on hands out captures only, and all evasions of a check.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, context: &Context<'_>) -> Option<Move> {
        while self.stage != Stage::Done {
            let picked = self.pick(context);
            if picked.is_some() {
                return picked;
            }
            self.enter_next_stage(context);
        }
        None
    }

    /// The next move of this stage.
    #[inline]
    fn pick(&mut self, context: &Context<'_>) -> Option<Move> {
        match self.stage {
            Stage::Table if self.next == 0 => {
                self.next = 1;
                self.table_move
            }
            Stage::GoodCaptures => self.next_good_capture(context),
            Stage::Refutations => self.next_refutation(context.position),
            Stage::Quiets if !self.skip_quiets => self.next_unrefuted(),
            Stage::BadCaptures => {
                self.next += 1;
                self.bad.get(self.next - 1).copied()
            }
            Stage::Checks | Stage::Evasions => self.best_left(),
            Stage::Table | Stage::Quiets | Stage::Done => None,
        }
    }

    /// Goes on to the next stage of the scope and generates its moves.
    fn enter_next_stage(&mut self, context: &Context<'_>) {
        self.next = 0;
        let position = context.position;
        self.stage = match (self.stage, self.scope) {
            (Stage::Table, Scope::All) if position.in_check() => {
                let captures = position.evasions_into(&mut self.moves);
                self.score_evasions(context, captures);
                Stage::Evasions
            }
            (Stage::Table, _) => {
                position.captures_into(&mut self.moves);
                self.score_moves(|_, m| capture_score(context, m));
                Stage::GoodCaptures
            }
            (Stage::GoodCaptures, Scope::All) => Stage::Refutations,
            (Stage::GoodCaptures, Scope::CapturesAndChecks) => {
                self.drop_captures();
                position.quiet_checks_into(&mut self.moves, context.check_squares);
                self.score_moves(|_, m| context.quiets.score(position, m));
                Stage::Checks
            }
            (Stage::Refutations, _) if !self.skip_quiets => {
                self.drop_captures();
                position.quiets_into(&mut self.moves);
                self.score_quiets(context);
                Stage::Quiets
            }
            (Stage::Refutations | Stage::Quiets, _) => Stage::BadCaptures,
            _ => Stage::Done,
        };
    }

    /// Makes room for the quiet moves.
    fn drop_captures(&mut self) {
        self.moves = MoveList::new();
        self.sort_keys.clear();
    }

    /// Gives the moves generated the scores that `score` has for place and move.
    #[inline]
    fn score_moves(&mut self, score: impl Fn(usize, Move) -> i32) {
        let moves = self.moves.iter().enumerate();
        self.sort_keys.extend(moves.map(|(place, &m)| sort_key(score(place, m), place)));
    }

    fn score_quiets(&mut self, context: &Context<'_>) {
        let Context { position, quiets, check_squares, params, .. } = context;
        let threats = Threats::new(position);
        self.score_moves(|_, m| {
            let flight = position
                .piece_at(m.from())
                .map_or(0, |piece| threats.gain(piece.kind(), m, params));
            // a check that gives the piece away may still mate
            let bonus = match position.gives_check(m, check_squares) {
                true if position.see_ge(m, -params.order_check_see) => params.order_check,
                true => params.order_sacrifice,
                false => 0,
            };
            quiets.score(position, m) + flight + bonus
        });
    }

    fn score_evasions(&mut self, context: &Context<'_>, captures: usize) {
        const CAPTURES_FIRST: i32 = 1 << 20;
        self.score_moves(|place, m| {
            if place < captures {
                CAPTURES_FIRST + capture_score(context, m)
            } else {
                context.quiets.score(context.position, m)
            }
        });
    }

    fn next_good_capture(&mut self, context: &Context<'_>) -> Option<Move> {
        while let Some(m) = self.best_left() {
            if context.position.see_ge(m, self.see_threshold) {
                return Some(m);
            }
            self.bad.push(m);
        }
        None
    }

    /// The next killer or counter move that can be played here and was not yet.
    fn next_refutation(&mut self, position: &Position) -> Option<Move> {
        while !self.skip_quiets && self.next < self.refutations.len() {
            let (before, left) = self.refutations.split_at(self.next);
            self.next += 1;
            if let Some(m) = left[0]
                && self.table_move != left[0]
                && !before.contains(&left[0])
                && !position.is_capture(m)
                && position.is_pseudo_legal(m)
            {
                return Some(m);
            }
        }
        None
    }

    fn next_unrefuted(&mut self) -> Option<Move> {
        while let Some(m) = self.best_left() {
            if !self.refutations.contains(&Some(m)) {
                return Some(m);
            }
        }
        None
    }

    /// The best move left in the list, the table move passed over.
    #[inline]
    fn best_left(&mut self) -> Option<Move> {
        while self.next < self.moves.len() {
            // one pass in vectors finds both score and place
            let highest = self.sort_keys[self.next..].iter().copied().fold(i32::MIN, i32::max);
            let best = (LAST_PLACE - (highest & LAST_PLACE)) as usize;
            self.moves.swap(self.next, best);
            self.sort_keys[best] = sort_key(self.sort_keys[self.next] >> PLACE_BITS, best);
            self.next += 1;
            let m = self.moves[self.next - 1];
            if self.table_move != Some(m) {
                return Some(m);
            }
        }
        None
    }
}

/// A move's score and its place in the list as one number.
#[inline]
const fn sort_key(score: i32, place: usize) -> i32 {
    score << PLACE_BITS | (LAST_PLACE - place as i32)
}

/// The more valuable the victim the better, then by history.
#[inline]
fn capture_score(context: &Context<'_>, m: Move) -> i32 {
    let Context { position, histories, params, .. } = context;
    let victim = position.piece_at(m.to()).map_or(0, |piece| exchange_value(piece.kind()));
    params.order_victim * victim
        + histories.capture(position, m) * params.order_capture_history / 1024
}

/// The squares that the opponent of the side to move attacks with less than
/// what stands, or will stand, there.
struct Threats {
    /// With less than a knight or a cannon.
    below_minor: Bitboard,
    /// With less than a rook.
    below_rook: Bitboard,
}

impl Threats {
    /// What the side to move has to mind.
    fn new(position: &Position) -> Threats {
        use PieceKind::{Advisor, Cannon, Elephant, Knight, Pawn};
        let them = !position.side_to_move();
        let lines = position.lines();
        let below_minor = attacked(position, Pawn, |square| pawn_attacks(them, square))
            | attacked(position, Advisor, advisor_attacks)
            | attacked(position, Elephant, |square| elephant_attacks(square, lines));
        let below_rook = below_minor
            | attacked(position, Knight, |square| knight_attacks(square, lines))
            | attacked(position, Cannon, |square| cannon_attacks(square, lines));
        Threats { below_minor, below_rook }
    }

    /// What a quiet move of a piece of this kind gains by fleeing, history
    /// units; negative if it walks into an attack.
    #[inline]
    fn gain(&self, kind: PieceKind, m: Move, params: &Params) -> i32 {
        let (attacked, weight) = match kind {
            PieceKind::Rook => (self.below_rook, params.order_rook_threat),
            PieceKind::Knight | PieceKind::Cannon => (self.below_minor, params.order_minor_threat),
            _ => return 0,
        };
        let at = |square| i32::from(attacked.contains(square));
        weight * (at(m.from()) - at(m.to()))
    }
}

/// What the opponent's pieces of a kind attack.
#[inline]
fn attacked(
    position: &Position,
    kind: PieceKind,
    attacks: impl Fn(Square) -> Bitboard,
) -> Bitboard {
    let pieces = position.pieces_of(!position.side_to_move(), kind);
    pieces.map(attacks).fold(Bitboard::EMPTY, |all, more| all | more)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::board::testing::random_positions;
    use crate::search::history::PieceTo;
    use crate::util::seeded;

    #[test]
    fn the_stages_hand_out_every_legal_move_once() {
        let histories = Histories::new().unwrap();
        let continuation = [PieceTo::NONE; 4];
        let params = Params::default();
        let mut rng = seeded(5, 0);
        for position in random_positions(13) {
            let pseudo = position.pseudo_legal_moves();
            let [best, refutation] =
                std::array::from_fn(|_| Some(pseudo[rng.random_range(0..pseudo.len())]));
            let check_squares = position.check_squares();
            let context = Context {
                position: &position,
                histories: &histories,
                quiets: &histories.quiets(&position, &continuation, &params),
                check_squares: &check_squares,
                params: &params,
            };
            // one refutation twice, one that is another position's move
            let refutations =
                [refutation, refutation, Move::from_bits(rng.random_range(0..1 << 14))];
            let mut picker = MovePicker::new(&position, Scope::All, best, refutations, 0);
            let mut handed_out = Vec::new();
            while let Some(m) = picker.next(&context) {
                handed_out.push(m);
            }
            assert_eq!(handed_out.first(), best.as_ref());
            let mut expected = position.legal_moves().to_vec();
            expected.sort_unstable();
            handed_out.retain(|&m| position.leaves_king_safe(m));
            handed_out.sort_unstable();
            assert_eq!(handed_out, expected, "{}", position.to_fen());
        }
    }

    #[test]
    fn a_rook_flees_from_a_knight_and_a_knight_from_a_pawn() {
        // the knight on e6 attacks d4 and f4, the pawn on g5 attacks g4
        let fen = "4k4/9/9/4n4/6p2/3R2N2/9/9/9/3K5 w - - 0 1";
        let position = Position::from_fen(fen).unwrap();
        let (threats, params) = (Threats::new(&position), Params::default());
        let gain = |text: &str| {
            let m: Move = text.parse().unwrap();
            threats.gain(position.piece_at(m.from()).unwrap().kind(), m, &params)
        };
        assert_eq!(gain("d4d2"), params.order_rook_threat);
        assert_eq!(gain("d4f4"), 0);
        assert_eq!(gain("d4e4"), params.order_rook_threat);
        assert_eq!(gain("g4h2"), params.order_minor_threat);
        assert_eq!(gain("d0e0"), 0);
    }

    #[test]
    fn what_stands_on_an_attacked_square_of_its_own_worth_does_not_flee() {
        let fen = "4k4/9/9/4n4/9/3C5/9/9/9/3K5 w - - 0 1";
        let position = Position::from_fen(fen).unwrap();
        let threats = Threats::new(&position);
        let params = Params::default();
        assert_eq!(threats.gain(PieceKind::Cannon, "d4d2".parse().unwrap(), &params), 0);
        let gain = threats.gain(PieceKind::Rook, "d2d4".parse().unwrap(), &params);
        assert_eq!(gain, -params.order_rook_threat);
    }
}
