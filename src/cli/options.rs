//! `hanxin options`: the options of the engine, from the one table that
//! declares them.

use std::fmt::Write as _;
use std::io::Write;

use clap::Args;

use crate::engine::{Audience, OPTIONS, OptionInfo, OptionKind};

use super::Failure;

/// List the options that UCI and UCCI programs can set, as a Markdown table.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin options > options.md")]
pub struct Arguments {}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        Ok(writeln!(out, "{}", markdown())?)
    }
}

pub fn markdown() -> String {
    let mut text = String::from("| UCI | UCCI | values | default | |\n|---|---|---|---|---|");
    for option in OPTIONS {
        let shown =
            |name: &str, offered: bool| if offered { format!("`{name}`") } else { name.into() };
        let uci = shown(option.uci, matches!(option.audience, Audience::All | Audience::Uci));
        let ucci = shown(option.ucci, matches!(option.audience, Audience::All | Audience::Ucci));
        let (kind, default, help) = (option.kind, default_of(option), option.help);
        // writing to a String cannot fail
        let _ = write!(text, "\n| {uci} | {ucci} | {kind} | {default} | {help} |");
    }
    text
}

/// The list below `--help`.
pub fn help() -> String {
    let mut text = String::from("Options of UCI and UCCI (`hanxin options` shows more):\n");
    for option in OPTIONS {
        let names = format!("{}, {}", option.uci, option.ucci);
        let _ = writeln!(text, "  {names:36} {}", option.help);
    }
    text
}

fn default_of(option: &OptionInfo) -> String {
    match option.kind {
        OptionKind::Button | OptionKind::Text => String::new(),
        OptionKind::Check { default } => default.to_string(),
        OptionKind::Spin { default, .. } => default.to_string(),
        OptionKind::Combo { default, .. } => default.into(),
    }
}
