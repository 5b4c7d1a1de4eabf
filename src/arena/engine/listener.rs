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
    report: SearchReport,
}

impl Listener {
    pub fn new(dialect: Dialect) -> Listener {
        Listener { dialect, report: SearchReport::default() }
    }

    /// The event of a line, if it is one.
    pub fn digest(&mut self, at: Instant, line: &[u8]) -> Option<Heard> {
        let said = match Reply::parse(line, self.dialect) {
            Reply::Info(info) => {
                self.report.note(&info);
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
        let report = std::mem::take(&mut self.report);
        Some(Heard::End { at, said, report })
    }
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
}
