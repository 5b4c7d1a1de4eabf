//! Checkpoint files of a training; README.md has the layout.

use anyhow::{Context, Result, ensure};
use hanxin::eval::nnue::architecture::{L1, L2, L3, OUTPUT_BUCKETS};
use hanxin::util::fnv1a_32;
use serde::{Deserialize, Serialize};

use super::adam::Moments;
use super::model::Model;
use super::trainer::State;

/// Everything that determines the weights.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Settings {
    /// King buckets, neurons of the three layers and output buckets of the net.
    pub architecture: [usize; 5],
    /// Passes over the positions.
    pub epochs: u32,
    /// Size of the steps at first.
    pub rate: f64,
    /// Size of the steps at the end.
    pub last_rate: f64,
    /// Weight decay of a step, times the rate, towards the net that the first
    /// weights come from, or 0.
    pub decay: f64,
    /// Whether the hidden layer keeps its first weights.
    #[serde(default)]
    pub heads_only: bool,
    /// Positions of a step.
    pub batch: usize,
    /// Share of the game's result in the target, 0 to 1.
    pub lambda: f64,
    /// The score that stands for odds of e to 1, centipawns.
    pub score_scale: f64,
    /// Determines the first weights, if they are random, and the order of the
    /// positions.
    pub seed: u64,
    /// The description of the net that the first weights come from; none: they
    /// are random.
    pub start: Option<String>,
    /// Parts of a batch whose gradients are summed.
    pub threads: usize,
    /// Positions learnt from.
    pub positions: usize,
    /// Hash of the positions.
    pub fingerprint: u64,
}

/// The results of an epoch.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Debug)]
pub struct Epoch {
    /// Its number, from 1.
    pub number: u32,
    /// The size of its last step.
    pub rate: f64,
    /// Mean squared error during the epoch.
    pub training_loss: f64,
    /// Mean squared error at its end on the validation positions.
    pub validation_loss: f64,
    /// The same of the averaged weights.
    pub averaged_loss: f64,
    /// Time it took to learn.
    pub seconds: f64,
}

/// A training between two epochs.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// What it depends on.
    pub settings: Settings,
    /// The epochs so far.
    pub history: Vec<Epoch>,
    /// The weights and the optimiser.
    pub state: State,
}

/// The header, as JSON.
#[derive(Serialize, Deserialize)]
struct Head {
    settings: Settings,
    history: Vec<Epoch>,
    steps: u32,
}

const MAGIC: &[u8; 8] = b"hanxinT\n";
const VERSION: u32 = 4;
/// Sets of as many numbers as the net has: weights, their average, means and
/// mean squares of gradients.
const SETS: usize = 4;
/// Bytes before the head: magic, version, length of the head.
const PREFIX_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 4;

impl Settings {
    /// The architecture that this program trains, as files of nets state it too:
    /// one king bucket, widths and outputs.
    pub const ARCHITECTURE: [usize; 5] = [1, L1, L2, L3, OUTPUT_BUCKETS];
}

