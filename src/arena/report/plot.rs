//! The plots of a report, each a piece of SVG.

use std::fmt::Display;
use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext, SeriesLabelPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::IntoDrawingArea;
use plotters::element::{PathElement, Polygon, Rectangle};
use plotters::series::LineSeries;
use plotters::style::{BLACK, Color, RGBColor, WHITE};

use crate::arena::results::Summary;
use crate::arena::stats::{Elo, Sprt};

use super::{Checkpoint, ReportError};

const SIZE: (u32, u32) = (620, 340);
const FONT: &str = "sans-serif";
const COLORS: [RGBColor; 8] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(230, 110, 10),
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(23, 190, 207),
    RGBColor(120, 120, 120),
];
const GREY: RGBColor = RGBColor(150, 150, 150);

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// What a chart shows.
struct Frame<'a> {
    title: &'a str,
    x: &'a str,
    x_range: Range<f64>,
    y_range: Range<f64>,
}

/// Elo and, with a test, the likelihood ratio over the games; lengths of games
/// and how they ended.
pub(super) fn all(progress: &[Checkpoint], summary: &Summary) -> Result<String, ReportError> {
    let mut plots = elo(progress, summary)?;
    if let (Some(sprt), Some(_)) = (summary.sprt(), summary.duel()) {
        plots += &likelihood(progress, sprt)?;
    }
    plots += &lengths(summary)?;
    plots += &terminations(summary)?;
    Ok(plots)
}

fn fault(error: impl Display) -> ReportError {
    ReportError::Plot(error.to_string())
}

/// A chart in its frame, as SVG.
fn chart(
    frame: &Frame,
    draw: impl FnOnce(&mut Chart) -> Result<(), ReportError>,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(fault)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(frame.title, (FONT, 17))
            .margin(10)
            .margin_right(24)
            .x_label_area_size(38)
            .y_label_area_size(48)
            .build_cartesian_2d(frame.x_range.clone(), frame.y_range.clone())
            .map_err(fault)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GREY.mix(0.3))
            .x_desc(frame.x)
            .x_label_formatter(&|value| label(*value))
            .y_label_formatter(&|value| label(*value))
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 14))
            .draw()
            .map_err(fault)?;
        draw(&mut chart)?;
        root.present().map_err(fault)?;
    }
    Ok(svg)
}

/// A number without the digits that rounding leaves behind.
fn label(value: f64) -> String {
    ((value * 1e3).round() / 1e3).to_string()
}

/// Bounds that hold all values, and a little more.
fn bounds(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) =
        values.fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    let margin = (0.05 * (high - low)).max(0.5);
    low - margin..high + margin
}

fn games(progress: &[Checkpoint]) -> Range<f64> {
    0.0..progress.last().map_or(1.0, |last| last.games as f64).max(1.0)
}

/// The difference of two engines, or the ratings of more, with their
/// intervals where there are few.
fn elo(progress: &[Checkpoint], summary: &Summary) -> Result<String, ReportError> {
    let names: Vec<&str> = match summary.duel() {
        Some(_) => vec![""],
        None => summary.engines().iter().map(|engine| &*engine.name).collect(),
    };
    let title = match summary.duel() {
        Some(standing) => {
            format!("Elo of {} over {}", standing.players()[0], standing.players()[1])
        }
        None => "Ratings".into(),
    };
    // early intervals are so wide that they would hide all else
    let settled = &progress[progress.len() / 4..];
    let shown = settled.iter().flat_map(|point| &point.elo);
    let y_range = bounds(shown.flat_map(|elo| [elo.low, elo.high]));
    let frame = Frame { title: &title, x: "games", x_range: games(progress), y_range };
    chart(&frame, |chart| {
        for (place, name) in names.iter().enumerate().take(COLORS.len()) {
            draw_course(chart, progress, place, name, &frame.y_range)?;
        }
        draw_level(chart, 0.0, &frame.x_range)?;
        if names.len() > 1 {
            draw_legend(chart)?;
        }
        Ok(())
    })
}

/// One engine's line, in its interval of 95 %.
fn draw_course(
    chart: &mut Chart,
    progress: &[Checkpoint],
    place: usize,
    name: &str,
    y_range: &Range<f64>,
) -> Result<(), ReportError> {
    let color = COLORS[place % COLORS.len()];
    let inside = |value: f64| value.clamp(y_range.start, y_range.end);
    let points: Vec<(f64, Elo)> = progress
        .iter()
        .filter_map(|point| Some((point.games as f64, *point.elo.get(place)?)))
        .collect();
    let lower = points.iter().map(|&(x, elo)| (x, inside(elo.low)));
    let upper = points.iter().rev().map(|&(x, elo)| (x, inside(elo.high)));
    let band: Vec<(f64, f64)> = lower.chain(upper).collect();
    chart.draw_series([Polygon::new(band, color.mix(0.12))]).map_err(fault)?;
    let line = points.iter().map(|&(x, elo)| (x, inside(elo.value)));
    let line = LineSeries::new(line, color.stroke_width(2));
    let line = chart.draw_series(line).map_err(fault)?;
    if !name.is_empty() {
        line.label(name).legend(move |(x, y)| {
            PathElement::new(vec![(x, y), (x + 16, y)], color.stroke_width(2))
        });
    }
    Ok(())
}

