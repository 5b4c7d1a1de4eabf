//! `go`: what to think about, and for how long.

use super::dialect::Dialect;
use super::error::ParseError;
use super::text::{Line, Lower, Words, clamp_u32, clamp_u64, number};
use crate::board::{Move, excerpt};

/// Largest time or increment, in whatever unit is spoken (31 years of milliseconds). Larger numbers
/// are clamped to it, so that scaling seconds to milliseconds cannot overflow.
pub const MAX_TIME: u64 = 1_000_000_000_000;

/// Largest number of moves until a time control; larger ones are clamped.
pub const MAX_MOVES_TO_GO: u32 = 999;

/// One player's clock. Times are raw numbers in the unit of the conversation: milliseconds in UCI
/// and, once `usemillisec` is set, in UCCI; seconds in UCCI before that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left, 0 to [`MAX_TIME`].
    pub time: u64,
    /// Added after each move, 0 to [`MAX_TIME`].
    pub increment: u64,
    /// Moves until more time is given, 1 to [`MAX_MOVES_TO_GO`]; `None`: for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The clocks of both players, as the two protocols name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// UCI's `wtime`, `btime`: by side. One `movestogo` serves both clocks.
    BySide {
        /// The clock of Red, White in UCI's words.
        red: Option<Clock>,
        /// The clock of Black.
        black: Option<Clock>,
    },
    /// UCCI's `time`, `opptime`: seen from the player to move.
    ByTurn {
        /// The clock of the player to move.
        own: Clock,
        /// The clock of the player who waits.
        opponent: Option<Clock>,
    },
}

impl Clocks {
    /// The clock of the player to move, given who that is.
    #[must_use]
    pub fn own(self, red_to_move: bool) -> Option<Clock> {
        match self {
            Self::BySide { red, black } => {
                if red_to_move {
                    red
                } else {
                    black
                }
            }
            Self::ByTurn { own, .. } => Some(own),
        }
    }
}

/// The command `go`. Several limits may be given at once: the first that is reached ends the search.
/// Without any the search ends at the deepest depth.
///
/// Both protocols' words are understood in either, in any order. What cannot be understood is left
/// out, since whoever says `go` waits for a move: unknown words, keywords without their value,
/// root moves that are not moves.
///
/// ```
/// use hanxin::protocol::{Clock, Clocks, Command, Dialect};
///
/// let Command::Go(go) = Command::parse(b"go draw time 5000", Dialect::UCCI)? else { unreachable!() };
/// // UCCI: neither movestogo nor increment means one move for all the time.
/// let own = Clock { time: 5000, increment: 0, moves_to_go: Some(1) };
/// assert_eq!(go.clocks, Some(Clocks::ByTurn { own, opponent: None }));
/// assert!(go.draw);
/// # Ok::<(), hanxin::protocol::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Think on the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The opponent offers a draw (UCCI).
    pub draw: bool,
    /// Think until `stop`, whatever else is reached.
    pub infinite: bool,
    /// The clocks.
    pub clocks: Option<Clocks>,
    /// Time for this move, in the unit of the clocks, 0 to [`MAX_TIME`].
    pub movetime: Option<u64>,
    /// Depth in plies. Zero asks for the static evaluation (UCCI).
    pub depth: Option<u32>,
    /// Nodes to search.
    pub nodes: Option<u64>,
    /// Look for a mate in at most so many moves.
    pub mate: Option<u32>,
    /// Count the move paths of so many plies instead of searching.
    pub perft: Option<u32>,
    /// The root moves to consider; empty: all.
    pub searchmoves: Vec<Move>,
    /// The first word that means nothing in a `go`, shortened: it was skipped, with its value if it
    /// had one, and the user may want to know of it. Never written.
    pub skipped: Option<String>,
    /// The first value that was missing or not understood. Never written.
    pub fault: Option<ParseError>,
}

impl Go {
    /// A request to count move paths.
    #[must_use]
    pub fn perft(depth: u32) -> Self {
        Self { perft: Some(depth), ..Self::default() }
    }

