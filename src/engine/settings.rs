//! The values of the options.

use std::time::Duration;

use crate::rules::{Parameters, RuleSet};
use crate::search::Params;

use super::options::{FROM_ONE, FROM_ZERO, OPTIONS, OptionId, OptionKind, Value};
use super::strength::Weakness;

/// The value of every option of [`OPTIONS`], and the constants of the search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// By place in the table: the value, and whether someone has set it.
    values: Vec<(Value, bool)>,
    params: Params,
}

/// The options that a search depends on, whoever carries it out.
const SHARED: &[OptionId] = &[
    OptionId::Threads,
    OptionId::Hash,
    OptionId::UseHash,
    OptionId::PinThreads,
    OptionId::MultiPv,
    OptionId::UseTables,
    OptionId::TablePaths,
    OptionId::Evaluation,
    OptionId::EvalFile,
    OptionId::Repetition,
    OptionId::Cautious,
    OptionId::Contempt,
    OptionId::DrawMoves,
];

impl Default for Settings {
    fn default() -> Settings {
        let default = |kind| match kind {
            OptionKind::Button => Value::Pressed,
            OptionKind::Check { default } => Value::On(default),
            OptionKind::Spin { default, .. } => Value::Number(default),
            OptionKind::Combo { default, .. } => Value::Choice(default),
            OptionKind::Text => Value::Text(String::new()),
        };
        let values = OPTIONS.iter().map(|option| (default(option.kind), false)).collect();
        Settings { values, params: Params::default() }
    }
}

impl Settings {
    pub(super) fn store(&mut self, id: OptionId, value: Value) {
        self.values[id as usize] = (value, true);
    }

    /// Sets a constant of the search by name.
    pub(super) fn store_param(&mut self, name: &str, value: i32) {
        self.params.set(name, value);
    }

    fn value(&self, id: OptionId) -> &Value {
        &self.values[id as usize].0
    }

    /// Whether the option was set since the start, if only to its default.
    pub fn was_set(&self, id: OptionId) -> bool {
        self.values[id as usize].1
    }

    /// The state of a check; off for other kinds.
    pub fn is_on(&self, id: OptionId) -> bool {
        *self.value(id) == Value::On(true)
    }

    /// The number of a spin, within its range; 0 for other kinds.
    pub fn number(&self, id: OptionId) -> i64 {
        if let Value::Number(number) = self.value(id) { *number } else { 0 }
    }

    /// The number of a spin whose range has no negative numbers.
    pub fn count(&self, id: OptionId) -> usize {
        usize::try_from(self.number(id)).unwrap_or(0)
    }

    /// The choice of a combo or the text of a string; empty for other kinds.
    pub fn text(&self, id: OptionId) -> &str {
        match self.value(id) {
            Value::Choice(choice) => choice,
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// The constants of the search.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Names and values of what a search depends on, for other processes that
    /// are to carry out the same one.
    pub(super) fn of_search(&self) -> Vec<(String, String)> {
        let value = |id| match id {
            OptionId::DrawMoves => self.draw_moves().to_string(),
            id => self.value(id).to_string(),
        };
        let options = OPTIONS.iter().filter(|option| SHARED.contains(&option.id));
        let options = options.map(|option| (option.uci.to_owned(), value(option.id)));
        let params = self.params.values().map(|(name, value)| (name.to_owned(), value.to_string()));
        options.chain(params).collect()
    }

    /// Time kept back of each move for network and GUI delay.
    pub fn move_overhead(&self) -> Duration {
        Duration::from_millis(self.count(OptionId::MoveOverhead) as u64)
    }

    /// So many nodes count as a millisecond; 0: time is time.
    pub fn node_rate(&self) -> u64 {
        self.count(OptionId::NodesTime) as u64
    }

    /// By how much a draw counts as worse than even, centipawns.
    pub fn contempt(&self) -> i32 {
        self.number(OptionId::Contempt) as i32
    }

    /// Moves of each side without a capture after which a game is drawn: those of
    /// the rules of repetition, unless somebody has set others; 0: no such rule.
    fn draw_moves(&self) -> u16 {
        let own = self.rule_set().parameters().quiet_limit / 2;
        let set = self.was_set(OptionId::DrawMoves).then(|| self.count(OptionId::DrawMoves));
        set.and_then(|moves| u16::try_from(moves).ok()).unwrap_or(own)
    }

    /// Plies without a capture after which a game is drawn; `u16::MAX` stands
    /// for no such rule.
    pub fn quiet_limit(&self) -> u16 {
        match self.draw_moves() {
            0 => u16::MAX,
            moves => moves.saturating_mul(2),
        }
    }

    fn rule_set(&self) -> RuleSet {
        match self.text(OptionId::Repetition) {
            "chinese" => RuleSet::Cxa,
            "league" => RuleSet::League,
            _ => RuleSet::Axf,
        }
    }

    /// The rules by which games are judged.
    pub fn rules(&self) -> Parameters {
        Parameters { quiet_limit: self.quiet_limit(), ..self.rule_set().parameters() }
    }

    /// The number of the lowest rank in moves; `None`: as lines show it.
    pub fn lowest_rank(&self) -> Option<u8> {
        match self.text(OptionId::Ranks) {
            FROM_ZERO => Some(0),
            FROM_ONE => Some(1),
            _ => None,
        }
    }

    /// How much weaker than it can the engine plays; `None`: not at all.
    pub fn weakness(&self) -> Option<Weakness> {
        if self.is_on(OptionId::LimitStrength) {
            return Some(Weakness::of_elo(self.number(OptionId::Elo) as i32));
        }
        Weakness::of_skill(self.number(OptionId::SkillLevel) as i32)
            .or_else(|| Weakness::of_randomness(self.text(OptionId::Randomness)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_the_defaults() {
        let settings = Settings::default();
        assert_eq!(settings.count(OptionId::Hash), 64);
        assert!(settings.is_on(OptionId::UseMilliseconds) && !settings.is_on(OptionId::Batch));
        assert_eq!(settings.text(OptionId::Repetition), "asian");
        assert_eq!(settings.rules(), RuleSet::Axf.parameters());
        assert_eq!(settings.move_overhead(), Duration::from_millis(30));
        assert!(settings.weakness().is_none());
        assert!(!settings.was_set(OptionId::Variant));
        assert_eq!(settings.lowest_rank(), None);
        // a kind that does not fit has no value
        assert_eq!(settings.number(OptionId::Batch), 0);
        assert_eq!(settings.text(OptionId::Batch), "");
    }

    #[test]
    fn rules_follow_their_options() {
        let mut settings = Settings::default();
        settings.store(OptionId::Repetition, Value::Choice("league"));
        assert_eq!(settings.rules(), RuleSet::League.parameters());
        assert!(settings.of_search().contains(&("Rule60".into(), "50".into())));
        settings.store(OptionId::DrawMoves, Value::Number(0));
        assert_eq!(
            settings.rules(),
            Parameters { quiet_limit: u16::MAX, ..RuleSet::League.into() }
        );
        settings.store(OptionId::DrawMoves, Value::Number(60));
        assert_eq!(settings.quiet_limit(), 120);
    }

    #[test]
    fn each_way_to_weaken_the_engine_does() {
        for (id, value) in [
            (OptionId::LimitStrength, Value::On(true)),
            (OptionId::SkillLevel, Value::Number(3)),
            (OptionId::Randomness, Value::Choice("small")),
        ] {
            let mut settings = Settings::default();
            settings.store(id, value);
            assert!(settings.weakness().is_some(), "{id:?}");
        }
    }
}
