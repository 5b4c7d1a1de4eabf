//! What an engine may spend on a move: time, as in the thesis, or nodes, with
//! which the results are the same on every machine, however busy it is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::super::report::grouped;
use crate::arena;
use crate::lab;
use crate::search;

/// For one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    Time(Duration),
    Nodes(u64),
}

/// How much less the fast defender of a puzzle has: 1 s where the other one
/// has 20 s.
const FAST: u32 = 20;

impl Budget {
    /// The budget of the fast defender.
    pub fn fast(self) -> Budget {
        match self {
            Budget::Time(time) => Budget::Time(time / FAST),
            Budget::Nodes(nodes) => Budget::Nodes((nodes / u64::from(FAST)).max(1)),
        }
    }

    /// As an engine in a match has it.
    pub fn in_match(self) -> arena::Limits {
        let none = arena::Limits::default();
        match self {
            Budget::Time(time) => arena::Limits { per_move: Some(time), ..none },
            Budget::Nodes(nodes) => arena::Limits { nodes: Some(nodes), ..none },
        }
    }

    /// As the lab's search has it.
    pub fn in_lab(self, stop: &Arc<AtomicBool>) -> lab::Limits {
        let (time, nodes) = match self {
            Budget::Time(time) => (Some(time), None),
            Budget::Nodes(nodes) => (None, Some(nodes)),
        };
        lab::Limits { depth: lab::MAX_DEPTH, nodes, time, stop: Arc::clone(stop) }
    }

    /// As hanxin's search has it.
    pub fn in_search(self) -> search::Limits {
        let none = search::Limits::default();
        match self {
            Budget::Time(time) => {
                search::Limits { time: Some(search::TimeLimit::PerMove(time)), ..none }
            }
            Budget::Nodes(nodes) => search::Limits { nodes: Some(nodes), ..none },
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Time(time) => write!(f, "{} s", time.as_secs_f64()),
            Budget::Nodes(nodes) => write!(f, "{} nodes", grouped(*nodes as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_defender_has_a_twentieth() {
        let slow = Budget::Time(Duration::from_secs(20));
        assert_eq!((slow.to_string(), slow.fast().to_string()), ("20 s".into(), "1 s".into()));
        let slow = Budget::Nodes(200_000);
        assert_eq!(slow.fast().to_string(), "10,000 nodes");
        assert_eq!(Budget::Nodes(3).fast(), Budget::Nodes(1));
    }
}
