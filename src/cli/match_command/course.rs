//! The course of a match: what has been played, by this run and earlier ones,
//! and where it is written.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use super::super::Failure;
use super::files::Files;
use super::progress::Progress;
use crate::arena::{Flow, Header, Journal, MatchEvent, Overhead, Results, Summary};

/// What has been played of a match, and the files that are told of it.
pub struct Course {
    pub journal: Journal,
    files: Files,
    pub results: Results,
    pub summary: Summary,
    /// When the last game of earlier runs began.
    pub last_start: Option<SystemTime>,
    /// What the runner took of the time of this run.
    pub overhead: Overhead,
}

impl Course {
    /// Reads what was played before into an empty summary, and writes the files that a
    /// crash may have left behind.
    pub fn take_up(
        path: &Path,
        header: &Header,
        mut summary: Summary,
        mut files: Files,
    ) -> Result<Course, Failure> {
        let mut results = Results::new();
        let mut last_start = None;
        let mut written = Ok(());
        let journal = Journal::open(path, header, |record| {
            results.insert(record.number, record.result);
            summary.add(&record);
            last_start = last_start.max(Some(record.started));
            if written.is_ok() {
                written = files.add(&record);
            }
        });
        let journal = journal.map_err(Failure::refused)?;
        written?;
        files.end_of_journal(journal.was_torn())?;
        let overhead = Overhead::default();
        Ok(Course { journal, files, results, summary, last_start, overhead })
    }

    /// Writes and shows what happens, and says whether the match goes on.
    pub fn note(
        &mut self,
        event: MatchEvent,
        progress: &mut Progress<'_, impl Write>,
    ) -> Result<Flow, Failure> {
        match event {
            MatchEvent::Started { game, host } => progress.started(&game, host.as_deref())?,
            MatchEvent::Host(event) => progress.host(&event)?,
            MatchEvent::Remark(text) => progress.remark(&text),
            MatchEvent::Moved { game, position, played } => {
                progress.moved(&game, &position, &played)?;
            }
            MatchEvent::Finished(record, overhead) => {
                self.overhead = [self.overhead, overhead].into_iter().sum();
                self.journal.append(&record).map_err(Failure::refused)?;
                self.files.add(&record)?;
                self.results.insert(record.number, record.result);
                self.summary.add(&record);
                progress.finished(&record, &self.summary)?;
            }
        }
        Ok(if self.summary.is_decided() { Flow::Halt } else { Flow::Continue })
    }
}
