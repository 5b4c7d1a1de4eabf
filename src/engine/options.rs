//! The options as data: one table from which UCI, UCCI, `--help` and the
//! manual are written.

use std::fmt;

use crate::board::excerpt;
use crate::search::ParamInfo;

/// Type, range and default of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Something to press.
    Button,
    /// On or off.
    Check {
        /// The initial state.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The initial number.
        default: i64,
        /// The smallest number.
        min: i64,
        /// The largest number.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The initial choice.
        default: &'static str,
        /// All choices.
        choices: &'static [&'static str],
    },
    /// Free text, empty at first.
    Text,
}

/// Which programs an option is declared to. Whoever knows its name can set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// UCI and UCCI programs.
    All,
    /// UCI programs; UCCI has another way for it.
    Uci,
    /// UCCI programs; UCI has another way for it.
    Ucci,
    /// People at a terminal.
    People,
}

/// An option as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Which one it is.
    pub id: OptionId,
    /// Its name in UCI.
    pub uci: &'static str,
    /// Its name in UCCI: one word in lower case.
    pub ucci: &'static str,
    /// Other names, which older programs use.
    pub aliases: &'static [&'static str],
    /// Its type, range and default.
    pub kind: OptionKind,
    /// Whom it is declared to.
    pub audience: Audience,
    /// What it does, in one line.
    pub help: &'static str,
}

const fn check(default: bool) -> OptionKind {
    OptionKind::Check { default }
}

const fn spin(default: i64, min: i64, max: i64) -> OptionKind {
    OptionKind::Spin { default, min, max }
}