fn draw_level(chart: &mut Chart, y: f64, x_range: &Range<f64>) -> Result<(), ReportError> {
    let ends = [(x_range.start, y), (x_range.end, y)];
    chart.draw_series([PathElement::new(ends, GREY.stroke_width(1))]).map_err(fault)?;
    Ok(())
}

fn draw_legend<'a>(chart: &mut Chart<'a>) -> Result<(), ReportError> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 13))
        .draw()
        .map_err(fault)
}

/// The way of a test between its bounds.
fn likelihood(progress: &[Checkpoint], sprt: &Sprt) -> Result<String, ReportError> {
    let [elo0, elo1] = sprt.hypotheses();
    let title = format!("LLR of {elo1} against {elo0} Elo ({})", sprt.model());
    let points: Vec<(f64, f64)> =
        progress.iter().filter_map(|point| Some((point.games as f64, point.llr?))).collect();
    let y_range = bounds(points.iter().map(|&(_, llr)| llr).chain(sprt.bounds()));
    let frame = Frame { title: &title, x: "games", x_range: games(progress), y_range };
    chart(&frame, |chart| {
        let line = LineSeries::new(points, COLORS[0].stroke_width(2));
        chart.draw_series(line).map_err(fault)?;
        for level in sprt.bounds().into_iter().chain([0.0]) {
            draw_level(chart, level, &frame.x_range)?;
        }
        Ok(())
    })
}

/// How many games were how long.
fn lengths(summary: &Summary) -> Result<String, ReportError> {
    const BARS: usize = 30;
    let longest = summary.lengths().keys().next_back().copied().unwrap_or(0);
    let width = (longest / BARS + 1).next_multiple_of(if longest > BARS { 5 } else { 1 });
    let mut bars = vec![0u64; longest / width + 1];
    for (length, count) in summary.lengths() {
        bars[length / width] += count;
    }
    let most = bars.iter().max().copied().unwrap_or(0) as f64;
    let frame = Frame {
        title: "Lengths of games",
        x: "plies",
        x_range: 0.0..(bars.len() * width) as f64,
        y_range: 0.0..(1.05 * most).max(1.0),
    };
    chart(&frame, |chart| {
        let bar = |(place, &count): (usize, &u64)| {
            let [left, right] = [place * width, (place + 1) * width].map(|x| x as f64);
            Rectangle::new([(left, 0.0), (right, count as f64)], COLORS[0].mix(0.7).filled())
        };
        chart.draw_series(bars.iter().enumerate().map(bar)).map_err(fault)?;
        Ok(())
    })
}

/// How games ended, the commonest reason first.
fn terminations(summary: &Summary) -> Result<String, ReportError> {
    const TEXT: i32 = 14;
    let mut counts: Vec<_> = summary.terminations().iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let most = counts.first().map_or(1.0, |(_, count)| **count as f64);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(fault)?;
        let text = |text: String, at: (i32, i32), size: i32| {
            root.draw(&plotters::element::Text::new(text, at, (FONT, size))).map_err(fault)
        };
        text("How games ended".into(), (14, 12), 17)?;
        let height = ((SIZE.1 as usize - 50) / counts.len().max(8)) as i32;
        for ((reason, count), row) in counts.into_iter().zip(0i32..) {
            let top = 44 + row * height;
            let right = 190 + (*count as f64 / most * 350.0) as i32;
            let middle = top + (height - 4 - TEXT) / 2;
            text(reason.to_string(), (14, middle), TEXT)?;
            let bar = [(190, top), (right, top + height - 4)];
            root.draw(&Rectangle::new(bar, COLORS[0].mix(0.7).filled())).map_err(fault)?;
            text(count.to_string(), (right + 6, middle), TEXT)?;
        }
        root.present().map_err(fault)?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_zero_and_everything() {
        assert_eq!(bounds([].into_iter()), -0.5..0.5);
        let range = bounds([10.0, 30.0].into_iter());
        assert_eq!(range, -1.5..31.5);
        assert!(bounds([-40.0].into_iter()).contains(&0.0));
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(label(0.1 + 0.2), "0.3");
        assert_eq!(label(-2.0), "-2");
    }

    #[test]
    fn courses_with_wild_beginnings_stay_in_the_frame() {
        let wild = Elo { value: 300.0, low: -2_000.0, high: 2_600.0 };
        let calm = Elo { value: 10.0, low: 5.0, high: 15.0 };
        let point = |games, elo| Checkpoint { games, elo: vec![elo], llr: Some(0.5) };
        let mut progress = vec![point(1, wild)];
        progress.extend((2..40).map(|games| point(games, calm)));
        let mut summary = Summary::new(["a", "b"], None);
        summary.add(&crate::arena::game::example());
        let svg = elo(&progress, &summary).unwrap();
        let label = svg.split('>').filter_map(|text| text.trim().split('<').next());
        let numbers = label.filter_map(|text| text.trim().parse::<f64>().ok());
        assert!(numbers.fold(0.0, f64::max) < 100.0, "{svg}");
    }
}
