//! The plots of a comparison: nodes and branching factors of the variants by
//! depth, and those of the minimal tree.

use plotters::chart::SeriesLabelPosition;
use plotters::style::{BLACK, RGBColor};

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
        let most = highest(lines, minimal).max(10.0);
        let decades = most.log10().ceil() as i32;
        let powers = (0..=decades).map(|power| 10f64.powi(power)).collect();
        let y = Axis::logarithmic(1.0..10f64.powi(decades), powers);
        panel(&left, "Nodes", y, lines, minimal, |_, nodes| nodes)?;
        let factor = |depth: usize, nodes: f64| nodes.powf(1.0 / depth as f64);
        let most = lines.iter().map(|line| &line.nodes[..]).chain([minimal]);
        let most = most.flat_map(|nodes| (1..).zip(nodes).map(|(depth, &n)| factor(depth, n)));
        let y = Axis::linear(0.0..1.05 * most.fold(1.0, f64::max));
        panel(&right, "Branching factor: nodes^(1/depth)", y, lines, minimal, factor)
    })
}

fn highest(lines: &[Line<'_>], minimal: &[f64]) -> f64 {
    let all = lines.iter().flat_map(|line| &line.nodes).chain(minimal);
    all.copied().fold(1.0, f64::max)
}

fn panel(
    area: &Area<'_>,
    title: &str,
    y: Axis,
    lines: &[Line<'_>],
    minimal: &[f64],
    figure: impl Fn(usize, f64) -> f64,
) -> Result<(), PlotError> {
    let x = Axis::whole(1..(minimal.len() as u32).max(2));
    let mut chart = Frame { title: title.into(), x_title: "depth", x, y }.draw(area)?;
    let mut draw = |name: &str, nodes: &[f64], color: RGBColor| {
        let points = (1..).zip(nodes).map(|(depth, &nodes)| (depth as f64, figure(depth, nodes)));
        draw_line(&mut chart, points, color, name)
    };
    for (line, color) in lines.iter().zip(COLORS) {
        draw(line.name, &line.nodes, color)?;
    }
    draw("minimal tree", minimal, BLACK)?;
    draw_legend(&mut chart, SeriesLabelPosition::UpperLeft)
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
        assert!(draw(&[], &[1.0]).is_ok());
    }
}
