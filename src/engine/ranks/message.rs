//! What ranks that search together say to one another.
//!
//! Rank 0 says what it wants as a whole, again and again, and the others what
//! they have done of it: so it does not matter which message is lost or comes
//! twice.

use std::fmt::{Display, Write};
use std::str::FromStr;
use std::time::Duration;

use crate::board::Move;
use crate::score::{Bound, Score};
use crate::search::{Entry, Limits, Line, ThreadResult};

/// Kinds of messages.
pub mod tag {
    /// To rank 0: a [`Hello`](crate::link::Hello), until it is answered.
    pub const HELLO: u8 = 1;
    /// From rank 0: eight bytes with its time, and an [`Order`](super::Order).
    pub const ORDER: u8 = 2;
    /// To rank 0: a [`Report`](super::Report).
    pub const REPORT: u8 = 3;
    /// To all: entries of the table, see [`Batch`](super::Batch).
    pub const ENTRIES: u8 = 4;
    /// From rank 0: why the rank cannot take part.
    pub const REFUSAL: u8 = 5;
}

/// What rank 0 wants of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Of two orders that with the higher number counts.
    pub number: u32,
    /// How often all that was learnt is to have been forgotten.
    pub forgotten: u32,
    /// Whether the rank is to leave.
    pub quit: bool,
    /// The evaluation that the options lead to.
    pub net: String,
    /// Names and values of the options that matter.
    pub options: Vec<(String, String)>,
    /// What is to be searched; `None`: nothing, so that a search ends.
    pub task: Option<Task>,
}

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Its number, from 1.
    pub search: u32,
    /// The position at the start of the game, as FEN.
    pub start: String,
    /// The moves from there.
    pub moves: Vec<Move>,
    /// Depth, mate, infinite and root moves; the other limits are not sent.
    pub limits: Limits,
}

impl Order {
    /// Lines of words between tabs.
    pub fn encode(&self) -> String {
        let Order { number, forgotten, quit, net, .. } = self;
        let mut text = format!("{number}\t{forgotten}\t{}\t{net}\n", u8::from(*quit));
        for (name, value) in &self.options {
            // a string grows without fail
            let _ = writeln!(text, "option\t{name}\t{}", value.replace('\n', " "));
        }
        if let Some(Task { search, start, moves, limits }) = &self.task {
            let Limits { depth, mate, infinite, search_moves, banned, .. } = limits;
            let (depth, mate) = (depth.unwrap_or(0), mate.unwrap_or(0));
            let infinite = u8::from(*infinite);
            let _ = writeln!(text, "task\t{search}\t{infinite}\t{depth}\t{mate}\t{start}");
            for (name, moves) in [("moves", moves), ("only", search_moves), ("without", banned)] {
                let _ = writeln!(text, "{name}\t{}", words(moves));
            }
        }
        text
    }

    /// Reads what [`Order::encode`] has written; `None` if it is something else.
    pub fn decode(text: &str) -> Option<Order> {
        let mut lines = text.lines();
        let mut head = lines.next()?.splitn(4, '\t');
        let mut order = Order {
            number: next(&mut head)?,
            forgotten: next(&mut head)?,
            quit: next::<u8>(&mut head)? == 1,
            net: next(&mut head)?,
            ..Order::default()
        };
        for line in lines {
            match (line.split_once('\t')?, &mut order.task) {
                (("option", option), _) => {
                    let (name, value) = option.split_once('\t')?;
                    order.options.push((name.into(), value.into()));
                }
                (("task", task), none) => *none = Some(read_task(task)?),
                (("moves", text), Some(task)) => task.moves = moves(text)?,
                (("only", text), Some(task)) => task.limits.search_moves = moves(text)?,
                (("without", text), Some(task)) => task.limits.banned = moves(text)?,
                _ => return None,
            }
        }
        Some(order)
    }
}

fn read_task(text: &str) -> Option<Task> {
    let mut fields = text.splitn(5, '\t');
    let search = next(&mut fields)?;
    let infinite = next::<u8>(&mut fields)? == 1;
    let depth = Some(next(&mut fields)?).filter(|&depth| depth > 0);
    let mate = Some(next(&mut fields)?).filter(|&mate| mate > 0);
    let limits = Limits { depth, mate, infinite, ..Limits::default() };
    Some(Task { search, start: next(&mut fields)?, moves: Vec::new(), limits })
}

/// What a rank has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The time that came with the order this is the answer to; else 0.
    pub stamp: u64,
    /// The number of the last order carried out.
    pub order: u32,
    /// Whether the rank is leaving.
    pub has_left: bool,
    /// The number of the last search that was begun.
    pub search: u32,
    /// Nodes of that search.
    pub nodes: u64,
    /// What does not work here; empty if all does.
    pub fault: String,
    /// What the search has found, once it is over.
    pub result: Option<ThreadResult>,
}

impl Report {
    /// A line of numbers, one with the fault, and one with the result.
    pub fn encode(&self) -> String {
        let Report { stamp, order, has_left, search, nodes, fault, result } = self;
        let fault = fault.replace('\n', " ");
        let has_left = u8::from(*has_left);
        let mut text = format!("{stamp} {order} {has_left} {search} {nodes}\n{fault}\n");
        if let Some(ThreadResult { depth, line }) = result {
            let Line { depth: reached, seldepth, score, bound, table_hits, pv, .. } = line;
            let (score, bound) = (score.raw(), *bound as u8);
            let pv = words(pv);
            text += &format!("{depth} {reached} {seldepth} {score} {bound} {table_hits} {pv}");
        }
        text
    }

