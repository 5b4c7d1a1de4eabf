//! Lines to an engine, from a GUI, a referee or a person.

use super::dialect::{Dialect, Protocol};
use super::error::ParseError;
use super::go::Go;
use super::option::{check_value, parse_setting, same_option, write_setting};
use super::ranks::Ranks;
use super::text::{Line, Lower, Words};
use crate::board::Move;

/// Where the moves of a [`Setup`] start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start of a game.
    Startpos,
    /// A FEN: everything that stood between `fen` and `moves`, with single blanks. It is not
    /// checked, may carry a comment behind its fields, and bytes that are not UTF-8 are replaced.
    Fen(String),
}

impl Start {
    /// The FEN; `None` for the start of a game.
    #[must_use]
    pub fn fen(&self) -> Option<&str> {
        match self {
            Self::Startpos => None,
            Self::Fen(fen) => Some(fen),
        }
    }
}

/// A position as commands describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The position to start from.
    pub start: Start,
    /// The moves played from there, not checked for legality.
    pub moves: Vec<Move>,
    /// The word after these moves that is not a move, in UCCI, where the moves before it count. In
    /// UCI such a line is an error. Never written.
    pub fault: Option<ParseError>,
}

impl Setup {
    /// Reads `startpos` or `fen <FEN>`, then `moves` with its list. The words `fen` and `moves` may
    /// be missing.
    fn parse(command: &str, mut words: Words<'_>, dialect: Dialect) -> Result<Self, ParseError> {
        let startpos = words.accept("startpos");
        let announced = words.accept("fen");
        let words: Vec<&str> = words.collect();
        let (fen, list) = words.split_at(list_begin(&words, dialect.ranks));
        let fen = fen.join(" ");
        let has_keyword = list.first().is_some_and(|word| word.eq_ignore_ascii_case("moves"));
        let list = &list[usize::from(has_keyword)..];
        let start = match () {
            () if startpos => Start::Startpos,
            () if !fen.is_empty() && (announced || fen.contains('/')) => Start::Fen(fen),
            () => return Err(ParseError::MissingStart(command.into())),
        };
        let mut moves = Vec::new();
        let read = list.iter().map(|word| dialect.ranks.parse(word));
        let fault = read.map(|read| read.map(|m| moves.push(m))).find_map(Result::err);
        match fault {
            Some(fault) if !dialect.is_ucci() => Err(fault),
            fault => Ok(Self { start, moves, fault }),
        }
    }

    fn write(&self, dialect: Dialect, line: &mut Line) {
        match &self.start {
            Start::Startpos => line.put("startpos"),
            Start::Fen(fen) => line.put(format_args!("fen {fen}")),
        }
        dialect.ranks.write_list(line, "moves", &self.moves);
    }
}

