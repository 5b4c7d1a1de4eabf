//! What of an engine's output matters to a referee.

use std::time::Instant;

use crate::arena::game::{Reply, SearchReport};
use crate::board::excerpt;
use crate::protocol::{self, Dialect, Info, OptionDecl};
use crate::score::Bound;

/// Something that an engine said and that somebody waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Option(OptionDecl),
    HandshakeDone,
    Ready,
    SearchDone { at: Instant, reply: Reply, report: SearchReport },
}

pub struct EventParser {
    dialect: Dialect,
    /// The latest lines of the search, as they came: those with a score, and
    /// the others. Most are never read, so that they cost next to nothing.
    scored: Vec<u8>,
    plain: Vec<u8>,
}

impl EventParser {
    pub fn new(dialect: Dialect) -> EventParser {
        EventParser { dialect, scored: Vec::new(), plain: Vec::new() }
    }

    pub fn parse(&mut self, at: Instant, line: &[u8]) -> Option<Event> {
        if line.starts_with(b"info ") {
            self.keep(line);
            return None;
        }
        let reply = match protocol::Reply::parse(line, self.dialect) {
            protocol::Reply::Info(_) => {
                self.keep(line);
                return None;
            }
            protocol::Reply::Option(option) => return Some(Event::Option(option)),
            protocol::Reply::UcciOk | protocol::Reply::UciOk => return Some(Event::HandshakeDone),
            protocol::Reply::ReadyOk => return Some(Event::Ready),
            protocol::Reply::BestMove(best) => Reply::Move(best),
            protocol::Reply::NoBestMove => Reply::NoMove,
            protocol::Reply::GarbledMove(text) => Reply::Garbled(excerpt(&text)),
            _ => return None,
        };
        Some(Event::SearchDone { at, reply, report: self.report() })
    }

    /// Keeps a line about the search in the place of the last one of its kind.
    fn keep(&mut self, line: &[u8]) {
        let has_score = has_score(line);
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
            let reply = protocol::Reply::parse(&without_moves(line), self.dialect);
            if let protocol::Reply::Info(info) = reply {
                note(&mut report, &info);
            }
            line.clear();
        }
        report
    }
}

/// Whether a line of `info` has a score that counts: of several lines of play
/// only the first one's does, and a bound does not. This only looks for words
/// and is quick.
fn has_score(line: &[u8]) -> bool {
    let words = || line.split(|&byte| byte <= b' ');
    let other_line = || {
        let number = words().skip_while(|word| *word != b"multipv").nth(1);
        number.is_some_and(|number| number != b"1")
    };
    let is_ignored = |word: &[u8]| [&b"lowerbound"[..], b"upperbound", b"string"].contains(&word);
    words().any(|word| word == b"score") && !words().any(is_ignored) && !other_line()
}

/// Takes in what a line says. A depth counts together with a score: some
/// engines announce depths that they then do not reach.
fn note(report: &mut SearchReport, info: &Info) {
    report.nodes = info.nodes.unwrap_or(report.nodes);
    if info.multipv.is_some_and(|line| line > 1) {
        return;
    }
    if let Some((score, Bound::Exact)) = info.score {
        report.score = Some(score);
        report.depth = info.depth.unwrap_or(report.depth);
        report.seldepth = info.seldepth.unwrap_or(report.seldepth);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;

    fn parser() -> EventParser {
        EventParser::new(Dialect::UCCI)
    }

    /// What a search with these lines was reported to be.
    fn report(lines: &[&str]) -> SearchReport {
        let mut parser = EventParser::new(Dialect::UCI);
        for line in lines {
            assert_eq!(parser.parse(Instant::now(), line.as_bytes()), None);
        }
        match parser.parse(Instant::now(), b"bestmove (none)") {
            Some(Event::SearchDone { reply: Reply::NoMove, report, .. }) => report,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_what_is_waited_for_is_an_event() {
        let mut parser = parser();
        let mut parse = |line: &[u8]| parser.parse(Instant::now(), line);
        assert_eq!(parse(b"ucciok\r"), Some(Event::HandshakeDone));
        assert_eq!(parse(b"readyok"), Some(Event::Ready));
        assert_eq!(parse(b"\xff\xfe\0 garbage"), None);
        assert_eq!(parse(b"info depth 7 score 12 nodes 99"), None);
        let Some(Event::SearchDone { reply, report, .. }) = parse(b"bestmove h2e2") else {
            panic!()
        };
        assert!(matches!(reply, Reply::Move(_)));
        assert_eq!((report.depth, report.nodes), (7, 99));
        let Some(Event::SearchDone { reply, report, .. }) = parse(b"bestmove x\x01y") else {
            panic!()
        };
        assert_eq!(report, SearchReport::default(), "figures belong to one search");
        let Reply::Garbled(text) = reply else { panic!("{reply:?}") };
        assert!(!text.contains(char::is_control));
    }

    #[test]
    fn moves_are_passed_over_and_what_follows_them_is_not() {
        let line = "info depth 7 score 12 pv h2e2 H9-G7 h0g2 nodes 99\r";
        let short = without_moves(line.as_bytes());
        assert_eq!(short, b"info depth 7 score 12 nodes 99  ");
        assert_eq!(report(&[line]).nodes, 99);
    }

    #[test]
    fn the_last_exact_score_of_the_first_line_counts() {
        let report = report(&[
            "info depth 8 seldepth 12 score cp 21 nodes 100",
            "info depth 9 seldepth 13 multipv 1 score cp 30 nodes 200 pv h2e2",
            "info depth 9 seldepth 14 multipv 2 score cp -5 nodes 210",
            "info depth 10 score cp 99 lowerbound nodes 300",
            "info depth 10 currmove h2e2 nodes 400",
            "info string depth 99",
            "info depth 11 currmove h2e2 nodes 500",
        ]);
        let score = Some(Score::from_centipawns(30));
        assert_eq!(report, SearchReport { score, depth: 9, seldepth: 13, nodes: 500 });
    }
}
