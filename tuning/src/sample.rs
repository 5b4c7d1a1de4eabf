//! Positions as a linear evaluation sees them.

use hanxin::board::Position;
use hanxin::eval::classical;

use crate::data::Label;

/// One position.
pub struct Sample {
    /// What the evaluation for Red is made of.
    pub entries: Box<[Entry]>,
    /// The points that Red got in the end, 0 to 1.
    pub points: f32,
    /// The search's score for Red, centipawns.
    pub score: f32,
}

/// A value's index and its coefficient in the evaluation.
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
    /// Takes the evaluation of a position apart; the label is for Red.
    pub fn new(position: &Position, label: Label) -> Sample {
        let entry = |found: classical::Coefficient| Entry::new(found.index, found.factor as f32);
        let entries = classical::trace(position).coefficients().into_iter().map(entry).collect();
        Sample { entries, points: label.points, score: f32::from(label.score) }
    }

    /// The evaluation for Red with these weights, centipawns.
    pub fn value(&self, weights: &[f64]) -> f64 {
        self.entries.iter().map(|entry| weights[entry.index()] * entry.factor()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_worth_what_the_evaluation_says() {
        let weights: Vec<f64> = classical::WEIGHTS.to_flat().into_iter().map(f64::from).collect();
        let sample = Sample::new(&Position::startpos(), Label { points: 1.0, score: -3 });
        let tempo = f64::from(classical::WEIGHTS.tempo[0].first());
        assert!((sample.value(&weights) - tempo).abs() < 1e-3);
        assert_eq!((sample.points, sample.score), (1.0, -3.0));
    }
}
