//! The Asian rules once more, from the reference procedure of the rule
//! description and on a plain board of squares, with the ways in which
//! Fairy-Stockfish departs from it as switches.

use hanxin::board::{Color, Move, Piece, PieceKind, Position, Square};
use hanxin::rules::Pattern;

/// What another judge does differently.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Departures {
    /// A piece that may not leave its line, since its king would be in check,
    /// chases all the same.
    pub pinned_pieces_chase: bool,
    /// Whether a piece is protected, or could take back itself, is seen from the
    /// pins before the capture, not from whether the recapture is legal; a king
    /// protects whatever else guards the square; a pinned knight can take back a
    /// knight that has a piece diagonally beside it.
    pub pins_decide_protection: bool,
    /// A rook or cannon that moves away from a piece along the line of its
    /// attack attacks it anew.
    pub retreat_is_attack: bool,
    /// A piece that has come between an own rook or cannon and the enemy king,
    /// or has moved on there, chases whatever it attacks, unless the king could
    /// take back; that the kings would face each other does not keep it.
    pub masking_is_attack: bool,
    /// An old attack on a piece that has lost its root is not a chase.
    pub uncovering_is_idle: bool,
    /// What a piece covers that has just been pinned is chased if any other
    /// piece attacks it, be it a king or pawn and whatever else protects it.
    pub pinning_is_attack: bool,
    /// An elephant whose eye is left attacks across the river.
    pub elephants_cross: bool,
}

type Point = (i32, i32);

/// Pieces on squares, without a side to move.
#[derive(Clone)]
struct Board([Option<Piece>; 90]);

fn point(square: Square) -> Point {
    (i32::from(square.file()), i32::from(square.rank()))
}

fn all() -> impl Iterator<Item = Point> {
    (0..90).map(|at| (at % 9, at / 9))
}

fn is_in_palace((file, rank): Point, color: Color) -> bool {
    let home = if color == Color::Red { rank } else { 9 - rank };
    (3..=5).contains(&file) && home <= 2
}

fn is_across(rank: i32, color: Color) -> bool {
    (rank > 4) == (color == Color::Red)
}

impl Board {
    fn of(position: &Position) -> Board {
        Board(std::array::from_fn(|at| {
            let square = Square::new((at % 9) as u8, (at / 9) as u8).expect("on the board");
            position.piece_at(square)
        }))
    }

    fn at(&self, (file, rank): Point) -> Option<Piece> {
        self.0[(rank * 9 + file) as usize]
    }

    fn after(&self, from: Point, to: Point) -> Board {
        let mut board = self.clone();
        board.0[(to.1 * 9 + to.0) as usize] = self.at(from);
        board.0[(from.1 * 9 + from.0) as usize] = None;
        board
    }

    fn without(&self, (file, rank): Point) -> Board {
        let mut board = self.clone();
        board.0[(rank * 9 + file) as usize] = None;
        board
    }

    fn has_diagonal_neighbour(&self, (file, rank): Point) -> bool {
        let is_beside = |at: Point| ((at.0 - file).abs(), (at.1 - rank).abs()) == (1, 1);
        all().any(|at| is_beside(at) && self.at(at).is_some())
    }

