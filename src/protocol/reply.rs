//! Lines from an engine.

use super::dialect::Dialect;
use super::info::{Info, next_number};
use super::option::OptionDecl;
use super::ranks::Ranks;
use super::score::{from_ucci_number, plain_number};
use super::text::{Line, Lower, Words, clamp_i32, clamp_u32};
use crate::board::Move;
use crate::score::Score;

/// What an `id` line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdField {
    /// The engine's name.
    Name,
    /// Its version (a habit of ElephantEye).
    Version,
    /// Who holds the rights (UCCI).
    Copyright,
    /// Who wrote it.
    Author,
    /// Who may use it (UCCI).
    User,
}

impl IdField {
    const ALL: [Self; 5] = [Self::Name, Self::Version, Self::Copyright, Self::Author, Self::User];

    const fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Version => "version",
            Self::Copyright => "copyright",
            Self::Author => "author",
            Self::User => "user",
        }
    }
}

/// What an engine claims together with its move (UCCI).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It offers a draw, or accepts the one it was offered.
    Draw,
    /// It resigns.
    Resign,
}

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play.
    pub best: Move,
    /// The reply it would like to ponder on.
    pub ponder: Option<Move>,
    /// A draw offer or a resignation. UCI has no word for it; UCCI's is written there too.
    pub claim: Option<Claim>,
}

/// The move alone.
impl From<Move> for BestMove {
    fn from(best: Move) -> Self {
        Self { best, ponder: None, claim: None }
    }
}

impl BestMove {
    /// Reads what follows `bestmove` as the UCCI league's referee does: the move stands first,
    /// `draw` and `resign` count wherever they stand, and resigning outranks the offer.
    fn parse(mut words: Words<'_>, dialect: Dialect) -> Option<Self> {
        let best = first_move(words.next()?, dialect)?;
        let mut found = Self::from(best);
        if words.accept("ponder") {
            found.ponder = dialect.ranks.parse_next(&mut words);
        }
        for word in words {
            match Lower::new(word).as_str() {
                "resign" => found.claim = Some(Claim::Resign),
                "draw" => found.claim = found.claim.or(Some(Claim::Draw)),
                _ => {}
            }
        }
        Some(found)
    }

    /// Writes the claim last: some readers only look at the last word.
    fn write(&self, dialect: Dialect, line: &mut Line) {
        let spelling = |m| dialect.ranks.spell(m);
        line.put(format_args!("bestmove {}", spelling(self.best)));
        line.pair("ponder", self.ponder.map(spelling));
        line.flag("draw", self.claim == Some(Claim::Draw));
        line.flag("resign", self.claim == Some(Claim::Resign));
    }
}

/// The move in a word. UCCI's readers look at four characters only, whatever is glued to them.
fn first_move(word: &str, dialect: Dialect) -> Option<Move> {
    let glued = || word.get(..4).filter(|_| dialect.is_ucci());
    let whole = dialect.ranks.parse(word).ok();
    whole.or_else(|| Ranks::Zero.parse(glued()?).ok())
}

/// One bound of a hash entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashBound {
    /// The value, from the side to move; written as a plain number.
    pub score: Score,
    /// The depth it was searched to, in plies.
    pub depth: u32,
}

/// What the hash table knows of a position: the answer to `probe` (UCCI). All empty if nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PopHash {
    /// The stored move.
    pub best: Option<Move>,
    /// The value is at least this.
    pub lower: Option<HashBound>,
    /// The value is at most this.
    pub upper: Option<HashBound>,
}

impl HashBound {
    /// Reads `<value> depth <depth>`.
    fn parse(words: &mut Words<'_>) -> Option<Self> {
        let score = from_ucci_number(clamp_i32(next_number(words)?));
        let depth = if words.accept("depth") { next_number(words) } else { None };
        Some(Self { score, depth: clamp_u32(depth.unwrap_or(0)) })
    }
}

impl PopHash {
    fn parse(mut words: Words<'_>, dialect: Dialect) -> Self {
        let mut found = Self::default();
        while let Some(word) = words.next() {
            match Lower::new(word).as_str() {
                "bestmove" => found.best = dialect.ranks.parse_next(&mut words),
                "lowerbound" => found.lower = HashBound::parse(&mut words),
                "upperbound" => found.upper = HashBound::parse(&mut words),
                _ => {}
            }
        }
        found
    }

    fn write(&self, dialect: Dialect, line: &mut Line) {
        line.put("pophash");
        line.pair("bestmove", self.best.map(|m| dialect.ranks.spell(m)));
        for (keyword, bound) in [("lowerbound", self.lower), ("upperbound", self.upper)] {
            line.pair(keyword, bound.map(|bound| plain_number(bound.score)));
            line.pair("depth", bound.map(|bound| bound.depth));
        }
    }
}

