//! The rules.
mod asian;
mod cycle;
mod game;
mod league;
mod outcome;
mod placement;
mod quiet;
mod ruleset;

pub use cycle::{CycleVerdict, Pattern, judge_cycle};
pub use game::{Game, IllegalMove, PlayError, is_material_insufficient};
pub use outcome::{Forfeit, Outcome, Reason};
pub use quiet::QuietCounter;
pub use ruleset::{Parameters, RuleSet, UnknownRuleSet};