    /// Reads what follows the word `go`. Nobody waits for a move after `perft`, so that what makes
    /// no sense there is an error.
    pub(super) fn parse(mut words: Words<'_>, dialect: Dialect) -> Result<Self, ParseError> {
        let mut go = Self::default();
        let mut clocks = RawClocks::default();
        let mut is_timed = false;
        while let Some(word) = words.next() {
            let keyword = Lower::new(word);
            let keyword = keyword.as_str();
            let mut value = || value(keyword, &mut words);
            if let Some(slot) = clocks.slot(keyword) {
                *slot = go.or_fault(value().map(as_time)).or(*slot);
                is_timed = true;
                continue;
            }
            match keyword {
                "ponder" => go.ponder = true,
                "draw" => go.draw = true,
                "infinite" => go.infinite = true,
                "movetime" => go.movetime = go.or_fault(value().map(as_time)).or(go.movetime),
                "depth" => go.depth = go.or_fault(value().map(clamp_u32)).or(go.depth),
                "nodes" => go.nodes = go.or_fault(value().map(as_nodes)).or(go.nodes),
                "mate" => go.mate = go.or_fault(value().map(clamp_u32)).or(go.mate),
                "perft" => go.perft = Some(clamp_u32(value()?)),
                "searchmoves" => go.take_root_moves(&mut words, dialect),
                _ => go.note_skipped(word),
            }
        }
        go.clocks = clocks.settle();
        if is_timed && go.clocks.is_none() {
            go.or_fault(Err::<(), _>(ParseError::MissingValue("time".into())));
        }
        Ok(go)
    }

    /// What was understood; the first fault is remembered.
    fn or_fault<T>(&mut self, read: Result<T, ParseError>) -> Option<T> {
        read.inspect_err(|fault| _ = self.fault.get_or_insert_with(|| fault.clone())).ok()
    }

    /// Takes the moves after `searchmoves`, up to the next keyword.
    fn take_root_moves(&mut self, words: &mut Words<'_>, dialect: Dialect) {
        while let Some(word) = words.peek().filter(|word| !is_keyword(word)) {
            words.next();
            let m = self.or_fault(dialect.ranks.parse(word));
            self.searchmoves.extend(m);
        }
    }

    /// Whether nothing was left out.
    #[must_use]
    pub const fn is_understood(&self) -> bool {
        self.fault.is_none() && self.skipped.is_none()
    }

    /// Remembers the first word without a meaning; a number is only the value of such a word.
    fn note_skipped(&mut self, word: &str) {
        if self.skipped.is_none() && number(word).is_none() {
            self.skipped = Some(excerpt(word));
        }
    }

    /// Writes the command with its first word. `ponder` and `draw` come first, as UCCI demands;
    /// `searchmoves` comes last, as UCI engines expect.
    pub(super) fn write(&self, dialect: Dialect, line: &mut Line) {
        line.put("go");
        line.flag("ponder", self.ponder);
        line.flag("draw", self.draw);
        if let Some(clocks) = &self.clocks {
            clocks.write(line);
        }
        line.pair("movetime", self.movetime);
        line.pair("depth", self.depth);
        line.pair("nodes", self.nodes);
        line.pair("mate", self.mate);
        line.flag("infinite", self.infinite);
        line.pair("perft", self.perft);
        dialect.ranks.write_list(line, "searchmoves", &self.searchmoves);
    }
}

impl Clocks {
    fn write(&self, line: &mut Line) {
        match self {
            Self::BySide { red, black } => {
                line.pair("wtime", red.map(|clock| clock.time));
                line.pair("btime", black.map(|clock| clock.time));
                line.pair("winc", red.map(|clock| clock.increment));
                line.pair("binc", black.map(|clock| clock.increment));
                line.pair("movestogo", red.or(*black).and_then(|clock| clock.moves_to_go));
            }
            Self::ByTurn { own, opponent } => {
                own.write_by_turn(line, ["time", "movestogo", "increment"]);
                if let Some(clock) = opponent {
                    clock.write_by_turn(line, ["opptime", "oppmovestogo", "oppincrement"]);
                }
            }
        }
    }
}

impl Clock {
    /// UCCI's grammar allows either `movestogo` or `increment`, and takes neither as `movestogo 1`.
    fn write_by_turn(&self, line: &mut Line, [time, to_go, increment]: [&str; 3]) {
        line.pair(time, Some(self.time));
        line.pair(to_go, self.moves_to_go);
        let needed = self.moves_to_go.is_none() || self.increment > 0;
        line.pair(increment, needed.then_some(self.increment));
    }
}

/// Takes the number that must follow a keyword; another word stays.
fn value(keyword: &str, words: &mut Words<'_>) -> Result<i128, ParseError> {
    let word = words.peek().ok_or_else(|| ParseError::MissingValue(keyword.into()))?;
    let value = number(word)
        .ok_or_else(|| ParseError::NotANumber { keyword: keyword.into(), word: excerpt(word) })?;
    words.next();
    Ok(value)
}

/// A negative time (a flag that has fallen) is zero.
fn as_time(value: i128) -> u64 {
    clamp_u64(value, MAX_TIME)
}

fn as_nodes(value: i128) -> u64 {
    clamp_u64(value, u64::MAX)
}

