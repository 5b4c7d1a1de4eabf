//! Explains verdicts in words, and what each move of a cycle does.

use std::fmt;

use crate::board::{Bitboard, Color, Move, Piece, Position};

use super::asian::{self, Contact};
use super::cycle::{CycleVerdict, Pattern, judge_cycle};
use super::league;
use super::national::{Nature, nature};
use super::placement::Placement;
use super::ruleset::RuleSet;

/// An attack by a move, as one rule set defines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It gives check.
    Check,
    /// It threatens mate by checks (`cxa` only).
    MateThreat,
    /// It chases a piece.
    Chase(Chase),
    /// It prepares to win material by several moves, this one first (`cxa`
    /// only).
    Plan(Move),
}

/// A chase by one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chase {
    /// The piece that would capture.
    pub chaser: Piece,
    /// The piece it would capture.
    pub victim: Piece,
    /// That capture.
    pub capture: Move,
    /// Whether the victim is protected; it counts as chased all the same.
    pub is_protected: bool,
    /// Whether the attack existed before the move, which only made it pay.
    pub is_uncovering: bool,
}

/// A move of a cycle with what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveReport {
    /// The side that moves.
    pub side: Color,
    /// Legal in the position before it.
    pub m: Move,
    /// What it attacks; empty if the move is idle.
    pub effects: Vec<Effect>,
}

/// A verdict with its reasons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The rule set applied.
    pub rules: RuleSet,
    /// As [`judge_cycle`] gives it.
    pub verdict: CycleVerdict,
    /// The moves of the cycle, in order.
    pub moves: Vec<MoveReport>,
    /// The verdict and its reason in one English sentence.
    pub sentence: String,
}

/// Judges a cycle like [`judge_cycle`] and says why.
pub fn explain_cycle(rules: RuleSet, start: &Position, moves: &[Move]) -> Explanation {
    let verdict = judge_cycle(rules, start, moves);
    let mut position = start.clone();
    let mut reports = Vec::with_capacity(moves.len());
    for &m in moves {
        reports.push(MoveReport {
            side: position.side_to_move(),
            m,
            effects: effects(rules, &position, m),
        });
        position.make(m);
    }
    let sentence = sentence(&verdict, start, &reports);
    Explanation { rules, verdict, moves: reports, sentence }
}

/// What a legal move does, as the rule set sees it.
pub fn effects(rules: RuleSet, before: &Position, m: Move) -> Vec<Effect> {
    let side = before.side_to_move();
    let old = Placement::of(before);
    let new = old.after(side, m);
    let chase = |capture: Move, is_uncovering: bool| chase(&new, side, capture, is_uncovering);
    if rules == RuleSet::Cxa {
        return match nature(before, m) {
            Nature::Check => vec![Effect::Check],
            Nature::Kill => vec![Effect::MateThreat],
            Nature::Idle => vec![],
            Nature::Plan(first, _) => vec![Effect::Plan(first)],
            Nature::Chase(capture, _) => {
                let is_older = old.covering(capture.to(), side).contains(capture.from());
                chase(capture, is_older).into_iter().collect()
            }
        };
    }
    let mut effects = Vec::new();
    if !new.checkers(!side).is_empty() {
        effects.push(Effect::Check);
    }
    if rules == RuleSet::Axf {
        let contacts = asian::new_contacts(&old, &new, side, m, Bitboard::ALL);
        effects
            .extend(contacts.filter_map(|(c, contact)| chase(c, contact == Contact::Uncovering)));
    } else if effects.is_empty() {
        let victims = league::chased(&new, side, m);
        effects.extend(victims.filter_map(|victim| chase(Move::new(m.to(), victim)?, false)));
    }
    effects
}

fn chase(new: &Placement, side: Color, capture: Move, is_uncovering: bool) -> Option<Effect> {
    let piece = |color, square| Some(Piece::new(color, new.kind_at(square)?));
    Some(Effect::Chase(Chase {
        chaser: piece(side, capture.from())?,
        victim: piece(!side, capture.to())?,
        capture,
        is_protected: new.is_rooted(side, capture),
        is_uncovering,
    }))
}

fn sentence(verdict: &CycleVerdict, start: &Position, reports: &[MoveReport]) -> String {
    let Some(offender) = verdict.offender else {
        return draw_sentence(verdict.patterns);
    };
    let offence = offence(offender, verdict.patterns[offender.index()], start, reports);
    let other = match verdict.patterns[(!offender).index()] {
        Pattern::Allowed => "",
        Pattern::Attack(_) => ", and the opponent's attacks, in part joint ones, weigh less",
        _ => ", which outweighs the opponent's chase",
    };
    format!("{offence} in every move of the cycle{other}: {offender:?} loses.")
}

fn draw_sentence(patterns: [Pattern; 2]) -> String {
    match patterns {
        [Pattern::Check, _] => "Both sides check in every move of the cycle: draw.",
        [Pattern::Allowed, _] => "Neither side attacks in every move of the cycle: draw.",
        [Pattern::Attack(_), _] => {
            "Both sides attack in every move of the cycle, with equal weight: draw."
        }
        _ => "Both sides chase in every move of the cycle: draw.",
    }
    .to_owned()
}

