//! Which language a conversation is held in, and its local habits.

use super::ranks::Ranks;
use super::text::{Lower, Words};

/// Longest reply line in UCCI, in bytes without the line end: the referee and ElephantEye read into
/// buffers of 8192 bytes.
pub const UCCI_LINE_LIMIT: usize = 8190;

/// The protocol, as chosen by the first word of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Universal Chinese Chess Protocol 3.0, opened by `ucci`.
    Ucci,
    /// Universal Chess Interface, opened by `uci`.
    Uci,
    /// UCI whose positions come without the word `position`, opened by `ucicyclone`. Only writing
    /// makes a difference: its forms are understood in every protocol.
    UciCyclone,
}

impl Protocol {
    /// The protocol that a word opens, in any letter case.
    ///
    /// ```
    /// use hanxin::protocol::Protocol;
    ///
    /// assert_eq!(Protocol::of_opener("UCCI"), Some(Protocol::Ucci));
    /// assert_eq!(Protocol::of_opener("xboard"), None);
    /// ```
    #[must_use]
    pub fn of_opener(word: &str) -> Option<Self> {
        [Self::Ucci, Self::Uci, Self::UciCyclone]
            .into_iter()
            .find(|protocol| word.eq_ignore_ascii_case(protocol.opener()))
    }

    /// The word that opens a conversation in this protocol.
    #[must_use]
    pub const fn opener(self) -> &'static str {
        match self {
            Self::Ucci => "ucci",
            Self::Uci => "uci",
            Self::UciCyclone => "ucicyclone",
        }
    }
}

/// How UCCI lines write a forced mate; UCI always says `mate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mates {
    /// As a plain number near 10000, minus the plies to mate: understood by every reader.
    #[default]
    Number,
    /// As `mate <moves>`: understood by newer readers only.
    Keyword,
}

/// Everything that decides how a typed value is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// The grammar.
    pub protocol: Protocol,
    /// The numbering of ranks in moves. When parsing, a line that shows its numbering is read
    /// accordingly (see [`Dialect::for_line`]); this one holds for the others.
    pub ranks: Ranks,
    /// The spelling of mate scores in UCCI.
    pub mates: Mates,
}

impl Dialect {
    /// UCCI as the specification has it: ranks 0-9, scores as plain numbers.
    pub const UCCI: Self =
        Self { protocol: Protocol::Ucci, ranks: Ranks::Zero, mates: Mates::Number };
    /// UCI as most Xiangqi programs speak it: ranks 0-9.
    pub const UCI: Self = Self { protocol: Protocol::Uci, ..Self::UCCI };

    /// The same dialect with another numbering of ranks.
    #[must_use]
    pub const fn with_ranks(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }

    /// The same dialect with the numbering of ranks that a line's move list shows: a rank 10
    /// anywhere in it means 1-10, otherwise a rank 0 means 0-9, otherwise nothing changes.
    ///
    /// Parsing does this for every single line; a front end does it to remember the answer, since
    /// it has to reply in the numbering in which it is spoken to.
    ///
    /// ```
    /// use hanxin::protocol::{Dialect, Ranks};
    ///
    /// let line = b"position startpos moves h3e3 h10g8";
    /// assert_eq!(Dialect::UCI.for_line(line).ranks, Ranks::One);
    /// ```
    #[must_use]
    pub fn for_line(self, line: &[u8]) -> Self {
        self.for_text(&String::from_utf8_lossy(line))
    }

    /// [`Dialect::for_line`] for a decoded line. Looks only where the line holds moves: no FEN, no
    /// option and no text of a message counts as one.
    pub(super) fn for_text(self, text: &str) -> Self {
        let mut words = Words::new(text);
        let opener = Lower::new(words.next().unwrap_or_default());
        let moves_follow: &[&str] = match opener.as_str() {
            "position" | "fen" | "startpos" | "probe" => &["moves"],
            "go" | "perft" => &["searchmoves"],
            "info" => &["pv", "currmove"],
            "banmoves" | "bestmove" | "pophash" => &[],
            _ => return self,
        };
        let is_one_of =
            |word: &str, keywords: &[&str]| keywords.contains(&Lower::new(word).as_str());
        if !moves_follow.is_empty() {
            words.find(|word| is_one_of(word, moves_follow));
        }
        let moves = words.take_while(|word| !is_one_of(word, &["string", "message"]));
        self.with_ranks(self.ranks.of_list(moves))
    }

    /// Whether this is UCCI rather than a form of UCI.
    #[must_use]
    pub const fn is_ucci(self) -> bool {
        matches!(self.protocol, Protocol::Ucci)
    }

    /// Longest reply line, in bytes.
    pub(super) const fn line_limit(self) -> usize {
        if self.is_ucci() { UCCI_LINE_LIMIT } else { usize::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openers_are_whole_words() {
        for protocol in [Protocol::Ucci, Protocol::Uci, Protocol::UciCyclone] {
            assert_eq!(Protocol::of_opener(protocol.opener()), Some(protocol));
        }
        for other in ["", "uc", "ucciok", "usi", "xboard"] {
            assert_eq!(Protocol::of_opener(other), None, "{other}");
        }
    }

    #[test]
    fn only_a_move_list_shows_the_numbering() {
        let ranks =
            |line: &str, hint| Dialect::UCI.with_ranks(hint).for_line(line.as_bytes()).ranks;
        assert_eq!(ranks("position startpos moves a4a5 b10c8", Ranks::Zero), Ranks::One);
        assert_eq!(ranks("go depth 3 searchmoves a10a9", Ranks::Zero), Ranks::One);
        assert_eq!(ranks("bestmove b10c8", Ranks::Zero), Ranks::One);
        assert_eq!(ranks("position startpos moves b0c2", Ranks::One), Ranks::Zero);
        assert_eq!(ranks("position startpos moves b0c2 b10c8", Ranks::Zero), Ranks::One);
        assert_eq!(ranks("position startpos moves h2e2", Ranks::One), Ranks::One);
        assert_eq!(ranks("setoption name LogFile value a10a9", Ranks::Zero), Ranks::Zero);
        assert_eq!(ranks("info pv h2e2 string not b10c8", Ranks::Zero), Ranks::Zero);
        assert_eq!(ranks("position fen a10a9 w moves h2e2", Ranks::Zero), Ranks::Zero);
        assert_eq!(ranks("fen pv a0a0 moves h2e2", Ranks::One), Ranks::One);
        assert_eq!(ranks("startpos moves b10c8", Ranks::Zero), Ranks::One);
        assert_eq!(ranks("banmoves b10c8", Ranks::Zero), Ranks::One);
        assert_eq!(ranks("info currmove b10c8 pv h3e3", Ranks::Zero), Ranks::One);
    }
}
