//! CSV files that users give: UTF-8 or GBK, the first line names the columns.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::util::{decoded, read_whole};

use super::{Failure, invalid_file};

/// Larger files are refused, bytes.
const LARGEST: u64 = 1 << 30;

/// A table whose columns are found by their names, regardless of case.
pub struct CsvTable {
    columns: StringRecord,
    /// With the line of the file where each begins.
    records: Vec<(u64, StringRecord)>,
}

/// A row of a table.
pub struct Row<'a> {
    columns: &'a StringRecord,
    record: &'a StringRecord,
    /// The line of the file where the row begins, from 1.
    pub line: u64,
}

impl CsvTable {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or lacks one of the columns `needed`.
    pub fn read(path: &Path, needed: &[&str]) -> Result<CsvTable, Failure> {
        let bytes = read_whole(path, LARGEST).map_err(|error| invalid_file(path, error))?;
        // in one piece: a single cell in GBK may be UTF-8 as well
        CsvTable::parse(&decoded(&bytes), needed).map_err(|fault| invalid_file(path, fault))
    }

    /// The table of a text.
    ///
    /// # Errors
    /// As [`CsvTable::read`], without the name of a file.
    pub fn parse(text: &str, needed: &[&str]) -> Result<CsvTable, String> {
        // the reader takes a row to begin within the line end before it
        let text = text.replace("\r\n", "\n");
        let mut builder = ReaderBuilder::new();
        let mut reader = builder.flexible(true).trim(Trim::All).from_reader(text.as_bytes());
        let columns = reader.headers().map_err(|error| error.to_string())?.clone();
        if let Some(column) = needed.iter().find(|column| place(&columns, column).is_none()) {
            let is_one = columns.len() == 1 && columns[0].contains([';', '\t']);
            let hint = if is_one { " (commas separate columns)" } else { "" };
            return Err(format!("no column '{column}'{hint}"));
        }
        let records = reader.records().map(|record| {
            let record = record.map_err(|error| error.to_string())?;
            Ok((first_line(&text, &record), record))
        });
        Ok(CsvTable { columns, records: records.collect::<Result<_, String>>()? })
    }

    /// The rows in their order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let columns = &self.columns;
        self.records.iter().map(move |(line, record)| Row { columns, record, line: *line })
    }
}

impl<'a> Row<'a> {
    /// The cell of a column without the spaces around it; empty if the table
    /// has no such column or the row is shorter.
    pub fn cell(&self, column: &str) -> &'a str {
        let cell = place(self.columns, column).and_then(|place| self.record.get(place));
        cell.unwrap_or_default()
    }
}

/// The line of a text where a record begins, from 1; the reader counts blank lines before
/// it as its own.
fn first_line(text: &str, record: &StringRecord) -> u64 {
    record.position().map_or(0, |position| {
        let rest = text.as_bytes().get(position.byte() as usize..).unwrap_or_default();
        position.line() + rest.iter().take_while(|byte| **byte == b'\n').count() as u64
    })
}

fn place(columns: &StringRecord, name: &str) -> Option<usize> {
    columns.iter().position(|column| column.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_the_names_of_their_columns() {
        for text in ["id, FEN \n7 , a b \n8\n", "id, FEN \r\n7 , a b \r\n8"] {
            let blank = text.replacen('\n', "\n\n\n", 1);
            let lines: Vec<_> =
                CsvTable::parse(&blank, &[]).unwrap().rows().map(|row| row.line).collect();
            assert_eq!(lines, [4, 5]);
            let table = CsvTable::parse(text, &["fen", "Id"]).unwrap();
            let rows: Vec<_> =
                table.rows().map(|row| (row.line, row.cell("ID"), row.cell("fen"))).collect();
            assert_eq!(rows, [(2, "7", "a b"), (3, "8", "")]);
            assert!(table.rows().all(|row| row.cell("goal").is_empty()));
        }
        let fault = CsvTable::parse("id\n", &["id", "fen"]).err();
        assert_eq!(fault.as_deref(), Some("no column 'fen'"));
    }
}
