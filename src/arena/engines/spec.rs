//! An engine as the organiser describes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_with::{DisplayFromStr, DurationSecondsWithFrac, serde_as};

use super::limits::{BadTime, BadTimeControl, Limits, seconds};
use crate::board::excerpt;
use crate::protocol::{Dialect, Protocol, Ranks};
use crate::rules::Parameters;

/// An engine: how to start it, how to speak to it, and what it may spend.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineSpec {
    /// Its name in the match; empty until [`EngineSpec::finish`].
    pub name: String,
    pub command: String,
    /// Its working folder; none: that of this program.
    pub folder: Option<PathBuf>,
    pub arguments: Vec<String>,
    #[serde_as(as = "DisplayFromStr")]
    pub protocol: Protocol,
    /// How it numbers ranks: from 0 or from 1.
    #[serde_as(as = "DisplayFromStr")]
    pub ranks: Ranks,
    /// The value of its option `UCI_Variant`; none: `xiangqi` where it is
    /// offered and not the default.
    pub variant: Option<String>,
    /// The rules of the match, for an engine that has an option for them; the
    /// match states them itself.
    #[serde(skip)]
    pub rules: Parameters,
    /// Options in the order given, by name and value.
    pub options: Vec<(String, String)>,
    /// Raw lines sent after the handshake.
    pub init: Vec<String>,
    pub limits: Limits,
    /// How much later than its limit a move still counts.
    #[serde_as(as = "DurationSecondsWithFrac<f64>")]
    pub margin: Duration,
    /// Whether each game has a process of its own.
    pub restart: bool,
    pub ponder: bool,
    /// Whether `position` has all moves of the game instead of those since
    /// the last capture, which is what UCCI asks for; none: as the protocol
    /// has it.
    pub full_history: Option<bool>,
    /// Whether an engine that says it has no move is asked once more without
    /// the history of the game. Some say so when they hold a game for drawn
    /// that the referee does not.
    pub ask_again: bool,
    /// How long it may take to start and to get ready.
    #[serde_as(as = "DurationSecondsWithFrac<f64>")]
    pub startup: Duration,
    /// How long a search without a time limit may take.
    #[serde_as(as = "DurationSecondsWithFrac<f64>")]
    pub patience: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("'{0}' is not a setting of an engine (want {KEYS} or option.NAME, each with =VALUE)")]
    UnknownKey(String),
    #[error("{key}={value}: want {wanted}")]
    BadValue { key: String, value: String, wanted: &'static str },
    #[error("tc: {0}")]
    TimeControl(#[from] BadTimeControl),
    #[error("{key}: {fault}")]
    Time { key: String, fault: BadTime },
    #[error("an engine needs cmd=PROGRAM")]
    NoCommand,
    #[error("{0}: no limit; give tc=10+0.1, st=1, depth=8 or nodes=10000")]
    NoLimit(String),
}

const KEYS: &str = "name, cmd, dir, arg, proto, rank, variant, init, tc, st, depth, nodes, \
                    timemargin, restart, ponder, history, nomove, startup, patience";

impl Default for EngineSpec {
    fn default() -> EngineSpec {
        EngineSpec {
            name: String::new(),
            command: String::new(),
            folder: None,
            arguments: Vec::new(),
            protocol: Protocol::Ucci,
            ranks: Ranks::Zero,
            variant: None,
            rules: Parameters::default(),
            options: Vec::new(),
            init: Vec::new(),
            limits: Limits::default(),
            margin: Duration::ZERO,
            restart: false,
            ponder: false,
            full_history: None,
            ask_again: false,
            startup: Duration::from_secs(10),
            patience: Duration::from_secs(120),
        }
    }
}

impl EngineSpec {
    /// Applies a setting written as `key=value`.
    ///
    /// # Errors
    /// When there is no such setting, or its value makes no sense.
    pub fn apply(&mut self, setting: &str) -> Result<(), SpecError> {
        let unknown = || SpecError::UnknownKey(excerpt(setting));
        let (key, value) = setting.split_once('=').ok_or_else(unknown)?;
        if let Some(name) = key.strip_prefix("option.").filter(|name| !name.is_empty()) {
            self.options.retain(|(other, _)| other != name);
            self.options.push((name.into(), value.into()));
            return Ok(());
        }
        match key {
            "name" => self.name = value.into(),
            "cmd" => self.command = value.into(),
            "dir" => self.folder = Some(value.into()),
            "arg" => self.arguments.push(value.into()),
            "variant" => self.variant = Some(value.into()),
            "init" => self.init.push(value.into()),
            _ if self.apply_language(key, value)? || self.apply_limit(key, value)? => {}
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// Settings of the conversation; returns whether it was one.
    fn apply_language(&mut self, key: &str, value: &str) -> Result<bool, SpecError> {
        match key {
            "proto" => {
                let protocol = Protocol::of_opener(value);
                self.protocol = protocol.ok_or_else(|| bad(key, value, "ucci or uci"))?;
            }
            "rank" => {
                self.ranks = choice(key, value, &[("0", Ranks::Zero), ("1", Ranks::One)], "0 or 1")?
            }
            "history" => {
                let choices = [("full", true), ("capture", false)];
                self.full_history = Some(choice(key, value, &choices, "full or capture")?);
            }
            "nomove" => {
                let choices = [("ask", true), ("lose", false)];
                self.ask_again = choice(key, value, &choices, "ask or lose")?;
            }
            "restart" => self.restart = switch(key, value)?,
            "ponder" => self.ponder = switch(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Settings of limits; returns whether it was one.
    fn apply_limit(&mut self, key: &str, value: &str) -> Result<bool, SpecError> {
        let time = || seconds(value).map_err(|fault| SpecError::Time { key: key.into(), fault });
        let whole = "a whole number above 0";
        match key {
            "tc" if value == "inf" => self.limits.clock = None,
            "tc" => self.limits.clock = Some(value.parse()?),
            "st" => {
                let time = Some(time()?).filter(|time| time.as_millis() > 0);
                let time = time.ok_or_else(|| bad(key, value, "seconds, 0.001 at least"))?;
                self.limits.per_move = Some(time);
            }
            "depth" => self.limits.depth = Some(number(key, value, whole)?),
            "nodes" => self.limits.nodes = Some(number(key, value, whole)?),
            "timemargin" => {
                let wanted = "whole milliseconds";
                let milliseconds = value.parse().map_err(|_| bad(key, value, wanted))?;
                self.margin = Duration::from_millis(milliseconds);
            }
            "startup" => self.startup = time()?,
            "patience" => self.patience = time()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Checks what a match needs, and names the engine after its program if
    /// it has no name yet.
    ///
    /// # Errors
    /// When the program or every limit is missing.
    pub fn finish(mut self) -> Result<EngineSpec, SpecError> {
        if self.command.is_empty() {
            return Err(SpecError::NoCommand);
        }
        if self.name.is_empty() {
            let stem = Path::new(&self.command).file_stem();
            self.name = stem.map_or_else(|| self.command.clone(), |s| s.to_string_lossy().into());
        }
        if self.limits.is_empty() {
            return Err(SpecError::NoLimit(self.name));
        }
        Ok(self)
    }

    pub const fn dialect(&self) -> Dialect {
        Dialect { protocol: self.protocol, ..Dialect::UCI }.with_ranks(self.ranks)
    }

    pub fn sends_all_moves(&self) -> bool {
        self.full_history.unwrap_or(self.protocol != Protocol::Ucci)
    }

    /// The program to start. A path is taken from the working folder if it is
    /// there, then from here; a mere name is left to the system's search.
    pub fn program(&self) -> PathBuf {
        let path = Path::new(&self.command);
        if path.is_absolute() || path.components().count() < 2 {
            return path.into();
        }
        let inside = self.folder.as_ref().map(|folder| folder.join(path));
        let found = inside.filter(|path| path.exists()).unwrap_or_else(|| path.into());
        std::path::absolute(&found).unwrap_or(found)
    }

    /// Whether the file of the program was written later than that. Of a mere name it is
    /// not known which file it is.
    pub fn has_changed_since(&self, time: SystemTime) -> bool {
        let program = self.program();
        let written = fs::metadata(&program).and_then(|file| file.modified());
        program.is_absolute() && written.is_ok_and(|written| written > time)
    }
}

fn bad(key: &str, value: &str, wanted: &'static str) -> SpecError {
    SpecError::BadValue { key: key.into(), value: excerpt(value), wanted }
}

fn choice<T: Copy>(
    key: &str,
    value: &str,
    choices: &[(&str, T)],
    wanted: &'static str,
) -> Result<T, SpecError> {
    let found = choices.iter().find(|(name, _)| *name == value);
    found.map(|(_, choice)| *choice).ok_or_else(|| bad(key, value, wanted))
}

fn switch(key: &str, value: &str) -> Result<bool, SpecError> {
    let choices = [("on", true), ("true", true), ("off", false), ("false", false)];
    choice(key, value, &choices, "on or off")
}

fn number<T: std::str::FromStr + From<u32> + PartialEq>(
    key: &str,
    value: &str,
    wanted: &'static str,
) -> Result<T, SpecError> {
    let number = value.parse().ok().filter(|number| *number != T::from(0));
    number.ok_or_else(|| bad(key, value, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(settings: &[&str]) -> Result<EngineSpec, SpecError> {
        let mut spec = EngineSpec::default();
        settings.iter().try_for_each(|setting| spec.apply(setting))?;
        spec.finish()
    }

    #[test]
    fn settings_add_up() {
        let spec = spec(&[
            "cmd=/usr/games/fairy-stockfish",
            "proto=uci",
            "rank=1",
            "variant=xiangqi",
            "option.Hash=16",
            "option.Hash=64",
            "option.Move Overhead=a=b",
            "arg=-x",
            "arg=-y",
            "tc=10+0.1",
            "nodes=5000",
            "timemargin=40",
            "restart=on",
        ])
        .unwrap();
        assert_eq!(spec.name, "fairy-stockfish");
        assert_eq!(spec.arguments, ["-x", "-y"]);
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(spec.options, [option("Hash", "64"), option("Move Overhead", "a=b")]);
        assert_eq!(spec.limits.nodes, Some(5000));
        assert_eq!(spec.margin, Duration::from_millis(40));
        assert!(spec.restart && spec.sends_all_moves());
        assert_eq!(spec.dialect().ranks, Ranks::One);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (settings, message) in [
            (&["cmd=x", "speed=1"][..], "'speed=1' is not a setting of an engine"),
            (&["cmd=x", "option.=1"], "'option.=1' is not a setting"),
            (&["cmd=x", "restart"], "'restart' is not a setting"),
            (&["cmd=x", "proto=xboard"], "proto=xboard: want ucci or uci"),
            (&["cmd=x", "tc=abc"], "tc: 'abc' is not a time control"),
            (&["cmd=x", "depth=0"], "depth=0: want a whole number above 0"),
            (&["cmd=x", "st=-1"], "st: '-1' is not a time"),
            (&["cmd=x", "st=0"], "st=0: want seconds, 0.001 at least"),
            (&["cmd=x", "restart=maybe"], "restart=maybe: want on or off"),
            (&["tc=1"], "an engine needs cmd=PROGRAM"),
            (&["cmd=bin/x.exe"], "x: no limit; give tc=10+0.1"),
            (&["cmd=x", "tc=5", "tc=inf"], "x: no limit; give tc=10+0.1"),
        ] {
            let error = spec(settings).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn a_newer_program_is_told_from_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("engine");
        fs::write(&program, "").unwrap();
        let command = format!("cmd={}", program.display());
        let spec = spec(&[&command, "depth=1"]).unwrap();
        assert!(spec.has_changed_since(SystemTime::UNIX_EPOCH));
        let later = SystemTime::now() + Duration::from_secs(60);
        assert!(!spec.has_changed_since(later));
        for command in ["engine", "/none/engine"] {
            let spec = EngineSpec { command: command.into(), ..spec.clone() };
            assert!(!spec.has_changed_since(SystemTime::UNIX_EPOCH), "{command}");
        }
    }
}
