//! Arguments from a TOML file and from presets: layers, of which the command
//! line is the uppermost.

use std::env;
use std::path::Path;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value as Json;
use toml::Value;

use super::super::Failure;
use super::arguments::{Engines, MatchArguments};
use crate::util::read_text;

const WANTED: &str = "want a text, a number, true or false";

/// The largest file of arguments.
const MAX_BYTES: u64 = 1 << 24;

/// A file of arguments, for the help.
pub const EXAMPLE: &str = include_str!("example.toml");

/// Ready matches by their names.
const PRESETS: &[(&str, &str)] = &[("elephanteye", include_str!("elephanteye.toml"))];

/// Lays the arguments over those of the file that they name, and these over
/// those of the preset.
pub fn with_layers(arguments: MatchArguments) -> Result<MatchArguments, Failure> {
    let preset = arguments.preset.as_deref().map(preset).transpose()?.unwrap_or_default();
    let file = arguments.config.as_deref().map(read).transpose()?.unwrap_or_default();
    let config = arguments.config.clone();
    Ok(MatchArguments { config, ..overlay(overlay(preset, file)?, arguments)? })
}

fn preset(name: &str) -> Result<MatchArguments, Failure> {
    let names = || PRESETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = PRESETS.iter().find(|(other, _)| *other == name);
    let unknown = || Failure::Invalid(format!("--preset {name}: want one of {}", names()));
    let (_, text) = found.ok_or_else(unknown)?;
    let this = env::current_exe().map_err(Failure::refused)?;
    let this = toml::Value::String(this.display().to_string());
    let text = text.replace("\"@this\"", &this.to_string());
    parse(&text, &format!("preset {name}"))
}

fn read(path: &Path) -> Result<MatchArguments, Failure> {
    let name = path.display();
    let text = read_text(path, MAX_BYTES);
    let text = text.map_err(|error| Failure::refused(format!("{name}: {error}")))?;
    parse(&text, &name.to_string())
}

/// The arguments of a text; a fault names it and the line.
fn parse(text: &str, name: &str) -> Result<MatchArguments, Failure> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Failure::refused(format!("{name}: line {line}: {}", error.message()))
    })
}

/// The upper arguments and, where they say nothing, the lower ones. Engines
/// and the settings of all engines add up.
fn overlay(lower: MatchArguments, mut upper: MatchArguments) -> Result<MatchArguments, Failure> {
    if upper.norepeat || upper.repeat.is_some() {
        upper.repeat = if upper.norepeat { Some(1) } else { upper.repeat };
        upper.norepeat = false;
    }
    let json =
        |arguments: &MatchArguments| serde_json::to_value(arguments).map_err(Failure::refused);
    let mut all = json(&lower)?;
    if let Json::Object(upper) = json(&upper)? {
        for (key, value) in upper {
            match (&mut all[&key], value) {
                (Json::Array(list), Json::Array(more)) if key == "engine" || key == "each" => {
                    list.extend(more);
                }
                // a switch that is not set
                (_, Json::Bool(false)) => {}
                (place, value) => *place = value,
            }
        }
    }
    serde_json::from_value(all).map_err(Failure::refused)
}

/// Reads the words of an option that takes several: a text with all of them, a
/// list of them, or a table of keys and values.
pub fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let mut words = Vec::new();
    match Value::deserialize(from)? {
        Value::Table(table) => {
            table.iter().try_for_each(|(key, value)| push_pairs(&mut words, key, value))?;
        }
        Value::Array(items) => {
            let texts: Option<Vec<String>> = items.iter().map(text).collect();
            words = texts.ok_or_else(|| de::Error::custom(WANTED))?;
        }
        value => {
            let text = text(&value).ok_or_else(|| de::Error::custom(WANTED))?;
            words = words_of(&text);
        }
    }
    Ok(Some(words))
}

/// The words of a text as they stand on a command line. A blank ends a word only
/// where the next one has a `=`, so that names of files may have blanks.
fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.trim().split(char::is_whitespace) {
        match words.last_mut().filter(|_| !word.contains('=')) {
            Some(last) => *last = format!("{last} {word}"),
            None => words.push(word.to_owned()),
        }
    }
    words.iter().map(|word| word.trim_end().to_owned()).collect()
}

pub fn engines<'de, D: Deserializer<'de>>(from: D) -> Result<Engines, D::Error> {
    #[derive(Deserialize)]
    struct Engine(#[serde(deserialize_with = "words")] Option<Vec<String>>);
    let engines = Vec::<Engine>::deserialize(from)?;
    Ok(Engines(engines.into_iter().filter_map(|Engine(words)| words).collect()))
}

/// Reads whether openings are repeated, or how often they are played.
pub fn repeat<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    match Value::deserialize(from)? {
        Value::Boolean(false) | Value::Integer(1) => Ok(Some(1)),
        Value::Boolean(true) | Value::Integer(2) => Ok(Some(2)),
        _ => Err(de::Error::custom("repeat: want true, false, 1 or 2")),
    }
}

