//! Move natures and verdicts of the Chinese national rules (2020).
//!
//! A move has the nature of its heaviest effect: check, kill, chase or idle
//! (rule 26.4). A side whose every move attacks in one of the first three ways
//! may not go on; if both sides do so, [`offender`] weighs the ways.
//!
//! The rules define an attack by what would happen next if its side were to
//! move again, so that is searched:
//!
//! * **Kill**: mate by checks, proved by proof numbers. A mate of more than
//!   [`MATE_MOVES`] moves, or one whose proof takes more than [`MATE_NODES`]
//!   positions, counts as none.
//! * **Chase**: material is won that could not be won before the move.
//!   [`Threat`] is one capture, looked at in two ways: on its square alone,
//!   and by search with everything that both sides can take, and four further
//!   checks of each. One piece's attack on an unprotected piece, or on a rook
//!   by a lesser piece, is a chase if it wins on its square, whatever it costs
//!   elsewhere, as long as the capturing piece is not pinned and the answer is
//!   no mate. An attack on a protected piece is one if it wins by search.
//!   Captures of like pieces that could take each other are offers to exchange
//!   (24.4) and nothing is won by them. What a king or pawn could take does
//!   not count (26.1), unless it unmasks a check with that (26.8). The weaker
//!   side's last attacker chases an advisor or elephant only if it wins by
//!   search: else it holds a point that it could not leave for that (26.2).
//! * **Plan**: as much can be won by a check or a sacrifice first.
//!
//! An attack is new if its like did not win before the move, in the position
//! with the same side to move. It is *restored* if it won on its square, but
//! at a loss elsewhere that the move has made good, or was the last attacker's on
//! an advisor or elephant: it takes two pieces and so weighs light. In answer to a check an attack that stood already is never
//! new (26.1.4), and what a fleeing king happens to attack does not count
//! (26.1.2, 26.1.3).
//!
//! A position is looked at in the [`Orientation`] of the smallest key: a search that
//! ends at a limit may find more the one way round than the other, and a verdict
//! must not.
//!
//! Not judged here is the rule of nine rounds of attacks without a repetition,
//! which end in one anyway. `tests/rule_cases.rs` states how far all this
//! agrees with the classes and verdicts of the rule book, figure by figure.

use std::collections::HashMap;

use crate::board::{Color, Move, Orientation, PieceKind, Position, Square, between};
use crate::mate::{MateLimits, MateSearch, MateVerdict};

use super::material::{
    discovers_check, exchange, exchange_without, gain, is_king_or_pawn, is_pinned, opens_line,
    value,
};

/// The longest mate that a threat of mate may take, in moves.
const MATE_MOVES: u16 = 20;
/// Positions that the proof of a mate may take.
const MATE_NODES: u64 = 5_000;
/// Entries in the table of these proofs.
const MATE_ENTRIES: usize = 1 << 10;
/// Checks of each side that may belong to a gain, one number after another; the
/// last one counts at which no search of the move is too large, for gains
/// compare only if they were found alike.
const CHECKS: [u8; 4] = [0, 1, 2, 4];

/// The nature of a move by the national rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    /// 将: it checks.
    Check,
    /// 杀: it threatens mate by checks.
    Kill,
    /// 捉 by this capture, new or newly profitable.
    Chase(Move, Weight),
    /// 捉 by several moves, this one first: checks before a capture (抽吃) or
    /// a sacrifice that takes a root away.
    Plan(Move, Weight),
    /// 闲: anything else, also exchange, offer, block and follow.
    Idle,
}

impl Nature {
    /// The same in a position that is seen so.
    fn seen_from(self, orientation: Orientation) -> Nature {
        match self {
            Nature::Chase(capture, weight) => Nature::Chase(orientation.image(capture), weight),
            Nature::Plan(first, weight) => Nature::Plan(orientation.image(first), weight),
            Nature::Check | Nature::Kill | Nature::Idle => self,
        }
    }
}

/// How a forbidden way of playing counts against another one (26.9).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Weight {
    /// A joint chase (联合捉), or one of a piece that is protected, though not
    /// enough (少根子).
    Light,
    /// A check, a kill, or one piece's chase of a rook or of an unprotected
    /// piece.
    Heavy,
}

/// The nature of a legal move.
pub fn nature(before: &Position, m: Move) -> Nature {
    NationalJudge::new().nature(before, m)
}

