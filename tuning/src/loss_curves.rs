//! The losses of a training by epoch: a table and a plot.

use anyhow::{Result, anyhow};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, SeriesLabelPosition};
use plotters::drawing::IntoDrawingArea;
use plotters::element::PathElement;
use plotters::series::LineSeries;
use plotters::style::{BLACK, RGBColor, WHITE};

use crate::net::Epoch;

const SIZE: (u32, u32) = (800, 480);
const BLUE: RGBColor = RGBColor(31, 119, 180);
const ORANGE: RGBColor = RGBColor(230, 110, 10);
const GREEN: RGBColor = RGBColor(44, 140, 60);

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

/// The text of an SVG file with both losses by epoch.
///
/// # Errors
/// When a loss is not finite.
pub fn plot(history: &[Epoch]) -> Result<String> {
    let mut svg = String::new();
    draw(history, &mut svg).map_err(|error| anyhow!("cannot plot the losses: {error}"))?;
    Ok(svg)
}

fn draw(history: &[Epoch], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let curves: [(_, _, Loss); 3] = [
        ("training", BLUE, |epoch| epoch.training_loss),
        ("validation", ORANGE, |epoch| epoch.validation_loss),
        ("averaged weights", GREEN, |epoch| epoch.averaged_loss),
    ];
    let losses = history.iter().flat_map(|epoch| curves.map(|(_, _, loss)| loss(epoch)));
    let (low, high) =
        losses.fold((f64::INFINITY, 0.0f64), |(low, high), loss| (low.min(loss), high.max(loss)));
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Mean squared error by epoch", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(1.0..history.len().max(2) as f64, low * 0.98..high * 1.02)?;
    chart.configure_mesh().x_desc("epoch").x_label_formatter(&|x| format!("{x:.0}")).draw()?;
    for (name, color, loss) in curves {
        let points = history.iter().map(|epoch| (f64::from(epoch.number), loss(epoch)));
        let line = chart.draw_series(LineSeries::new(points, color))?;
        line.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    root.present()?;
    Ok(())
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
