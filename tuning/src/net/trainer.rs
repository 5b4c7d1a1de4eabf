//! Passes over the positions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::adam::{Moments, Pace};
use super::checkpoint::{Epoch, Settings};
use super::model::Model;
use super::packed::PackedPosition;
use super::pass::{Target, accumulate_gradient, loss};
use super::quantised::{round_into, rounded};
use crate::data::Split;
use hanxin::util::seeded;
use rand::RngExt;
use rand::seq::SliceRandom;

/// A training in progress.
///
/// It depends on nothing but its settings and positions, so that it gives the
/// same weights on every machine, interrupted or not.
pub struct Trainer<'a> {
    settings: &'a Settings,
    positions: &'a Split<PackedPosition>,
    /// What weights decay towards.
    anchor: &'a Model,
    target: Target,
    state: State,
    /// The weights rounded as the engine has them.
    rounded: Model,
    gradients: Vec<Model>,
}

/// What a training changes.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The weights.
    pub model: Model,
    /// Their running mean, a second candidate.
    pub average: Model,
    /// The optimiser.
    pub moments: Moments,
}

/// Steps over which weights are averaged; exponentially, so that the last ones
/// count most.
const AVERAGED_STEPS: u32 = 1_000;

impl State {
    /// Before the first step.
    pub fn new(model: Model) -> State {
        State { average: model.clone(), model, moments: Moments::new() }
    }

    /// Brings the average nearer to the weights.
    fn update_average(&mut self) {
        let share = 1.0 / self.moments.steps.clamp(1, AVERAGED_STEPS) as f32;
        let slices = self.average.slices_mut().into_par_iter().zip(self.model.slices());
        slices.with_min_len(32).for_each(|((_, average), (_, weights))| {
            for (average, weight) in average.iter_mut().zip(weights) {
                *average += share * (weight - *average);
            }
        });
    }
}

/// The training was interrupted by the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// Share of all steps after which the learning rate has warmed up.
const WARM_UP: f64 = 0.01;
/// Share of all steps after which it decays.
const DECAY_START: f64 = 0.3;
/// Positions per task when the loss is computed in parallel.
const CHUNK: usize = 4_096;

impl<'a> Trainer<'a> {
    /// Continues from a state; weights decay towards those of `anchor`.
    pub fn new(
        settings: &'a Settings,
        positions: &'a Split<PackedPosition>,
        anchor: &'a Model,
        state: State,
    ) -> Trainer<'a> {
        let target =
            Target { lambda: settings.lambda as f32, score_scale: settings.score_scale as f32 };
        let gradients = vec![Model::zero(); settings.threads];
        let rounded = Model::zero();
        Trainer { settings, positions, anchor, target, state, rounded, gradients }
    }

    /// The weights and the optimiser.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Learns from every position once; `progress` gets the number of
    /// positions of each batch.
    ///
    /// # Errors
    /// When `stop` became true; the state is then that of a partial epoch and
    /// must be discarded.
    pub fn epoch(
        &mut self,
        number: u32,
        stop: &AtomicBool,
        progress: impl Fn(usize),
    ) -> Result<Epoch, Stopped> {
        let began = Instant::now();
        let order = self.order(number);
        let batches = order.len().div_ceil(self.settings.batch);
        let steps = batches * self.settings.epochs as usize;
        let mut errors = 0.0;
        let mut rate = 0.0;
        for (batch_number, batch) in order.chunks(self.settings.batch).enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            rate = self.settings.rate_at(number as usize * batches + batch_number, steps);
            errors += self.batch(batch, rate);
            progress(batch.len());
        }
        let seconds = began.elapsed().as_secs_f64();
        let training_loss = errors / order.len() as f64;
        let [validation_loss, averaged_loss] = [&self.state.model, &self.state.average]
            .map(|model| self.loss(model, &self.positions.validation));
        Ok(Epoch {
            number: number + 1,
            rate,
            training_loss,
            validation_loss,
            averaged_loss,
            seconds,
        })
    }

    /// Numbers of the training positions in a random order, times two, plus
    /// one for those of which the mirror image is shown.
    fn order(&self, epoch: u32) -> Vec<u32> {
        let mut random = seeded(self.settings.seed, u64::from(epoch) + 1);
        let mut order: Vec<u32> = (0..self.positions.training.len() as u32)
            .map(|number| number << 1 | u32::from(random.random::<bool>()))
            .collect();
        order.shuffle(&mut random);
        order
    }

    /// Takes one step on some positions; returns the sum of their squared errors
    /// before it.
    fn batch(&mut self, order: &[u32], rate: f64) -> f64 {
        round_into(&self.state.model, &mut self.rounded);
        let (model, target, positions) = (&self.rounded, self.target, &self.positions.training);
        let part = order.len().div_ceil(self.gradients.len());
        let parts = order.par_chunks(part).zip(&mut self.gradients);
        let errors: Vec<f64> = parts
            .map(|(part, gradient)| {
                gradient.clear();
                accumulate_gradient(model, positions, part, target, gradient)
            })
            .collect();
        let used = &mut self.gradients[..errors.len()];
        let share = 1.0 / order.len() as f32;
        let decay = self.settings.decay as f32;
        let pace = Pace { rate: rate as f32, decay, heads_only: self.settings.heads_only };
        self.state.moments.step(&mut self.state.model, self.anchor, used, share, pace);
        self.state.update_average();
        errors.iter().sum()
    }

    /// The mean squared error of a model as the engine would have it.
    fn loss(&self, model: &Model, positions: &[PackedPosition]) -> f64 {
        let rounded = rounded(model);
        let portions = positions.par_chunks(CHUNK);
        let errors: Vec<f64> =
            portions.map(|portion| loss(&rounded, portion, self.target)).collect();
        errors.iter().sum::<f64>() / positions.len() as f64
    }
}