/// Judges moves and keeps what it has found out about mates.
struct NationalJudge {
    mates: MateSearch,
    /// Whether the side to move mates by checks, by the keys of positions.
    mated: HashMap<u64, bool>,
    /// Checks of each side that may belong to a gain.
    checks: u8,
    /// Whether a search for a gain was too large.
    is_too_large: bool,
}

impl NationalJudge {
    fn new() -> NationalJudge {
        let mates = MateSearch::new(MATE_ENTRIES);
        NationalJudge { mates, mated: HashMap::new(), checks: 0, is_too_large: false }
    }

    fn nature(&mut self, before: &Position, m: Move) -> Nature {
        let (orientation, before, m) = canonical(before, m);
        let mut nature = Nature::Idle;
        for checks in CHECKS {
            (self.checks, self.is_too_large) = (checks, false);
            let found = self.nature_by_checks(&before, m);
            if self.is_too_large {
                break;
            }
            nature = found;
        }
        nature.seen_from(orientation)
    }

    /// The nature as far as so many checks show it.
    fn nature_by_checks(&mut self, before: &Position, m: Move) -> Nature {
        let mut turned = before.clone();
        turned.make(m);
        if turned.in_check() {
            return Nature::Check;
        }
        if before.in_check() && m.from() == before.king(before.side_to_move()) {
            return Nature::Idle;
        }
        turned.make_null();
        if self.can_mate(&turned) {
            return Nature::Kill;
        }
        if before.in_check() {
            return self.answer_to_check(before, m, &turned);
        }
        let [old_offers, offers] = [before, &turned].map(|position| self.exchange_offers(position));
        let mut made = offers.clone();
        made.retain(|offer| !old_offers.contains(offer));
        let change = Change { m, turned: &turned, old: self.threats(before, &old_offers, &[]) };
        let new = self.threats(&turned, &offers, &made);
        let new = new.into_iter().filter(|threat| change.makes(threat));
        let weighed = new.map(|threat| (threat, threat.is_single && !change.restores(&threat)));
        match chase(m.to(), weighed) {
            Nature::Idle => {
                plan(&turned, self.new_plan((before, &old_offers), (&turned, &offers), &change.old))
            }
            chase => chase,
        }
    }

    /// What a piece other than the king, by answering a check, comes to threaten:
    /// to take, or to begin a plan.
    fn answer_to_check(&mut self, before: &Position, m: Move, turned: &Position) -> Nature {
        let offers = self.exchange_offers(turned);
        let is_new = |threat: &Threat| !stood_in_check(before, threat);
        let new = self.threats(turned, &offers, &offers).into_iter();
        let new = new.filter(Threat::wins).filter(is_new);
        let chase = chase(m.to(), new.map(|threat| (threat, threat.is_single)));
        if chase != Nature::Idle {
            return chase;
        }
        let old = self.threats(before, &[], &[]);
        let first = self.new_plan((before, &[]), (turned, &offers), &old);
        // whatever others could begin, the check may have hidden
        plan(turned, first.filter(|first| first.from() == m.to()))
    }

    /// Whether the side to move can force mate by checks.
    fn can_mate(&mut self, position: &Position) -> bool {
        let NationalJudge { mates, mated, .. } = self;
        *mated.entry(position.key()).or_insert_with(|| {
            let limits = MateLimits { nodes: MATE_NODES, moves: MATE_MOVES, shortest: false };
            let outcome = mates.prove(position, &[], limits, || false);
            matches!(outcome.verdict, MateVerdict::Mate(_))
        })
    }

    /// What the side to move wins by a move and what follows; 0 if that is not
    /// found out.
    fn gain(&mut self, position: &mut Position, m: Move, barred: &[Move]) -> i32 {
        let gain = if self.is_too_large { None } else { gain(position, m, barred, self.checks) };
        self.is_too_large |= gain.is_none();
        gain.unwrap_or(0)
    }

    /// All captures by which the side to move could chase: not its offers to
    /// exchange.
    fn threats(&mut self, position: &Position, offers: &[Move], barred: &[Move]) -> Vec<Threat> {
        let mut position = position.clone();
        let mut captures = position.legal_moves();
        captures.retain(|m| {
            value(&position, m.to()) > 0
                && !offers.contains(&m)
                && (!is_king_or_pawn(&position, m.from())
                    || discovers_check(&mut position.clone(), m))
        });
        let threat = |&capture| self.threat(&mut position, capture, barred);
        captures.iter().map(threat).collect()
    }

