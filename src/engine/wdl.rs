//! From centipawns to chances.

use crate::score::Score;

/// The score with even chances to win and not to win, centipawns, and the
/// spread of the logistic curve around it. Estimates, to be fitted to games.
const EVEN: f64 = 150.0;
const SPREAD: f64 = 70.0;

/// The chances to win, draw and lose with this score, per mille; they add up
/// to 1000.
pub fn win_draw_loss(score: Score) -> [u32; 3] {
    let chance = |centipawns: i32| {
        (1000.0 / (1.0 + ((EVEN - f64::from(centipawns)) / SPREAD).exp())).round() as u32
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
        let mut before = 0;
        for centipawns in (-3000..=3000).step_by(50) {
            let [win, draw, loss] = win_draw_loss(Score::from_centipawns(centipawns));
            assert_eq!(win + draw + loss, 1000);
            assert!(win >= before);
            before = win;
            assert_eq!(win_draw_loss(Score::from_centipawns(-centipawns)), [loss, draw, win]);
        }
        assert_eq!(win_draw_loss(Score::mate_in(5)), [1000, 0, 0]);
        assert_eq!(win_draw_loss(-Score::mate_in(5)), [0, 0, 1000]);
    }
}
