//! The files of a match: those that grow with its games, and that no two of
//! them are one.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::Failure;
use super::arguments::MatchArguments;
use super::pairs::Pairs;
use crate::arena::{GameRecord, Plan, pgn};
use crate::notation::Notation;
use crate::util::{DistinctFiles, check_output, open_output, open_regular};

/// What is written of each game besides the journal. Both files are begun
/// anew by every run with its first game, which is one of an earlier run if
/// there are any.
pub struct Files {
    pgn: Option<(Out, Notation)>,
    epd: Option<Out>,
    event: pgn::Event,
}

struct Out {
    path: PathBuf,
    file: File,
    /// Whether it still has what an earlier run wrote.
    is_old: bool,
}

impl Files {
    pub fn new(arguments: &MatchArguments, plan: &Plan) -> Result<Files, Failure> {
        let pgn = Pairs::read("--pgnout", "file", arguments.pgnout.as_ref(), |pairs| {
            let file: String = pairs.need("file")?;
            let name = pairs.text("notation").unwrap_or("iccs");
            let notation = Notation::ALL.into_iter().find(|it| it.to_string() == name);
            let fault = || pairs.fault(format!(" notation={name}: want iccs, wxf or chinese"));
            Ok((Out::open(Path::new(&file))?, notation.ok_or_else(fault)?))
        })?;
        let epd = arguments.epdout.as_deref().map(Out::open).transpose()?;
        let limits = plan.engines.iter().map(|engine| engine.limits);
        let first = plan.engines.first().map(|engine| engine.limits);
        let is_same = limits.into_iter().all(|limits| Some(limits) == first);
        let event = pgn::Event {
            name: arguments.event_name().into(),
            site: arguments.site.clone().unwrap_or_else(|| "?".into()),
            time_control: first.filter(|_| is_same).map(|limits| limits.to_string()),
        };
        Ok(Files { pgn, epd, event })
    }

    /// Checks that every file of the match can be written, and that none of
    /// them is another one, or one that is read, under whatever name. Files that
    /// are not there are begun, but for the report.
    pub fn check(
        &self,
        arguments: &MatchArguments,
        plan: &Plan,
        journal: &Path,
    ) -> Result<(), Failure> {
        let pgn = self.pgn.as_ref().map(|(out, _)| &*out.path);
        let epd = self.epd.as_ref().map(|out| &*out.path);
        let mut files = DistinctFiles::with_streams();
        let openings = plan.openings.file.as_deref();
        for (name, path) in [("--config", arguments.config.as_deref()), ("--openings", openings)] {
            path.map_or(Ok(()), |path| files.add_if_there(name, path))?;
        }
        for (name, path) in
            [("--pgnout", pgn), ("--epdout", epd), ("--debug", arguments.debug.as_deref())]
        {
            if let Some(path) = path {
                let file = open_output(path, false).map_err(|error| cannot_write(path, error))?;
                files.add(name, path, file)?;
            }
        }
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = open_regular(journal, &options).map_err(|error| cannot_write(journal, error))?;
        files.add("--journal", journal, file)?;
        if let Some(report) = arguments.report.as_deref() {
            files.add_if_there("--report", report)?;
            check_output("--report", report, [journal])?;
        }
        Ok(())
    }

    pub fn add(&mut self, record: &GameRecord) -> Result<(), Failure> {
        if let Some((out, notation)) = &mut self.pgn {
            let text = pgn::write(record, &self.event, *notation).map_err(Failure::refused)?;
            out.write(&text)?;
        }
        if let Some(out) = &mut self.epd {
            let game = record.replay().map_err(Failure::refused)?;
            out.write(&format!("{}\n", game.position().to_fen()))?;
        }
        Ok(())
    }
}

impl Out {
    fn open(path: &Path) -> Result<Out, Failure> {
        let file = open_output(path, true).map_err(|error| cannot_write(path, error))?;
        Ok(Out { path: path.into(), file, is_old: true })
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        let begin = if self.is_old { empty(&self.path, &self.file) } else { Ok(()) };
        self.is_old = false;
        let written = begin.and_then(|()| self.file.write_all(text.as_bytes()));
        written.map_err(|error| cannot_write(&self.path, error))
    }
}

pub fn cannot_write(path: &Path, error: impl Display) -> Failure {
    Failure::refused(format!("cannot write {}: {error}", path.display()))
}

/// Empties an output, unless it is one that keeps nothing.
pub fn empty(path: &Path, file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        // some systems do not cut off what was opened to be written at its end
        File::options().write(true).truncate(true).open(path)?;
    }
    Ok(())
}
