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

use super::engine::EngineSpec;
use probe::{Complaint, Probe, SLACK};

/// Something that is asked of an engine.
struct Point {
    text: &'static str,
    check: fn(&mut Probe<'_>) -> Result<(), Complaint>,
}

/// A point, and whether the engine keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is asked.
    pub text: &'static str,
    /// What is wrong, if something is.
    pub complaint: Option<String>,
}

/// Looks at every point of the engine's protocol, and tells each finding as
/// soon as it is there. Ends early when `stop` is set or the engine does not
/// even get through the handshake.
pub fn check(spec: &EngineSpec, stop: &AtomicBool, mut tell: impl FnMut(Finding)) {
    let handshake = handshake(spec, stop);
    let has_failed = handshake.is_err();
    tell(Finding {
        text: "the handshake is quick and every option is understood",
        complaint: handshake.err(),
    });
    if has_failed && Probe::open(spec, stop).is_err() {
        return;
    }
    let own = if spec.dialect().is_ucci() { ucci::POINTS } else { uci::POINTS };
    for point in common::POINTS.iter().chain(own) {
        if stop.load(Relaxed) {
            return;
        }
        let result = Probe::open(spec, stop).and_then(|mut probe| (point.check)(&mut probe));
        tell(Finding { text: point.text, complaint: result.err() });
    }
}

fn handshake(spec: &EngineSpec, stop: &AtomicBool) -> Result<(), Complaint> {
    let time = Probe::start(spec, stop)?.greet()?;
    let quick = Duration::from_secs(1) + SLACK;
    if time > quick {
        return Err(format!("it took {:.1} s", time.as_secs_f64()));
    }
    Ok(())
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
