//! From centipawns to chances.

use crate::board::Position;
use crate::score::Score;

/// With *p* the pieces on the board as a share of the 32 of the start, the
/// chance to win is σ((score − even) / spread), where even = `EVEN[0]` +
/// `EVEN[1]` *p* and spread likewise, in centipawns. Fitted to games by
/// `hanxin-tuning wdl`; `tuning/LOG.md` says to which.
const EVEN: [f64; 2] = [434.0, -237.0];
const SPREAD: [f64; 2] = [48.0, 140.0];

/// The chances to win, draw and lose with this score in a position, for the
/// side whose score it is, per mille; they add up to 1000. A score decided by
/// mate, rule or table leaves no chances.
pub fn win_draw_loss(position: &Position, score: Score) -> [u32; 3] {
    if score.is_decisive() {
        return if score.is_win() { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let pieces = f64::from(position.occupied().len()) / 32.0;
    let at = |line: [f64; 2]| line[0] + line[1] * pieces;
    let chance = |centipawns: i32| {
        let odds = ((at(EVEN) - f64::from(centipawns)) / at(SPREAD)).exp();
        (1000.0 / (1.0 + odds)).round() as u32
    };
    let win = chance(score.raw());
    let loss = chance(-score.raw());
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_follow_the_score_and_add_up() {
        let ending = Position::from_fen("4k4/9/9/9/9/9/9/9/9/R2K5 w").unwrap();
        for position in [Position::startpos(), ending] {
            let mut before = 0;
            for centipawns in (-3000..=3000).step_by(50) {
                let score = Score::from_centipawns(centipawns);
                let [win, draw, loss] = win_draw_loss(&position, score);
                assert_eq!(win + draw + loss, 1000);
                assert!(win >= before);
                before = win;
                assert_eq!(win_draw_loss(&position, -score), [loss, draw, win]);
            }
            assert_eq!(win_draw_loss(&position, Score::mate_in(5)), [1000, 0, 0]);
            assert_eq!(win_draw_loss(&position, -Score::mate_in(5)), [0, 0, 1000]);
        }
    }

    #[test]
    fn a_small_lead_draws_in_an_ending_more_often_than_at_the_start() {
        let ending = Position::from_fen("4k4/9/9/9/9/9/9/9/9/R2K5 w").unwrap();
        let lead = Score::from_centipawns(150);
        let draws = |position| win_draw_loss(position, lead)[1];
        assert!(draws(&ending) > 2 * draws(&Position::startpos()));
    }
}
