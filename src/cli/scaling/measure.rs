//! The measurement: every position searched with every number of threads, for
//! a time and to a depth, as often as wanted.

use std::time::Duration;

use serde::Serialize;
use statrs::statistics::Statistics;

use crate::board::Position;
use crate::rules::Game;
use crate::search::{Limits, ThreadPool, TimeLimit};

use super::Failure;
use super::statistics::{Spread, quotients};

#[derive(Clone, Debug)]
pub struct Plan {
    /// Numbers of threads, ascending; the first one is the base of speed-ups.
    pub threads: Vec<usize>,
    pub positions: Vec<Position>,
    /// How often all of it is done.
    pub repetitions: usize,
    /// Size of the hash table, megabytes.
    pub hash: usize,
    /// How long the nodes of a position are counted.
    pub move_time: Duration,
    /// The depth to which the time is taken, plies.
    pub depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    pub nodes: u64,
    pub seconds: f64,
}

/// What is being measured, or was: the two searches of one position with one
/// number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// From 0.
    pub repetition: usize,
    /// Its place in the plan, from 0.
    pub position: usize,
    pub threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub step: Step,
    /// The search that ended by time.
    pub timed: Cost,
    /// The search that ended at the depth.
    pub to_depth: Cost,
}

impl Plan {
    /// The steps in their order. The numbers of threads alternate at every
    /// position, so that a machine that becomes slower or busier becomes so
    /// for all of them; and each begins in its turn, since all that a search
    /// leaves behind, such as heat, meets the next one.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for repetition in 0..self.repetitions {
            for position in 0..self.positions.len() {
                let mut threads = self.threads.clone();
                threads.rotate_left((repetition + position) % self.threads.len());
                let step = |threads| Step { repetition, position, threads };
                steps.extend(threads.into_iter().map(step));
            }
        }
        steps
    }

    /// A step in words.
    pub fn describe(&self, step: Step) -> String {
        format!(
            "repetition {} of {}, position {} of {}, threads {}",
            step.repetition + 1,
            self.repetitions,
            step.position + 1,
            self.positions.len(),
            step.threads
        )
    }

    /// Takes all samples, each from an empty memory; `progress` gets each step
    /// and its number from 0 before it begins.
    pub fn run(&self, mut progress: impl FnMut(usize, Step)) -> Result<Vec<Sample>, Failure> {
        let mut pool = ThreadPool::new(self.threads[0], self.hash).map_err(Failure::refused)?;
        pool.options.overhead = Duration::ZERO;
        let mut samples = Vec::new();
        for (number, step) in self.steps().into_iter().enumerate() {
            progress(number, step);
            pool.set_threads(step.threads, false).map_err(Failure::refused)?;
            let position = &self.positions[step.position];
            let move_time = Some(TimeLimit::PerMove(self.move_time));
            let timed = Limits { time: move_time, ..Limits::default() };
            let to_depth = Limits { depth: Some(self.depth), ..Limits::default() };
            samples.push(Sample {
                step,
                timed: search(&mut pool, position, timed),
                to_depth: search(&mut pool, position, to_depth),
            });
        }
        Ok(samples)
    }
}

fn search(pool: &mut ThreadPool, position: &Position, limits: Limits) -> Cost {
    pool.clear();
    let outcome = pool.search(&Game::from(position.clone()), limits);
    Cost { nodes: outcome.nodes, seconds: outcome.time.as_secs_f64() }
}

/// What one number of threads achieves, spread over the repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    pub threads: usize,
    /// Nodes per second over all positions.
    pub nps: Spread,
    /// How many times those of the base.
    pub nps_speedup: Spread,
    /// Geometric mean over the positions.
    #[serde(rename = "seconds_to_depth")]
    pub seconds: Spread,
    /// How many times as fast at the depth as the base.
    pub depth_speedup: Spread,
}

/// One row for each number of threads, in order; the first is the base.
pub fn summarise(threads: &[usize], samples: &[Sample]) -> Vec<Row> {
    let series: Vec<Series> = threads.iter().map(|&threads| Series::of(threads, samples)).collect();
    let row = |(&threads, of): (&usize, &Series)| Row {
        threads,
        nps: Spread::of(&of.nps),
        nps_speedup: Spread::of(&quotients(&of.nps, &series[0].nps)),
        seconds: Spread::of(&of.seconds),
        depth_speedup: Spread::of(&quotients(&series[0].seconds, &of.seconds)),
    };
    threads.iter().zip(&series).map(row).collect()
}