    /// Reads what [`Report::encode`] has written; `None` if it is something
    /// else.
    pub fn decode(text: &str) -> Option<Report> {
        let mut lines = text.splitn(3, '\n');
        let mut head = lines.next()?.split(' ');
        let mut report = Report {
            stamp: next(&mut head)?,
            order: next(&mut head)?,
            has_left: next::<u8>(&mut head)? == 1,
            search: next(&mut head)?,
            nodes: next(&mut head)?,
            fault: lines.next()?.into(),
            result: None,
        };
        let result = lines.next()?;
        if !result.is_empty() {
            report.result = Some(read_result(result, report.nodes)?);
        }
        Some(report)
    }
}

fn read_result(text: &str, nodes: u64) -> Option<ThreadResult> {
    let mut fields = text.splitn(7, ' ');
    let depth = u32::from(next::<u16>(&mut fields)?);
    let line = Line {
        depth: u32::from(next::<u16>(&mut fields)?),
        seldepth: u32::from(next::<u16>(&mut fields)?),
        multipv: 1,
        score: Some(next(&mut fields)?).filter(is_score).map(Score::from_raw)?,
        bound: read_bound(next(&mut fields)?)?,
        nodes,
        time: Duration::ZERO,
        hashfull: 0,
        table_hits: next(&mut fields)?,
        pv: moves(fields.next()?)?,
    };
    Some(ThreadResult { depth, line })
}

fn is_score(raw: &i32) -> bool {
    (-Score::INFINITE.raw()..=Score::INFINITE.raw()).contains(raw)
}

fn read_bound(number: u8) -> Option<Bound> {
    [Bound::Exact, Bound::Lower, Bound::Upper].into_iter().find(|bound| *bound as u8 == number)
}

/// Entries of a rank's table, with what it has searched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The number of the search.
    pub search: u32,
    /// Nodes of that search so far.
    pub nodes: u64,
    /// Keys and [words](Entry::to_word).
    pub entries: Vec<(u64, u64)>,
}

impl Batch {
    /// All numbers one after another, little endian.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(12 + 16 * self.entries.len());
        bytes.extend(self.search.to_le_bytes());
        bytes.extend(self.nodes.to_le_bytes());
        for (key, word) in &self.entries {
            bytes.extend(key.to_le_bytes());
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`Batch::encode`] has written; `None` if it is too short.
    pub fn decode(bytes: &[u8]) -> Option<Batch> {
        let (search, bytes) = bytes.split_first_chunk()?;
        let (nodes, bytes) = bytes.split_first_chunk()?;
        let (numbers, _) = bytes.as_chunks();
        let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let (pairs, _) = numbers.as_chunks();
        Some(Batch {
            search: u32::from_le_bytes(*search),
            nodes: u64::from_le_bytes(*nodes),
            entries: pairs.iter().map(|&[key, word]| (key, word)).collect(),
        })
    }

    /// The entries that a search can have found.
    pub fn found(&self) -> impl Iterator<Item = (u64, Entry)> + '_ {
        self.entries.iter().filter_map(|&(key, word)| Some((key, Entry::from_word(word)?)))
    }
}

fn words(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn moves(text: &str) -> Option<Vec<Move>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

fn next<'a, T: FromStr>(fields: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    fields.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn orders_come_back() {
        let limits = Limits {
            depth: Some(9),
            infinite: true,
            banned: vec![m("h2e2"), m("b0c2")],
            ..Limits::default()
        };
        let start = "9/4k4/9/9/9/9/9/9/9/4K4 w - - 0 1".to_owned();
        let task = Some(Task { search: 3, start, moves: vec![m("e0e1")], limits });
        let options = vec![("EvalFile".into(), "a net\twith tab".into()), ("X".into(), "".into())];
        let order =
            Order { number: 7, forgotten: 2, quit: false, net: "cafe".into(), options, task };
        assert_eq!(Order::decode(&order.encode()), Some(order.clone()));
        let bare = Order { quit: true, task: None, options: Vec::new(), ..order };
        assert_eq!(Order::decode(&bare.encode()), Some(bare));
        for text in ["", "1\t2", "1\t2\t0\tnet\nmoves\th2e2\n", "1\t2\t0\tnet\ntask\t1\n"] {
            assert_eq!(Order::decode(text), None, "{text}");
        }
    }

    #[test]
    fn reports_come_back() {
        let line = Line {
            depth: 12,
            seldepth: 20,
            multipv: 1,
            score: Score::mate_in(5),
            bound: Bound::Lower,
            nodes: 99,
            time: Duration::ZERO,
            hashfull: 0,
            table_hits: 4,
            pv: vec![m("h2e2"), m("h9g7")],
        };
        let result = Some(ThreadResult { depth: 11, line });
        let report =
            Report { stamp: 1, order: 2, search: 3, nodes: 99, result, ..Report::default() };
        assert_eq!(Report::decode(&report.encode()), Some(report.clone()));
        let bare = Report { result: None, has_left: true, fault: "no net".into(), ..report };
        assert_eq!(Report::decode(&bare.encode()), Some(bare));
        for text in ["", "1 2 0 3 4", "1 2 0 3 4\n\n1 2 3 99999 0 0 h2e2", "1 2 0 3 4\n\n1 2 3"] {
            assert_eq!(Report::decode(text), None, "{text}");
        }
    }

    #[test]
    fn batches_come_back() {
        let batch = Batch { search: 1, nodes: u64::MAX, entries: vec![(1, 2), (u64::MAX, 4)] };
        assert_eq!(Batch::decode(&batch.encode()), Some(batch.clone()));
        let bytes = batch.encode();
        assert_eq!(Batch::decode(&bytes[..30]).unwrap().entries, [(1, 2)]);
        assert_eq!(Batch::decode(&bytes[..11]), None);
    }
}