    fn pieces(&self, color: Color) -> impl Iterator<Item = (Point, PieceKind)> + '_ {
        all().filter_map(move |at| {
            let piece = self.at(at).filter(|piece| piece.color() == color)?;
            Some((at, piece.kind()))
        })
    }

    fn king(&self, color: Color) -> Point {
        let king = self.pieces(color).find(|(_, kind)| *kind == PieceKind::King);
        king.expect("both kings are always there").0
    }

    /// The pieces between two points of a line, if they are on one.
    fn between(&self, a: Point, b: Point) -> Option<Vec<Point>> {
        if a == b || (a.0 != b.0 && a.1 != b.1) {
            return None;
        }
        let (dx, dy) = ((b.0 - a.0).signum(), (b.1 - a.1).signum());
        let steps = (b.0 - a.0).abs().max((b.1 - a.1).abs());
        let points = (1..steps).map(|i| (a.0 + i * dx, a.1 + i * dy));
        Some(points.filter(|&at| self.at(at).is_some()).collect())
    }

    /// Whether the piece on `from` could capture on `to` by its way of moving.
    fn reaches(&self, from: Point, to: Point) -> bool {
        let Some(piece) = self.at(from) else { return false };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let forward = if piece.color() == Color::Red { 1 } else { -1 };
        let distances = (dx.abs(), dy.abs());
        let is_free = |at: Point| self.at(at).is_none();
        match piece.kind() {
            PieceKind::Rook => self.between(from, to).is_some_and(|screens| screens.is_empty()),
            PieceKind::Cannon => self.between(from, to).is_some_and(|screens| screens.len() == 1),
            PieceKind::Knight => match distances {
                (1, 2) => is_free((from.0, from.1 + dy / 2)),
                (2, 1) => is_free((from.0 + dx / 2, from.1)),
                _ => false,
            },
            PieceKind::Elephant => {
                distances == (2, 2)
                    && !is_across(to.1, piece.color())
                    && is_free((from.0 + dx / 2, from.1 + dy / 2))
            }
            PieceKind::Advisor => distances == (1, 1) && is_in_palace(to, piece.color()),
            PieceKind::King => dx.abs() + dy.abs() == 1 && is_in_palace(to, piece.color()),
            PieceKind::Pawn => {
                (dx, dy) == (0, forward)
                    || (distances == (1, 0) && is_across(from.1, piece.color()))
            }
        }
    }

    /// What checks the king of `color`, an unhindered enemy king included.
    fn checkers(&self, color: Color) -> Vec<Point> {
        let king = self.king(color);
        let enemy = self.king(!color);
        let faces = self.between(king, enemy).is_some_and(|screens| screens.is_empty());
        let strikes = self.pieces(!color).map(|(at, _)| at).filter(|&at| self.reaches(at, king));
        strikes.chain(faces.then_some(enemy)).collect()
    }

    /// Whether a capture exposes the capturer's king to more than `standing`.
    fn exposes_king(&self, from: Point, to: Point, standing: &[Point]) -> bool {
        let color = self.at(from).expect("a piece captures").color();
        self.after(from, to).checkers(color).iter().any(|checker| !standing.contains(checker))
    }

    fn can_capture(&self, from: Point, to: Point) -> bool {
        let color = self.at(from).expect("a piece captures").color();
        self.reaches(from, to) && !self.exposes_king(from, to, &self.checkers(color))
    }

    /// The pieces of any colour between enemy rooks or cannons and the king of
    /// `color`, or on the leg of an enemy knight, without which these would
    /// check.
    fn blockers(&self, color: Color) -> Vec<Point> {
        let king = self.king(color);
        let mut blockers = Vec::new();
        for (at, kind) in self.pieces(!color) {
            let screens = self.between(at, king).unwrap_or_default();
            match (kind, screens.len()) {
                (PieceKind::Rook, 1) | (PieceKind::Cannon, 2) => blockers.extend(screens),
                (PieceKind::Knight, _) => blockers.extend(leg(at, king)),
                _ => {}
            }
        }
        blockers.retain(|&at| self.at(at).is_some());
        blockers
    }

    /// The blockers, and the only piece of `color` on a file with both kings,
    /// wherever on it and whatever else is there, as the other judge has it.
    fn pinned(&self, color: Color) -> Vec<Point> {
        let file = self.king(color).0;
        let mut pinned = self.blockers(color);
        if self.king(!color).0 == file {
            let others =
                self.pieces(color).filter(|&(at, kind)| at.0 == file && kind != PieceKind::King);
            let on_file: Vec<Point> = others.map(|(at, _)| at).collect();
            pinned.extend(on_file.first().filter(|_| on_file.len() == 1));
        }
        pinned
    }

    /// The pieces of `owner` that block lines to the king of `color` and that
    /// were no blockers where they stand on the board `before`.
    fn new_blockers(&self, before: &Board, color: Color, owner: Color) -> Vec<Point> {
        let old = before.blockers(color);
        let mut blockers = self.blockers(color);
        blockers.retain(|at| self.at(*at).is_some_and(|piece| piece.color() == owner));
        blockers.retain(|at| !old.contains(at));
        blockers
    }

    /// Whether a piece covers a square, as the other judge has it of pieces that
    /// are pinned: an advisor covers squares outside the palace too.
    fn covers(&self, from: Point, to: Point) -> bool {
        let is_advisor = self.at(from).is_some_and(|piece| piece.kind() == PieceKind::Advisor);
        let distances = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
        self.reaches(from, to) || (is_advisor && distances == (1, 1))
    }
}

/// Where a knight's way from one point to another can be blocked.
fn leg(from: Point, to: Point) -> Option<Point> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    match (dx.abs(), dy.abs()) {
        (1, 2) => Some((from.0, from.1 + dy / 2)),
        (2, 1) => Some((from.0 + dx / 2, from.1)),
        _ => None,
    }
}

