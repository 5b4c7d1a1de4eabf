//! The rule sets and their parameters.

use std::fmt;
use std::str::FromStr;

/// A published way to judge repetitions and long games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleSet {
    /// Asian Xiangqi Federation (亚洲棋规): perpetual check loses to all else,
    /// perpetual chase of one and the same piece to anything milder.
    #[default]
    Axf,
    /// Chinese national rules (中国棋规, 2020): any mixture of checks, mate
    /// threats and chases on every move is forbidden.
    Cxa,
    /// The simplified rules of the UCCI computer league: only the piece just
    /// moved counts, and the verdict falls at the fourth occurrence.
    League,
}

impl RuleSet {
    /// All rule sets.
    pub const ALL: [RuleSet; 3] = [RuleSet::Axf, RuleSet::Cxa, RuleSet::League];

    /// The short name that [`FromStr`] reads.
    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Axf => "axf",
            RuleSet::Cxa => "cxa",
            RuleSet::League => "league",
        }
    }

    /// The parameters the rule set comes with.
    pub const fn parameters(self) -> Parameters {
        match self {
            RuleSet::Axf | RuleSet::Cxa => {
                Parameters { rules: self, fold: 3, quiet_limit: 120, check_cap: 10 }
            }
            RuleSet::League => Parameters { rules: self, fold: 4, quiet_limit: 100, check_cap: 0 },
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a rule set (want axf, cxa or league)")]
pub struct UnknownRuleSet(pub String);

impl FromStr for RuleSet {
    type Err = UnknownRuleSet;

    /// Reads `axf`, `cxa` or `league` in any case.
    fn from_str(text: &str) -> Result<RuleSet, UnknownRuleSet> {
        RuleSet::ALL
            .into_iter()
            .find(|rules| rules.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownRuleSet(text.escape_debug().take(20).collect()))
    }
}

/// A rule set with what events fix in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// How repetitions are judged.
    pub rules: RuleSet,
    /// The occurrence of a position, the first one included, at which the
    /// repetition is judged; at least 2. Human events differ between 3 and 4.
    pub fold: u32,
    /// Counted plies without a capture after which the game is drawn
    /// (自然限着). Events differ between 100 and 120.
    pub quiet_limit: u16,
    /// How many checks of each side since the last capture count towards
    /// `quiet_limit`; later ones and the replies to them do not.
    pub check_cap: u8,
}

impl Default for Parameters {
    fn default() -> Parameters {
        RuleSet::default().parameters()
    }
}

impl From<RuleSet> for Parameters {
    fn from(rules: RuleSet) -> Parameters {
        rules.parameters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for rules in RuleSet::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
            assert_eq!(rules.name().to_uppercase().parse(), Ok(rules));
            assert_eq!(rules.parameters().rules, rules);
        }
        for text in ["", "asia", "axf ", "\0", "ａｘｆ"] {
            let error = text.parse::<RuleSet>().unwrap_err().to_string();
            assert!(error.contains("want axf, cxa or league"), "{error}");
        }
    }
}