    fn threat(&mut self, position: &mut Position, capture: Move, barred: &[Move]) -> Threat {
        let exchange = exchange(position, capture);
        let mut after = position.clone();
        after.make(capture);
        if self.can_mate(&after) {
            let (gain, is_single, is_touch) = (i32::MIN, false, false);
            return Threat { capture, exchange, gain, is_single, is_touch };
        }
        let gain = self.gain(position, capture, barred);
        let takes_rook = is_rook(position, capture.to()) && !is_rook(position, capture.from());
        let is_rooted = || after.legal_moves().iter().any(|answer| answer.to() == capture.to());
        let is_single = takes_rook || !is_rooted() && !is_pinned(position, capture);
        let is_touch = gain <= 0 && is_touched(position, capture.to());
        Threat { capture, exchange, gain, is_single, is_touch }
    }

    /// The first move of a plan that wins more than any before the move, each
    /// position with its offers to exchange, and more than any of the `old` threats.
    fn new_plan(
        &mut self,
        before: (&Position, &[Move]),
        turned: (&Position, &[Move]),
        old: &[Threat],
    ) -> Option<Move> {
        let (gain, first) = self.best_plan(turned)?;
        let planned = self.best_plan(before).map(|(gain, _)| gain);
        let best_old = old.iter().map(|old| old.gain).chain(planned).max();
        (gain > best_old.unwrap_or(0).max(0)).then_some(first)
    }

    /// The check or sacrifice that wins most. A king or pawn begins a plan only by
    /// opening a line (26.1).
    fn best_plan(&mut self, (position, offers): (&Position, &[Move])) -> Option<(i32, Move)> {
        let mut position = position.clone();
        let squares = position.check_squares();
        let mut moves = position.legal_moves();
        moves.retain(|m| {
            if offers.contains(&m)
                || is_king_or_pawn(&position, m.from()) && !opens_line(&mut position, m)
            {
                return false;
            }
            let takes = value(&position, m.to()) > 0;
            let sacrifices = takes && exchange(&mut position, m) <= 0;
            sacrifices || (!takes && position.gives_check(m, &squares))
        });
        let rated = moves.iter().map(|&m| (self.gain(&mut position, m, offers), m));
        rated.max_by_key(|(gain, _)| *gain)
    }

    /// The captures of the side to move by which like pieces could take each
    /// other, unless the opponent's one would be mated for it.
    fn exchange_offers(&mut self, position: &Position) -> Vec<Move> {
        if position.in_check() {
            return Vec::new();
        }
        let mut theirs = position.clone();
        theirs.make_null();
        let kind = |square| position.piece_at(square).map(|piece| piece.kind());
        let mut offers = position.legal_moves();
        offers.retain(|m| kind(m.from()) == kind(m.to()));
        offers.retain(|m| {
            Move::new(m.to(), m.from()).is_some_and(|answer| {
                theirs.is_legal(answer) && {
                    let mut after = theirs.clone();
                    after.make(answer);
                    !self.can_mate(&after)
                }
            })
        });
        offers.to_vec()
    }
}

/// The orientation in which all images of a position and a move are the same, and
/// how they look in it.
fn canonical(position: &Position, m: Move) -> (Orientation, Position, Move) {
    let look = |way: Orientation| (way, way.position(position), way.image(m));
    let rank = |(_, position, m): &(Orientation, Position, Move)| (position.key(), *m);
    let [own, others @ ..] = Orientation::ALL.map(look);
    others
        .into_iter()
        .fold(own, |least, next| if rank(&next) < rank(&least) { next } else { least })
}

/// A capture that the side to move could make.
#[derive(Clone, Copy)]
struct Threat {
    capture: Move,
    /// What it wins on its square.
    exchange: i32,
    /// What it wins by search; `i32::MIN` if the answer is mate by checks.
    gain: i32,
    /// Whether one piece attacks a rook of higher rank or an unprotected
    /// piece, free to take it.
    is_single: bool,
    /// The last attacker touches a guard while it holds a point.
    is_touch: bool,
}

impl Threat {
    fn wins(&self) -> bool {
        self.gain > 0 || (self.wins_on_its_square() && !self.is_touch)
    }

    fn wins_on_its_square(&self) -> bool {
        self.is_single && self.exchange > 0
    }
}