impl Checkpoint {
    /// A training that has not begun, with these weights.
    pub fn new(settings: Settings, model: Model) -> Checkpoint {
        Checkpoint { settings, history: Vec::new(), state: State::new(model) }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When a setting is not a finite number.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let Checkpoint { settings, history, state } = self;
        let State { model, average, moments } = state;
        let head =
            Head { settings: settings.clone(), history: history.clone(), steps: moments.steps };
        let head = serde_json::to_vec(&head)?;
        let mut bytes =
            Vec::with_capacity(PREFIX_BYTES + head.len() + SETS * 4 * Model::LEN + CHECKSUM_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(head);
        let sets: [&Model; SETS] = [model, average, &moments.mean, &moments.square];
        for slices in sets.map(Model::slices) {
            let numbers = slices.into_iter().flat_map(|(_, slice)| slice);
            bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(fnv1a_32(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When they are not a checkpoint, truncated or damaged, or of another
    /// architecture.
    pub fn decode(bytes: &[u8]) -> Result<Checkpoint> {
        ensure!(bytes.starts_with(MAGIC), "not a training of a net (wrong magic)");
        let whole = bytes.len().checked_sub(CHECKSUM_BYTES).filter(|&whole| whole >= PREFIX_BYTES);
        let (content, sum) = bytes.split_at(whole.context("torn")?);
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| content[at + i]));
        let version = number(MAGIC.len());
        ensure!(version == VERSION, "version {version}, but only {VERSION} is known");
        ensure!(sum == fnv1a_32(content).to_le_bytes(), "torn or damaged (wrong checksum)");
        let weights = PREFIX_BYTES + number(MAGIC.len() + 4) as usize;
        let head = content.get(PREFIX_BYTES..weights).context("torn")?;
        let Head { settings, history, steps } =
            serde_json::from_slice(head).context("the head is not understood")?;
        let ours = Settings::ARCHITECTURE;
        let found = settings.architecture;
        ensure!(
            found == ours,
            "king buckets, widths and outputs {found:?}, this program has {ours:?}"
        );
        let (numbers, rest) = content[weights..].as_chunks::<4>();
        ensure!(numbers.len() == SETS * Model::LEN && rest.is_empty(), "not as long as a net");
        let numbers: Vec<f32> = numbers.iter().map(|&number| f32::from_le_bytes(number)).collect();
        let part = |place: usize| {
            let numbers = numbers.iter().skip(place * Model::LEN).take(Model::LEN);
            Model::from_numbers(numbers.copied()).context("not as long as a net")
        };
        let moments = Moments { mean: part(2)?, square: part(3)?, steps };
        let state = State { model: part(0)?, average: part(1)?, moments };
        Ok(Checkpoint { settings, history, state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Settings {
        /// Something to vary.
        pub fn of_test() -> Settings {
            Settings {
                architecture: Settings::ARCHITECTURE,
                epochs: 10,
                rate: 1e-3,
                last_rate: 1e-5,
                decay: 0.01,
                heads_only: false,
                batch: 16_384,
                lambda: 0.3,
                score_scale: 287.123_456_789_012_3,
                seed: 7,
                start: None,
                threads: 2,
                positions: 1_000,
                fingerprint: u64::MAX,
            }
        }
    }

    fn checkpoint() -> Checkpoint {
        let epoch = Epoch {
            number: 1,
            rate: 1e-3,
            training_loss: 0.01,
            validation_loss: 0.1 / 3.0,
            averaged_loss: 0.03,
            seconds: 2.5,
        };
        let [model, average, mean, square] = [1, 4, 2, 3].map(Model::random);
        let state = State { model, average, moments: Moments { mean, square, steps: 77 } };
        Checkpoint { settings: Settings::of_test(), history: vec![epoch], state }
    }

    #[test]
    fn a_training_comes_back() {
        let bytes = checkpoint().encode().unwrap();
        assert!(Checkpoint::decode(&bytes).unwrap() == checkpoint());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let bytes = checkpoint().encode().unwrap();
        let refusal = |bytes: &[u8]| format!("{:#}", Checkpoint::decode(bytes).unwrap_err());
        assert!(refusal(b"hanxinN\n").contains("wrong magic"));
        for len in [8, 19, 20, 100, bytes.len() - 1] {
            let said = refusal(&bytes[..len]);
            assert!(said.contains("torn") || said.contains("version"), "{len}: {said}");
        }
        for at in [8, 12, 17, 5_000] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            refusal(&damaged);
        }
        let other = Settings { architecture: [3, 512, 16, 32, 8], ..Settings::of_test() };
        let other = Checkpoint { settings: other, ..checkpoint() }.encode().unwrap();
        assert!(refusal(&other).contains("[3, 512, 16, 32, 8]"));
    }
}
