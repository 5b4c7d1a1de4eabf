//! What all plots are made of: a frame with two axes, lines in it, a legend.

use std::io;
use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::PathElement;
use plotters::series::LineSeries;
use plotters::style::{BLACK, Color, RGBColor, WHITE};

pub use plotters::chart::SeriesLabelPosition;

pub const FONT: &str = "sans-serif";
pub const BLUE: RGBColor = RGBColor(31, 119, 180);
pub const ORANGE: RGBColor = RGBColor(230, 110, 10);
pub const GREY: RGBColor = RGBColor(150, 150, 150);
/// For as many lines in one chart, easy to tell apart.
pub const COLORS: [RGBColor; 8] = [
    BLUE,
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    ORANGE,
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(23, 190, 207),
    RGBColor(120, 120, 120),
];

/// Why a plot cannot be drawn.
pub type PlotError = DrawingAreaErrorKind<io::Error>;

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// The text of an SVG file with what `draw` draws, `size` pixels wide and high.
pub fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        root.present()?;
    }
    Ok(text)
}

#[derive(Clone)]
pub struct Axis {
    bounds: Range<f64>,
    /// The values that have labels; round ones if there are none here.
    ticks: Vec<f64>,
    /// Equal differences of this are equal distances.
    scale: fn(f64) -> f64,
}

impl Axis {
    pub fn linear(bounds: Range<f64>) -> Axis {
        Axis { bounds, ticks: Vec::new(), scale: |value| value }
    }

    /// For a number that is whole, such as a depth.
    pub fn whole(bounds: Range<u32>) -> Axis {
        let ticks = (bounds.start..=bounds.end).map(f64::from).collect();
        Axis { ticks, ..Axis::linear(bounds.start.into()..bounds.end.into()) }
    }

    pub fn logarithmic(bounds: Range<f64>, ticks: Vec<f64>) -> Axis {
        Axis { bounds, ticks, scale: f64::log2 }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let [low, value, high] = [self.bounds.start, *value, self.bounds.end].map(self.scale);
        first + ((value - low) / (high - low) * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match &self.ticks[..] {
            [] => RangedCoordf64::from(self.bounds.clone()).key_points(hint),
            ticks => ticks.to_vec(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.bounds.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    /// To a thousandth of the axis or finer, without the digits that rounding
    /// leaves behind.
    fn format_ext(&self, value: &f64) -> String {
        let length = self.bounds.end - self.bounds.start;
        let unit = 10f64.powf((3.0 - length.log10().floor()).max(0.0));
        // no label is -0
        ((value * unit).round() / unit + 0.0).to_string()
    }
}

/// A chart before anything is drawn in it.
pub struct Frame {
    pub title: String,
    pub x_title: &'static str,
    pub x: Axis,
    pub y: Axis,
}

impl Frame {
    pub fn draw<'a, 'b>(self, area: &'a Area<'b>) -> Result<Chart<'a, 'b>, PlotError> {
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, (FONT, 18))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(40)
            .y_label_area_size(48)
            .build_cartesian_2d(self.x, self.y)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GREY.mix(0.3))
            .x_desc(self.x_title)
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 14))
            .draw()?;
        Ok(chart)
    }
}

/// Joins points by a line, which the legend shows if it has a name.
pub fn draw_line(
    chart: &mut Chart<'_, '_>,
    points: impl IntoIterator<Item = (f64, f64)>,
    color: RGBColor,
    name: &str,
) -> Result<(), PlotError> {
    let style = color.stroke_width(2);
    let line = chart.draw_series(LineSeries::new(points, style))?;
    if !name.is_empty() {
        line.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    Ok(())
}

pub fn draw_legend<'a, 'b: 'a>(
    chart: &mut Chart<'a, 'b>,
    position: SeriesLabelPosition,
) -> Result<(), PlotError> {
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 13))
        .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_as_fine_as_their_axis() {
        let label = |length: f64, value: f64| Axis::linear(0.0..length).format_ext(&value);
        assert_eq!(label(0.0005, 0.1 * 0.001), "0.0001");
        assert_eq!(label(1.0, 0.1 + 0.2), "0.3");
        assert_eq!(label(40.0, -1e-17), "0");
        assert_eq!(label(20_000.0, 12_500.0), "12500");
    }
}