/// The chase among threats with their weights, those first that win by search, of
/// equal ones that of the piece moved.
fn chase(moved: Square, threats: impl Iterator<Item = (Threat, bool)>) -> Nature {
    let heaviest = threats.max_by_key(|&(threat, is_heavy)| {
        (threat.gain > 0, is_heavy, threat.capture.from() == moved)
    });
    heaviest.map_or(Nature::Idle, |(threat, is_heavy)| {
        Nature::Chase(threat.capture, if is_heavy { Weight::Heavy } else { Weight::Light })
    })
}

/// The plan that a move begins, if there is one.
fn plan(position: &Position, first: Option<Move>) -> Nature {
    first.map_or(Nature::Idle, |first| Nature::Plan(first, plan_weight(position, first)))
}

/// A plan weighs heavy if the piece that begins it with a check can, whatever
/// the answer, take what a heavy chase would be after.
fn plan_weight(position: &Position, first: Move) -> Weight {
    let mut checked = position.clone();
    checked.make(first);
    let is_single = value(position, first.to()) == 0
        && checked.checkers().all(|checker| checker == first.to())
        && checked.legal_moves().iter().all(|&answer| {
            let mut answered = checked.clone();
            answered.make(answer);
            takes_alone(&answered, first.to())
        });
    if is_single { Weight::Heavy } else { Weight::Light }
}

/// Whether the piece on a square can take a rook of higher rank, or a piece that
/// nothing covers: a cover that the kings' facing forbids is one all the same.
fn takes_alone(position: &Position, from: Square) -> bool {
    let mut captures = position.legal_moves();
    captures.retain(|m| m.from() == from && value(position, m.to()) > 0);
    captures.iter().any(|&capture| {
        let mut after = position.clone();
        after.make(capture);
        is_rook(position, capture.to()) && !is_rook(position, from)
            || after.pseudo_legal_moves().iter().all(|answer| answer.to() != capture.to())
    })
}

/// Whether a capture of the same piece would have won as much on its square
/// before an answer to a check, the check aside.
fn stood_in_check(before: &Position, threat: &Threat) -> bool {
    let mut position = before.clone();
    let mut captures = before.pseudo_legal_moves();
    captures.retain(|m| m.to() == threat.capture.to() && !is_king_or_pawn(before, m.from()));
    captures.iter().any(|&capture| exchange(&mut position, capture) >= threat.exchange)
}

/// What a move changes, other than an answer to a check.
struct Change<'a> {
    m: Move,
    /// The position after it with the mover to move again.
    turned: &'a Position,
    /// The threats before it.
    old: Vec<Threat>,
}

impl Change<'_> {
    /// Whether the move makes a threat that wins and did not before.
    fn makes(&self, threat: &Threat) -> bool {
        let is_like = |old: &&Threat| !old.is_touch && old.capture.to() == threat.capture.to();
        threat.wins() && !self.old.iter().filter(is_like).any(|old| self.is_as_good(old, threat))
    }

    fn is_as_good(&self, old: &Threat, threat: &Threat) -> bool {
        let won_already = old.wins() && old.gain >= threat.gain;
        let stood_already = !threat.is_single && old.exchange >= threat.exchange;
        won_already || (stood_already && !self.takes_part_in(threat))
    }

    /// Whether the moved piece captures, recaptures or is a screen.
    fn takes_part_in(&self, Threat { capture, exchange, .. }: &Threat) -> bool {
        let moved = self.m.to();
        let mut position = self.turned.clone();
        capture.from() == moved
            || between(capture.from(), capture.to()).contains(moved)
            || exchange_without(&mut position, *capture, Some(moved)) < *exchange
    }

    /// Whether the same piece's attack won on its square before, or touched a guard.
    fn restores(&self, threat: &Threat) -> bool {
        let has_moved = threat.capture.from() == self.m.to();
        let from = if has_moved { self.m.from() } else { threat.capture.from() };
        Move::new(from, threat.capture.to()).is_some_and(|capture| {
            let stood = |old: &Threat| old.gain > 0 || old.wins_on_its_square();
            self.old.iter().any(|old| old.capture == capture && stood(old))
        })
    }
}

fn is_rook(position: &Position, square: Square) -> bool {
    position.piece_at(square).is_some_and(|piece| piece.kind() == PieceKind::Rook)
}