const fn combo(default: &'static str, choices: &'static [&'static str]) -> OptionKind {
    OptionKind::Combo { default, choices }
}

/// The choice of [`OptionId::Evaluation`] that stands for a net.
pub(super) const NNUE: &str = "nnue";

/// The choices of [`OptionId::Ranks`].
pub(super) const AUTO: &str = "auto";
pub(super) const FROM_ZERO: &str = "0-9";
pub(super) const FROM_ONE: &str = "1-10";

/// Largest hash table that may be asked for, in megabytes: 32 TB.
const MAX_HASH: i64 = 1 << 25;

/// Writes the identifiers and the table from one list: an option a line, with
/// its audience, names, aliases and kind, and its help on the line below.
macro_rules! options {
    ($($id:ident $audience:ident $uci:literal $ucci:literal $aliases:tt $kind:expr; $help:literal)+) => {
        /// Which option; the place in [`OPTIONS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum OptionId {
            $(#[doc = $help] $id),+
        }

        /// All options, in the order in which they are declared to programs.
        pub const OPTIONS: &[OptionInfo] = &[$(OptionInfo {
            id: OptionId::$id,
            uci: $uci,
            ucci: $ucci,
            aliases: &$aliases,
            kind: $kind,
            audience: Audience::$audience,
            help: $help,
        }),+];
    };
}

options! {
    UseMilliseconds Ucci "Use Milliseconds" "usemillisec" [] check(true);
    "times in `go` are milliseconds, not seconds"
    NewGame Ucci "New Game" "newgame" [] OptionKind::Button;
    "a new game begins: clear the hash table and the histories"
    Threads All "Threads" "threads" [] spin(1, 0, 1024);
    "search threads; 0: one per processor core"
    Hash All "Hash" "hashsize" [] spin(64, 0, MAX_HASH);
    "size of the hash table in megabytes; 0: chosen by the memory there is"
    ClearHash Uci "Clear Hash" "clearhash" [] OptionKind::Button;
    "clear the hash table and the histories"
    UseHash Ucci "Use Hash" "usehash" [] check(true);
    "keep the hash table and the histories from one search to the next"
    PinThreads All "Pin Threads" "pinthreads" [] check(false);
    "keep each search thread on a processor core of its own"
    Ponder All "Ponder" "ponder" [] check(false);
    "the engine will think on the opponent's time: use more of our own time"
    MultiPv All "MultiPV" "multipv" [] spin(1, 1, 128);
    "how many best lines to show"
    MoveOverhead All "Move Overhead" "moveoverhead" [] spin(30, 0, 5000);
    "milliseconds kept back of each move for network and GUI delay"
    NodesTime All "nodestime" "nodestime" [] spin(0, 0, 100_000);
    "clocks count nodes, so many to the millisecond; 0: they count time"
    UseBook All "OwnBook" "usebook" [] check(true);
    "play from the opening book"
    BookFiles All "BookFile" "bookfiles" [] OptionKind::Text;
    "opening books asked before the own one, separated by `;`"
    BookDepth All "Book Depth" "bookdepth" [] spin(200, 0, 1000);
    "plies of a game after which no book is asked"
    BookBest All "Book Best" "bookbest" [] check(false);
    "always play the heaviest book move instead of drawing by weight"
    BookWeight All "Book Weight" "bookweight" [] spin(0, 0, 65_535);
    "book moves of less weight are not played"
    UseTables All "UseEgtb" "useegtb" ["usetables"] check(true);
    "ask endgame tables, those inside the program and those of EgtbPath"
    TablePaths All "EgtbPath" "egtbpaths" ["egtbpath", "syzygypath"] OptionKind::Text;
    "folders of endgame tables, separated by `;`, relative to the engine's folder"
    Seed All "Seed" "seed" [] spin(0, 0, i32::MAX as i64);
    "seed of all random choices; 0: another one each time"
    LimitStrength All "UCI_LimitStrength" "limitstrength" [] check(false);
    "play as weakly as UCI_Elo says"
    Elo All "UCI_Elo" "elo" [] spin(1500, 600, 3000);
    "strength with UCI_LimitStrength"
    SkillLevel All "Skill Level" "skilllevel" ["skill"] spin(20, 0, 20);
    "strength from 0 to 20; below 20 play is weaker"
    Randomness Ucci "Randomness" "randomness" ["selectivity"]
        combo("none", &["none", "tiny", "small", "medium", "large", "huge"]);
    "how far a move may fall behind the best one for the sake of variety"
    ShowWdl Uci "UCI_ShowWDL" "showwdl" [] check(false);
    "show the chances to win, draw and lose, per mille"
    Variant Uci "UCI_Variant" "variant" [] combo("xiangqi", &["xiangqi"]);
    "the game played"
    Ranks Uci "Ranks" "ranks" [] combo(AUTO, &[AUTO, FROM_ZERO, FROM_ONE]);
    "how moves number the ranks; auto: as the GUI is seen to, from 0 until then"
    Evaluation All "Evaluation" "evaluation" [] combo(NNUE, &[NNUE, "classical"]);
    "how positions are evaluated: by a neural net, or by the terms that `eval` lists"
    EvalFile All "EvalFile" "evalfile" [] OptionKind::Text;
    "the net, relative to the engine's folder; empty: the one inside the program"
    Repetition All "Repetition Rule" "repetition" ["repetitionrule"]
        combo("asian", &["asian", "chinese", "league"]);
    "the rule set that judges repetitions"
    Cautious All "Cautious" "cautious" [] check(false);
    "avoid repetitions that any rule set forbids: for referees of unknown rules"
    Contempt All "Contempt" "contempt" [] spin(0, -100, 100);
    "centipawns by which a draw is worse than even: more for weaker opponents"
    DrawMoves All "Rule60" "drawmoves" ["sixtymoverule"] spin(60, 0, 500);
    "moves of each side without a capture that draw; 0: no rule; 50 for `league`"
    OfferDraws Ucci "Offer Draws" "offerdraws" [] check(false);
    "offer and accept draws in even endings"
    Resign Ucci "Resign" "resign" [] check(false);
    "resign hopeless games"
    Batch Ucci "Batch" "batch" [] check(false);
    "read the next command, `quit` too, only when a search or a count has ended"
    Debug Ucci "Debug" "debug" [] check(false);
    "say more, about unknown commands and options too"
    MateScores Ucci "Mate Scores" "matescores" [] check(false);
    "show mates as `mate 3` instead of numbers near 10000"
    LogFile All "Debug Log File" "logfile" [] OptionKind::Text;
    "write the conversation to this file"
    Pieces People "Pieces" "pieces" [] combo("chinese", &["chinese", "latin"]);
    "how `d` draws the pieces"
}

impl OptionInfo {
    /// The option of that name in any protocol; letter case, blanks and
    /// underscores do not count.
    pub fn find(name: &str) -> Option<&'static OptionInfo> {
        let wanted = fold(name);
        OPTIONS.iter().find(|option| {
            let mut names =
                [option.uci, option.ucci].into_iter().chain(option.aliases.iter().copied());
            names.any(|name| fold(name) == wanted)
        })
    }

    /// Reads a value for the option.
    ///
    /// # Errors
    /// When the text does not fit the kind or is out of range.
    pub fn read(&self, text: Option<&str>) -> Result<Value, OptionError> {
        let error = || OptionError::new(self, text.unwrap_or_default());
        let word = text.unwrap_or_default().trim();
        match self.kind {
            OptionKind::Button => Some(Value::Pressed),
            OptionKind::Text => Some(Value::Text(word.into())),
            OptionKind::Check { .. } => switch(word).map(Value::On),
            OptionKind::Spin { min, max, .. } => {
                let number = word.parse().ok().or_else(|| self.number_of_switch(word));
                number.filter(|number| (min..=max).contains(number)).map(Value::Number)
            }
            OptionKind::Combo { choices, .. } => {
                let chosen = choices.iter().find(|choice| is_choice(choice, word));
                chosen.map(|choice| Value::Choice(choice))
            }
        }
        .ok_or_else(error)
    }

    /// Some programs know the move limit as a switch.
    fn number_of_switch(&self, word: &str) -> Option<i64> {
        let OptionKind::Spin { default, .. } = self.kind else { return None };
        let on = switch(word).filter(|_| self.id == OptionId::DrawMoves)?;
        Some(if on { default } else { 0 })
    }
}

