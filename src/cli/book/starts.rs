//! Where the lines of a book begin.

use std::path::PathBuf;

use clap::Args;

use crate::arena::{Opening, Source};
use crate::board::Position;

use super::super::Failure;

/// Where the lines of a book begin, whose keys cannot be turned back into
/// positions.
#[derive(Debug, Args)]
pub struct Starts {
    /// Openings where lines begin as well as at the start of a game: FEN, EPD,
    /// PGN, or `builtin`; where each begins, and where it ends.
    #[arg(long = "from", value_name = "FILE")]
    openings: Option<PathBuf>,
}

impl Starts {
    /// The start of a game, and where the openings begin and end.
    pub fn positions(&self) -> Result<Vec<Position>, Failure> {
        let mut positions = vec![Position::startpos()];
        if let Some(file) = &self.openings {
            let source = Source { file: Some(file.clone()), ..Source::default() };
            if source.is_book() {
                let file = file.display();
                let fault = format!("--from {file}: a book; name openings as FEN, EPD or PGN");
                return Err(Failure::refused(fault));
            }
            let openings = source.read(0, 0).map_err(Failure::refused)?;
            let borders = |opening: &Opening| [opening.start.clone(), opening.end()];
            positions.extend(openings.iter().flat_map(borders));
        }
        Ok(positions)
    }
}
