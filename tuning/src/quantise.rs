//! Quantises a trained net for the engine.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use hanxin::board::Position;
use hanxin::eval::nnue::Network;
use hanxin::util::{check_output, read_whole, write_whole};

use crate::data::Data;
use crate::evaluate::{accumulators, classical_value, net_value};
use crate::net::{
    Checkpoint, Epoch, Model, PackedPosition, Report, Settings, State, output, quantise, rounded,
};
use crate::progress::print_line;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning quantise net.training --data games-3.hxg --averaged --out net.nnue";

/// Options of the subcommand.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// The file that train has made
    training: PathBuf,
    #[command(flatten)]
    data: Data,
    /// Take the averaged weights instead of the last ones
    #[arg(long)]
    averaged: bool,
    /// Scale the values like those of this net, for which the margins of the search
    /// were tuned, instead of those of the classical evaluation
    #[arg(long)]
    like: Option<PathBuf>,
    /// The net
    #[arg(long)]
    out: PathBuf,
}

/// Quantises the weights, scaled so that the mean absolute evaluation equals that
/// of another net or of the classical one.
///
/// # Errors
/// When a file cannot be used or the weights could overflow.
pub fn run(options: &Options) -> Result<()> {
    let inputs = options.data.files().chain([&*options.training]).chain(options.like.as_deref());
    check_output("--out", &options.out, inputs)?;
    let like = options.like.as_deref().map(Network::open).transpose()?.map(Arc::new);
    let name = options.training.display();
    let bytes =
        read_whole(&options.training, u64::MAX).with_context(|| format!("cannot read {name}"))?;
    let checkpoint = Checkpoint::decode(&bytes).with_context(|| format!("{name} is of no use"))?;
    let State { model, average, moments } = &checkpoint.state;
    let model = if options.averaged { average } else { model };
    let rounded = rounded(model);
    let sizes = options.data.load_validation(|| {
        let mut stack = like.as_ref().map(accumulators);
        let rounded = &rounded;
        move |position: &Position, label| {
            let logit = output(rounded, &PackedPosition::new(position, label));
            let wanted = match &mut stack {
                Some(stack) => net_value(stack, position),
                None => classical_value(position),
            };
            [f64::from(logit), f64::from(wanted)].map(f64::abs)
        }
    })?;
    let [size, wanted] =
        [0, 1].map(|which| sizes.iter().map(|size| size[which]).sum::<f64>() / sizes.len() as f64);
    let scale = wanted / size;
    let description = describe(&checkpoint, options.averaged, scale, wanted);
    let squares = checkpoint.settings.start.is_none().then_some(&moments.square);
    let (network, report) = quantise(model, squares, scale, description)?;
    let network = Arc::new(network);
    print_line!("{}\n{}", network.description(), summary(&report));
    compare(&options.data, &rounded, &network, scale)?;
    write_whole(&options.out, &network.to_bytes())
        .with_context(|| format!("cannot write {}", options.out.display()))?;
    print_line!("{} written", options.out.display());
    Ok(())
}

fn describe(checkpoint: &Checkpoint, is_averaged: bool, scale: f64, size: f64) -> String {
    let Settings { positions, lambda, epochs, rate, last_rate, batch, seed, score_scale, .. } =
        &checkpoint.settings;
    let start =
        if checkpoint.settings.start.is_some() { "from another net" } else { "from random" };
    let weights = if is_averaged { "averaged" } else { "last" };
    let done = checkpoint.history.len();
    let loss =
        |epoch: &Epoch| if is_averaged { epoch.averaged_loss } else { epoch.validation_loss };
    let loss = checkpoint.history.last().map_or(f64::NAN, loss);
    format!(
        "{positions} positions, {start} weights, {done} of {epochs} epochs, lambda {lambda}, rate \
         {rate} to {last_rate}, batch {batch}, seed {seed}, K {score_scale:.1}; {weights} weights, \
         validation loss {loss:.6}; \
         1 = {scale:.1} cp, so that values are {size:.1} cp from zero on average"
    )
}

fn summary(report: &Report) -> String {
    let Report { largest_feature, largest_second, largest_third, largest_output, clipped, unseen } =
        report;
    format!(
        "largest weights: {largest_feature:.3} of features, {largest_second:.3} of the second \
         layer, {largest_third:.3} of the third, {largest_output:.3} of outputs; {clipped} cut; \
         {unseen} features dropped"
    )
}

/// Prints by how much the net's whole numbers differ from a model.
fn compare(data: &Data, model: &Model, network: &Arc<Network>, scale: f64) -> Result<()> {
    let differences = data.load_validation(|| {
        let mut stack = accumulators(network);
        move |position, label| {
            let logit = output(model, &PackedPosition::new(position, label));
            (f64::from(logit) * scale - f64::from(net_value(&mut stack, position))).abs()
        }
    })?;
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let largest = differences.iter().fold(0.0, |largest: f64, &next| largest.max(next));
    print_line!(
        "whole numbers differ by {mean:.2} cp on average and {largest:.1} cp at most on {} \
         positions",
        differences.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::{SHUFFLE, file, game};
    use crate::net::dequantise;
    use hanxin::eval::nnue::embedded;

    #[test]
    fn a_net_is_not_written_over_what_it_is_made_from() {
        for name in ["games-0", "net.training"] {
            let (folder, data) = file(&[game(SHUFFLE, &[])]);
            let [out, training] = [name, "net.training"].map(|name| folder.path().join(name));
            std::fs::write(&training, "a training").unwrap();
            let before = std::fs::read(&out).unwrap();
            let options = Options { training, data, averaged: false, like: None, out };
            let error = run(&options).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("name another one"), "{error}");
            assert!(std::fs::read(&options.out).unwrap() == before);
        }
    }

    /// What training has not yet moved across the next rounding counts for nothing.
    #[test]
    fn values_are_those_of_another_net_when_rounded() {
        let [moves, others] =
            ["b0c2 b9c7 h0g2", "h2e2 h9g7 h0g2"].map(|moves| format!("{SHUFFLE} {moves}"));
        let games = [vec![game(&moves, &[30, -20, 5]); 9], vec![game(&others, &[9, 4, 7])]];
        let (folder, data) = file(&games.concat());
        let [training, before, out] =
            ["training", "before", "out"].map(|name| folder.path().join(name));
        let embedded = embedded().unwrap();
        std::fs::write(&before, embedded.to_bytes()).unwrap();
        let mut model = dequantise(&embedded, 300.0);
        for row in &mut model.features {
            row.0.iter_mut().for_each(|weight| *weight += 0.4 / 255.0);
        }
        let settings = Settings { start: Some("before".into()), ..Settings::of_test() };
        let bytes = Checkpoint::new(settings, model).encode().unwrap();
        std::fs::write(&training, bytes).unwrap();
        let like = Some(before);
        run(&Options { training, data, averaged: false, like, out: out.clone() }).unwrap();
        let value = |net| net_value(&mut accumulators(&Arc::new(net)), &Position::startpos());
        let [after, before] = [Network::open(&out).unwrap(), (*embedded).clone()].map(value);
        // three whole numbers of some twenty centipawns give the scale; by the weights that
        // are not rounded the value would be a third less
        assert!((after - before).abs() <= 3, "{after} {before}");
        assert!(before.abs() > 20);
    }
}