/// One line from an engine.
///
/// ```
/// use hanxin::protocol::{Claim, Dialect, Reply};
///
/// let line = b"bestmove h2e2 ponder h9g7 draw";
/// let Reply::BestMove(found) = Reply::parse(line, Dialect::UCCI) else { unreachable!() };
/// assert_eq!(found.best.to_string(), "h2e2");
/// assert_eq!(found.claim, Some(Claim::Draw));
///
/// assert_eq!(Reply::NoBestMove.to_line(Dialect::UCCI), "nobestmove");
/// assert_eq!(Reply::NoBestMove.to_line(Dialect::UCI), "bestmove (none)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A fact about the engine.
    Id {
        /// What it is about.
        field: IdField,
        /// The fact.
        text: String,
    },
    /// A declared option.
    Option(OptionDecl),
    /// End of the handshake in UCCI.
    UcciOk,
    /// End of the handshake in UCI and its Cyclone form.
    UciOk,
    /// Answer to `isready`.
    ReadyOk,
    /// News from a search, or a message.
    Info(Info),
    /// End of a search.
    BestMove(BestMove),
    /// End of a search without a move; also UCCI's answer to a `stop` while idle.
    NoBestMove,
    /// `bestmove` with something that is not a move: the rest of that line. The UCCI league's referee
    /// would wait on until the clock has run out.
    GarbledMove(String),
    /// Answer to `probe`.
    PopHash(PopHash),
    /// Last line before the end (UCCI).
    Bye,
    /// Any other line, such as a greeting.
    Other(String),
}

impl Reply {
    /// Reads one line, without or with its line end. Every line is some reply; invalid UTF-8 is
    /// replaced, keywords may have any letter case.
    #[must_use]
    pub fn parse(line: &[u8], dialect: Dialect) -> Self {
        let text = String::from_utf8_lossy(line);
        let dialect = dialect.for_text(&text);
        let all = Words::new(&text);
        let mut words = all.clone();
        let opener = Lower::new(words.next().unwrap_or_default());
        let known = match opener.as_str() {
            "id" => Self::parse_id(words),
            "option" => OptionDecl::parse(words).map(Self::Option),
            "ucciok" => Some(Self::UcciOk),
            "uciok" => Some(Self::UciOk),
            "readyok" => Some(Self::ReadyOk),
            "info" => Some(Self::Info(Info::parse(words, dialect))),
            "bestmove" => Some(Self::parse_best_move(words, dialect)),
            "nobestmove" => Some(Self::NoBestMove),
            "pophash" => Some(Self::PopHash(PopHash::parse(words, dialect))),
            "bye" => Some(Self::Bye),
            _ => None,
        };
        known.unwrap_or_else(|| Self::Other(all.rest().into()))
    }

    fn parse_id(mut words: Words<'_>) -> Option<Self> {
        let word = words.next()?;
        let field =
            IdField::ALL.into_iter().find(|field| word.eq_ignore_ascii_case(field.word()))?;
        Some(Self::Id { field, text: words.rest().into() })
    }

    /// `(none)`, the null move `0000` and their kin say that there is no move.
    fn parse_best_move(words: Words<'_>, dialect: Dialect) -> Self {
        let first = Lower::new(words.peek().unwrap_or_default());
        if ["(none)", "none", "null", "0000"].contains(&first.as_str()) {
            return Self::NoBestMove;
        }
        let garbled = || Self::GarbledMove(words.rest().into());
        BestMove::parse(words.clone(), dialect).map_or_else(garbled, Self::BestMove)
    }

