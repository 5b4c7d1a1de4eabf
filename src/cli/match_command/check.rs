//! `hanxin match --check`: which points of its protocol an engine keeps.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::super::Failure;
use super::arguments::MatchArguments;
use super::plan;
use crate::arena::{self, Finding};

/// Shows a line for each point; fails if the engine breaks one.
pub fn run(
    arguments: &MatchArguments,
    words: &[String],
    stop: &Arc<AtomicBool>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    // no search of the list needs a limit, but a description without one is refused
    let settings: Vec<String> =
        std::iter::once("nodes=1").map(str::to_owned).chain(words.to_vec()).collect();
    let spec = plan::engine_from_args(arguments, &settings)?;
    let (mut kept, mut broken, mut written) = (0, 0, Ok(()));
    arena::check(&spec, stop, |finding| {
        let count = if finding.complaint.is_none() { &mut kept } else { &mut broken };
        *count += 1;
        if written.is_ok() {
            let line = line(&finding, arguments.json);
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    });
    written?;
    if broken > 0 {
        let name = spec.name;
        return Err(Failure::refused(format!("{name} keeps {kept} points and breaks {broken}")));
    }
    if !arguments.json {
        writeln!(out, "{} keeps all {kept} points", spec.name)?;
    }
    Ok(())
}

fn line(finding: &Finding, is_json: bool) -> String {
    let Finding { text, complaint } = finding;
    match complaint {
        _ if is_json => {
            json!({ "event": "point", "text": text, "complaint": complaint }).to_string()
        }
        None => format!("ok      {text}"),
        Some(complaint) => format!("BROKEN  {text}: {complaint}"),
    }
}