/// Where the list of moves begins, with its keyword or without, behind a FEN that may end with a
/// remark. A remark may hold moves, and even the keyword.
fn list_begin(words: &[&str], ranks: Ranks) -> usize {
    let is_move = |word: &&str| ranks.parse(word).is_ok();
    let keywords = || (0..words.len()).filter(|&at| words[at].eq_ignore_ascii_case("moves"));
    let leads_to_moves = |at: &usize| words.get(at + 1).is_none_or(is_move);
    let announced = keywords().find(leads_to_moves).or_else(|| keywords().next_back());
    // people forget the keyword: then the moves follow the fields of the FEN
    const WORDS: [&str; 7] = ["-", "w", "r", "b", "red", "white", "black"];
    let is_field = |word: &&str| {
        let is_word = WORDS.iter().any(|field| word.eq_ignore_ascii_case(field));
        is_word || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let bare = || {
        let first = words.iter().position(is_move)?;
        words[..first].iter().skip(1).all(is_field).then_some(first)
    };
    announced.or_else(bare).unwrap_or(words.len())
}

/// One line to an engine. Each is understood in every protocol.
///
/// ```
/// use hanxin::protocol::{Command, Dialect, Protocol, Start};
///
/// assert_eq!(Command::parse(b"ucci\r\n", Dialect::UCI), Ok(Command::Hello(Protocol::Ucci)));
///
/// let cyclone = b"fen 4k4/9/9/9/9/9/9/9/9/4K4 r moves e0e1";
/// let Command::Position(setup) = Command::parse(cyclone, Dialect::UCI)? else { unreachable!() };
/// assert_eq!(setup.start, Start::Fen("4k4/9/9/9/9/9/9/9/9/4K4 r".into()));
///
/// assert_eq!(Command::NewGame.to_line(Dialect::UCCI), "setoption newgame");
/// assert_eq!(Command::NewGame.to_line(Dialect::UCI), "ucinewgame");
/// # Ok::<(), hanxin::protocol::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// An empty line or a comment (`#`): nothing to do.
    Blank,
    /// The opener of a protocol.
    Hello(Protocol),
    /// Asks for `readyok`.
    IsReady,
    /// What follows belongs to another game. In UCCI it comes as `setoption newgame`.
    NewGame,
    /// Sets or presses an option.
    SetOption {
        /// The name as written; compare with [`same_option`].
        name: String,
        /// The value. `None`: a pressed button or, in UCCI, an empty string.
        value: Option<String>,
    },
    /// Sets the board. Bans end with it.
    Position(Setup),
    /// Root moves that must not be played in this position (UCCI).
    BanMoves {
        /// All that were understood, not checked for legality.
        moves: Vec<Move>,
        /// The first word that is not a move. Never written.
        fault: Option<ParseError>,
    },
    /// Starts thinking. `perft 5` counts as `go perft 5`.
    Go(Go),
    /// The move that was pondered on has been played.
    PonderHit {
        /// The opponent offers a draw along with it (UCCI).
        draw: bool,
    },
    /// Ends thinking.
    Stop,
    /// Asks what the hash table knows of a position (UCCI).
    Probe(Setup),
    /// Ends the program. A person may also say `exit`.
    Quit,
    /// Switches additional information on or off (UCI).
    Debug(bool),
    /// `d`: draws the board.
    Display,
    /// `eval`: explains the evaluation.
    Eval,
    /// `egtb`: what endgame tables tell of the position.
    Tables,
    /// `book`: what opening books say of the position.
    Book,
    /// `moves`: lists the legal moves.
    Moves,
    /// `flip`: changes the colours.
    Flip,
    /// `bench`, with its arguments as they stand.
    Bench(String),
    /// `help` or `?`.
    Help,
    /// Anything else, as it stands.
    Unknown(String),
}

impl Command {
    /// Reads one line, without or with its line end. Keywords may have any letter case; invalid
    /// UTF-8 is replaced.
    ///
    /// # Errors
    /// [`ParseError`] if the command is known but its content is not understood. The error names
    /// the offending word; the whole command should then have no effect.
    pub fn parse(line: &[u8], dialect: Dialect) -> Result<Self, ParseError> {
        let text = String::from_utf8_lossy(line);
        let dialect = dialect.for_text(&text);
        let all = Words::new(&text);
        let mut words = all.clone();
        let Some(word) = words.next().filter(|word| !word.starts_with('#')) else {
            return Ok(Self::Blank);
        };
        if let Some(protocol) = Protocol::of_opener(word) {
            return Ok(Self::Hello(protocol));
        }
        let keyword = Lower::new(word);
        match keyword.as_str() {
            "setoption" => Self::parse_set_option(words, dialect),
            "position" => Setup::parse("position", words, dialect).map(Self::Position),
            "fen" | "startpos" => Setup::parse("position", all, dialect).map(Self::Position),
            "probe" => Setup::parse("probe", words, dialect).map(Self::Probe),
            "banmoves" => {
                let (moves, fault) = dialect.ranks.parse_list(words);
                Ok(Self::BanMoves { moves, fault })
            }
            "go" => Go::parse(words, dialect).map(Self::Go),
            "perft" => Go::parse(all, dialect).map(Self::Go),
            keyword => Ok(Self::parse_simple(keyword, words)
                .unwrap_or_else(|| Self::Unknown(all.rest().into()))),
        }
    }

