//! The plots of a report, each a piece of SVG.

use std::ops::Range;

use plotters::chart::SeriesLabelPosition;
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::style::{Color, RGBColor};

use crate::arena::chart::{
    Axis, BLUE, COLORS, Chart, FONT, Frame, GREY, PlotError, draw_legend, draw_line, svg,
};
use crate::arena::results::Summary;
use crate::arena::stats::Sprt;

use super::{Checkpoint, Interval};

const SIZE: (u32, u32) = (620, 340);

/// Elo and, with a test, the likelihood ratio over the games; lengths of games
/// and how they ended.
pub(super) fn all(progress: &[Checkpoint], summary: &Summary) -> Result<String, PlotError> {
    let mut plots = elo(progress, summary)?;
    if let (Some(sprt), Some(_)) = (summary.sprt(), summary.duel()) {
        plots += &likelihood(progress, sprt)?;
    }
    plots += &lengths(summary)?;
    plots += &terminations(summary)?;
    Ok(plots)
}

/// A chart of values over the games.
fn over_games(title: String, progress: &[Checkpoint], y: Range<f64>) -> Frame {
    let games = progress.last().map_or(1.0, |last| last.games as f64).max(1.0);
    let x = Axis::linear(0.0..games);
    Frame { title, x_title: "games", x, y: Axis::linear(y) }
}

/// Bounds that hold a level and all values, and a little more.
fn bounds(values: impl Iterator<Item = f64>, level: f64) -> Range<f64> {
    let (low, high) =
        values.fold((level, level), |(low, high), value| (low.min(value), high.max(value)));
    let margin = if low < high { 0.05 * (high - low) } else { 0.5 };
    low - margin..high + margin
}

/// The difference of two engines, or the ratings of more, with their
/// intervals where there are few. Where one has won so much that no difference
/// explains it, the score.
fn elo(progress: &[Checkpoint], summary: &Summary) -> Result<String, PlotError> {
    let Some(standing) = summary.duel() else {
        let names: Vec<&str> = summary.engines().iter().map(|engine| &*engine.name).collect();
        let courses = |point: &Checkpoint| point.elo.clone();
        return estimates("Ratings".into(), progress, &names, 0.0, courses);
    };
    let [first, second] = standing.players();
    let has_elo = progress.last().is_none_or(|last| !last.elo.is_empty());
    if has_elo {
        let title = format!("Elo of {first} over {second}");
        estimates(title, progress, &[""], 0.0, |point| point.elo.clone())
    } else {
        let title = format!("Score of {first} over {second}");
        estimates(title, progress, &[""], 0.5, |point| point.score.into_iter().collect())
    }
}

/// The courses of estimates with these names, and a level to compare them with.
fn estimates(
    title: String,
    progress: &[Checkpoint],
    names: &[&str],
    level: f64,
    of: impl Fn(&Checkpoint) -> Vec<Interval>,
) -> Result<String, PlotError> {
    // early intervals are so wide that they would hide all else
    let settled = &progress[progress.len() / 4..];
    let shown = settled.iter().flat_map(&of).flat_map(|estimate| [estimate.low, estimate.high]);
    let y_range = bounds(shown, level);
    svg(SIZE, |area| {
        let mut chart = over_games(title, progress, y_range).draw(area)?;
        for (place, name) in names.iter().enumerate().take(COLORS.len()) {
            let point = |at: &Checkpoint| Some((at.games as f64, *of(at).get(place)?));
            let points: Vec<_> = progress.iter().filter_map(point).collect();
            draw_course(&mut chart, &points, COLORS[place], name)?;
        }
        draw_level(&mut chart, level)?;
        if names.len() > 1 {
            draw_legend(&mut chart, SeriesLabelPosition::UpperRight)?;
        }
        Ok(())
    })
}