impl Settings {
    /// The rate of a step out of `steps`: it grows, stays, and falls along a
    /// cosine.
    fn rate_at(&self, step: usize, steps: usize) -> f64 {
        let done = (step + 1) as f64 / steps as f64;
        if done < WARM_UP {
            return self.rate * done / WARM_UP;
        }
        let fallen = ((done - DECAY_START) / (1.0 - DECAY_START)).max(0.0);
        let height = 0.5 * (1.0 + (std::f64::consts::PI * fallen).cos());
        self.last_rate + (self.rate - self.last_rate) * height
    }
}

#[cfg(test)]
mod tests {
    use hanxin::board::Position;
    use hanxin::eval::classical::{PieceSquareSums, evaluate};

    use super::*;
    use crate::data::Label;

    fn settings() -> Settings {
        Settings { batch: 32, epochs: 12, ..Settings::of_test() }
    }

    /// Positions of random games, to be rated as the classical evaluation does.
    fn positions() -> Split<PackedPosition> {
        let mut random = seeded(1, 0);
        let mut found = Vec::new();
        while found.len() < 1_400 {
            let mut position = Position::startpos();
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make(moves[random.random_range(0..moves.len())]);
                let value = evaluate(&position, &PieceSquareSums::new(&position));
                let label = Label { points: 0.5, score: value.clamp(-2_000, 2_000) as i16 };
                found.push(PackedPosition::new(&position, label.for_mover(&position)));
            }
        }
        let validation = found.split_off(1_200);
        Split { training: found, validation }
    }

    fn fresh() -> State {
        State::new(Model::random(1))
    }

    fn train(trainer: &mut Trainer, epochs: std::ops::Range<u32>) -> Vec<Epoch> {
        let stop = AtomicBool::new(false);
        epochs.map(|number| trainer.epoch(number, &stop, |_| ()).unwrap()).collect()
    }

    #[test]
    fn the_loss_falls_and_every_run_is_the_same() {
        let (settings, positions, anchor) = (settings(), positions(), Model::zero());
        let mut trainer = Trainer::new(&settings, &positions, &anchor, fresh());
        let before = trainer.loss(&trainer.state.model, &positions.training);
        let epochs = train(&mut trainer, 0..12);
        let after = trainer.loss(&trainer.state.model, &positions.training);
        assert!(after < before / 4.0, "{before} to {after}");
        let last = epochs[11];
        assert!(last.training_loss < epochs[0].training_loss / 2.0);
        assert_eq!((epochs[0].number, last.number), (1, 12));
        let State { model, average, .. } = trainer.state();
        assert_eq!(last.validation_loss, trainer.loss(model, &positions.validation));
        assert_eq!(last.averaged_loss, trainer.loss(average, &positions.validation));
        assert_ne!(model, average);
        assert!(last.averaged_loss < epochs[0].validation_loss);

        let mut again = Trainer::new(&settings, &positions, &anchor, fresh());
        train(&mut again, 0..2);
        let mut resumed = Trainer::new(&settings, &positions, &anchor, again.state().clone());
        train(&mut resumed, 2..12);
        assert!(resumed.state() == trainer.state());

        let other = Settings { seed: 2, ..settings.clone() };
        let mut other = Trainer::new(&other, &positions, &anchor, fresh());
        train(&mut other, 0..2);
        assert!(other.state() != again.state());
    }

    #[test]
    fn a_stop_request_ends_the_epoch() {
        let (settings, positions, anchor) = (settings(), positions(), Model::zero());
        let mut trainer = Trainer::new(&settings, &positions, &anchor, fresh());
        let stopped = trainer.epoch(0, &AtomicBool::new(true), |_| ());
        assert_eq!(stopped.err(), Some(Stopped));
    }

    #[test]
    fn the_rate_grows_stays_and_falls() {
        let settings = Settings { rate: 1.0, last_rate: 0.01, ..settings() };
        let rates: Vec<f64> = (0..1_000).map(|step| settings.rate_at(step, 1_000)).collect();
        assert!((rates[4] - 0.5).abs() < 1e-9, "{}", rates[4]);
        assert!(rates[9..299].iter().all(|&rate| rate == 1.0));
        assert!((rates[649] - 0.505).abs() < 1e-9, "{}", rates[649]);
        assert!((rates[999] - 0.01).abs() < 1e-9, "{}", rates[999]);
    }
}