    /// The commands that cannot be wrong.
    fn parse_simple(keyword: &str, mut words: Words<'_>) -> Option<Self> {
        Some(match keyword {
            "isready" => Self::IsReady,
            "ucinewgame" | "uccinewgame" | "newgame" => Self::NewGame,
            "ponderhit" => Self::PonderHit { draw: words.accept("draw") },
            "stop" => Self::Stop,
            "quit" | "exit" => Self::Quit,
            "debug" => Self::Debug(words.next().and_then(check_value).unwrap_or(true)),
            "d" => Self::Display,
            "eval" => Self::Eval,
            "egtb" => Self::Tables,
            "book" => Self::Book,
            "moves" => Self::Moves,
            "flip" => Self::Flip,
            "bench" => Self::Bench(words.rest().into()),
            "help" | "?" => Self::Help,
            _ => return None,
        })
    }

    fn parse_set_option(words: Words<'_>, dialect: Dialect) -> Result<Self, ParseError> {
        let (name, value) = parse_setting(words, dialect)?;
        let new_game = same_option(&name, "newgame");
        Ok(if new_game { Self::NewGame } else { Self::SetOption { name, value } })
    }

    /// The command as a line, without a line end. It is never cut; a `position` for readers with
    /// short buffers is better begun after the last capture. Control characters in texts become
    /// blanks.
    #[must_use]
    pub fn to_line(&self, dialect: Dialect) -> String {
        let mut line = Line::new(usize::MAX);
        match self {
            Self::Blank => {}
            Self::Hello(protocol) => line.put(protocol.opener()),
            Self::IsReady => line.put("isready"),
            Self::NewGame if dialect.is_ucci() => line.put("setoption newgame"),
            Self::NewGame => line.put("ucinewgame"),
            Self::SetOption { name, value } => {
                write_setting(name, value.as_deref(), dialect, &mut line)
            }
            Self::Position(setup) => {
                let cyclone = dialect.protocol == Protocol::UciCyclone;
                line.put(if cyclone { "" } else { "position " });
                setup.write(dialect, &mut line);
            }
            Self::BanMoves { moves, .. } => {
                line.put("banmoves");
                dialect.ranks.write_all(&mut line, moves);
            }
            Self::Go(go) => go.write(dialect, &mut line),
            Self::PonderHit { draw } => {
                line.put("ponderhit");
                line.flag("draw", *draw);
            }
            Self::Stop => line.put("stop"),
            Self::Probe(setup) => {
                line.put("probe ");
                setup.write(dialect, &mut line);
            }
            Self::Quit => line.put("quit"),
            Self::Debug(on) => line.put(if *on { "debug on" } else { "debug off" }),
            Self::Display => line.put("d"),
            Self::Eval => line.put("eval"),
            Self::Tables => line.put("egtb"),
            Self::Book => line.put("book"),
            Self::Moves => line.put("moves"),
            Self::Flip => line.put("flip"),
            Self::Bench(arguments) => {
                line.put("bench");
                line.flag(arguments, !arguments.is_empty());
            }
            Self::Help => line.put("help"),
            Self::Unknown(text) => line.put(text),
        }
        line.into_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Ranks;

    fn ucci(line: &str) -> Command {
        Command::parse(line.as_bytes(), Dialect::UCCI).unwrap()
    }

    fn uci(line: &str) -> Command {
        Command::parse(line.as_bytes(), Dialect::UCI).unwrap()
    }

    fn setup(start: Start, moves: &str) -> Setup {
        let moves = moves.split_whitespace().map(|word| word.parse().unwrap()).collect();
        Setup { start, moves, fault: None }
    }

    fn fen(text: &str) -> Start {
        Start::Fen(text.into())
    }

    #[test]
    fn openers_and_fixed_words() {
        assert_eq!(ucci("\u{feff}UCCI\r\n"), Command::Hello(Protocol::Ucci));
        assert_eq!(ucci("uci"), Command::Hello(Protocol::Uci));
        assert_eq!(ucci("ucicyclone"), Command::Hello(Protocol::UciCyclone));
        assert_eq!(uci("IsReady"), Command::IsReady);
        assert_eq!(uci("ponderhit"), Command::PonderHit { draw: false });
        assert_eq!(ucci("ponderhit DRAW"), Command::PonderHit { draw: true });
        assert_eq!(uci("bench 16 1  13 "), Command::Bench("16 1  13".into()));
        assert_eq!(uci("debug"), Command::Debug(true));
        assert_eq!(uci("debug off"), Command::Debug(false));
        assert_eq!(uci("exit"), Command::Quit);
        assert_eq!(uci("?"), Command::Help);
        assert_eq!(uci("perft 5"), Command::Go(Go::perft(5)));
        for blank in ["", " \t\r\n", "\0", "# a comment"] {
            assert_eq!(uci(blank), Command::Blank, "{blank:?}");
        }
        for unknown in ["xboard", "protover 2", "uccix", "h2e2", "帅", "ucinewgameucinewgame"] {
            assert_eq!(uci(unknown), Command::Unknown(unknown.into()));
        }
    }

    #[test]
    fn every_word_for_a_new_game() {
        for line in ["ucinewgame", "uccinewgame", "newgame", "setoption newgame"] {
            assert_eq!(ucci(line), Command::NewGame, "{line}");
            assert_eq!(uci(line), Command::NewGame, "{line}");
        }
    }

    #[test]
    fn positions_of_both_protocols() {
        let start = Command::Position(setup(Start::Startpos, "h2e2 h9g7"));
        for line in [
            "position startpos moves h2e2 h9g7",
            "POSITION\tStartPos  Moves H2-E2\0h9g7 \r\n",
            "position startpos - - 0 1 moves h2e2 h9g7",
            "startpos moves h2e2 h9g7",
            "position startpos h2e2 h9g7",
            "position startpos moves h3e3 h10g8",
        ] {
            assert_eq!(uci(line), start, "{line}");
            assert_eq!(ucci(line), start, "{line}");
        }
        let text = "4k4/9/9/9/9/9/9/9/9/4K4 r";
        let expected = Command::Position(setup(fen(text), "e0e1"));
        assert_eq!(uci(&format!("position fen {text} moves e0e1")), expected);
        assert_eq!(uci(&format!("position  {text}  moves e0e1")), expected);
        assert_eq!(uci(&format!("fen {text} moves e0e1")), expected);
        let bare = Command::Position(setup(fen(text), ""));
        assert_eq!(uci(&format!("position fen {text} moves")), bare);
        assert_eq!(uci(&format!("position fen {text}")), bare);
    }

    #[test]
    fn remarks_behind_a_fen_are_no_moves() {
        let start = "9/9 b - - 0 4";
        for (rest, moves) in [
            (";A34. b9c7 - - 0 1", ""),
            ("; b9c7", ""),
            (";A34. H2-E2 H9-G7 - - 0 1 moves h9g7 h2e2", "h9g7 h2e2"),
            ("; moves and ideas - - 0 1 moves h9g7", "h9g7"),
            ("moves h9g7", "h9g7"),
            ("h9g7 h2e2", "h9g7 h2e2"),
        ] {
            for read in [uci, ucci] {
                let Command::Position(found) = read(&format!("position fen {start} {rest}")) else {
                    panic!("{rest}")
                };
                assert_eq!(found.moves, setup(Start::Startpos, moves).moves, "{rest}");
                assert!(found.fault.is_none() && found.start.fen().unwrap().starts_with(start));
            }
        }
        let read = ucci(&format!("position fen {start} moves h9g7 ; and moves"));
        let Command::Position(Setup { moves, fault, .. }) = read else { panic!("{read:?}") };
        assert_eq!((moves.len(), fault.is_some()), (1, true));
    }

    #[test]
    fn the_numbering_may_be_set() {
        let line = b"position startpos moves h3e3";
        let one = Command::parse(line, Dialect::UCI.with_ranks(Ranks::One)).unwrap();
        assert_eq!(one, Command::Position(setup(Start::Startpos, "h2e2")));
    }

    #[test]
    fn gbk_junk_of_the_referee() {
        let line = b"position fen 9/9 b - - 0 4   ;A34.\xc5\xda\xb6\xfe - - 0 1 moves h2e2";
        let Ok(Command::Position(found)) = Command::parse(line, Dialect::UCCI) else { panic!() };
        let Start::Fen(text) = found.start else { panic!() };
        assert!(text.starts_with("9/9 b - - 0 4 ;A34.") && text.ends_with("- - 0 1"), "{text}");
        assert_eq!(found.moves.len(), 1);
    }

    #[test]
    fn errors_name_the_offending_thing() {
        for (line, told) in [
            ("position startpos moves h2e2 h9x7", "`h9x7`"),
            ("position startpos moves h2e2 (none)", "`(none)`"),
        ] {
            let error = Command::parse(line.as_bytes(), Dialect::UCI).unwrap_err();
            assert!(error.to_string().contains(told), "{line}: {error}");
            let Command::Position(found) = ucci(line) else { panic!("{line}") };
            assert_eq!((found.moves.len(), found.fault), (1, Some(error)));
        }
        for (line, told) in [
            ("position", "position"),
            ("position moves h2e2", "startpos"),
            ("position h2e2", "startpos"),
            ("probe", "probe"),
            ("perft x", "`x`"),
            ("setoption", "setoption"),
        ] {
            for dialect in [Dialect::UCCI, Dialect::UCI] {
                let error = Command::parse(line.as_bytes(), dialect).unwrap_err().to_string();
                assert!(error.contains(told), "{line}: {error}");
            }
        }
    }

    #[test]
    fn bans_and_probes() {
        let none = Command::BanMoves { moves: Vec::new(), fault: None };
        assert_eq!(ucci("banmoves"), none);
        let moves = vec!["e9e8".parse().unwrap(), "d0d7".parse().unwrap()];
        for (line, wrong) in [("e9e8 d0d7", None), ("e9e8 zzzz d0d7 x", Some("zzzz"))] {
            let fault = wrong.map(|word| ParseError::NotAMove(word.into()));
            let bans = Command::BanMoves { moves: moves.clone(), fault };
            assert_eq!(ucci(&format!("banmoves {line}")), bans);
        }
        let Command::BanMoves { moves, fault } = ucci("banmoves h2e2 j1j2") else { unreachable!() };
        assert!(moves.len() == 1 && fault.unwrap().to_string().contains("`j1j2`"));
        assert_eq!(ucci("probe startpos"), Command::Probe(setup(Start::Startpos, "")));
    }

    #[test]
    fn spelling_by_protocol() {
        let cyclone = Dialect { protocol: Protocol::UciCyclone, ..Dialect::UCI };
        let position = Command::Position(setup(Start::Startpos, "h2e2"));
        assert_eq!(position.to_line(Dialect::UCCI), "position startpos moves h2e2");
        assert_eq!(position.to_line(cyclone), "startpos moves h2e2");
        let one = Dialect::UCI.with_ranks(Ranks::One);
        assert_eq!(position.to_line(one), "position startpos moves h3e3");
        let option = Command::SetOption { name: "Move Overhead".into(), value: Some("30".into()) };
        assert_eq!(option.to_line(Dialect::UCCI), "setoption Move_Overhead 30");
        assert_eq!(option.to_line(Dialect::UCI), "setoption name Move Overhead value 30");
        let unknown = Command::Unknown("uccinewgame\nquit".into());
        assert_eq!(unknown.to_line(Dialect::UCCI), "uccinewgame quit");
    }
}
