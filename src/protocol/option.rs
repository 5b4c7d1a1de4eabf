//! Options: how an engine declares them, and how a command sets them.

use super::dialect::Dialect;
use super::error::ParseError;
use super::text::{Line, Lower, Words, clamp_i64, is_blank, number};

/// How an empty string is spelt where a word must stand (UCI).
const EMPTY: &str = "<empty>";

/// An option as an engine declares it in the handshake.
///
/// ```
/// use hanxin::protocol::{Dialect, OptionDecl, OptionKind, Reply};
///
/// let kind = OptionKind::Spin { default: 30, min: 0, max: 5000 };
/// let option = Reply::Option(OptionDecl { name: "Move Overhead".into(), kind });
/// let uci = "option name Move Overhead type spin default 30 min 0 max 5000";
/// let ucci = "option moveoverhead type spin min 0 max 5000 default 30";
/// assert_eq!(option.to_line(Dialect::UCI), uci);
/// assert_eq!(option.to_line(Dialect::UCCI), ucci);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDecl {
    /// The name; written in UCCI as [`ucci_name`] has it.
    pub name: String,
    /// The type with its range and default.
    pub kind: OptionKind,
}

/// The type of an option. Where a declaration lacks a default, parsing supplies `false`, the number
/// nearest to zero, the first choice, or the empty string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// For display only (UCCI).
    Label,
    /// Something to press; has no value.
    Button,
    /// On or off.
    Check {
        /// The initial state.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The initial value.
        default: i64,
        /// The smallest value; `i64::MIN` if the declaration has none.
        min: i64,
        /// The largest value; `i64::MAX` if the declaration has none.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The initial choice.
        default: String,
        /// All choices, in the order of the declaration.
        choices: Vec<String>,
    },
    /// Free text.
    Text {
        /// The initial text.
        default: String,
    },
}

impl OptionDecl {
    /// Reads what follows the word `option`, in either grammar; `None` if it fits neither.
    pub(super) fn parse(mut words: Words<'_>) -> Option<Self> {
        let is_type = |word: &str| word.eq_ignore_ascii_case("type");
        let mut named = words.clone();
        if named.accept("name") && named.peek().is_some_and(|word| !is_type(word)) {
            words = named;
        }
        let name = words.join_until(is_type);
        words.next();
        let kind = OptionKind::parse(words.next()?, words)?;
        (!name.is_empty()).then_some(Self { name, kind })
    }

    /// Writes the declaration with its first word.
    pub(super) fn write(&self, dialect: Dialect, line: &mut Line) {
        if dialect.is_ucci() {
            let (name, kind) = (ucci_name(&self.name), self.kind.word());
            line.put(format_args!("option {name} type {kind}"));
            self.kind.write_ucci(line);
        } else {
            line.put(format_args!("option name {} type {}", self.name, self.kind.word()));
            self.kind.write_uci(line);
        }
    }
}

impl OptionKind {
    /// The word after `type`.
    const fn word(&self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Button => "button",
            Self::Check { .. } => "check",
            Self::Spin { .. } => "spin",
            Self::Combo { .. } => "combo",
            Self::Text { .. } => "string",
        }
    }

    fn parse(kind: &str, words: Words<'_>) -> Option<Self> {
        match Lower::new(kind).as_str() {
            "label" => Some(Self::Label),
            "button" => Some(Self::Button),
            "check" => Some(Self::parse_check(words)),
            "spin" => Some(Self::parse_spin(words)),
            "combo" => Some(Self::parse_combo(words)),
            "string" => Some(Self::parse_text(words)),
            _ => None,
        }
    }

    fn parse_check(mut words: Words<'_>) -> Self {
        words.accept("default");
        Self::Check { default: words.next().and_then(check_value).unwrap_or(false) }
    }

    fn parse_spin(mut words: Words<'_>) -> Self {
        let (mut default, mut min, mut max) = (None, i64::MIN, i64::MAX);
        while let Some(word) = words.next() {
            let Some(value) = words.peek().and_then(number).map(clamp_i64) else { continue };
            match Lower::new(word).as_str() {
                "default" => default = Some(value),
                "min" => min = value,
                "max" => max = value,
                _ => {}
            }
        }
        Self::Spin { default: default.unwrap_or(0.max(min).min(max)), min, max }
    }

    fn parse_combo(mut words: Words<'_>) -> Self {
        let ends = |word: &str| ["var", "default"].contains(&Lower::new(word).as_str());
        let (mut default, mut choices) = (None, Vec::new());
        while let Some(word) = words.next() {
            let value = words.join_until(ends);
            match Lower::new(word).as_str() {
                "default" => default = Some(value),
                "var" => choices.push(value),
                _ => {}
            }
        }
        let first = || choices.first().cloned().unwrap_or_default();
        Self::Combo { default: default.unwrap_or_else(first), choices }
    }

    fn parse_text(mut words: Words<'_>) -> Self {
        words.accept("default");
        Self::Text { default: text_value(words.rest()) }
    }

    /// UCCI's grammar: `default` comes last, and an empty string has none.
    fn write_ucci(&self, line: &mut Line) {
        match self {
            Self::Label | Self::Button => {}
            Self::Check { default } => line.pair("default", Some(default)),
            Self::Spin { default, min, max } => {
                line.put(format_args!(" min {min} max {max} default {default}"));
            }
            Self::Combo { default, choices } => {
                write_choices(line, choices);
                line.pair("default", Some(default));
            }
            Self::Text { default } => {
                line.pair("default", Some(default).filter(|text| !text.is_empty()));
            }
        }
    }

    /// UCI's grammar, with `default` first as engines of the Stockfish family write it.
    fn write_uci(&self, line: &mut Line) {
        match self {
            Self::Label | Self::Button => {}
            Self::Check { default } => line.pair("default", Some(default)),
            Self::Spin { default, min, max } => {
                line.put(format_args!(" default {default} min {min} max {max}"));
            }
            Self::Combo { default, choices } => {
                line.pair("default", Some(default));
                write_choices(line, choices);
            }
            Self::Text { default } => line.pair("default", Some(or_empty(default))),
        }
    }
}