/// `asian` is also what GUIs call `AsianRule`.
fn is_choice(choice: &str, word: &str) -> bool {
    let word = fold(word);
    word == choice || word.strip_suffix("rule") == Some(choice)
}

fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "on" => Some(true),
        "false" | "off" => Some(false),
        _ => None,
    }
}

fn fold(name: &str) -> String {
    let counts = |c: &char| *c > ' ' && *c != '_';
    name.chars().filter(counts).map(|c| c.to_ascii_lowercase()).collect()
}

/// A value that fits its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A button was pressed.
    Pressed,
    /// A check's state.
    On(bool),
    /// A spin's number, within its range.
    Number(i64),
    /// A combo's choice.
    Choice(&'static str),
    /// A text.
    Text(String),
}

impl fmt::Display for Value {
    /// As [`OptionInfo::read`] understands it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Pressed => Ok(()),
            Value::On(on) => write!(f, "{on}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Choice(choice) => f.write_str(choice),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A value does not fit its option, which stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option {option}: '{value}' does not fit (want {wanted}); the old value stays")]
pub struct OptionError {
    option: &'static str,
    value: String,
    wanted: String,
}

impl OptionError {
    fn new(option: &OptionInfo, value: &str) -> OptionError {
        OptionError { option: option.uci, value: excerpt(value), wanted: option.kind.to_string() }
    }

    /// A constant of the search cannot take the value.
    pub(super) fn of_param(param: &ParamInfo, value: &str) -> OptionError {
        let wanted = format!("{} to {}", param.min, param.max);
        OptionError { option: param.name, value: excerpt(value), wanted }
    }
}

impl fmt::Display for OptionKind {
    /// What values there are: `true or false`, `1 to 128`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Button => f.write_str("no value"),
            OptionKind::Check { .. } => f.write_str("true or false"),
            OptionKind::Spin { min, max, .. } => write!(f, "{min} to {max}"),
            OptionKind::Combo { choices, .. } => f.write_str(&choices.join(" or ")),
            OptionKind::Text => f.write_str("text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_different_and_find_their_options() {
        let mut names = HashSet::new();
        for option in OPTIONS {
            assert_eq!(option.ucci, fold(option.ucci), "one lower-case word");
            for name in [option.uci, &option.uci.to_uppercase(), option.ucci] {
                assert_eq!(OptionInfo::find(name).unwrap().id, option.id, "{name}");
            }
            let mine: HashSet<_> = [option.uci, option.ucci]
                .iter()
                .chain(option.aliases)
                .map(|name| fold(name))
                .collect();
            for name in mine {
                assert!(names.insert(name.clone()), "{name} twice");
            }
            assert!(!option.help.is_empty() && option.help.len() < 80, "{}", option.uci);
        }
        assert!(OptionInfo::find("move_overhead").is_some());
        assert!(OptionInfo::find("no such thing").is_none());
    }

    #[test]
    fn defaults_are_values() {
        for option in OPTIONS {
            let (text, value) = match option.kind {
                OptionKind::Button => continue,
                OptionKind::Text => (String::new(), Value::Text(String::new())),
                OptionKind::Check { default } => (default.to_string(), Value::On(default)),
                OptionKind::Spin { default, .. } => (default.to_string(), Value::Number(default)),
                OptionKind::Combo { default, .. } => (default.into(), Value::Choice(default)),
            };
            assert_eq!(value.to_string(), text);
            assert_eq!(option.read(Some(&text)), Ok(value), "{}", option.uci);
        }
    }

    #[test]
    fn values_of_other_programs_are_understood() {
        let read = |name: &str, text: &str| OptionInfo::find(name).unwrap().read(Some(text));
        assert_eq!(read("Repetition Rule", "AsianRule"), Ok(Value::Choice("asian")));
        assert_eq!(read("Rule60", "true"), Ok(Value::Number(60)));
        assert_eq!(read("Rule60", "off"), Ok(Value::Number(0)));
        assert_eq!(read("ponder", " ON "), Ok(Value::On(true)));
    }

    #[test]
    fn wrong_values_are_named_in_one_short_line() {
        let long = "9".repeat(100_000);
        for (name, value) in [
            ("Hash", "-1"),
            ("Hash", "lots"),
            ("Hash", &long),
            ("MultiPV", "0"),
            ("MultiPV", "true"),
            ("Ponder", "2"),
            ("Evaluation", "psychic\n"),
            ("Skill Level", ""),
        ] {
            let option = OptionInfo::find(name).unwrap();
            let text = option.read(Some(value)).unwrap_err().to_string();
            assert!(text.contains(option.uci) && text.len() < 200, "{text}");
            assert!(!text.contains(char::is_control), "{text}");
        }
    }
}
