//! Trains a net on games.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hanxin::eval::nnue::Network;
use hanxin::util::{read_whole, stop_signal, write_whole};
use indicatif::ProgressBar;

use crate::cores;
use crate::curve::fit_scale;
use crate::data::{Data, Mixture, Split};
use crate::loss_curves;
use crate::net::{
    Checkpoint, Epoch, Model, PackedPosition, Settings, Stopped, Trainer, dequantise,
};
use crate::numbers::{not_negative, positive};
use crate::progress::{bar, print_line};
use crate::saved;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning train --data games-*.hxg --epochs 14 --decay 0.2 --out net.training

Ctrl-C ends it; the same command goes on. Losses are also in
net.training.csv and net.training.svg.";

/// How to train.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    target: Mixture,
    /// Passes over the positions
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Size of the steps at first
    #[arg(long, default_value_t = 1e-3, value_parser = positive)]
    rate: f64,
    /// Size of the steps at the end
    #[arg(long, default_value_t = 1e-5, value_parser = positive)]
    last_rate: f64,
    /// Weight decay of a step, times the rate; towards the weights of --from, if
    /// it is given, else towards 0
    #[arg(long, default_value_t = 0.01, value_parser = not_negative)]
    decay: f64,
    /// Positions of a step
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Threads; the weights depend on them in the last digits
    #[arg(long, default_value_t = cores(), value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Determines the order of the positions, and the first weights if they are
    /// random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A net whose weights are the first ones, instead of random ones
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// Leave the hidden layer of that net as it is: too few positions would spoil
    /// what it knows of others
    #[arg(long, requires = "from")]
    heads_only: bool,
    /// The file of the training; if it exists it is continued. The losses are
    /// put beside it as .csv and .svg
    #[arg(long)]
    out: PathBuf,
}

/// Positions sampled at most for the scale of scores.
const SCALE_SAMPLE: usize = 1 << 20;

/// Trains from where the file stands to the last epoch, or until the user
/// stops it.
///
/// # Errors
/// When the data cannot be used, or the file belongs to another training or
/// cannot be written.
pub fn run(options: &Options) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads as usize);
    pool.build_global().context("cannot start threads")?;
    let inputs = options.data.files().chain(options.from.as_deref());
    let _claim = saved::claim("--out", &options.out, inputs)?;
    let began = Instant::now();
    let positions = options.data.load(PackedPosition::new)?;
    ensure!(positions.training.len() < 1 << 31, "more than 2^31 positions");
    print_line!(
        "{} positions, {} more for validation ({:.1} s)",
        positions.training.len(),
        positions.validation.len(),
        began.elapsed().as_secs_f64()
    );
    let start = options.from.as_ref().map(|path| Network::open(path)).transpose()?;
    let settings = settings(options, &positions, start.as_ref());
    print_line!("K of all scores: {:.1}", settings.score_scale);
    let start = start.map(|network| dequantise(&network, settings.score_scale));
    let first = start.clone().unwrap_or_else(|| Model::random(settings.seed));
    let checkpoint = open(&options.out, settings, first)?;
    let anchor = start.unwrap_or_else(Model::zero);
    let stop = stop_signal();
    train(checkpoint, &positions, &anchor, &options.out, &stop)
}

fn settings(
    options: &Options,
    positions: &Split<PackedPosition>,
    start: Option<&Network>,
) -> Settings {
    let training = &positions.training;
    let labels = training.iter().step_by(training.len().div_ceil(SCALE_SAMPLE));
    let labels: Vec<_> =
        labels.map(|packed| (f64::from(packed.score()), f64::from(packed.points()))).collect();
    let fingerprint = training
        .iter()
        .fold(0, |sum: u64, packed| sum.rotate_left(5).wrapping_add(packed.fingerprint()));
    Settings {
        architecture: Settings::ARCHITECTURE,
        epochs: options.epochs,
        rate: options.rate,
        last_rate: options.last_rate,
        decay: options.decay,
        heads_only: options.heads_only,
        batch: options.batch as usize,
        lambda: options.target.lambda,
        score_scale: fit_scale(&labels),
        seed: options.seed,
        start: start.map(|network| network.description().to_owned()),
        threads: options.threads as usize,
        positions: training.len(),
        fingerprint,
    }
}

/// The training of a file, or if there is no file a new one with these weights.
fn open(path: &Path, settings: Settings, first: Model) -> Result<Checkpoint> {
    if !path.exists() {
        return Ok(Checkpoint::new(settings, first));
    }
    let name = path.display();
    let bytes = read_whole(path, u64::MAX).with_context(|| format!("cannot read {name}"))?;
    let found = Checkpoint::decode(&bytes).with_context(|| format!("{name} cannot be used"))?;
    if let Some(difference) = saved::difference(&found.settings, &settings)? {
        bail!("{name} is another training ({difference}): give its settings, or another --out");
    }
    print_line!("{name} goes on after epoch {}", found.history.len());
    Ok(found)
}