fn write_choices(line: &mut Line, choices: &[String]) {
    choices.iter().for_each(|choice| line.pair("var", Some(choice)));
}

/// `<empty>` for the empty string.
fn or_empty(text: &str) -> &str {
    if text.is_empty() { EMPTY } else { text }
}

/// The empty string for `<empty>`.
fn text_value(text: &str) -> String {
    if text == EMPTY { String::new() } else { text.into() }
}

/// Reads what follows the word `setoption`: the name and, if there is one, the value.
///
/// UCCI writes `<name> [<value>]`, UCI `name <name> [value <value>]`; each is understood in the
/// other as well. A missing value is a pressed button or, in UCCI, an empty string: the type of the
/// option shows.
pub(super) fn parse_setting(
    mut words: Words<'_>,
    dialect: Dialect,
) -> Result<(String, Option<String>), ParseError> {
    let is_value = |word: &str| word.eq_ignore_ascii_case("value");
    let keywords = words.accept("name") || (!dialect.is_ucci() && words.clone().any(is_value));
    let name =
        if keywords { words.join_until(is_value) } else { words.next().unwrap_or_default().into() };
    if name.is_empty() {
        return Err(ParseError::MissingOptionName);
    }
    let announced = words.accept("value");
    let value = words.rest();
    Ok((name, (announced || !value.is_empty()).then(|| text_value(value))))
}

/// Writes `setoption` with the name and value. Blanks in a name become `_` in UCCI, where a name is
/// one word; its letter case is kept, since it belongs to the engine that is spoken to.
pub(super) fn write_setting(name: &str, value: Option<&str>, dialect: Dialect, line: &mut Line) {
    if dialect.is_ucci() {
        line.put(format_args!("setoption {}", name.replace(is_blank, "_")));
        let value = value.unwrap_or_default();
        line.flag(value, !value.is_empty());
    } else {
        line.put(format_args!("setoption name {name}"));
        line.pair("value", value.map(or_empty));
    }
}