/// The offence as the beginning of a sentence.
fn offence(side: Color, pattern: Pattern, start: &Position, reports: &[MoveReport]) -> String {
    match pattern {
        Pattern::Allowed => format!("{side:?} does nothing wrong"),
        Pattern::Check => format!("{side:?} checks"),
        Pattern::Attack(_) => attack_offence(side, reports),
        Pattern::Chase(square) | Pattern::ChaseByUncovering(square) => {
            let Some(victim) = start.piece_at(square) else { return format!("{side:?} chases") };
            chase_offence(side, victim, reports)
        }
    }
}

/// The kinds of attack in a mixture.
fn attack_offence(side: Color, reports: &[MoveReport]) -> String {
    let does = |wanted: fn(&Effect) -> bool| {
        reports.iter().any(|report| report.side == side && report.effects.iter().any(wanted))
    };
    let ways = [
        (does(|effect| *effect == Effect::Check), "checks"),
        (does(|effect| *effect == Effect::MateThreat), "threatens mate"),
        (does(|effect| matches!(effect, Effect::Chase(_) | Effect::Plan(_))), "chases"),
    ];
    let ways: Vec<&str> = ways.iter().filter(|(used, _)| *used).map(|(_, way)| *way).collect();
    format!("{side:?} {}", ways.join(" or "))
}

/// `Black's rook and cannon chase Red's unprotected knight`.
fn chase_offence(side: Color, victim: Piece, reports: &[MoveReport]) -> String {
    let chases: Vec<Chase> = reports
        .iter()
        .filter(|report| report.side == side)
        .flat_map(|report| &report.effects)
        .filter_map(|effect| match effect {
            Effect::Chase(chase) if chase.victim == victim => Some(*chase),
            _ => None,
        })
        .collect();
    let mut chasers: Vec<&str> = Vec::new();
    for chase in &chases {
        let name = chase.chaser.kind().name();
        if !chasers.contains(&name) {
            chasers.push(name);
        }
    }
    let verb = if chasers.len() == 1 { "chases" } else { "chase" };
    let state = if chases.iter().any(|chase| chase.is_protected) { "" } else { "unprotected " };
    let (chasers, victim) = (chasers.join(" and "), victim.kind().name());
    format!("{side:?}'s {chasers} {verb} {:?}'s {state}{victim}", !side)
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::Check => f.write_str("check"),
            Effect::MateThreat => f.write_str("threat of mate"),
            Effect::Plan(first) => write!(f, "threat to win material, beginning with {first}"),
            Effect::Chase(chase) => {
                let way = if chase.is_uncovering { "uncovering" } else { "chase" };
                let (victim, chaser) = (chase.victim.kind().name(), chase.chaser.kind().name());
                let (from, to) = (chase.capture.from(), chase.capture.to());
                write!(f, "{way} of the {victim} on {to} by the {chaser} on {from}")
            }
        }
    }
}

impl fmt::Display for MoveReport {
    /// `Red e5e6: check, chase of the rook on e9 by the cannon on e6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: ", self.side, self.m)?;
        if self.effects.is_empty() {
            return f.write_str("idle");
        }
        for (i, effect) in self.effects.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{effect}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(rules: RuleSet, fen: &str, moves: &str) -> Explanation {
        let moves: Vec<Move> = moves.split(' ').map(|text| text.parse().unwrap()).collect();
        explain_cycle(rules, &Position::from_fen(fen).unwrap(), &moves)
    }

    #[test]
    fn sentences_name_the_pieces_and_the_deed() {
        let chase = explain(RuleSet::Axf, "9/5k3/8b/9/r8/1C2P4/9/4K4/9/9 b", "a5b5 b4a4 b5a5 a4b4");
        assert_eq!(
            chase.sentence,
            "Black's rook chases Red's unprotected cannon in every move of the cycle: Black loses."
        );
        assert_eq!(
            chase.moves[0].to_string(),
            "Black a5b5: chase of the cannon on b4 by the rook on b5"
        );
        assert_eq!(chase.moves[1].to_string(), "Red b4a4: idle");
        let check = explain(
            RuleSet::League,
            "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w",
            "e9d9 d8e8 d9e9 e8d8",
        );
        assert_eq!(check.sentence, "Red checks in every move of the cycle: Red loses.");
        assert_eq!(check.moves[0].to_string(), "Red e9d9: check");
        let rooted =
            explain(RuleSet::Axf, "3a1k3/3n5/R1R6/9/9/9/9/8B/3K5/9 b", "d8b9 a7b7 b9d8 b7a7");
        assert_eq!(
            rooted.sentence,
            "Black's knight chases Red's rook in every move of the cycle: Black loses."
        );
        let quiet = explain(RuleSet::Cxa, "5k3/9/9/9/9/9/9/9/9/3K5 w", "d0d1 f9f8 d1d0 f8f9");
        assert_eq!(quiet.sentence, "Neither side attacks in every move of the cycle: draw.");
    }

    #[test]
    fn national_mixtures_are_spelled_out() {
        let mixture =
            explain(RuleSet::Cxa, "4ka3/9/b4a3/9/6b2/9/6R2/9/3p1KCr1/9 w", "g3e3 f9e8 e3g3 e8f9");
        assert_eq!(mixture.sentence, "Red checks or chases in every move of the cycle: Red loses.");
    }
}
