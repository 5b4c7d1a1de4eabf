//! The plot: nodes per second, time to the depth, and both speed-ups.

use std::io;
use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Text};
use plotters::series::LineSeries;
use plotters::style::{BLACK, Color, RGBColor, WHITE};

use super::measure::Row;
use super::statistics::Spread;

const SIZE: (u32, u32) = (1260, 480);
const FONT: &str = "sans-serif";
const BLUE: RGBColor = RGBColor(31, 119, 180);
const ORANGE: RGBColor = RGBColor(230, 110, 10);
const GREY: RGBColor = RGBColor(150, 150, 150);

/// What a plot cannot be drawn for.
pub type PlotError = DrawingAreaErrorKind<io::Error>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// One of the charts.
struct Panel {
    title: String,
    y: Axis,
    series: Vec<Series>,
    /// Whether the ideal of as many times the speed as threads is drawn.
    has_ideal: bool,
}

struct Series {
    /// For the legend; empty where there is only one.
    name: &'static str,
    color: RGBColor,
    /// Numbers of threads and what they achieve.
    points: Vec<(f64, Spread)>,
}

/// An axis with chosen labels.
#[derive(Clone)]
struct Axis {
    bounds: Range<f64>,
    ticks: Vec<f64>,
    /// Equal differences of this are equal distances.
    scale: fn(f64) -> f64,
    /// What a label is divided by.
    unit: f64,
}

impl Axis {
    /// From 0, to an even scale.
    fn linear(high: f64, unit: f64) -> Axis {
        let ticks = round_ticks(high);
        Axis { bounds: 0.0..ticks[ticks.len() - 1], ticks, scale: |value| value, unit }
    }

    /// Factors to a logarithmic scale, so that the ideal speed-up is a
    /// straight line.
    fn factors(low: f64, high: f64) -> Axis {
        let ticks = factor_ticks(low, high);
        Axis { bounds: ticks[0]..ticks[ticks.len() - 1], ticks, scale: f64::log2, unit: 1.0 }
    }

    /// Numbers of threads to a logarithmic scale, so that 1, 2, 4 … stand at
    /// equal distances.
    fn threads(rows: &[Row]) -> Axis {
        let ticks: Vec<f64> = rows.iter().map(|row| row.threads as f64).collect();
        let bounds = ticks[0] / 1.15..ticks[ticks.len() - 1] * 1.15;
        Axis { bounds, ticks, scale: f64::log2, unit: 1.0 }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let [low, value, high] = [self.bounds.start, *value, self.bounds.end].map(self.scale);
        first + ((value - low) / (high - low) * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.bounds.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (value / self.unit).to_string()
    }
}

/// The plot as the text of an SVG file, below lines that say what it shows.
pub fn draw(rows: &[Row], depth: u32, headings: &[String]) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let heading_height = 20;
        for (line, heading) in (0..).zip(headings) {
            let text = Text::new(heading.as_str(), (14, 10 + heading_height * line), (FONT, 15));
            root.draw(&text)?;
        }
        let (_, charts) = root.split_vertically(10 + heading_height * headings.len() as i32);
        for (area, panel) in charts.split_evenly((1, 3)).iter().zip(panels(rows, depth)) {
            panel.draw(area, rows)?;
        }
        root.present()?;
    }
    Ok(svg)
}

fn panels(rows: &[Row], depth: u32) -> [Panel; 3] {
    let base = rows[0].threads;
    let series = |name, color, figure: fn(&Row) -> Spread| Series {
        name,
        color,
        points: rows.iter().map(|row| (row.threads as f64, figure(row))).collect(),
    };
    let nps = series("", BLUE, |row| row.nps);
    let seconds = series("", ORANGE, |row| row.seconds);
    let speedups = vec![
        series("nodes per second", BLUE, |row| row.nps_speedup),
        series("time to depth", ORANGE, |row| row.depth_speedup),
    ];
    let most = rows.last().map_or(1.0, |row| row.threads as f64 / base as f64);
    let (low, high) = speedups.iter().fold((1.0, most), |bounds, s| s.widen(bounds));
    [
        Panel {
            title: "Nodes per second, millions".into(),
            y: Axis::linear(nps.widen((0.0, 0.0)).1, 1e6),
            series: vec![nps],
            has_ideal: false,
        },
        Panel {
            title: format!("Seconds to depth {depth}"),
            y: Axis::linear(seconds.widen((0.0, 0.0)).1, 1.0),
            series: vec![seconds],
            has_ideal: false,
        },
        Panel {
            title: format!("Speed-up over {base} thread{}", if base == 1 { "" } else { "s" }),
            y: Axis::factors(low, high),
            series: speedups,
            has_ideal: true,
        },
    ]
}