/// The pairs of an entry: a list gives several, a table those of its keys.
fn push_pairs<E: de::Error>(words: &mut Vec<String>, key: &str, value: &Value) -> Result<(), E> {
    match value {
        Value::Table(table) => table
            .iter()
            .try_for_each(|(inner, value)| push_pairs(words, &format!("{key}.{inner}"), value)),
        Value::Array(items) => items.iter().try_for_each(|item| push_pairs(words, key, item)),
        value => {
            let fault = || E::custom(format!("{key}: {WANTED}"));
            words.push(format!("{key}={}", text(value).ok_or_else(fault)?));
            Ok(())
        }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The command line alone.
    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        arguments: MatchArguments,
    }

    fn line(text: &str) -> MatchArguments {
        Line::parse_from(text.split_whitespace()).arguments
    }

    const FILE: &str = r#"
        rounds = 100
        tournament = "round-robin"
        json = true
        recover = false
        repeat = false
        shard = "1/3"
        rules = "cxa"
        [openings]
        file = "suite.epd"
        order = "random"
        [each]
        tc = "10+0.1"
        option = { Hash = 64, Threads = 1 }
        [[engine]]
        cmd = "a"
        arg = ["-x", "-y"]
        [[engine]]
        cmd = "b"
        restart = true
    "#;

    #[test]
    fn a_file_has_the_options_of_the_command_line() {
        let arguments = parse(FILE, "file").unwrap();
        assert_eq!(arguments.rounds.map(Into::into), Some(100u32));
        assert_eq!((arguments.json, arguments.recover), (true, false));
        assert_eq!((arguments.repeat, arguments.rules), (Some(1), Some(vec!["cxa".into()])));
        assert_eq!(arguments.shard, "1/3".parse().ok());
        let each = ["option.Hash=64", "option.Threads=1", "tc=10+0.1"].map(str::to_owned);
        assert_eq!(arguments.each, Some(each.to_vec()));
        let engines = [vec!["arg=-x", "arg=-y", "cmd=a"], vec!["cmd=b", "restart=true"]];
        assert_eq!(arguments.engines.0, engines);
        assert_eq!(arguments.openings.unwrap().len(), 2);
    }

    #[test]
    fn a_text_has_the_words_of_the_command_line() {
        for (text, words) in [
            ("file=builtin order=random", &["file=builtin", "order=random"][..]),
            (" cxa   fold=3\n", &["cxa", "fold=3"]),
            ("my games.pgn notation=wxf", &["my games.pgn", "notation=wxf"]),
            ("axf", &["axf"]),
        ] {
            assert_eq!(words_of(text), words);
        }
        let arguments = parse("engine = ['cmd=a arg=-x', 'cmd=b']", "file").unwrap();
        assert_eq!(arguments.engines.0, [vec!["cmd=a", "arg=-x"], vec!["cmd=b"]]);
    }

    #[test]
    fn the_example_of_the_help_is_in_the_readme_and_is_a_match() {
        let readme = include_str!("../../../README.md").replace("\r\n", "\n");
        let example = EXAMPLE.replace("\r\n", "\n");
        assert!(readme.contains(&format!("```toml\n{example}```")));
        let arguments = parse(EXAMPLE, "example").unwrap();
        let plan = super::super::plan::plan_from_args(&arguments).unwrap();
        assert_eq!((plan.engines.len(), plan.schedule.rounds), (2, 50));
        assert!(plan.openings.random);
    }

    #[test]
    fn the_command_line_outranks_the_file() {
        let more = "--rounds 3 --openings file=b --engine cmd=x y=z --each st=1 --srand \
                    18446744073709551615 --repeat --pin";
        let both = overlay(parse(FILE, "file").unwrap(), line(more)).unwrap();
        assert_eq!((both.rounds.map(Into::into), both.srand), (Some(3u32), Some(u64::MAX)));
        assert_eq!(both.openings.unwrap(), ["file=b"]);
        assert_eq!((both.engines.0.len(), both.each.unwrap().len()), (3, 4));
        assert_eq!((both.repeat, both.pin, both.json), (Some(2), true, true));
        let both = overlay(parse("repeat = 2", "file").unwrap(), line("--norepeat")).unwrap();
        assert_eq!((both.repeat, both.norepeat), (Some(1), false));
    }

    #[test]
    fn faults_are_one_line() {
        for (text, fault) in [
            ("rounds = ", "x: line 1: "),
            ("\nspeed = 3", "x: line 2: unknown field `speed`"),
            ("rounds = 0", "x: line 1: invalid value: integer `0`"),
            ("[each]\ntc = [[1979-05-27]]", "x: line 1: tc: want a text"),
        ] {
            let error = parse(text, "x").unwrap_err().to_string();
            assert!(error.starts_with(fault) && !error.contains('\n'), "{error}");
        }
        assert!(preset("nobody").unwrap_err().to_string().contains("elephanteye"));
        assert_eq!(preset("elephanteye").unwrap().engines.0.len(), 1);
    }
}