/// Whether the piece is an advisor or elephant that the last attacker of the
/// weaker side touches. What a point is that such an attacker holds no text
/// says; here it holds one if it gains nothing by leaving it (26.2).
fn is_touched(position: &Position, victim: Square) -> bool {
    let side = position.side_to_move();
    let is_guard = position
        .piece_at(victim)
        .is_some_and(|piece| matches!(piece.kind(), PieceKind::Advisor | PieceKind::Elephant));
    let values = |side| attackers(position, side).map(|square| value(position, square));
    is_guard && values(side).count() == 1 && values(side).sum::<i32>() < values(!side).sum()
}

/// Rooks, knights, cannons and crossed pawns.
fn attackers(position: &Position, side: Color) -> impl Iterator<Item = Square> {
    let pieces = PieceKind::ATTACKERS.map(|kind| position.pieces_of(side, kind));
    pieces.into_iter().flatten().filter(|&square| value(position, square) > 0)
}

/// The weight of a side's play if it attacks with every move of the cycle:
/// heavy if all its attacks are.
pub(super) fn forbidden_play(start: &Position, moves: &[Move], side: Color) -> Option<Weight> {
    let mut position = start.clone();
    let mut weight = Weight::Heavy;
    let mut judge = NationalJudge::new();
    for &m in moves {
        if position.side_to_move() == side {
            match judge.nature(&position, m) {
                Nature::Idle => return None,
                Nature::Chase(_, own) | Nature::Plan(_, own) => weight = weight.min(own),
                Nature::Check | Nature::Kill => {}
            }
        }
        position.make(m);
    }
    Some(weight)
}

