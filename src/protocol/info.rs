//! `info`: what an engine reports while it searches.

use super::dialect::Dialect;
use super::score::{parse_score, score_text};
use super::text::{Line, Lower, Words, clamp_u32, number};
use crate::board::Move;
use crate::score::{Bound, Score};

/// One line of `info`. What is `None` or empty is not written.
///
/// ```
/// use hanxin::protocol::{Dialect, Info, Reply};
/// use hanxin::score::{Bound, Score};
///
/// let score = Some((Score::from_centipawns(35), Bound::Exact));
/// let info = Info { depth: Some(9), score, ..Info::default() };
/// assert_eq!(Reply::Info(info.clone()).to_line(Dialect::UCI), "info depth 9 score cp 35");
/// assert_eq!(Reply::Info(info).to_line(Dialect::UCCI), "info depth 9 score 35");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Deepest line looked at, in plies.
    pub seldepth: Option<u32>,
    /// Which of several lines this is, from 1.
    pub multipv: Option<u32>,
    /// The score, from the side to move, and whether it is only a bound.
    pub score: Option<(Score, Bound)>,
    /// Chances to win, draw and lose, per mille.
    pub wdl: Option<[u32; 3]>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// How full the hash table is, per mille.
    pub hashfull: Option<u32>,
    /// Hits in endgame tables.
    pub tbhits: Option<u64>,
    /// Time since the start of the search: always milliseconds, whatever unit `go` used.
    pub time: Option<u64>,
    /// The root move being looked at.
    pub currmove: Option<Move>,
    /// The number of that move, from 1.
    pub currmovenumber: Option<u32>,
    /// The expected line of play.
    pub pv: Vec<Move>,
    /// Free text; spelt `message` in UCCI and `string` in UCI. It ends the line, so it had better
    /// be alone in it (see [`Info::message`]): readers expect nothing behind a line of play.
    pub text: Option<String>,
}

impl Info {
    /// A line of text for the user.
    ///
    /// ```
    /// use hanxin::protocol::{Dialect, Info, Reply};
    ///
    /// let hello = Reply::Info(Info::message("no book found"));
    /// assert_eq!(hello.to_line(Dialect::UCCI), "info message no book found");
    /// assert_eq!(hello.to_line(Dialect::UCI), "info string no book found");
    /// ```
    #[must_use]
    pub fn message(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Reads what follows the word `info`. Unknown words and unreadable values are skipped.
    pub(super) fn parse(mut words: Words<'_>, dialect: Dialect) -> Self {
        let mut info = Self::default();
        while let Some(word) = words.next() {
            let keyword = Lower::new(word);
            if info.take_number(keyword.as_str(), &mut words) {
                continue;
            }
            match keyword.as_str() {
                "score" => {
                    let score = parse_score(&mut words).map(|score| (score, Bound::Exact));
                    info.score = score.or(info.score);
                }
                "lowerbound" => info.set_bound(Bound::Lower),
                "upperbound" => info.set_bound(Bound::Upper),
                "wdl" => info.wdl = parse_wdl(&mut words).or(info.wdl),
                "currmove" => info.currmove = dialect.ranks.parse_next(&mut words),
                "pv" => info.pv = dialect.ranks.parse_while(&mut words),
                "string" | "message" => {
                    info.text = Some(words.rest().into());
                    break;
                }
                _ => {}
            }
        }
        info
    }

    /// Says of the score before it that it is a bound.
    fn set_bound(&mut self, bound: Bound) {
        self.score = self.score.map(|(score, _)| (score, bound));
    }

    /// Takes a keyword that a plain number follows; returns whether it was one.
    /// A number that nobody can mean, such as one below 0, is skipped.
    fn take_number(&mut self, keyword: &str, words: &mut Words<'_>) -> bool {
        let small = match keyword {
            "depth" => &mut self.depth,
            "seldepth" => &mut self.seldepth,
            "multipv" => &mut self.multipv,
            "hashfull" => &mut self.hashfull,
            "currmovenumber" => &mut self.currmovenumber,
            _ => return self.take_large_number(keyword, words),
        };
        *small = next_number(words).and_then(|value| value.try_into().ok()).or(*small);
        true
    }

    fn take_large_number(&mut self, keyword: &str, words: &mut Words<'_>) -> bool {
        let large = match keyword {
            "nodes" => &mut self.nodes,
            "nps" => &mut self.nps,
            "tbhits" => &mut self.tbhits,
            "time" => &mut self.time,
            _ => return false,
        };
        *large = next_number(words).and_then(|value| value.try_into().ok()).or(*large);
        true
    }

    /// Writes the line with its first word, in the order that each protocol's readers know.
    pub(super) fn write(&self, dialect: Dialect, line: &mut Line) {
        line.put("info");
        line.pair("depth", self.depth);
        line.pair("seldepth", self.seldepth);
        line.pair("multipv", self.multipv);
        self.write_score(dialect, line);
        if dialect.is_ucci() {
            line.pair("time", self.time);
        }
        line.pair("nodes", self.nodes);
        line.pair("nps", self.nps);
        line.pair("hashfull", self.hashfull);
        line.pair("tbhits", self.tbhits);
        if !dialect.is_ucci() {
            line.pair("time", self.time);
        }
        line.pair("currmove", self.currmove.map(|m| dialect.ranks.spell(m)));
        line.pair("currmovenumber", self.currmovenumber);
        let fitting = line.room.saturating_sub(PV_KEYWORD) / WIDEST_MOVE;
        let pv = &self.pv[..self.pv.len().min(fitting)];
        dialect.ranks.write_list(line, "pv", pv);
        line.pair(if dialect.is_ucci() { "message" } else { "string" }, self.text.as_ref());
    }

    fn write_score(&self, dialect: Dialect, line: &mut Line) {
        if let Some((score, bound)) = self.score {
            line.pair("score", Some(score_text(score, dialect)));
            line.flag("lowerbound", bound == Bound::Lower);
            line.flag("upperbound", bound == Bound::Upper);
        }
        if let Some([win, draw, loss]) = self.wdl {
            line.put(format_args!(" wdl {win} {draw} {loss}"));
        }
    }
}

/// Bytes of ` pv`.
const PV_KEYWORD: usize = 3;
/// Bytes of a blank and the longest move, `a10b10`.
const WIDEST_MOVE: usize = 7;

/// Takes the next word if it is a number.
pub(super) fn next_number(words: &mut Words<'_>) -> Option<i128> {
    let value = number(words.peek()?)?;
    words.next();
    Some(value)
}

fn parse_wdl(words: &mut Words<'_>) -> Option<[u32; 3]> {
    let mut next = || next_number(words).map(clamp_u32);
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Ranks, Reply, UCCI_LINE_LIMIT};

