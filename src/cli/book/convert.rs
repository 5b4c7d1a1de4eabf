//! `hanxin book merge` and `export`: books into another one.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::book::{self, ElephantEyeBook, merge};
use crate::util::{check_output, write_whole};

use super::super::{Failure, cannot_write};
use super::look::{nothing_met, open};
use super::starts::Starts;

/// Merge books of any format into one of hanxin's own.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  hanxin book merge games.hxb search.hxb BOOK.DAT --out all.hxb

Results and weights of a move are added up, its score is that of the deepest
search. Of books in another format than hanxin's own only what can be reached
from the start of a game is taken.")]
pub struct MergeArguments {
    /// The books.
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// The book to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Write a book as BOOK.DAT, for ElephantEye, XQWizard and others.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  hanxin book export my.hxb --out BOOK.DAT
  hanxin book export gauntlet.hxb --from builtin --out BOOK.DAT

What can be reached from the start of a game is exported, as keys cannot be
turned back into positions; of games that began elsewhere, as those of a match
do, what can be reached from the openings that are named. The format has room
for moves and weights alone.")]
pub struct ExportArguments {
    /// The book, of any format.
    book: PathBuf,
    #[command(flatten)]
    starts: Starts,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl MergeArguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        check_output("--out", &self.out, &self.books)?;
        let books: Vec<_> = self.books.iter().map(|path| open(path)).collect::<Result<_, _>>()?;
        let records = merge(books.iter().map(|book| book.records()));
        let count = book::write(&self.out, records.map(Ok));
        let count = count.map_err(|error| cannot_write(&self.out, error))?;
        Ok(writeln!(out, "{count} moves in {}", self.out.display())?)
    }
}

impl ExportArguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        check_output("--out", &self.out, [&self.book])?;
        let (book, starts) = (open(&self.book)?, self.starts.positions()?);
        let bytes = ElephantEyeBook::export(&*book, starts.iter().cloned());
        if bytes.is_empty() {
            return Err(Failure::refused(nothing_met(Some(&self.book))));
        }
        write_whole(&self.out, &bytes).map_err(|error| cannot_write(&self.out, error))?;
        Ok(writeln!(out, "{} moves in {}", bytes.len() / 8, self.out.display())?)
    }
}