/// Who must deviate when neither side checks perpetually: the only side whose play
/// is forbidden, or of two such sides the one that plays heavily throughout
/// while the other one does not (26.9).
pub(super) fn offender(plays: [Option<Weight>; 2]) -> Option<Color> {
    match plays {
        [Some(_), None] | [Some(Weight::Heavy), Some(Weight::Light)] => Some(Color::Red),
        [None, Some(_)] | [Some(Weight::Light), Some(Weight::Heavy)] => Some(Color::Black),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nature_of(fen: &str, m: &str) -> Nature {
        let position = Position::from_fen(fen).unwrap();
        let m = m.parse().unwrap();
        assert!(position.is_legal(m));
        nature(&position, m)
    }

    fn to(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn the_heaviest_effect_gives_the_nature() {
        let fen = "4ka3/9/b4a3/9/6b2/9/6R2/9/3p1KCr1/9 w";
        assert_eq!(nature_of(fen, "g3e3"), Nature::Check);
        let chased = "4k4/4a4/b4a3/9/6b2/9/4R4/9/3p1KCr1/9 w";
        assert_eq!(nature_of(chased, "e3g3"), Nature::Chase(to("g3g5"), Weight::Heavy));
        assert_eq!(nature_of(chased, "e3i3"), Nature::Idle);
        let king = "3a5/4ak3/b3b4/4R4/PP7/9/1r7/9/4K1p2/9 w";
        assert_eq!(nature_of(king, "e6f6"), Nature::Check);
        let mate = "3a5/5k3/b3ba3/4R4/PP7/9/1r7/9/4K1p2/9 b";
        assert_eq!(nature_of(mate, "f7e8"), Nature::Kill);
    }

    #[test]
    fn a_standing_offer_to_exchange_may_recapture() {
        // knight takes cannon, elephant takes knight, cannon takes elephant
        let fen = "2bk5/9/4c4/9/4P4/7N1/4C4/9/9/4K4 w";
        assert_eq!(nature_of(fen, "h4g6"), Nature::Chase(to("g6e7"), Weight::Light));
    }

    #[test]
    fn what_a_pawn_attacks_is_attacked_anew_by_a_rook() {
        // the rook answers a check
        let fen = "3k5/4c4/9/5Pn2/9/4R4/9/9/9/4K4 w";
        assert_eq!(nature_of(fen, "e4g4"), Nature::Chase(to("g4g6"), Weight::Heavy));
    }

    #[test]
    fn a_check_on_the_way_to_what_could_be_taken_anyway_is_no_plan() {
        let fen = "R3n4/9/4k4/9/9/9/9/9/9/3K5 w";
        assert_eq!(nature_of(fen, "a9a4"), Nature::Idle);
    }

    #[test]
    fn a_fleeing_king_threatens_nothing() {
        // the cannon behind it comes to attack an elephant
        let fen = "3a3R1/3Nck3/3ab4/P4r3/9/8p/2p5n/C3BA2B/4A4/4K4 b";
        let fleeing = fen.replace("3a3R1/3Nck3", "3a1k1R1/3Nc4");
        assert_eq!(nature_of(&fleeing, "f9f8"), Nature::Idle);
    }

    #[test]
    fn checks_and_sacrifices_can_be_the_way_to_win() {
        // rook to f6, check; the advisor interposes; the rook takes e6 with
        // a check by the cannon, and next the rook on d6
        let check = "3a3R1/4ak3/3cb4/P2rp4/6b2/9/9/5C3/4A4/4KA3 w";
        assert_eq!(nature_of(check, "h9h6"), Nature::Plan(to("h6f6"), Weight::Light));
        let sacrifice = "3ak1b2/4a4/3cb3n/4p1r1p/1R3N1N1/P7P/4P4/4B4/4A4/2B1KA3 w";
        assert_eq!(nature_of(sacrifice, "h5f4"), Nature::Plan(to("f5e7"), Weight::Light));
        let cross = "3ak1b2/2P1a4/4b4/p7p/9/P1P2R2P/1r6p/3CB4/4A4/2BA1K2c b";
        assert_eq!(nature_of(cross, "b3d3"), Nature::Plan(to("i0d0"), Weight::Light));
    }

    #[test]
    fn an_answer_to_a_check_can_be_a_plan() {
        // next a check on c8, then the rook on a9
        let fen = "r1bak1b2/4a4/9/4c4/9/4N4/9/9/9/2BAKAB2 w";
        assert_eq!(nature_of(fen, "e4d6"), Nature::Plan(to("d6c8"), Weight::Heavy));
        // a check on d5 wins the knight, as it would have done as an answer
        let no_news = "3k5/9/4c4/9/4R4/9/9/9/3n5/4K4 w";
        assert_eq!(nature_of(no_news, "e5f5"), Nature::Idle);
    }

    #[test]
    fn what_touched_a_guard_before_is_restored_and_not_made() {
        let fen = "9/4k4/3ac4/9/3R5/2B3r2/9/9/9/4K4 w";
        assert_eq!(nature_of(fen, "c4a2"), Nature::Chase(to("d5d7"), Weight::Light));
    }

    #[test]
    fn of_several_chases_one_that_pays_counts() {
        // to take on e6 would cost the knight on g8; the rook on f8 is free to
        // be taken now that the own rook is safe
        let fen = "4kab2/4arNC1/4b1R2/4n4/2p3pc1/9/4P3P/4B4/4A4/2BAK4 w";
        assert_eq!(nature_of(fen, "g7g6"), Nature::Chase(to("h8f8"), Weight::Light));
    }

    #[test]
    fn a_piece_that_may_not_take_for_fear_of_mate_is_offered_no_exchange() {
        // were it to take on g8, a cannon would mate
        let fen = "3akab2/2Ncn1C2/4b2C1/p7R/2rn2p2/9/P1p1P1P1P/4B4/9/2BAKA3 w";
        assert_eq!(nature_of(fen, "c8b6"), Nature::Chase(to("g8d8"), Weight::Light));
    }

    #[test]
    fn the_way_round_does_not_matter() {
        // a mate of nine moves whose proof takes about as many positions as it may,
        // and a plan whose search is about as large as it may be
        for (fen, moves) in [
            ("5c3/5kC2/9/3P5/2R6/4p4/7C1/B8/4K4/p8 w", "c5f5 f8e8 f5c5 e8f8"),
            ("3P1P3/6R2/4k4/1C1n1c2N/3c5/p5P1n/9/6r2/p7R/3K5 w", "g8d8 d5d2 d8g8 d2d5"),
        ] {
            let mut position = Position::from_fen(fen).unwrap();
            for m in moves.split(' ').map(to) {
                let own = nature(&position, m);
                for way in Orientation::ALL {
                    let image = nature(&way.position(&position), way.image(m));
                    assert_eq!(image.seen_from(way), own, "{fen} {m} {way:?}");
                }
                position.make(m);
            }
        }
    }

    #[test]
    fn light_play_excuses_itself_against_heavy_play() {
        use Weight::{Heavy, Light};
        assert_eq!(offender([Some(Heavy), Some(Light)]), Some(Color::Red));
        assert_eq!(offender([Some(Light), Some(Heavy)]), Some(Color::Black));
        assert_eq!(offender([Some(Heavy), Some(Heavy)]), None);
        assert_eq!(offender([Some(Light), Some(Light)]), None);
        assert_eq!(offender([Some(Light), None]), Some(Color::Red));
        assert_eq!(offender([None, None]), None);
    }
}