impl Series {
    /// The medians joined by lines, and bars from the smallest to the largest.
    fn draw(&self, chart: &mut Chart) -> Result<(), PlotError> {
        let color = self.color;
        let medians = self.points.iter().map(|(threads, spread)| (*threads, spread.median));
        let line = LineSeries::new(medians.clone(), color.stroke_width(2));
        let line = chart.draw_series(line)?;
        if !self.name.is_empty() {
            line.label(self.name).legend(move |point| sample_line(point, color));
        }
        let circles = medians.map(|point| Circle::new(point, 4, color.filled()));
        chart.draw_series(circles)?;
        let bars = self.points.iter().map(|&(threads, Spread { min, max, .. })| {
            PathElement::new([(threads, min), (threads, max)], color.stroke_width(2))
        });
        chart.draw_series(bars)?;
        Ok(())
    }

    /// Bounds that hold these points too.
    fn widen(&self, bounds: (f64, f64)) -> (f64, f64) {
        self.points.iter().fold(bounds, |(low, high), (_, Spread { min, max, .. })| {
            (low.min(*min), high.max(*max))
        })
    }
}

impl Panel {
    fn draw(&self, area: &Area, rows: &[Row]) -> Result<(), PlotError> {
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, (FONT, 19))
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(48)
            .build_cartesian_2d(Axis::threads(rows), self.y.clone())?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GREY.mix(0.3))
            .x_desc("threads")
            .label_style((FONT, 14))
            .axis_desc_style((FONT, 15))
            .draw()?;
        if self.has_ideal {
            draw_ideal(&mut chart, rows)?;
        }
        for series in &self.series {
            series.draw(&mut chart)?;
        }
        if self.series.len() > 1 {
            draw_legend(&mut chart)?;
        }
        Ok(())
    }
}

fn draw_ideal(chart: &mut Chart, rows: &[Row]) -> Result<(), PlotError> {
    let base = rows[0].threads as f64;
    let ideal = rows.iter().map(|row| row.threads as f64).map(|n| (n, n / base));
    let line = chart.draw_series(LineSeries::new(ideal, GREY.stroke_width(2)))?;
    line.label("ideal").legend(|point| sample_line(point, GREY));
    Ok(())
}

fn sample_line((x, y): (i32, i32), color: RGBColor) -> PathElement<(i32, i32)> {
    PathElement::new(vec![(x, y), (x + 20, y)], color.stroke_width(2))
}

fn draw_legend<'a>(chart: &mut Chart<'a, 'a>) -> Result<(), PlotError> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 14))
        .draw()
}

/// Round numbers at equal distances from 0 to beyond `high`, 3 to 7 of them.
fn round_ticks(high: f64) -> Vec<f64> {
    let magnitude = 10f64.powf((high / 6.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * magnitude)
        .into_iter()
        .find(|step| high / step <= 6.0)
        .unwrap_or(high);
    // quotients of whole numbers are as short as can be when written down
    let nth =
        |n: i32| if step < 1.0 { f64::from(n) / (1.0 / step).round() } else { f64::from(n) * step };
    (0..=(high / step).floor() as i32 + 1).map(nth).collect()
}

/// Factors, each a third or a half larger than the one before, that enclose
/// the bounds.
fn factor_ticks(low: f64, high: f64) -> Vec<f64> {
    let all = (-20..20).flat_map(|n| [f64::from(n).exp2(), 1.5 * f64::from(n).exp2()]);
    let all: Vec<f64> = all.collect();
    let first = all.iter().rposition(|&factor| factor < low * 0.99).unwrap_or(0);
    let last = all.iter().position(|&factor| factor > high * 1.01).unwrap_or(all.len() - 1);
    all[first..=last].to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::measure;
    use super::*;

    #[test]
    fn the_plot_shows_all_that_was_measured() {
        let rows = measure::summarise(&[1, 2, 4], &measure::tests::samples());
        let svg = draw(&rows, 11, &["a <machine> & more".into()]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in ["a &lt;machine&gt; &amp; more", "Seconds to depth 11", "ideal", "threads"] {
            assert!(svg.contains(text), "{text} is missing");
        }
        let circles = svg.matches("<circle").count();
        assert_eq!(circles, 3 * 4);
    }

    #[test]
    fn one_number_of_threads_is_enough() {
        let rows = measure::summarise(&[2], &measure::tests::samples());
        assert!(draw(&rows, 9, &[]).unwrap().contains("Speed-up over 2 threads"));
    }

    #[test]
    fn ticks_are_round_and_enclose() {
        assert_eq!(round_ticks(2.3), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
        assert_eq!(round_ticks(0.07), [0.0, 0.02, 0.04, 0.06, 0.08]);
        assert_eq!(round_ticks(5.5e7).last(), Some(&6e7));
        for exponent in -40..80 {
            let high = 1.3f64.powi(exponent);
            let ticks = round_ticks(high);
            assert!((3..=8).contains(&ticks.len()), "{high}: {ticks:?}");
            assert!(ticks[ticks.len() - 1] >= high, "{high}: {ticks:?}");
        }
        assert_eq!(factor_ticks(1.0, 1.96), [0.75, 1.0, 1.5, 2.0]);
        assert_eq!(factor_ticks(0.7, 3.9), [0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0]);
    }
}
