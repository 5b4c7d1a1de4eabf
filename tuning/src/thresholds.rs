//! What a side gets after scores that might make it resign or offer a draw.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use hanxin::arena::training::Record;
use hanxin::board::Color;

use crate::progress::print_line;
use crate::store;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning thresholds --data games-3.hxg";

/// Which games to look at.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// Files that datagen has made
    #[arg(long = "data", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
}

/// Hopeless scores for resigning, centipawns. Datagen adjudicates not far
/// beyond.
const HOPELESS: [i16; 4] = [-700, -900, -1_000, -1_100];
/// Own moves in a row that were hopeless.
const HOPELESS_MOVES: [usize; 3] = [1, 3, 4];
/// Level scores for offering a draw, centipawns.
const LEVEL: [i16; 3] = [10, 20, 30];
/// Own moves in a row that were level.
const LEVEL_MOVES: [usize; 2] = [6, 10];
/// Plies of a game before a draw is offered.
const EARLIEST_OFFER: [usize; 2] = [60, 80];

/// Sides of games that came to a threshold: how many lost, drew and won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcomes([u32; 3]);

/// A side's searched moves: ply of the game, score for it; datagen keeps none for
/// checks and captures.
type Scores = Vec<(usize, Option<i16>)>;

/// Prints how games ended in which a side came to each threshold.
///
/// # Errors
/// When the data cannot be used.
pub fn run(options: &Options) -> Result<()> {
    let mut sides = Vec::new();
    for path in &options.files {
        for game in store::read(path)?.games {
            for color in Color::ALL {
                sides.push((scores_of(&game, color), game.result.points_of(color) as usize));
            }
        }
    }
    print_line!("scores below the first number for so many own moves in a row, all with scores:");
    for score in HOPELESS {
        for moves in HOPELESS_MOVES {
            let outcomes = count(&sides, moves, 0, |own| own < score);
            print_line!("{score:6} {moves:3}            {outcomes}");
        }
    }
    print_line!("the same within the first number, the last of the moves at a ply or later:");
    for score in LEVEL {
        for moves in LEVEL_MOVES {
            for earliest in EARLIEST_OFFER {
                let outcomes = count(&sides, moves, earliest, |own| own.abs() <= score);
                print_line!("{score:6} {moves:3} {earliest:10} {outcomes}");
            }
        }
    }
    Ok(())
}

fn scores_of(game: &Record, color: Color) -> Scores {
    let first = game.opening.len();
    let starts = game.start.position().side_to_move() == color;
    let plies = game.plies.iter().enumerate();
    let scores = plies.map(|(number, ply)| (first + number, ply.score));
    let own = scores.filter(|(ply, _)| ply.is_multiple_of(2) == starts);
    let sign = if color == Color::Red { 1 } else { -1 };
    own.map(|(ply, for_red)| (ply, for_red.map(|score| sign * score))).collect()
}

/// The outcomes of the sides that had such scores at `moves` own moves in a row, the
/// last at ply `earliest` or later. A move without a score ends the row.
fn count(
    sides: &[(Scores, usize)],
    moves: usize,
    earliest: usize,
    holds: impl Fn(i16) -> bool,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for (scores, points) in sides {
        let reached = scores.windows(moves).any(|run| {
            run[moves - 1].0 >= earliest && run.iter().all(|(_, own)| own.is_some_and(&holds))
        });
        outcomes.0[*points] += u32::from(reached);
    }
    outcomes
}

impl std::fmt::Display for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sum = self.0.iter().sum::<u32>();
        let [lost, drawn, won] =
            self.0.map(|count| 100.0 * f64::from(count) / f64::from(sum.max(1)));
        write!(f, "{sum:7} sides: lost {lost:5.1} %, drawn {drawn:5.1} %, won {won:5.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::{SHUFFLE, game};

    #[test]
    fn sides_are_counted_that_come_to_a_threshold() {
        // ten plies before; Red wins
        let game = game(&format!("{SHUFFLE} b0c2 b9c7 c2b0 c7b9"), &[30, 700, 20, 900]);
        let sides = Color::ALL
            .map(|color| (scores_of(&game, color), game.result.points_of(color) as usize));
        assert_eq!(sides[0].0, [(10, Some(30)), (12, Some(20))]);
        assert_eq!(sides[1].0, [(11, Some(-700)), (13, Some(-900))]);
        let hopeless = |moves, score| count(&sides, moves, 0, |own| own < score);
        assert_eq!(hopeless(2, -600), Outcomes([1, 0, 0]));
        assert_eq!(hopeless(2, -800), Outcomes([0, 0, 0]));
        assert_eq!(hopeless(1, -800), Outcomes([1, 0, 0]));
        let level = |moves, earliest| count(&sides, moves, earliest, |own| own.abs() <= 30);
        assert_eq!(level(2, 12), Outcomes([0, 0, 1]));
        assert_eq!(level(2, 13), Outcomes([0, 0, 0]));
        assert_eq!(level(3, 0), Outcomes([0, 0, 0]));
    }

    #[test]
    fn moves_with_one_between_them_that_has_no_score_are_not_in_a_row() {
        let moves = format!("{SHUFFLE} b0c2 b9c7 c2b0 c7b9 b0c2 b9c7");
        let mut game = game(&moves, &[0, -700, 0, -800, 0, -900]);
        let count = |game: &Record, moves| {
            count(&[(scores_of(game, Color::Red), 0)], moves, 0, |own| own == 0)
        };
        assert_eq!(count(&game, 3), Outcomes([1, 0, 0]));
        game.plies[2].score = None;
        assert_eq!(count(&game, 2), Outcomes([0, 0, 0]));
        assert_eq!(count(&game, 1), Outcomes([1, 0, 0]));
    }
}
