//! Positions from games, as a linear evaluation sees them.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use hanxin::board::Position;
use hanxin::eval::classical;

use crate::record::Record;
use crate::store;

/// Which games to learn from and to be judged by.
#[derive(Args)]
pub struct Data {
    /// Files that datagen has made
    #[arg(long = "data", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// How much of the target is the result of the game; the rest is the score
    /// of the search
    #[arg(long, default_value_t = 0.15, value_parser = fraction)]
    pub lambda: f64,
}

fn fraction(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("want 0 to 1".to_owned()) }
}

/// One position.
pub struct Sample {
    /// What the evaluation for Red is made of.
    pub entries: Box<[Entry]>,
    /// The points that Red got in the end, 0 to 1.
    pub points: f32,
    /// The search's score for Red, centipawns.
    pub score: f32,
    /// What is left on the board, 0 to 66.
    pub midgame: i32,
}

/// A value and how strongly the evaluation depends on it.
#[derive(Clone, Copy)]
pub struct Entry {
    index: u16,
    factor: f32,
}

impl Entry {
    /// A value's place in the flat vector, and its share.
    pub fn new(index: usize, factor: f32) -> Entry {
        Entry { index: index as u16, factor }
    }

    /// The place of the value in the flat vector.
    pub fn index(self) -> usize {
        usize::from(self.index)
    }

    /// By how much the evaluation for Red grows with the value.
    pub fn factor(self) -> f64 {
        f64::from(self.factor)
    }
}

impl Sample {
    /// The evaluation for Red with these weights, centipawns.
    pub fn value(&self, weights: &[f64]) -> f64 {
        self.entries.iter().map(|entry| weights[entry.index()] * entry.factor()).sum()
    }
}

/// Samples, and others of games of their own to judge by.
pub struct Samples {
    /// To learn from.
    pub training: Vec<Sample>,
    /// To judge by.
    pub validation: Vec<Sample>,
}

/// Every so many games one is kept for validation.
const VALIDATION: u32 = 10;
/// The first plies of a game are not used.
const FIRST_PLY: usize = 10;
/// Nor are positions that are as good as decided.
const SCORE_LIMIT: i16 = 2_000;

impl Data {
    /// The quiet positions of all games, each once.
    ///
    /// # Errors
    /// When a file cannot be read, or holds an illegal move, or none of the
    /// positions is of use.
    pub fn load(&self) -> Result<Samples> {
        let mut samples = Samples { training: Vec::new(), validation: Vec::new() };
        let mut seen = HashSet::new();
        for path in &self.files {
            for game in &store::read(path)?.games {
                let part = if game.number % VALIDATION == VALIDATION - 1 {
                    &mut samples.validation
                } else {
                    &mut samples.training
                };
                let legal = gather(game, &mut seen, part);
                ensure!(legal, "{}: illegal move in game {}", path.display(), game.number);
            }
        }
        let enough = !samples.training.is_empty() && !samples.validation.is_empty();
        ensure!(enough, "too few games: none to learn from, or none to judge by");
        Ok(samples)
    }
}

/// Adds the useful positions of a game; returns whether its moves are legal.
fn gather(game: &Record, seen: &mut HashSet<u64>, samples: &mut Vec<Sample>) -> bool {
    let mut position = Position::startpos();
    for &m in &game.opening {
        if !position.is_legal(m) {
            return false;
        }
        position.make(m);
    }
    for (ply, searched) in game.plies.iter().enumerate() {
        if !position.is_legal(searched.best) {
            return false;
        }
        let quiet = !position.in_check() && !position.is_capture(searched.best);
        let open = searched.score.abs() < SCORE_LIMIT;
        let late = game.opening.len() + ply >= FIRST_PLY;
        if quiet && open && late && seen.insert(position.key()) {
            samples.push(sample(&position, game, searched.score));
        }
        position.make(searched.best);
    }
    true
}

fn sample(position: &Position, game: &Record, score: i16) -> Sample {
    let trace = classical::trace(position);
    let entry = |found: classical::Coefficient| Entry::new(found.index, found.factor as f32);
    Sample {
        entries: trace.coefficients().into_iter().map(entry).collect(),
        points: game.result.points() as f32,
        score: f32::from(score),
        midgame: trace.midgame(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Ply;
    use crate::verdict::{Ending, GameResult};

    fn game(moves: &str, scores: &[i16]) -> Record {
        let moves: Vec<_> = moves.split_whitespace().map(|text| text.parse().unwrap()).collect();
        let (opening, best) = moves.split_at(10);
        let plies = best.iter().zip(scores).map(|(&best, &score)| Ply { best, score });
        Record {
            number: 0,
            result: GameResult::Win,
            ending: Ending::Length,
            opening: opening.to_vec(),
            plies: plies.collect(),
        }
    }

    const SHUFFLE: &str = "a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0 a8a9 a0a1 a9a8";

    #[test]
    fn quiet_open_new_positions_are_taken() {
        let take = |moves: &str, scores: &[i16]| {
            let mut samples = Vec::new();
            let legal = gather(&game(moves, scores), &mut HashSet::new(), &mut samples);
            assert!(legal);
            samples.iter().map(|sample| sample.score).collect::<Vec<_>>()
        };
        assert_eq!(take(&format!("{SHUFFLE} b0c2 b9c7"), &[30, -20]), [30.0, -20.0]);
        // decided, captures, in check, seen before
        assert_eq!(take(&format!("{SHUFFLE} b0c2 b9c7"), &[2_000, 1_999]), [1_999.0]);
        assert_eq!(take(&format!("{SHUFFLE} h2h9 i9h9"), &[5, 6]), [0.0; 0]);
        assert_eq!(take(&format!("{SHUFFLE} h2e2 d9e8 e2e6 e8d9"), &[1, 2, 3, 4]), [1.0, 2.0]);
        let again = format!("{SHUFFLE} a1a0 a8a9 a0a1 a9a8 b0c2");
        assert_eq!(take(&again, &[1, 2, 3, 4, 5]), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn an_illegal_move_is_noticed() {
        let game = game(&format!("{SHUFFLE} a0a5"), &[0]);
        assert!(!gather(&game, &mut HashSet::new(), &mut Vec::new()));
    }

    #[test]
    fn a_sample_is_worth_what_the_evaluation_says() {
        let weights: Vec<f64> = classical::WEIGHTS.to_flat().into_iter().map(f64::from).collect();
        let mut samples = Vec::new();
        gather(&game(&format!("{SHUFFLE} h2e2 b9c7"), &[0, 0]), &mut HashSet::new(), &mut samples);
        let tempo = f64::from(classical::WEIGHTS.tempo[0].first());
        assert!((samples[0].value(&weights) - tempo).abs() < 1e-3);
        assert_eq!((samples[0].points, samples[0].midgame), (1.0, 66));
    }
}
