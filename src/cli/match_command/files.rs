//! The files of a match: those that grow with its games, and that no two of
//! them are one.

use std::fs::File;
use std::io::{self, BufReader, Read, Take, Write};
use std::path::{Path, PathBuf};

use super::super::{Failure, cannot_write};
use super::arguments::MatchArguments;
use super::pairs::Pairs;
use crate::arena::{GameRecord, Plan, pgn};
use crate::notation::Notation;
use crate::util::{DistinctFiles, ReadError, check_output, open_output, open_regular};

/// What is written of each game besides the journal. A run begins with the games
/// of earlier ones; what these have written is compared, and only what is missing
/// is appended, so that no file loses what it has.
pub struct Files {
    pgn: Option<(Out, Notation)>,
    epd: Option<Out>,
    event: pgn::Event,
}

struct Out {
    path: PathBuf,
    file: File,
    /// The part of what an earlier run has written that is not compared yet;
    /// none of what keeps nothing.
    old: Option<Take<BufReader<File>>>,
    /// Bytes that have been compared.
    compared: u64,
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
        let file = open_regular(journal, &options);
        let file = file.map_err(|error| cannot_write(journal, reason(&error)))?;
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

    /// Ends the comparison with earlier runs when all games of the journal have
    /// been added. A file may have one more if the journal `was_torn`: that is
    /// played again and cut off here too.
    pub fn end_of_journal(&mut self, was_torn: bool) -> Result<(), Failure> {
        let pgn = self.pgn.iter_mut().map(|(out, _)| out);
        pgn.chain(&mut self.epd).try_for_each(|out| out.end_of_old(was_torn))
    }
}

impl Out {
    fn open(path: &Path) -> Result<Out, Failure> {
        let file = open_output(path, true).map_err(|error| cannot_write(path, error))?;
        // pipes and devices keep nothing
        let old = open_regular(path, File::options().read(true)).ok();
        let length = |file: &File| file.metadata().map_or(0, |metadata| metadata.len());
        let old = old.map(|file| (length(&file), file));
        let old = old.map(|(length, file)| BufReader::new(file).take(length));
        Ok(Out { path: path.into(), file, old, compared: 0 })
    }

    /// Writes what is missing of the text of a game.
    fn write(&mut self, text: &str) -> Result<(), Failure> {
        let mut there = Vec::new();
        if let Some(old) = &mut self.old {
            let read = old.take(text.len() as u64).read_to_end(&mut there);
            read.map_err(|error| cannot_write(&self.path, error))?;
        }
        let missing = text.as_bytes().strip_prefix(&there[..]).ok_or_else(|| self.foreign())?;
        self.compared += there.len() as u64;
        self.file.write_all(missing).map_err(|error| cannot_write(&self.path, error))
    }

    fn end_of_old(&mut self, was_torn: bool) -> Result<(), Failure> {
        let has_more = self.old.take().is_some_and(|old| old.limit() > 0);
        match (has_more, was_torn && self.compared > 0) {
            (false, _) => Ok(()),
            (true, false) => Err(self.foreign()),
            (true, true) => {
                cut(&self.path, self.compared).map_err(|error| cannot_write(&self.path, error))
            }
        }
    }

    fn foreign(&self) -> Failure {
        Failure::refused(format!(
            "{}: it has other games than the journal of this match, or the same with another \
             --event, --site or notation; name another file or move it away",
            self.path.display()
        ))
    }
}

/// Why a file cannot be opened to be written.
fn reason(error: &ReadError) -> String {
    match error {
        ReadError::Missing => "no such folder; correct the path".to_owned(),
        ReadError::Unreadable(reason) | ReadError::Unwritable(reason) => {
            format!("{reason}; check the file and its permissions")
        }
        other => other.to_string(),
    }
}

/// Cuts a file off after so many bytes.
fn cut(path: &Path, length: u64) -> io::Result<()> {
    // some systems do not cut off what was opened to be written at its end
    File::options().write(true).open(path)?.set_len(length)
}