fn train(
    mut checkpoint: Checkpoint,
    positions: &Split<PackedPosition>,
    anchor: &Model,
    path: &Path,
    stop: &AtomicBool,
) -> Result<()> {
    let settings = checkpoint.settings.clone();
    let mut trainer = Trainer::new(&settings, positions, anchor, checkpoint.state.clone());
    let bar = bar(u64::from(settings.epochs) * settings.positions as u64);
    bar.set_position(checkpoint.history.len() as u64 * settings.positions as u64);
    bar.reset_eta();
    for number in checkpoint.history.len() as u32..settings.epochs {
        let epoch = trainer.epoch(number, stop, |positions| bar.inc(positions as u64));
        let Ok(epoch) = epoch.map_err(|Stopped| bar.abandon()) else {
            bail!("interrupted in epoch {}; the same command goes on from its start", number + 1);
        };
        checkpoint.history.push(epoch);
        checkpoint.state.clone_from(trainer.state());
        save(&checkpoint, path)?;
        report_epoch(&bar, &epoch, settings.positions);
    }
    bar.finish_and_clear();
    Ok(())
}

fn report_epoch(bar: &ProgressBar, epoch: &Epoch, positions: usize) {
    let Epoch { number, rate, training_loss, validation_loss, averaged_loss, seconds } = epoch;
    let speed = positions as f64 / seconds;
    bar.suspend(|| {
        print_line!(
            "epoch {number}: {training_loss:.6} training, {validation_loss:.6} validation, \
             {averaged_loss:.6} averaged, rate {rate:.1e}, {speed:.0} positions/s"
        );
    });
}

/// Writes the training and its losses.
fn save(checkpoint: &Checkpoint, path: &Path) -> Result<()> {
    let table = loss_curves::table(&checkpoint.history)?;
    let plot = loss_curves::plot(&checkpoint.history)?;
    let files = [
        (path.to_owned(), checkpoint.encode()?),
        (path.with_added_extension("csv"), table.into_bytes()),
        (path.with_added_extension("svg"), plot.into_bytes()),
    ];
    for (path, bytes) in files {
        let written = write_whole(&path, &bytes);
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::{SHUFFLE, file, game};

    #[test]
    fn an_interrupted_training_ends_like_another() {
        let games = vec![game(&format!("{SHUFFLE} b0c2 b9c7 h0g2 h9g7"), &[30, -20, 10, 0]); 9];
        let other = game(&format!("{SHUFFLE} h2e2 h7e7"), &[3, 4]);
        let (folder, data) = file(&[games, vec![other]].concat());
        let positions = data.load(PackedPosition::new).unwrap();
        let settings = Settings { epochs: 4, batch: 2, ..Settings::of_test() };
        let [whole, torn] = ["whole", "torn"].map(|name| folder.path().join(name));
        let (go, anchor) = (AtomicBool::new(false), Model::random(5));
        let open = |path: &Path| open(path, settings.clone(), Model::random(7));
        train(open(&whole).unwrap(), &positions, &anchor, &whole, &go).unwrap();

        let mut half = open(&torn).unwrap();
        let mut trainer = Trainer::new(&settings, &positions, &anchor, half.state.clone());
        half.history = (0..2).map(|number| trainer.epoch(number, &go, |_| ()).unwrap()).collect();
        half.state = trainer.state().clone();
        save(&half, &torn).unwrap();
        let interrupted = AtomicBool::new(true);
        assert!(train(open(&torn).unwrap(), &positions, &anchor, &torn, &interrupted).is_err());
        let resumed = open(&torn).unwrap();
        train(resumed, &positions, &anchor, &torn, &go).unwrap();

        let read = |path: &Path| Checkpoint::decode(&std::fs::read(path).unwrap()).unwrap();
        assert!(read(&whole).state == read(&torn).state);
        assert_eq!(read(&torn).history.len(), 4);
        let table = std::fs::read_to_string(torn.with_added_extension("csv")).unwrap();
        assert_eq!(table.lines().count(), 5, "{table}");
        assert!(torn.with_added_extension("svg").exists());

        for (other, difference) in [
            (Settings { lambda: 0.9, ..settings.clone() }, "lambda: 0.3 there, 0.9 here"),
            (Settings { seed: 8, ..settings.clone() }, "seed: 7 there, 8 here"),
        ] {
            let refused = super::open(&torn, other, Model::zero()).unwrap_err().to_string();
            assert!(refused.contains(difference), "{refused}");
        }
    }
}
