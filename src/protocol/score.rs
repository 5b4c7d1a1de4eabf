//! Scores on the wire: `cp 35`, `mate -3`, or the plain numbers of UCCI.
//!
//! A win by the repetition rules ends the game like a mate, and neither protocol has another word
//! for "wins in so many moves": it is written as a mate. What an endgame table wins is not a mate
//! in so many moves yet: it is written as large centipawns, less the plies to it.

use super::dialect::{Dialect, Mates};
use super::info::next_number;
use super::text::{Words, clamp_i32};
use crate::score::{Score, Verdict};

/// In UCCI a mate is a plain number: this one, less the plies to mate.
const UCCI_MATE: i32 = 10_000;
/// Plain UCCI numbers closer to [`UCCI_MATE`] than this are mates. Mates that are further away are
/// clamped into them.
const UCCI_MATE_WINDOW: i32 = 200;
/// Wins by table, less the plies to it: below UCCI's mates.
const TABLE_WIN: i32 = 9_000;
/// Largest evaluation that is written: below all wins by table.
const EVALUATION_MAX: i32 = 8_000;
/// Mates announced further away than this count as mates in so many moves.
const FARTHEST_MATE: u32 = 200;

/// Reads what follows the word `score`.
pub(super) fn parse_score(words: &mut Words<'_>) -> Option<Score> {
    if words.accept("cp") {
        next_number(words).map(|value| Score::from_centipawns(clamp_i32(value)))
    } else if words.accept("mate") {
        next_number(words).map(|value| mate_in_moves(clamp_i32(value)))
    } else {
        next_number(words).map(|value| from_ucci_number(clamp_i32(value)))
    }
}

/// What follows the word `score` in a dialect.
///
/// ```
/// use hanxin::protocol::{Dialect, score_text};
/// use hanxin::score::Score;
///
/// assert_eq!(score_text(Score::mated_in(6), Dialect::UCI), "mate -3");
/// assert_eq!(score_text(Score::table_win_in(10), Dialect::UCI), "cp 8990");
/// assert_eq!(score_text(Score::from_centipawns(35), Dialect::UCCI), "35");
/// ```
pub fn score_text(score: Score, dialect: Dialect) -> String {
    match score.verdict() {
        Verdict::Mate(plies) | Verdict::Rule(plies)
            if !dialect.is_ucci() || dialect.mates == Mates::Keyword =>
        {
            // both halves round away from zero: the mated side has an even number of plies left
            let moves = if plies > 0 { (plies + 1) / 2 } else { (plies - 1) / 2 };
            format!("mate {moves}")
        }
        _ if dialect.is_ucci() => plain_number(score).to_string(),
        _ => format!("cp {}", plain_number(score)),
    }
}

/// The score of a mate in so many moves, not plies; negative when the side to move is mated, zero
/// when it already is.
fn mate_in_moves(moves: i32) -> Score {
    let plies = 2 * moves.unsigned_abs().min(FARTHEST_MATE) as usize;
    if moves > 0 { Score::mate_in(plies - 1) } else { Score::mated_in(plies) }
}

/// A score as a number within ±[`UCCI_MATE`]: centipawns, and large ones for what is decided.
pub(super) fn plain_number(score: Score) -> i32 {
    let large = |win: i32, plies: i32| (win - plies.abs()) * if score.is_win() { 1 } else { -1 };
    match score.verdict() {
        Verdict::Evaluation(value) => value.clamp(-EVALUATION_MAX, EVALUATION_MAX),
        Verdict::Table(plies) => large(TABLE_WIN, plies),
        Verdict::Mate(plies) | Verdict::Rule(plies) => {
            large(UCCI_MATE, plies.clamp(1 - UCCI_MATE_WINDOW, UCCI_MATE_WINDOW - 1))
        }
    }
}

/// Reads a plain number of UCCI. Numbers beyond ±[`UCCI_MATE`], which some engines use in a way of
/// their own, are evaluations.
pub(super) fn from_ucci_number(value: i32) -> Score {
    let plies = UCCI_MATE.saturating_sub(value.saturating_abs());
    match usize::try_from(plies) {
        Ok(plies) if plies < UCCI_MATE_WINDOW as usize && value > 0 => Score::mate_in(plies.max(1)),
        Ok(plies) if plies < UCCI_MATE_WINDOW as usize => Score::mated_in(plies),
        _ => Score::from_centipawns(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_and_wins_by_rule_are_written_as_mates() {
        for (score, uci, ucci) in [
            (Score::from_centipawns(-35), "cp -35", "-35"),
            (Score::from_centipawns(20_000), "cp 8000", "8000"),
            (Score::mate_in(1), "mate 1", "9999"),
            (Score::mate_in(3), "mate 2", "9997"),
            (Score::mated_in(0), "mate 0", "-10000"),
            (Score::mated_in(2), "mate -1", "-9998"),
            (Score::mated_in(4), "mate -2", "-9996"),
            (Score::mate_in(399), "mate 200", "9801"),
            (Score::rule_loss_in(4), "mate -2", "-9996"),
            (-Score::rule_loss_in(3), "mate 2", "9997"),
            (Score::rule_loss_in(0), "mate 0", "-10000"),
            (Score::from_raw(23_990), "cp 8990", "8990"),
        ] {
            assert_eq!(score_text(score, Dialect::UCI), uci, "{score}");
            assert_eq!(score_text(score, Dialect::UCCI), ucci, "{score}");
            let read = from_ucci_number(plain_number(score));
            assert_eq!(read.is_mate(), score.is_mate() || score.is_by_rule(), "{score}");
        }
        let keyword = Dialect { mates: Mates::Keyword, ..Dialect::UCCI };
        assert_eq!(score_text(Score::mated_in(6), keyword), "mate -3");
        assert_eq!(score_text(Score::from_centipawns(7), keyword), "7");
    }

    #[test]
    fn mates_are_counted_in_plies() {
        assert_eq!(mate_in_moves(2), Score::mate_in(3));
        assert_eq!(mate_in_moves(-2), Score::mated_in(4));
        assert_eq!(mate_in_moves(0), Score::mated_in(0));
        assert!(mate_in_moves(i32::MAX).is_mate() && mate_in_moves(i32::MIN).is_loss());
    }

    #[test]
    fn plain_numbers_are_read_back() {
        for moves in -99..=100 {
            let score = mate_in_moves(moves);
            assert_eq!(from_ucci_number(plain_number(score)), score, "{moves}");
        }
        assert_eq!(from_ucci_number(10_000), Score::mate_in(1));
        assert_eq!(from_ucci_number(9800), Score::from_centipawns(9800));
        assert_eq!(from_ucci_number(29_990), Score::from_centipawns(29_990));
        assert!(!from_ucci_number(i32::MIN).is_decisive());
    }
}
