//! The losses of a training by epoch: a table and a plot.

use anyhow::{Context, Result};
use hanxin::arena::chart::{Axis, COLORS, Frame, SeriesLabelPosition, draw_legend, draw_line, svg};

use crate::net::Epoch;

const SIZE: (u32, u32) = (800, 480);

/// Which loss of an epoch.
type Loss = fn(&Epoch) -> f64;

/// A CSV table, a line an epoch.
///
/// # Errors
/// Never in practice: the table is made in memory.
pub fn table(history: &[Epoch]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for epoch in history {
        writer.serialize(epoch)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The text of an SVG file with the losses by epoch.
///
/// # Errors
/// When a loss is not finite.
pub fn plot(history: &[Epoch]) -> Result<String> {
    let curves: [(_, Loss); 3] = [
        ("training", |epoch| epoch.training_loss),
        ("validation", |epoch| epoch.validation_loss),
        ("averaged weights", |epoch| epoch.averaged_loss),
    ];
    let losses = history.iter().flat_map(|epoch| curves.map(|(_, loss)| loss(epoch)));
    let (low, high) =
        losses.fold((f64::INFINITY, 0.0f64), |(low, high), loss| (low.min(loss), high.max(loss)));
    let frame = Frame {
        title: "Mean squared error by epoch".into(),
        x_title: "epoch",
        x: Axis::linear(1.0..history.len().max(2) as f64),
        y: Axis::linear(low * 0.98..high * 1.02),
    };
    let plot = svg(SIZE, |area| {
        let mut chart = frame.draw(area)?;
        for ((name, loss), color) in curves.into_iter().zip(COLORS) {
            let points = history.iter().map(|epoch| (f64::from(epoch.number), loss(epoch)));
            draw_line(&mut chart, points, color, name)?;
        }
        draw_legend(&mut chart, SeriesLabelPosition::UpperRight)
    });
    plot.context("cannot plot the losses")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> Vec<Epoch> {
        let epoch = |number| Epoch {
            number,
            rate: 1e-3,
            training_loss: 0.02 / f64::from(number),
            validation_loss: 0.03 / f64::from(number),
            averaged_loss: 0.024 / f64::from(number),
            seconds: 1.0,
        };
        (1..=3).map(epoch).collect()
    }

    #[test]
    fn the_table_has_a_line_an_epoch() {
        let table = table(&history()).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "number,rate,training_loss,validation_loss,averaged_loss,seconds");
        assert_eq!(lines[2], "2,0.001,0.01,0.015,0.012,1.0");
    }

    #[test]
    fn the_plot_shows_all_losses() {
        for count in 1..=3 {
            let svg = plot(&history()[..count]).unwrap();
            for text in ["training", "validation", "averaged", "epoch", "</svg>"] {
                assert!(svg.contains(text), "{text}");
            }
            assert!(!svg.contains("NaN"));
        }
    }
}