/// The name of an option in UCCI: one lower-case word.
///
/// ```
/// assert_eq!(hanxin::protocol::ucci_name("Move Overhead"), "moveoverhead");
/// ```
#[must_use]
pub fn ucci_name(name: &str) -> String {
    name.chars().filter(|&c| !is_blank(c)).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether two names mean the same option: letter case, blanks and underscores do not count.
///
/// ```
/// use hanxin::protocol::same_option;
///
/// assert!(same_option("Move Overhead", "move_overhead"));
/// assert!(!same_option("Hash", "hashsize"));
/// ```
#[must_use]
pub fn same_option(one: &str, other: &str) -> bool {
    let letters = |name: &str| {
        let counts = |byte: &u8| *byte > b' ' && *byte != b'_';
        name.bytes().filter(counts).map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>()
    };
    letters(one) == letters(other)
}

/// The value of a check option: `true` or `on`, `false` or `off`, in any letter case.
#[must_use]
pub fn check_value(word: &str) -> Option<bool> {
    match Lower::new(word).as_str() {
        "true" | "on" => Some(true),
        "false" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Option<OptionDecl> {
        OptionDecl::parse(Words::new(text))
    }

    fn setting(text: &str, dialect: Dialect) -> (String, Option<String>) {
        parse_setting(Words::new(text), dialect).unwrap()
    }

    fn pair(name: &str, value: Option<&str>) -> (String, Option<String>) {
        (name.into(), value.map(Into::into))
    }

    #[test]
    fn ucci_settings() {
        let ucci = |text| setting(text, Dialect::UCCI);
        assert_eq!(ucci("usemillisec true"), pair("usemillisec", Some("true")));
        assert_eq!(ucci("newgame"), pair("newgame", None));
        assert_eq!(
            ucci("bookfiles C:\\My Books\\b.dat; c.dat"),
            pair("bookfiles", Some("C:\\My Books\\b.dat; c.dat"))
        );
        assert_eq!(ucci("name Clear Hash"), pair("Clear Hash", None));
        assert_eq!(ucci("NAME Move Overhead VALUE 30"), pair("Move Overhead", Some("30")));
        assert_eq!(ucci("hashsize value 64"), pair("hashsize", Some("64")));
        assert_eq!(ucci("bookfiles <empty>"), pair("bookfiles", Some("")));
    }

    #[test]
    fn uci_settings() {
        let uci = |text| setting(text, Dialect::UCI);
        assert_eq!(uci("name Clear  Hash"), pair("Clear Hash", None));
        assert_eq!(uci("name BookFile value a  value b"), pair("BookFile", Some("a  value b")));
        assert_eq!(uci("name BookFile value"), pair("BookFile", Some("")));
        assert_eq!(uci("name BookFile value <empty>"), pair("BookFile", Some("")));
        assert_eq!(uci("Move Overhead value 30"), pair("Move Overhead", Some("30")));
        assert_eq!(uci("Hash 64"), pair("Hash", Some("64")));
        assert_eq!(uci("hash"), pair("hash", None));
    }

    #[test]
    fn a_setting_needs_a_name() {
        for text in ["", "name", "name value 3"] {
            for dialect in [Dialect::UCCI, Dialect::UCI] {
                let result = parse_setting(Words::new(text), dialect);
                assert_eq!(result, Err(ParseError::MissingOptionName), "{text}");
            }
        }
    }

    #[test]
    fn declarations_of_real_engines() {
        let check = declared("usemillisec type check default true").unwrap();
        assert_eq!(check.kind, OptionKind::Check { default: true });
        let spin = declared("hashsize type spin min 16 max 1024 default 16").unwrap();
        assert_eq!(spin.kind, OptionKind::Spin { default: 16, min: 16, max: 1024 });
        let spin = declared("name Move Overhead type spin default 10 min 0 max 5000").unwrap();
        assert_eq!(spin.name, "Move Overhead");
        assert_eq!(spin.kind, OptionKind::Spin { default: 10, min: 0, max: 5000 });
        let combo = declared("idle type combo var none var small default none").unwrap();
        let choices = vec!["none".into(), "small".into()];
        assert_eq!(combo.kind, OptionKind::Combo { default: "none".into(), choices });
        let text = declared("name Debug Log File type string default <empty>").unwrap();
        assert_eq!(text.kind, OptionKind::Text { default: String::new() });
        let button = declared("name Clear Hash type button").unwrap();
        assert_eq!((button.name.as_str(), button.kind), ("Clear Hash", OptionKind::Button));
    }

    #[test]
    fn incomplete_declarations() {
        assert_eq!(
            declared("batch type check").unwrap().kind,
            OptionKind::Check { default: false }
        );
        let spin = declared("threads type spin min 3").unwrap().kind;
        assert_eq!(spin, OptionKind::Spin { default: 3, min: 3, max: i64::MAX });
        let spin = declared("x type spin min 9 max 1 default x").unwrap().kind;
        assert_eq!(spin, OptionKind::Spin { default: 1, min: 9, max: 1 });
        let combo = declared("style type combo var solid var risky").unwrap().kind;
        assert!(matches!(combo, OptionKind::Combo { default, .. } if default == "solid"));
        assert_eq!(declared("name type label").unwrap().name, "name");
        for text in ["", "type check", "hash", "hash type", "hash type number", "name"] {
            assert_eq!(declared(text), None, "{text}");
        }
    }

    #[test]
    fn names_and_values_fold() {
        assert!(same_option("Clear Hash", "clearhash"));
        assert!(same_option("UCI_ShowWDL", "uci showwdl"));
        assert!(!same_option("", "x"));
        assert_eq!(check_value("ON"), Some(true));
        assert_eq!(check_value("False"), Some(false));
        assert_eq!(check_value("1"), None);
    }
}