/// What a piece of `side` attacks that has come between an own rook or cannon
/// and the enemy king or has moved on there, unless the king can take back.
fn masked_victims(before: &Board, after: &Board, side: Color) -> Vec<Point> {
    let king = after.king(!side);
    let maskers = after.new_blockers(before, !side, side);
    let is_avenged = |masker: Point, victim: Point| {
        let left = after.without(masker).without(king);
        let is_guarded = left.pieces(side).any(|(at, _)| left.reaches(at, victim));
        after.reaches(king, victim) && !is_guarded
    };
    let is_victim = |at: Point| {
        at != king && maskers.iter().any(|&m| after.reaches(m, at) && !is_avenged(m, at))
    };
    after.pieces(!side).map(|(at, _)| at).filter(|&at| is_victim(at)).collect()
}

/// Those among the pieces `side` may chase that are covered by a piece which
/// has just been pinned and attacked by one which is not.
fn robbed_victims(before: &Board, after: &Board, side: Color, among: &[Point]) -> Vec<Point> {
    let tied = after.blockers(side);
    let roots = after.new_blockers(before, !side, !side);
    let is_covered = |victim: Point| roots.iter().any(|&root| after.covers(root, victim));
    let is_attacked = |victim: Point| {
        after.pieces(side).any(|(at, _)| !tied.contains(&at) && after.reaches(at, victim))
    };
    among.iter().copied().filter(|&at| is_covered(at) && is_attacked(at)).collect()
}

/// What elephants of `side` see across the river through the square that a
/// piece has left.
fn seen_across(after: &Board, from: Point, side: Color, among: &[Point]) -> Vec<(Point, Point)> {
    let elephants = after.pieces(side).filter(|(_, kind)| *kind == PieceKind::Elephant);
    let seen = elephants.filter_map(|(at, _)| {
        let distances = ((at.0 - from.0).abs(), (at.1 - from.1).abs());
        let opposite = (2 * from.0 - at.0, 2 * from.1 - at.1);
        (distances == (1, 1) && is_across(opposite.1, side)).then_some((at, opposite))
    });
    seen.filter(|(_, victim)| among.contains(victim)).collect()
}

/// A victim, and whether the attack on it is new.
type Chase = (Point, bool);

impl Departures {
    fn is_rooted(self, board: &Board, attacker: Point, victim: Point) -> bool {
        let color = board.at(victim).expect("a victim").color();
        let standing = board.checkers(color);
        let taken = board.after(attacker, victim);
        let pinned = board.pinned(color);
        taken.pieces(color).any(|(root, kind)| {
            if !taken.reaches(root, victim) {
                return false;
            }
            if !self.pins_decide_protection {
                return !taken.exposes_king(root, victim, &standing);
            }
            let faced = || {
                let screens = taken.between(taken.king(!color), victim);
                screens.is_some_and(|screens| screens.is_empty())
            };
            !pinned.contains(&root) && (kind != PieceKind::King || !faced())
        })
    }

    fn captures(self, board: &Board, attacker: Point, victim: Point) -> bool {
        if self.pinned_pieces_chase {
            board.reaches(attacker, victim)
        } else {
            board.can_capture(attacker, victim)
        }
    }

    fn is_exchange(self, board: &Board, attacker: Point, victim: Point) -> bool {
        let color = board.at(victim).expect("a victim").color();
        if self.pins_decide_protection {
            let is_knight = board.at(attacker).is_some_and(|p| p.kind() == PieceKind::Knight);
            let ignores_pins = is_knight && board.has_diagonal_neighbour(attacker);
            board.reaches(victim, attacker)
                && (ignores_pins || !board.pinned(color).contains(&victim))
        } else {
            board.can_capture(victim, attacker)
        }
    }

    /// Whether the attacker wins something and offers no exchange.
    fn threatens(self, board: &Board, attacker: Point, victim: Point) -> bool {
        let kind = |at: Point| board.at(at).map(Piece::kind);
        self.captures(board, attacker, victim)
            && !(kind(attacker) == kind(victim) && self.is_exchange(board, attacker, victim))
            && self.wins(board, attacker, victim)
    }

    /// Whether the attacker wins something by taking.
    fn wins(self, board: &Board, attacker: Point, victim: Point) -> bool {
        use PieceKind::{Advisor, Cannon, Elephant, Knight, Rook};
        let kind = |at: Point| board.at(at).map(Piece::kind);
        let (Some(chaser), Some(chased)) = (kind(attacker), kind(victim)) else { return false };
        match (chaser, chased) {
            (Knight | Cannon, Rook) | (Advisor | Elephant, Rook | Knight | Cannon) => true,
            _ => !self.is_rooted(board, attacker, victim),
        }
    }

