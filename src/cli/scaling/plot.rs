//! The plot: nodes per second, time to the depth, and both speed-ups.

use plotters::chart::SeriesLabelPosition;
use plotters::element::{Circle, PathElement, Text};
use plotters::style::{Color, RGBColor};

use super::measure::Row;
use super::statistics::Spread;
use crate::arena::chart::{
    Area, Axis, BLUE, Chart, FONT, Frame, GREY, ORANGE, PlotError, draw_legend, draw_line, svg,
};

const SIZE: (u32, u32) = (1260, 480);

struct Panel {
    frame: Frame,
    series: Vec<Series>,
    /// As many times the speed as threads; empty where that is not drawn.
    ideal: Vec<(f64, f64)>,
}

struct Series {
    /// For the legend; empty where there is only one.
    name: &'static str,
    color: RGBColor,
    /// Numbers of threads and what they achieve.
    points: Vec<(f64, Spread)>,
}

/// The plot as the text of an SVG file, below lines that say what it shows.
pub fn draw(rows: &[Row], depth: u32, headings: &[String]) -> Result<String, PlotError> {
    svg(SIZE, |root| {
        let heading_height = 20;
        for (line, heading) in (0..).zip(headings) {
            let text = Text::new(heading.as_str(), (14, 10 + heading_height * line), (FONT, 15));
            root.draw(&text)?;
        }
        let (_, charts) = root.split_vertically(10 + heading_height * headings.len() as i32);
        let areas = charts.split_evenly((1, 3));
        areas.iter().zip(panels(rows, depth)).try_for_each(|(area, panel)| panel.draw(area))
    })
}

fn panels(rows: &[Row], depth: u32) -> [Panel; 3] {
    let base = rows[0].threads;
    let series = |name, color, figure: fn(&Row) -> Spread| Series {
        name,
        color,
        points: rows.iter().map(|row| (row.threads as f64, figure(row))).collect(),
    };
    let nps = series("", BLUE, |row| row.nps.scaled(1e-6));
    let seconds = series("", ORANGE, |row| row.seconds);
    let speedups = vec![
        series("nodes per second", BLUE, |row| row.nps_speedup),
        series("time to depth", ORANGE, |row| row.depth_speedup),
    ];
    let threads: Vec<f64> = rows.iter().map(|row| row.threads as f64).collect();
    let (fewest, most) = (threads[0], threads[threads.len() - 1]);
    let ideal = threads.iter().map(|&threads| (threads, threads / fewest)).collect();
    // on logarithmic scales the ideal is a straight line
    let x = Axis::logarithmic(fewest / 1.15..most * 1.15, threads);
    let frame = |title, y| Frame { title, x_title: "threads", x: x.clone(), y };
    let from_zero = |series: &Series| Axis::linear(0.0..1.05 * series.widen((0.0, 0.0)).1);
    let (low, high) = speedups.iter().fold((1.0, most / fewest), |bounds, s| s.widen(bounds));
    let factors = factor_ticks(low, high);
    let y = Axis::logarithmic(factors[0]..factors[factors.len() - 1], factors);
    let title = format!("Speed-up over {base} thread{}", if base == 1 { "" } else { "s" });
    [
        Panel {
            frame: frame("Nodes per second, millions".into(), from_zero(&nps)),
            series: vec![nps],
            ideal: Vec::new(),
        },
        Panel {
            frame: frame(format!("Seconds to depth {depth}"), from_zero(&seconds)),
            series: vec![seconds],
            ideal: Vec::new(),
        },
        Panel { frame: frame(title, y), series: speedups, ideal },
    ]
}

impl Series {
    /// The medians joined by lines, and bars from the smallest to the largest.
    fn draw(&self, chart: &mut Chart) -> Result<(), PlotError> {
        let color = self.color;
        let medians = self.points.iter().map(|(threads, spread)| (*threads, spread.median));
        draw_line(chart, medians.clone(), color, self.name)?;
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
    fn draw(self, area: &Area) -> Result<(), PlotError> {
        let mut chart = self.frame.draw(area)?;
        if !self.ideal.is_empty() {
            draw_line(&mut chart, self.ideal, GREY, "ideal")?;
        }
        self.series.iter().try_for_each(|series| series.draw(&mut chart))?;
        if self.series.len() > 1 {
            draw_legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
        }
        Ok(())
    }
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
    fn factors_enclose_the_bounds() {
        assert_eq!(factor_ticks(1.0, 1.96), [0.75, 1.0, 1.5, 2.0]);
        assert_eq!(factor_ticks(0.7, 3.9), [0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0]);
    }
}