/// Whether a word may follow the moves of `searchmoves`.
fn is_keyword(word: &str) -> bool {
    let keyword = Lower::new(word);
    let keyword = keyword.as_str();
    let others = "ponder draw infinite movetime depth nodes mate perft searchmoves";
    others.split(' ').any(|other| other == keyword) || RawClocks::default().slot(keyword).is_some()
}

/// The words of the clocks in the order in which they came, before they are understood.
#[derive(Default)]
struct RawClocks {
    own: RawClock,
    opponent: RawClock,
    red: RawClock,
    black: RawClock,
}

#[derive(Clone, Copy, Default)]
struct RawClock {
    time: Option<u64>,
    increment: Option<u64>,
    moves_to_go: Option<u64>,
}

impl RawClocks {
    /// Where the value of a keyword belongs. `movestogo` is the same word in both protocols.
    fn slot(&mut self, keyword: &str) -> Option<&mut Option<u64>> {
        Some(match keyword {
            "time" => &mut self.own.time,
            "increment" => &mut self.own.increment,
            "movestogo" => &mut self.own.moves_to_go,
            "opptime" => &mut self.opponent.time,
            "oppincrement" => &mut self.opponent.increment,
            "oppmovestogo" => &mut self.opponent.moves_to_go,
            "wtime" => &mut self.red.time,
            "btime" => &mut self.black.time,
            "winc" => &mut self.red.increment,
            "binc" => &mut self.black.increment,
            _ => return None,
        })
    }

    /// Makes sense of it all. UCCI's `time` outranks UCI's words in a line that has both.
    fn settle(self) -> Option<Clocks> {
        if let Some(mut own) = self.own.settle() {
            let fischer = self.own.increment.is_some();
            if own.moves_to_go.is_none() && !fischer {
                own.moves_to_go = Some(1);
            }
            return Some(Clocks::ByTurn { own, opponent: self.opponent.settle() });
        }
        let moves_to_go = self.own.moves_to_go;
        let red = RawClock { moves_to_go, ..self.red }.settle();
        let black = RawClock { moves_to_go, ..self.black }.settle();
        (red.is_some() || black.is_some()).then_some(Clocks::BySide { red, black })
    }
}

