//! Tables of text.

use comfy_table::{CellAlignment, Table, presets};

/// Rows with their cells below each other: the first column to the left, the
/// others to the right.
pub(crate) fn text_table(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).add_rows(rows);
    for (place, column) in table.column_iter_mut().enumerate() {
        let (gap, alignment) = match place {
            0 => (0, CellAlignment::Left),
            _ => (2, CellAlignment::Right),
        };
        column.set_padding((gap, 0)).set_cell_alignment(alignment);
    }
    table.trim_fmt()
}