/// The figures of one number of threads, one of each for a repetition.
struct Series {
    nps: Vec<f64>,
    seconds: Vec<f64>,
}

impl Series {
    fn of(threads: usize, samples: &[Sample]) -> Series {
        let mut series = Series { nps: Vec::new(), seconds: Vec::new() };
        for repetition in 0.. {
            let is_wanted = |sample: &&Sample| {
                sample.step.threads == threads && sample.step.repetition == repetition
            };
            let samples: Vec<&Sample> = samples.iter().filter(is_wanted).collect();
            if samples.is_empty() {
                break;
            }
            let nodes: u64 = samples.iter().map(|sample| sample.timed.nodes).sum();
            let seconds: f64 = samples.iter().map(|sample| sample.timed.seconds).sum();
            series.nps.push(nodes as f64 / seconds);
            let times: Vec<f64> = samples.iter().map(|sample| sample.to_depth.seconds).collect();
            series.seconds.push(times.geometric_mean());
        }
        series
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            threads: vec![1, 2, 4],
            positions: vec![Position::startpos(); 2],
            repetitions: 2,
            hash: 1,
            move_time: Duration::from_millis(5),
            depth: 3,
        }
    }

    /// Samples of two positions in two repetitions; of the threads' figures
    /// those of the base are 1000 nodes per second and 1 and 4 seconds.
    pub fn samples() -> Vec<Sample> {
        let sample = |step: Step| {
            let faster = step.threads as f64;
            let busy = if step.repetition == 0 { 1.0 } else { 2.0 };
            let nodes = 1000 * step.threads as u64;
            let seconds = if step.position == 0 { 1.0 } else { 4.0 } * busy / faster.sqrt();
            Sample {
                step,
                timed: Cost { nodes, seconds: busy },
                to_depth: Cost { nodes: 5000, seconds },
            }
        };
        plan().steps().into_iter().map(sample).collect()
    }

    #[test]
    fn thread_counts_alternate_and_take_turns_in_beginning() {
        let steps = plan().steps();
        assert_eq!(steps.len(), 12);
        let threads: Vec<usize> = steps.iter().map(|step| step.threads).collect();
        assert_eq!(threads, [1, 2, 4, 2, 4, 1, 2, 4, 1, 4, 1, 2]);
        assert!(steps[..6].iter().all(|step| step.repetition == 0));
        assert!(steps[6..].iter().all(|step| step.repetition == 1));
    }

    #[test]
    fn speedups_compare_within_a_repetition() {
        let rows = summarise(&[1, 2, 4], &samples());
        assert_eq!(rows[0].nps, Spread { min: 500.0, median: 750.0, max: 1000.0 });
        assert_eq!(rows[0].seconds, Spread { min: 2.0, median: 3.0, max: 4.0 });
        for row in &rows {
            let times = row.threads as f64;
            for (speedup, expected) in [(row.nps_speedup, times), (row.depth_speedup, times.sqrt())]
            {
                for value in [speedup.min, speedup.median, speedup.max] {
                    assert!((value - expected).abs() < 1e-9, "{row:?}");
                }
            }
        }
    }

    #[test]
    fn every_step_of_a_plan_is_measured() {
        let mut announced = Vec::new();
        let samples = plan().run(|_, step| announced.push(step)).unwrap();
        assert_eq!(announced, plan().steps());
        assert_eq!(samples.iter().map(|sample| sample.step).collect::<Vec<_>>(), announced);
        for sample in samples {
            assert!(sample.timed.nodes > 0 && sample.timed.seconds >= 0.003, "{sample:?}");
            assert!(sample.to_depth.nodes > 0 && sample.to_depth.seconds > 0.0, "{sample:?}");
        }
    }

    #[test]
    fn memory_that_cannot_be_had_is_an_error() {
        let plan = Plan { hash: usize::MAX, ..plan() };
        assert!(plan.run(|_, _| {}).is_err());
    }
}