    fn parse(text: &str) -> Info {
        Info::parse(Words::new(text), Dialect::UCI.for_text(&format!("info {text}")))
    }

    fn full() -> Info {
        Info {
            depth: Some(8),
            seldepth: Some(13),
            multipv: Some(1),
            score: Some((Score::from_centipawns(21), Bound::Lower)),
            wdl: Some([300, 500, 200]),
            nodes: Some(60_120),
            nps: Some(1_503_000),
            hashfull: Some(3),
            tbhits: Some(0),
            time: Some(40),
            currmove: None,
            currmovenumber: None,
            pv: vec!["h0g2".parse().unwrap(), "i9h9".parse().unwrap()],
            text: None,
        }
    }

    #[test]
    fn order_of_fields() {
        let info = Reply::Info(full());
        let uci = "info depth 8 seldepth 13 multipv 1 score cp 21 lowerbound wdl 300 500 200 \
                   nodes 60120 nps 1503000 hashfull 3 tbhits 0 time 40 pv h0g2 i9h9";
        let ucci = "info depth 8 seldepth 13 multipv 1 score 21 lowerbound wdl 300 500 200 \
                    time 40 nodes 60120 nps 1503000 hashfull 3 tbhits 0 pv h0g2 i9h9";
        assert_eq!(info.to_line(Dialect::UCI), uci);
        assert_eq!(info.to_line(Dialect::UCCI), ucci);
        assert_eq!(parse(&uci[5..]), full());
        assert_eq!(parse(&ucci[5..]), full());
    }

    #[test]
    fn scores_of_either_protocol_are_read() {
        let exact = |score| Some((score, Bound::Exact));
        assert_eq!(parse("score 35").score, exact(Score::from_centipawns(35)));
        assert_eq!(parse("score cp 9999").score, exact(Score::from_centipawns(9999)));
        assert_eq!(parse("score 9999").score, exact(Score::mate_in(1)));
        assert_eq!(parse("score mate 0").score, exact(Score::mated_in(0)));
        let bound = parse("depth 3 score cp -7 upperbound");
        assert_eq!(bound.score, Some((Score::from_centipawns(-7), Bound::Upper)));
        assert_eq!(parse("lowerbound score x").score, None);
    }

    #[test]
    fn whatever_cannot_be_read_is_skipped() {
        let odd = parse("depth x seldepth score nodes 5 cpuload 3 time 1.5 wdl 1 2 pv h2e2 stop 7");
        let expected = Info {
            nodes: Some(5),
            time: Some(1),
            pv: vec!["h2e2".parse().unwrap()],
            ..Info::default()
        };
        assert_eq!(odd, expected);
        assert_eq!(parse("depth 4 depth x").depth, Some(4));
        let nine = "9".repeat(30);
        let huge = parse(&format!("depth {nine} seldepth 7 nodes {nine} nps -5 time 3"));
        let expected = Info { seldepth: Some(7), time: Some(3), ..Info::default() };
        assert_eq!(huge, expected);
    }

    #[test]
    fn text_ends_the_line() {
        assert_eq!(parse("string  depth 3  pv "), Info::message("depth 3  pv"));
        assert_eq!(parse("message 帅"), Info::message("帅"));
        let mixed = parse("depth 0 pv h2e2 string book move");
        assert_eq!((mixed.depth, mixed.pv.len()), (Some(0), 1));
        assert_eq!(mixed.text.as_deref(), Some("book move"));
    }

    #[test]
    fn long_ucci_lines_lose_the_end_of_the_pv() {
        let long = Info { pv: vec!["h2e2".parse().unwrap(); 5000], ..full() };
        let line = Reply::Info(long.clone()).to_line(Dialect::UCCI);
        assert!(line.len() <= UCCI_LINE_LIMIT && line.ends_with(" h2e2"), "{}", line.len());
        let one = Dialect::UCCI.with_ranks(Ranks::One);
        let tall = Info { pv: vec!["a9b9".parse().unwrap(); 5000], ..full() };
        let line = Reply::Info(tall).to_line(one);
        assert!((8100..=UCCI_LINE_LIMIT).contains(&line.len()) && line.ends_with(" a10b10"));
        let whole = Reply::Info(long).to_line(Dialect::UCI);
        assert!(whole.len() > 25_000);
        let text = Reply::Info(Info::message("帅".repeat(9000))).to_line(Dialect::UCCI);
        assert!((8180..=UCCI_LINE_LIMIT).contains(&text.len()));
    }
}