    /// The reply as a line, without a line end. In UCCI it has at most
    /// [`UCCI_LINE_LIMIT`](super::UCCI_LINE_LIMIT) bytes: a line of play is cut between moves, a
    /// text between characters. Control characters in texts become blanks.
    #[must_use]
    pub fn to_line(&self, dialect: Dialect) -> String {
        let mut line = Line::new(dialect.line_limit());
        match self {
            Self::Id { field, text } => line.put(format_args!("id {} {text}", field.word())),
            Self::Option(option) => option.write(dialect, &mut line),
            Self::UcciOk => line.put("ucciok"),
            Self::UciOk => line.put("uciok"),
            Self::ReadyOk => line.put("readyok"),
            Self::Info(info) => info.write(dialect, &mut line),
            Self::BestMove(found) => found.write(dialect, &mut line),
            Self::NoBestMove if dialect.is_ucci() => line.put("nobestmove"),
            Self::NoBestMove => line.put("bestmove (none)"),
            Self::GarbledMove(text) => line.put(format_args!("bestmove {text}")),
            Self::PopHash(found) => found.write(dialect, &mut line),
            Self::Bye => line.put("bye"),
            Self::Other(text) => line.put(text),
        }
        line.into_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ucci(line: &str) -> Reply {
        Reply::parse(line.as_bytes(), Dialect::UCCI)
    }

    fn uci(line: &str) -> Reply {
        Reply::parse(line.as_bytes(), Dialect::UCI)
    }

    fn text(word: &str) -> Move {
        word.parse().unwrap()
    }

    fn best(best: &str, ponder: Option<&str>, claim: Option<Claim>) -> Reply {
        Reply::BestMove(BestMove { best: text(best), ponder: ponder.map(text), claim })
    }

    #[test]
    fn best_moves() {
        assert_eq!(ucci("bestmove h2e2"), best("h2e2", None, None));
        assert_eq!(ucci("bestmove H2-E2 ponder h9g7\r"), best("h2e2", Some("h9g7"), None));
        assert_eq!(uci("bestmove b10c8 ponder h3e3"), best("b9c7", Some("h2e2"), None));
        assert_eq!(ucci("bestmove h2e2 draw"), best("h2e2", None, Some(Claim::Draw)));
        let claim = Some(Claim::Resign);
        assert_eq!(ucci("bestmove h2e2 ponder h9g7 resign"), best("h2e2", Some("h9g7"), claim));
        assert_eq!(ucci("bestmove h2e2 resign draw"), best("h2e2", None, claim));
        assert_eq!(ucci("bestmove h2e2 draw resign"), best("h2e2", None, claim));
        assert_eq!(ucci("bestmove h2e2 foo draw bar"), best("h2e2", None, Some(Claim::Draw)));
        assert_eq!(uci("bestmove h2e2 ponder (none)"), best("h2e2", None, None));
    }

    #[test]
    fn claims_end_the_line() {
        let offer = best("c3c4", Some("c6c5"), Some(Claim::Draw));
        assert_eq!(offer.to_line(Dialect::UCCI), "bestmove c3c4 ponder c6c5 draw");
        let one = Dialect::UCI.with_ranks(Ranks::One);
        assert_eq!(best("b9c7", None, None).to_line(one), "bestmove b10c8");
    }

    #[test]
    fn four_characters_are_enough_for_the_referee() {
        assert_eq!(ucci("bestmove h2e2+ resign"), best("h2e2", None, Some(Claim::Resign)));
        assert_eq!(uci("bestmove h2e2+"), Reply::GarbledMove("h2e2+".into()));
    }

    #[test]
    fn no_move_is_not_a_garbled_move() {
        for line in
            ["nobestmove", "bestmove (none)", "bestmove (NONE) ponder (none)", "bestmove 0000"]
        {
            assert_eq!(ucci(line), Reply::NoBestMove, "{line}");
            assert_eq!(uci(line), Reply::NoBestMove, "{line}");
        }
        assert_eq!(ucci("bestmove"), Reply::GarbledMove(String::new()));
        assert_eq!(ucci("bestmove j2e2 draw"), Reply::GarbledMove("j2e2 draw".into()));
        assert_eq!(ucci("bestmove 炮二平五"), Reply::GarbledMove("炮二平五".into()));
    }

    #[test]
    fn handshake() {
        let id = Reply::Id { field: IdField::Name, text: "OurEngine 1.0".into() };
        assert_eq!(uci("id name OurEngine 1.0"), id);
        assert_eq!(uci("ID version 3.31").to_line(Dialect::UCCI), "id version 3.31");
        assert_eq!(uci("id elo 3000"), Reply::Other("id elo 3000".into()));
        assert_eq!(ucci("ucciok \r"), Reply::UcciOk);
        assert_eq!(uci("uciok"), Reply::UciOk);
        assert_eq!(uci("readyok"), Reply::ReadyOk);
        assert_eq!(ucci("bye"), Reply::Bye);
        assert_eq!(uci("  Pikafish by someone "), Reply::Other("Pikafish by someone".into()));
        assert_eq!(uci("option x"), Reply::Other("option x".into()));
        assert_eq!(uci(""), Reply::Other(String::new()));
        assert_eq!(
            Reply::parse(b"\xff\0\xfe", Dialect::UCI),
            Reply::Other("\u{fffd}\0\u{fffd}".into())
        );
    }

    #[test]
    fn hash_probes() {
        let line = "pophash bestmove h2e2 lowerbound 3 depth 9 upperbound 9997 depth 4";
        let bound = |score, depth| Some(HashBound { score, depth });
        let expected = PopHash {
            best: Some(text("h2e2")),
            lower: bound(Score::from_centipawns(3), 9),
            upper: bound(Score::mate_in(3), 4),
        };
        assert_eq!(ucci(line), Reply::PopHash(expected));
        assert_eq!(Reply::PopHash(expected).to_line(Dialect::UCCI), line);
        assert_eq!(ucci("pophash"), Reply::PopHash(PopHash::default()));
        let lone = ucci("pophash lowerbound 5 upperbound x depth 3");
        let lower = bound(Score::from_centipawns(5), 0);
        assert_eq!(lone, Reply::PopHash(PopHash { lower, ..PopHash::default() }));
    }

    #[test]
    fn a_text_cannot_forge_a_line() {
        let reply = Reply::Info(Info::message("bad\nbestmove a0a1\r\n"));
        assert_eq!(reply.to_line(Dialect::UCI), "info string bad bestmove a0a1  ");
    }
}
