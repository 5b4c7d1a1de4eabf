//! Which points of its protocol an engine keeps.
//!
//! Each point is looked at in a process of its own, so that one fault does not
//! hide another.

mod common;
mod probe;
mod ucci;
mod uci;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::engines::EngineSpec;
use probe::{Complaint, Probe, SLACK};

/// What is asked of an engine, in words and as a conversation with it.
type Point = (&'static str, fn(&mut Probe<'_>) -> Result<(), Complaint>);

/// A point, and whether the engine keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is asked.
    pub text: &'static str,
    pub complaint: Option<String>,
}

/// Looks at every point of the engine's protocol, and passes each finding on
/// as soon as it is there. Ends early when `stop` is set or the engine does not
/// even get through the handshake.
pub fn check(spec: &EngineSpec, stop: &AtomicBool, mut report: impl FnMut(Finding)) {
    let mut note = |text, result: Result<(), Complaint>| {
        report(Finding { text, complaint: result.err().map(|complaint| complaint.to_string()) });
    };
    let handshake = handshake(spec, stop);
    let has_failed = handshake.is_err();
    note("the handshake is quick and every option is understood", handshake);
    if has_failed && Probe::open(spec, stop).is_err() {
        return;
    }
    let own = if spec.dialect().is_ucci() { ucci::POINTS } else { uci::POINTS };
    for &(text, check) in common::POINTS.iter().chain(own) {
        if stop.load(Relaxed) {
            return;
        }
        note(text, Probe::open(spec, stop).and_then(|mut probe| check(&mut probe)));
    }
}

fn handshake(spec: &EngineSpec, stop: &AtomicBool) -> Result<(), Complaint> {
    let time = Probe::start(spec, stop)?.greet()?;
    match time {
        time if time <= Duration::from_secs(1) + SLACK => Ok(()),
        time => Err(Complaint::Wrong(format!("it took {:.1} s", time.as_secs_f64()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_start_breaks_the_first_point() {
        let mut spec = EngineSpec::default();
        spec.apply("cmd=no/such/program").unwrap();
        let mut findings = Vec::new();
        check(&spec, &AtomicBool::new(false), |finding| findings.push(finding));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].complaint.as_ref().unwrap().contains("does not start"));
    }
}