impl RawClock {
    /// A clock exists if its time was given, or an increment to live on. `movestogo 0` means that
    /// there is no further control.
    fn settle(self) -> Option<Clock> {
        let increment = self.increment.unwrap_or(0);
        let time = self.time.or((increment > 0).then_some(0))?;
        let to_go = self.moves_to_go.filter(|&moves| moves > 0);
        let moves_to_go = to_go.map(|moves| clamp_u32(moves.into()).min(MAX_MOVES_TO_GO));
        Some(Clock { time, increment, moves_to_go })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Go, ParseError> {
        Go::parse(Words::new(text), Dialect::UCCI.for_text(&format!("go {text}")))
    }

    fn go(text: &str) -> Go {
        parse(text).unwrap()
    }

    fn by_turn(text: &str) -> (Clock, Option<Clock>) {
        match go(text).clocks {
            Some(Clocks::ByTurn { own, opponent }) => (own, opponent),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn clock(time: u64, increment: u64, moves_to_go: Option<u32>) -> Clock {
        Clock { time, increment, moves_to_go }
    }

    #[test]
    fn ucci_clocks() {
        assert_eq!(by_turn("time 5000"), (clock(5000, 0, Some(1)), None));
        assert_eq!(by_turn("time 5000 increment 0"), (clock(5000, 0, None), None));
        assert_eq!(by_turn("time 5000 movestogo 40"), (clock(5000, 0, Some(40)), None));
        assert_eq!(by_turn("time 5000 movestogo 0"), (clock(5000, 0, Some(1)), None));
        assert_eq!(
            by_turn("time 180000 increment 2000 opptime 181500 oppincrement 2000"),
            (clock(180_000, 2000, None), Some(clock(181_500, 2000, None)))
        );
        assert_eq!(
            by_turn("oppmovestogo 7 OPPTIME 9 Time 8 movestogo 6"),
            (clock(8, 0, Some(6)), Some(clock(9, 0, Some(7))))
        );
        assert_eq!(by_turn("time 0").0.time, 0);
    }

    #[test]
    fn uci_clocks_keep_their_sides() {
        let red = Some(clock(1000, 10, None));
        let black = Some(clock(2000, 20, None));
        let clocks = go("wtime 1000 btime 2000 winc 10 binc 20").clocks.unwrap();
        assert_eq!(clocks, Clocks::BySide { red, black });
        assert_eq!([true, false].map(|red_to_move| clocks.own(red_to_move)), [red, black]);
        let black = Some(clock(5, 0, Some(3)));
        assert_eq!(go("movestogo 3 btime 5").clocks, Some(Clocks::BySide { red: None, black }));
        let red = Some(clock(9, 0, None));
        let sudden_death = go("wtime 9 movestogo 0").clocks;
        assert_eq!(sudden_death, Some(Clocks::BySide { red, black: None }));
    }

    #[test]
    fn no_time_no_clock() {
        assert_eq!(go("depth 8 winc 0 binc 0 movestogo 40").clocks, None);
        assert_eq!(by_turn("increment 100").0, clock(0, 100, None));
        assert_eq!(go(""), Go::default());
    }

    #[test]
    fn limits_and_modes_in_any_order() {
        let all = go("nodes 9 infinite mate 3 DRAW depth 7 movetime 250 perft 2 ponder");
        let expected = Go {
            ponder: true,
            draw: true,
            infinite: true,
            movetime: Some(250),
            depth: Some(7),
            nodes: Some(9),
            mate: Some(3),
            perft: Some(2),
            ..Go::default()
        };
        assert_eq!(all, expected);
        assert_eq!(go("depth 0").depth, Some(0));
    }

    #[test]
    fn absurd_numbers_clamp() {
        assert_eq!(by_turn("time -300 increment -1").0, clock(0, 0, None));
        let huge = by_turn("time 99999999999999999999999999 movestogo 123456").0;
        assert_eq!(huge, clock(MAX_TIME, 0, Some(MAX_MOVES_TO_GO)));
        assert_eq!(go("depth 99999999999").depth, Some(u32::MAX));
        assert_eq!(go("depth -1").depth, Some(0));
        assert_eq!(go("nodes 18446744073709551616").nodes, Some(u64::MAX));
        assert_eq!(go("movetime 1500.9").movetime, Some(1500));
    }

    #[test]
    fn garbage_is_named_and_the_rest_understood() {
        let fault = |keyword: &str, word: &str| {
            Some(ParseError::NotANumber { keyword: keyword.into(), word: word.into() })
        };
        let lost = go("depth ten");
        assert_eq!((&lost.fault, lost.depth), (&fault("depth", "ten"), None));
        assert!(!lost.is_understood() && !go("detph 9").is_understood());
        let endless = go("Time infinite");
        assert_eq!((&endless.fault, endless.infinite), (&fault("time", "infinite"), true));
        let bounded = go("wtime NaN btime 9 movetime x depth 4 nodes");
        assert_eq!(bounded.fault, fault("wtime", "NaN"));
        let black = Some(clock(9, 0, None));
        assert_eq!(bounded.clocks, Some(Clocks::BySide { red: None, black }));
        assert_eq!((bounded.depth, bounded.nodes, bounded.movetime), (Some(4), None, None));
        let clocked = go("time 5 increment");
        assert_eq!(clocked.fault, Some(ParseError::MissingValue("increment".into())));
        assert_eq!(parse("perft"), Err(ParseError::MissingValue("perft".into())));
        assert!(go("").is_understood());
    }

    #[test]
    fn unknown_words_are_skipped_but_kept() {
        let odd = go("30 detph 10 byoyomi 5 time 7");
        assert_eq!(odd.skipped.as_deref(), Some("detph"));
        assert!(odd.clocks.is_some());
    }

    #[test]
    fn root_moves_end_at_a_keyword() {
        let some = go("searchmoves H2-E2 b0c2 depth 4");
        assert_eq!(some.searchmoves, ["h2e2".parse().unwrap(), "b0c2".parse().unwrap()]);
        assert_eq!(some.depth, Some(4));
        assert_eq!(go("searchmoves a4a5 b10c8").searchmoves[0].to_string(), "a3a4");
        assert_eq!(go("searchmoves h2e2 wtime 5 btime 5").searchmoves.len(), 1);
        let some = go("searchmoves x h2e2 h2z9 nodes 7");
        assert_eq!(some.fault, Some(ParseError::NotAMove("x".into())));
        assert_eq!((some.searchmoves.len(), some.nodes), (1, Some(7)));
    }

    #[test]
    fn written_as_the_referee_writes_it() {
        let own = clock(180_000, 2000, None);
        let opponent = Some(clock(181_500, 2000, None));
        let mut go = Go { draw: true, ..Go::default() };
        go.clocks = Some(Clocks::ByTurn { own, opponent });
        let mut line = Line::new(usize::MAX);
        go.write(Dialect::UCCI, &mut line);
        assert_eq!(
            line.into_text(),
            "go draw time 180000 increment 2000 opptime 181500 oppincrement 2000"
        );
    }
}
