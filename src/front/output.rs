//! The writer: replies as lines of the language spoken, each sent at once.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};

use crate::protocol::{Dialect, Info, Reply};

/// Where replies go. Any error means that the output is closed.
pub struct Output<W> {
    stream: W,
    pub dialect: Dialect,
    log: Option<File>,
}

impl<W: Write> Output<W> {
    pub fn new(stream: W) -> Output<W> {
        Output { stream, dialect: Dialect::UCI, log: None }
    }

    pub fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        self.text(&reply.to_line(self.dialect))
    }

    pub fn message(&mut self, text: impl Into<String>) -> io::Result<()> {
        self.reply(&Reply::Info(Info::message(text)))
    }

    /// Writes lines that belong to no protocol.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.log_line('<', text);
        self.stream.write_all(format!("{text}\n").as_bytes())?;
        self.stream.flush()
    }

    /// Appends the conversation to a file from now on; an empty name ends it.
    ///
    /// # Errors
    /// When the file cannot be written; the old one stays.
    pub fn log_to(&mut self, file: &str) -> io::Result<()> {
        self.log = match file {
            "" => None,
            file => Some(OpenOptions::new().create(true).append(true).open(file)?),
        };
        Ok(())
    }

    pub fn log_input(&mut self, line: &[u8]) {
        if self.log.is_some() {
            self.log_line('>', String::from_utf8_lossy(line).trim_end());
        }
    }

    fn log_line(&mut self, direction: char, text: &str) {
        if let Some(log) = &mut self.log {
            // a log on a full disk must not end the game
            let _ = writeln!(log, "{direction} {text}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::protocol::BestMove;

    #[test]
    fn the_log_has_both_sides_of_the_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        let mut stream = Vec::new();
        let mut output = Output::new(&mut stream);
        output.reply(&Reply::UciOk).unwrap();
        output.log_to(&file.to_string_lossy()).unwrap();
        output.log_input(b"go \xff\r\n");
        let best: Move = "h2e2".parse().unwrap();
        output.reply(&Reply::BestMove(BestMove::from(best))).unwrap();
        assert!(output.log_to("/no such folder/log").is_err());
        output.message("still there").unwrap();
        output.log_to("").unwrap();
        output.message("not noted").unwrap();
        let noted = std::fs::read_to_string(file).unwrap();
        assert_eq!(noted, "> go \u{fffd}\n< bestmove h2e2\n< info string still there\n");
        assert!(stream.starts_with(b"uciok\nbestmove h2e2\n"));
    }
}