    /// What the move from one point to another chases.
    fn chases(self, before: &Board, from: Point, to: Point) -> Vec<Chase> {
        let after = before.after(from, to);
        let side = before.at(from).expect("a piece moves").color();
        let victims = after.pieces(!side).filter(|&(at, kind)| {
            kind != PieceKind::King && (kind != PieceKind::Pawn || is_across(at.1, !side))
        });
        let victims: Vec<Point> = victims.map(|(at, _)| at).collect();
        let mut by_lines = Vec::new();
        if self.masking_is_attack {
            by_lines.extend(masked_victims(before, &after, side));
        }
        if self.pinning_is_attack {
            by_lines.extend(robbed_victims(before, &after, side, &victims));
        }
        if self.elephants_cross {
            let is_elephant =
                |at: Point| after.at(at).is_some_and(|p| p.kind() == PieceKind::Elephant);
            let seen = seen_across(&after, from, side, &victims).into_iter();
            let won = seen.filter(|&(elephant, victim)| {
                !is_elephant(victim) && self.wins(&after, elephant, victim)
            });
            by_lines.extend(won.map(|(_, victim)| victim));
        }
        let mut chases: Vec<Chase> = by_lines.into_iter().map(|at| (at, true)).collect();
        for (attacker, kind) in after.pieces(side) {
            if matches!(kind, PieceKind::King | PieceKind::Pawn) {
                continue;
            }
            for &victim in &victims {
                if self.threatens(&after, attacker, victim) {
                    chases.extend(self.novelty(before, (from, to), attacker, victim));
                }
            }
        }
        chases
    }

    /// In which way a threat has come about with the move, if it has.
    fn novelty(
        self,
        before: &Board,
        (from, to): (Point, Point),
        attacker: Point,
        victim: Point,
    ) -> Option<Chase> {
        let earlier = if attacker == to { from } else { attacker };
        let is_retreat = attacker == to
            && before.between(to, victim).is_some()
            && before.between(to, victim).is_some_and(|screens| screens.contains(&from));
        if !self.captures(before, earlier, victim) || (self.retreat_is_attack && is_retreat) {
            Some((victim, true))
        } else if !self.uncovering_is_idle && !self.threatens(before, earlier, victim) {
            Some((victim, false))
        } else {
            None
        }
    }

    /// What a side does on every move of a cycle.
    fn pattern(self, start: &Position, moves: &[Move], side: Color) -> Pattern {
        let mut board = Board::of(start);
        // where the pieces stand that have been chased on every move so far,
        // and whether all chases were new attacks
        let mut victims: Vec<Chase> = all().map(|at| (at, true)).collect();
        // the latter of both sides
        let (mut checks, mut always_attacks_anew) = (true, true);
        for m in moves {
            let (from, to) = (point(m.from()), point(m.to()));
            let next = board.after(from, to);
            let chases = self.chases(&board, from, to);
            always_attacks_anew &= chases.iter().any(|&(_, is_new)| is_new);
            if board.at(from).is_some_and(|piece| piece.color() == side) {
                checks &= !next.checkers(!side).is_empty();
                victims = victims
                    .into_iter()
                    .filter(|(at, _)| chases.iter().any(|(victim, _)| victim == at))
                    .map(|(at, was_new)| (at, was_new && chases.contains(&(at, true))))
                    .collect();
            } else {
                victims.retain(|&(at, _)| at != to);
                for (at, _) in &mut victims {
                    *at = if *at == from { to } else { *at };
                }
            }
            board = next;
        }
        let square = |at: Point| Square::new(at.0 as u8, at.1 as u8).expect("on the board");
        if checks {
            return Pattern::Check;
        }
        let fresh = victims.iter().find(|(_, is_new)| *is_new);
        match (fresh, victims.first()) {
            (Some(&(at, _)), _) => Pattern::Chase(square(at)),
            (None, Some(&(at, _))) if !always_attacks_anew => {
                Pattern::ChaseByUncovering(square(at))
            }
            (None, _) => Pattern::Allowed,
        }
    }

    /// The side that loses for a cycle.
    pub fn offender(self, start: &Position, moves: &[Move]) -> Option<Color> {
        let level = |side| match self.pattern(start, moves, side) {
            Pattern::Check => 3,
            Pattern::Chase(_) | Pattern::Attack(_) => 2,
            Pattern::ChaseByUncovering(_) => 1,
            Pattern::Allowed => 0,
        };
        match level(Color::Red) - level(Color::Black) {
            0 => None,
            1.. => Some(Color::Red),
            _ => Some(Color::Black),
        }
    }
}
