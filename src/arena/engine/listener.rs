//! What of an engine's output matters to a referee.

use std::sync::Arc;
use std::time::Instant;

use super::report::SearchReport;
use crate::protocol::{BestMove, Dialect, IdField, OptionDecl, Reply};

/// Something that an engine said and that somebody waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Its name.
    Name(String),
    /// An option it has.
    Option(OptionDecl),
    /// The end of the handshake.
    Welcome,
    /// It is ready.
    Ready,
    /// The end of a search.
    End {
        /// When it arrived.
        at: Instant,
        /// The move, or what stands in its place.
        said: Said,
        /// What the engine told before about the search.
        report: SearchReport,
    },
}

/// What an engine gives as its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A move, not yet checked against the rules.
    Move(BestMove),
    /// That there is none.
    NoMove,
    /// Something that is no move, shortened.
    Garbled(String),
    /// Nothing in time.
    Nothing,
}

/// Who reads along: gets the engine's name, whether the line is the engine's
/// own, and the line.
pub type Witness = Arc<dyn Fn(&str, bool, &[u8]) + Send + Sync>;

/// Makes events of lines.
pub struct Listener {
    dialect: Dialect,
    /// The latest lines of the search, as they came: those with a score, and
    /// the others. Most are never read, so that they cost next to nothing.
    scored: Vec<u8>,
    plain: Vec<u8>,
}

impl Listener {
    pub fn new(dialect: Dialect) -> Listener {
        Listener { dialect, scored: Vec::new(), plain: Vec::new() }
    }

    /// The event of a line, if it is one.
    pub fn digest(&mut self, at: Instant, line: &[u8]) -> Option<Heard> {
        if line.starts_with(b"info ") {
            self.keep(line);
            return None;
        }
        let said = match Reply::parse(line, self.dialect) {
            Reply::Info(_) => {
                self.keep(line);
                return None;
            }
            Reply::Id { field: IdField::Name, text } => return Some(Heard::Name(text)),
            Reply::Option(option) => return Some(Heard::Option(option)),
            Reply::UcciOk | Reply::UciOk => return Some(Heard::Welcome),
            Reply::ReadyOk => return Some(Heard::Ready),
            Reply::BestMove(best) => Said::Move(best),
            Reply::NoBestMove => Said::NoMove,
            Reply::GarbledMove(text) => Said::Garbled(excerpt(&text)),
            _ => return None,
        };
        Some(Heard::End { at, said, report: self.report() })
    }

    /// Keeps a line about the search in the place of the last one of its kind.
    fn keep(&mut self, line: &[u8]) {
        let has_score = SearchReport::has_score(line);
        let place = if has_score { &mut self.scored } else { &mut self.plain };
        place.clear();
        place.extend_from_slice(line);
        if has_score {
            self.plain.clear();
        }
    }

    /// What the lines said, which belong to one search only.
    fn report(&mut self) -> SearchReport {
        let mut report = SearchReport::default();
        for line in [&mut self.scored, &mut self.plain] {
            if line.is_empty() {
                continue;
            }
            if let Reply::Info(info) = Reply::parse(&without_moves(line), self.dialect) {
                report.note(&info);
            }
            line.clear();
        }
        report
    }
}

/// The line without its line of play, which nobody asks for and which takes
/// most of the time to read.
fn without_moves(line: &[u8]) -> Vec<u8> {
    let is_move = |word: &[u8]| word.len() >= 4 && word[1].is_ascii_digit();
    let mut kept = Vec::with_capacity(line.len());
    let mut is_in_play = false;
    for word in line.split(|&byte| byte <= b' ') {
        is_in_play = word == b"pv" || (is_in_play && is_move(word));
        if !is_in_play {
            kept.extend_from_slice(word);
            kept.push(b' ');
        }
    }
    kept
}

/// A bit of foreign text that is fit to be shown.
fn excerpt(text: &str) -> String {
    const LENGTH: usize = 40;
    text.chars().take(LENGTH).map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_waited_for_is_an_event() {
        let mut listener = Listener::new(Dialect::UCCI);
        let mut heard = |line: &[u8]| listener.digest(Instant::now(), line);
        assert_eq!(heard(b"ucciok\r"), Some(Heard::Welcome));
        assert_eq!(heard(b"readyok"), Some(Heard::Ready));
        assert_eq!(heard(b"\xff\xfe\0 garbage"), None);
        assert_eq!(heard(b"info depth 7 score 12 nodes 99"), None);
        let Some(Heard::End { said, report, .. }) = heard(b"bestmove h2e2") else { panic!() };
        assert!(matches!(said, Said::Move(_)));
        assert_eq!((report.depth, report.nodes), (7, 99));
        let Some(Heard::End { said, report, .. }) = heard(b"bestmove x\x01y") else { panic!() };
        assert_eq!(report, SearchReport::default(), "figures belong to one search");
        let Said::Garbled(text) = said else { panic!("{said:?}") };
        assert!(!text.contains(char::is_control));
    }

    #[test]
    fn moves_are_passed_over_and_what_follows_them_is_not() {
        let line = b"info depth 7 score 12 pv h2e2 H9-G7 h0g2 nodes 99\r";
        assert_eq!(without_moves(line), b"info depth 7 score 12 nodes 99  ");
        let mut listener = Listener::new(Dialect::UCCI);
        assert_eq!(listener.digest(Instant::now(), line), None);
        let end = listener.digest(Instant::now(), b"nobestmove");
        let Some(Heard::End { said: Said::NoMove, report, .. }) = end else { panic!("{end:?}") };
        assert_eq!((report.depth, report.nodes), (7, 99));
    }
}
