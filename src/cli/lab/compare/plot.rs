//! The plots of a comparison: nodes and branching factors of the variants by
//! depth, and those of the minimal tree.

use plotters::chart::SeriesLabelPosition;
use plotters::style::BLACK;

use crate::arena::chart::{Area, Axis, COLORS, Frame, PlotError, draw_legend, draw_line, svg};

const SIZE: (u32, u32) = (1100, 480);

/// What one variant needs: nodes of a position, by depth from 1.
pub struct Line<'a> {
    pub name: &'a str,
    pub nodes: Vec<f64>,
}

/// Nodes by depth, and the branching factor that they mean, beside those of the
/// minimal tree.
pub fn draw(lines: &[Line<'_>], minimal: &[f64]) -> Result<String, PlotError> {
    svg(SIZE, |root| {
        let (left, right) = root.split_horizontally(SIZE.0 / 2);
        let powers = (0..20).map(|power| 10f64.powi(power));
        let nodes = Panel {
            title: "Nodes",
            ticks: powers.collect(),
            figure: |_, nodes| nodes,
            legend: SeriesLabelPosition::LowerRight,
        };
        nodes.draw(&left, lines, minimal)?;
        let factors = (0..6).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10f64.powi(power)));
        let branching = Panel {
            title: "Branching factor: nodes^(1/depth)",
            ticks: factors.collect(),
            figure: |depth, nodes| nodes.powf(1.0 / depth),
            legend: SeriesLabelPosition::UpperRight,
        };
        branching.draw(&right, lines, minimal)
    })
}

/// A chart of one figure by depth, on a logarithmic scale.
struct Panel {
    title: &'static str,
    /// More than enough of them, ascending.
    ticks: Vec<f64>,
    /// From depth and nodes.
    figure: fn(f64, f64) -> f64,
    legend: SeriesLabelPosition,
}

impl Panel {
    fn draw(self, area: &Area<'_>, lines: &[Line<'_>], minimal: &[f64]) -> Result<(), PlotError> {
        let all = lines.iter().map(|line| &line.nodes[..]).chain([minimal]);
        let y = self.axis(all.flat_map(|nodes| self.points(nodes)).map(|(_, figure)| figure));
        let x = Axis::whole(1..(minimal.len() as u32).max(2));
        let mut chart = Frame { title: self.title.into(), x_title: "depth", x, y }.draw(area)?;
        for (line, color) in lines.iter().zip(COLORS) {
            draw_line(&mut chart, self.points(&line.nodes), color, line.name)?;
        }
        draw_line(&mut chart, self.points(minimal), BLACK, "minimal tree")?;
        draw_legend(&mut chart, self.legend)
    }

    fn points(&self, nodes: &[f64]) -> Vec<(f64, f64)> {
        let depths = (1..).map(f64::from);
        depths.zip(nodes).map(|(depth, &nodes)| (depth, (self.figure)(depth, nodes))).collect()
    }

    /// An axis from tick to tick that holds all figures.
    fn axis(&self, figures: impl Iterator<Item = f64>) -> Axis {
        let (low, high) =
            figures.fold((f64::INFINITY, 1.0f64), |(low, high), f| (low.min(f), high.max(f)));
        let first = self.ticks.iter().rposition(|&tick| tick <= low.min(high)).unwrap_or(0);
        let last = self.ticks.iter().position(|&tick| tick > high);
        let last = last.unwrap_or(self.ticks.len() - 1);
        let ticks = self.ticks[first..=last].to_vec();
        Axis::logarithmic(self.ticks[first]..self.ticks[last], ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_name_in_both_panels() {
        let line = |name, nodes: &[f64]| Line { name, nodes: nodes.to_vec() };
        let lines = [line("one", &[40.0, 1600.0]), line("other", &[40.0])];
        let svg = draw(&lines, &[40.0, 79.0]).unwrap();
        for name in ["one", "other", "minimal tree", "depth"] {
            assert_eq!(svg.matches(&format!("\n{name}\n")).count(), 2, "{name}");
        }
        assert!(draw(&[], &[1.0]).is_ok() && draw(&[], &[]).is_ok());
    }
}