/// One engine's line, in its interval of 95 %.
fn draw_course(
    chart: &mut Chart,
    points: &[(f64, Interval)],
    color: RGBColor,
    name: &str,
) -> Result<(), PlotError> {
    let y_range = chart.y_range();
    let inside = |value: f64| value.clamp(y_range.start, y_range.end);
    let lower = points.iter().map(|&(x, at)| (x, inside(at.low)));
    let upper = points.iter().rev().map(|&(x, at)| (x, inside(at.high)));
    let band: Vec<(f64, f64)> = lower.chain(upper).collect();
    chart.draw_series([Polygon::new(band, color.mix(0.12))])?;
    draw_line(chart, points.iter().map(|&(x, at)| (x, inside(at.value))), color, name)
}

fn draw_level(chart: &mut Chart, y: f64) -> Result<(), PlotError> {
    let Range { start, end } = chart.x_range();
    chart.draw_series([PathElement::new([(start, y), (end, y)], GREY.stroke_width(1))])?;
    Ok(())
}

/// The course of a test between its bounds.
fn likelihood(progress: &[Checkpoint], sprt: &Sprt) -> Result<String, PlotError> {
    let [elo0, elo1] = sprt.hypotheses();
    let title = format!("LLR of {elo1} against {elo0} Elo ({})", sprt.model());
    let points: Vec<(f64, f64)> =
        progress.iter().filter_map(|point| Some((point.games as f64, point.llr?))).collect();
    let y_range = bounds(points.iter().map(|&(_, llr)| llr).chain(sprt.bounds()), 0.0);
    svg(SIZE, |area| {
        let mut chart = over_games(title, progress, y_range).draw(area)?;
        draw_line(&mut chart, points, BLUE, "")?;
        let mut levels = sprt.bounds().into_iter().chain([0.0]);
        levels.try_for_each(|level| draw_level(&mut chart, level))
    })
}

/// How many games were how long.
fn lengths(summary: &Summary) -> Result<String, PlotError> {
    const BARS: usize = 30;
    let longest = summary.lengths().keys().next_back().copied().unwrap_or(0);
    let width = (longest / BARS + 1).next_multiple_of(if longest > BARS { 5 } else { 1 });
    let mut bars = vec![0u64; longest / width + 1];
    for (length, count) in summary.lengths() {
        bars[length / width] += count;
    }
    let most = bars.iter().max().copied().unwrap_or(0) as f64;
    let frame = Frame {
        title: "Lengths of games".into(),
        x_title: "plies",
        x: Axis::linear(0.0..(bars.len() * width) as f64),
        y: Axis::linear(0.0..(1.05 * most).max(1.0)),
    };
    svg(SIZE, |area| {
        let bar = |(place, &count): (usize, &u64)| {
            let [left, right] = [place * width, (place + 1) * width].map(|x| x as f64);
            Rectangle::new([(left, 0.0), (right, count as f64)], BLUE.mix(0.7).filled())
        };
        frame.draw(area)?.draw_series(bars.iter().enumerate().map(bar))?;
        Ok(())
    })
}

/// How games ended, the commonest reason first.
fn terminations(summary: &Summary) -> Result<String, PlotError> {
    const TEXT: i32 = 14;
    let mut counts: Vec<_> = summary.terminations().iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let most = counts.first().map_or(1.0, |(_, count)| **count as f64);
    svg(SIZE, |area| {
        let text =
            |text: String, at: (i32, i32), size: i32| area.draw(&Text::new(text, at, (FONT, size)));
        text("How games ended".into(), (14, 12), 18)?;
        let height = ((SIZE.1 as usize - 50) / counts.len().max(8)) as i32;
        for ((reason, count), row) in counts.into_iter().zip(0i32..) {
            let top = 44 + row * height;
            let right = 190 + (*count as f64 / most * 350.0) as i32;
            let middle = top + (height - 4 - TEXT) / 2;
            text(reason.to_string(), (14, middle), TEXT)?;
            let bar = [(190, top), (right, top + height - 4)];
            area.draw(&Rectangle::new(bar, BLUE.mix(0.7).filled()))?;
            text(count.to_string(), (right + 6, middle), TEXT)?;
        }
        Ok(())
    })
}
