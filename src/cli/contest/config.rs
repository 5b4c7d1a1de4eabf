//! Arguments from a TOML file: the same words in another form, so that there
//! is one place where they are understood and checked.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use clap::Parser;
use toml::{Table, Value};

use super::super::Failure;
use super::arguments::ContestArguments;
use super::spelling::respelt;

/// The arguments alone, each of which may be given again.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, args_override_self = true)]
struct Words {
    #[command(flatten)]
    arguments: ContestArguments,
}

/// Ready matches by their names.
const PRESETS: &[(&str, &str)] = &[("elephanteye", include_str!("elephanteye.toml"))];

/// Adds the arguments of the preset and of the file that are named, with the
/// command line outranking the file and the file outranking the preset.
pub fn complete(arguments: ContestArguments) -> Result<ContestArguments, Failure> {
    if arguments.config.is_none() && arguments.preset.is_none() {
        return Ok(arguments);
    }
    let mut words: Vec<OsString> = Vec::new();
    if let Some(name) = &arguments.preset {
        words.extend(preset(name)?.into_iter().map(OsString::from));
    }
    if let Some(path) = &arguments.config {
        words.extend(file(path)?.into_iter().map(OsString::from));
    }
    words.extend(respelt(env::args_os()).into_iter().skip_while(|word| word != "match").skip(1));
    let complete = Words::try_parse_from(words);
    complete.map(|words| words.arguments).map_err(one_line)
}

/// What clap complains about, without its usage.
fn one_line(error: clap::Error) -> Failure {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    Failure::Invalid(line.trim_start_matches("error: ").into())
}

fn preset(name: &str) -> Result<Vec<String>, Failure> {
    let names = || PRESETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = PRESETS.iter().find(|(other, _)| *other == name);
    let unknown = || Failure::Invalid(format!("--preset {name}: want one of {}", names()));
    let (_, text) = found.ok_or_else(unknown)?;
    let this = env::current_exe().map_err(Failure::refused)?;
    // a literal string of TOML keeps the backslashes of a path
    let text = text.replace("\"@this\"", &format!("'{}'", this.display()));
    words(&text).map_err(|fault| Failure::refused(format!("preset {name}: {fault}")))
}

fn file(path: &Path) -> Result<Vec<String>, Failure> {
    let fault = |fault: String| Failure::refused(format!("{}: {fault}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    words(&text).map_err(fault)
}

/// The words of the command line that a file stands for.
fn words(text: &str) -> Result<Vec<String>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        format!("line {line}: {}", error.message())
    })?;
    let mut words = Vec::new();
    for (key, value) in &table {
        match value {
            Value::Array(items) if items.iter().all(Value::is_table) => {
                items.iter().try_for_each(|item| push(&mut words, key, item))?;
            }
            value => push(&mut words, key, value)?,
        }
    }
    Ok(words)
}

fn push(words: &mut Vec<String>, key: &str, value: &Value) -> Result<(), String> {
    let option = format!("--{key}");
    match value {
        Value::Boolean(false) if key == "repeat" => words.push("--norepeat".into()),
        Value::Boolean(false) => {}
        Value::Boolean(true) => words.push(option),
        Value::Table(table) => {
            words.push(option);
            for (key, value) in table {
                push_pairs(words, key, value)?;
            }
        }
        value => words.extend([option, scalar(key, value)?]),
    }
    Ok(())
}

/// The pairs of an entry: a list gives several, a table those of its keys.
fn push_pairs(words: &mut Vec<String>, key: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::Table(table) => table
            .iter()
            .try_for_each(|(inner, value)| push_pairs(words, &format!("{key}.{inner}"), value)),
        Value::Array(items) => items.iter().try_for_each(|item| push_pairs(words, key, item)),
        value => {
            words.push(format!("{key}={}", scalar(key, value)?));
            Ok(())
        }
    }
}

fn scalar(key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(on) => Ok(on.to_string()),
        _ => Err(format!("{key}: want a text, a number, true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_words() {
        let text = r#"
            rounds = 100
            tournament = "round-robin"
            json = true
            recover = false
            repeat = false
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
        let words = words(text).unwrap();
        let arguments = Words::try_parse_from(&words).unwrap().arguments;
        assert_eq!((arguments.rounds, arguments.json, arguments.recover), (100, true, false));
        assert!(arguments.norepeat);
        assert_eq!(arguments.each, ["option.Hash=64", "option.Threads=1", "tc=10+0.1"]);
        let engines = [vec!["arg=-x", "arg=-y", "cmd=a"], vec!["cmd=b", "restart=true"]];
        assert_eq!(arguments.engines.0, engines);
        assert_eq!(arguments.openings.unwrap().len(), 2);
    }

    #[test]
    fn later_words_outrank_earlier_ones() {
        let words = ["--rounds", "2", "--openings", "file=a", "order=random", "--rounds", "3"];
        let more = ["--openings", "file=b", "--engine", "cmd=x", "--engine", "cmd=y"];
        let parsed = Words::try_parse_from(words.iter().chain(&more)).unwrap().arguments;
        assert_eq!(parsed.rounds, 3);
        assert_eq!(parsed.openings.unwrap(), ["file=b"]);
        assert_eq!(parsed.engines.0.len(), 2);
    }

    #[test]
    fn faults_are_one_line() {
        for (text, fault) in [
            ("rounds = ", "line 1: "),
            ("\nx = 1979-05-27", "x: want a text"),
            ("[each]\ntc = [[1979-05-27]]", "tc: want a text"),
        ] {
            let error = words(text).unwrap_err();
            assert!(error.starts_with(fault) && !error.contains('\n'), "{error}");
        }
        let error = Words::try_parse_from(["--speed", "3"]).unwrap_err();
        let message = one_line(error).to_string();
        assert!(message.contains("--speed") && !message.contains('\n'), "{message}");
        assert!(preset("nobody").unwrap_err().to_string().contains("elephanteye"));
        assert!(preset("elephanteye").unwrap().contains(&"--engine".to_owned()));
    }
}
