//! Which options an engine is sent, checked against those it declares.

use super::spec::EngineSpec;
use crate::protocol::{Command, OptionDecl, OptionKind, check_value, same_option};
use crate::rules::RuleSet;

/// The game, as `UCI_Variant` calls it.
const VARIANT: &str = "xiangqi";

/// Whether an engine plays from its book, in UCI and in UCCI.
const USE_BOOK: [&str; 2] = ["OwnBook", "usebook"];
/// Options with which a user asks for an engine's book.
const BOOK_OPTIONS: [&str; 4] = [USE_BOOK[0], USE_BOOK[1], "BookFile", "bookfiles"];

/// What judges repetitions, in UCCI and in UCI.
const REPETITION: [&str; 2] = ["repetition", "Repetition Rule"];
/// Moves of each side without a capture that make a draw, the same.
const DRAW_MOVES: [&str; 2] = ["drawmoves", "Rule60"];

/// The commands that set an engine up, and what its organiser should know.
#[derive(Debug, Default)]
pub struct Settings {
    pub commands: Vec<Command>,
    /// Options that the engine does not declare, sent all the same: some
    /// engines know more than they declare.
    pub undeclared: Vec<String>,
    /// Whether times in `go` are seconds.
    pub in_seconds: bool,
}

/// A value that an option of an engine cannot take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option.{name}={value}: want {wanted}")]
pub struct BadOption {
    name: String,
    value: String,
    wanted: String,
}

impl Settings {
    /// The settings of an engine that declares these options.
    ///
    /// # Errors
    /// The first value that the engine cannot take.
    pub fn of(spec: &EngineSpec, declared: &[OptionDecl]) -> Result<Settings, BadOption> {
        let mut settings = Settings::default();
        if spec.dialect().is_ucci() {
            settings.in_seconds = find(declared, "usemillisec").is_none();
            settings.set_if_declared(declared, "usemillisec", "true");
        }
        match &spec.variant {
            Some(variant) => settings.set(declared, "UCI_Variant", variant)?,
            None if has_to_choose(declared) => settings.set(declared, "UCI_Variant", VARIANT)?,
            None => {}
        }
        if spec.ponder {
            settings.set_if_declared(declared, "Ponder", "true");
        }
        if !sets_one_of(spec, &BOOK_OPTIONS) {
            // a match has its openings; an engine's book would play them on
            settings.set_if_declared(declared, USE_BOOK[0], "false");
            settings.set_if_declared(declared, USE_BOOK[1], "false");
        }
        settings.tell_rules(spec, declared);
        for (name, value) in &spec.options {
            settings.set(declared, name, value)?;
        }
        Ok(settings)
    }

    /// Tells an engine by which rules it is judged, unless the user does: one that
    /// plays by others may lose by them, or draw.
    fn tell_rules(&mut self, spec: &EngineSpec, declared: &[OptionDecl]) {
        if !sets_one_of(spec, &REPETITION) {
            self.tell_rule_set(spec.rules.rules, declared);
        }
        // 0 would mean no limit
        let moves = (spec.rules.quiet_limit / 2).max(1).to_string();
        let is_limit = |option: &&OptionDecl| {
            is_one_of(&option.name, &DRAW_MOVES)
                && matches!(option.kind, OptionKind::Spin { .. })
                && complaint(&option.kind, &moves).is_none()
        };
        if !sets_one_of(spec, &DRAW_MOVES)
            && let Some(option) = declared.iter().find(is_limit)
        {
            self.push(&option.name, Some(&moves));
        }
    }

    fn tell_rule_set(&mut self, rules: RuleSet, declared: &[OptionDecl]) {
        let names = names_of(rules);
        for option in declared.iter().filter(|option| is_one_of(&option.name, &REPETITION)) {
            let OptionKind::Combo { choices, .. } = &option.kind else { continue };
            let is_wanted = |choice: &&String| names.iter().any(|name| same_option(choice, name));
            if let Some(choice) = choices.iter().find(is_wanted) {
                self.push(&option.name, Some(choice));
            }
        }
    }

    fn set_if_declared(&mut self, declared: &[OptionDecl], name: &str, value: &str) {
        if let Some(option) = find(declared, name) {
            self.push(&option.name, Some(value));
        }
    }

    fn set(&mut self, declared: &[OptionDecl], name: &str, value: &str) -> Result<(), BadOption> {
        let Some(option) = find(declared, name) else {
            self.undeclared.push(name.into());
            self.push(name, Some(value));
            return Ok(());
        };
        if let Some(wanted) = complaint(&option.kind, value) {
            return Err(BadOption { name: name.into(), value: value.into(), wanted });
        }
        let is_button = matches!(option.kind, OptionKind::Button);
        self.push(&option.name, (!is_button).then_some(value));
        Ok(())
    }

    fn push(&mut self, name: &str, value: Option<&str>) {
        self.commands
            .push(Command::SetOption { name: name.into(), value: value.map(str::to_owned) });
    }
}

/// Whether the user sets one of these options.
fn sets_one_of(spec: &EngineSpec, options: &[&str]) -> bool {
    spec.options.iter().any(|(name, _)| is_one_of(name, options))
}

fn is_one_of(name: &str, options: &[&str]) -> bool {
    options.iter().any(|option| same_option(name, option))
}

/// What engines call a rule set that judges repetitions.
const fn names_of(rules: RuleSet) -> [&'static str; 2] {
    match rules {
        RuleSet::Axf => ["asian", "asianrule"],
        RuleSet::Cxa => ["chinese", "chineserule"],
        RuleSet::League => ["league", "leaguerule"],
    }
}

/// Whether the engine plays something else if nobody chooses Xiangqi.
fn has_to_choose(declared: &[OptionDecl]) -> bool {
    match find(declared, "UCI_Variant").map(|option| &option.kind) {
        Some(OptionKind::Combo { default, choices }) => {
            default != VARIANT && choices.iter().any(|choice| choice == VARIANT)
        }
        _ => false,
    }
}

/// What an option wants instead of this value, if it cannot take it.
fn complaint(kind: &OptionKind, value: &str) -> Option<String> {
    match kind {
        OptionKind::Check { .. } if check_value(value).is_none() => Some("true or false".into()),
        OptionKind::Spin { min, max, .. } => {
            let fits = value.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number));
            (!fits).then(|| format!("a number from {min} to {max}"))
        }
        OptionKind::Combo { choices, .. } if !choices.iter().any(|c| c == value) => {
            Some(format!("one of {}", choices.join(", ")))
        }
        _ => None,
    }
}

fn find<'a>(declared: &'a [OptionDecl], name: &str) -> Option<&'a OptionDecl> {
    declared.iter().find(|option| same_option(&option.name, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Dialect, Reply};

    fn declared(lines: &[&str]) -> Vec<OptionDecl> {
        let option = |line: &&str| match Reply::parse(line.as_bytes(), Dialect::UCI) {
            Reply::Option(option) => option,
            other => panic!("{other:?}"),
        };
        lines.iter().map(option).collect()
    }

    fn settings(lines: &[&str], wanted: &[&str]) -> Result<Vec<String>, BadOption> {
        let mut spec = EngineSpec::default();
        wanted.iter().for_each(|setting| spec.apply(setting).unwrap());
        let settings = Settings::of(&spec, &declared(lines))?;
        Ok(settings.commands.iter().map(|command| command.to_line(spec.dialect())).collect())
    }

    const FAIRY: &[&str] = &[
        "option name Hash type spin default 16 min 1 max 1024",
        "option name Clear Hash type button",
        "option name Ponder type check default false",
        "option name UCI_Variant type combo default chess var chess var xiangqi",
    ];

    #[test]
    fn books_are_off_unless_the_user_asks_for_them() {
        let declared = &["option name OwnBook type check default true"];
        let off = ["setoption name OwnBook value false"];
        assert_eq!(settings(declared, &["proto=uci"]).unwrap(), off);
        assert_eq!(settings(&[], &["proto=uci"]).unwrap(), [""; 0]);
        let asked = settings(declared, &["proto=uci", "option.ownbook=true"]).unwrap();
        assert_eq!(asked, ["setoption name OwnBook value true"]);
        let file = settings(declared, &["proto=uci", "option.BookFile=a.dat"]).unwrap();
        assert_eq!(file, ["setoption name BookFile value a.dat"]);
    }

    #[test]
    fn engines_are_told_the_rules_of_the_match_unless_the_user_does() {
        let tell = |rules: RuleSet, lines: &[&str], wanted: &[&str]| {
            let mut spec = EngineSpec { rules: rules.into(), ..EngineSpec::default() };
            wanted.iter().for_each(|setting| spec.apply(setting).unwrap());
            let settings = Settings::of(&spec, &declared(lines)).unwrap();
            let line = |command: &Command| command.to_line(spec.dialect());
            settings.commands.iter().map(line).collect::<Vec<_>>()
        };
        let ours = "option repetition type combo default asian var asian var chinese var league";
        let old = "option name Repetition Rule type combo default AsianRule var AsianRule var ChineseRule";
        for (rules, choice) in
            [(RuleSet::Axf, "asian"), (RuleSet::Cxa, "chinese"), (RuleSet::League, "league")]
        {
            assert_eq!(tell(rules, &[ours], &[]), [format!("setoption repetition {choice}")]);
        }
        let uci = tell(RuleSet::Cxa, &[old], &["proto=uci"]);
        assert_eq!(uci, ["setoption name Repetition Rule value ChineseRule"]);
        // it has no name for these
        assert_eq!(tell(RuleSet::League, &[old], &["proto=uci"]), [""; 0]);
        let asked = tell(RuleSet::Cxa, &[ours], &["option.Repetition=league"]);
        assert_eq!(asked, ["setoption repetition league"]);
        let number = "option repetition type spin default 3 min 0 max 9";
        assert_eq!(tell(RuleSet::Cxa, &[number], &[]), [""; 0]);
        let limit = "option drawmoves type spin default 60 min 0 max 500";
        for (rules, moves) in [(RuleSet::Axf, 60), (RuleSet::League, 50)] {
            assert_eq!(tell(rules, &[limit], &[]), [format!("setoption drawmoves {moves}")]);
        }
        let asked = tell(RuleSet::League, &[limit], &["option.drawmoves=40"]);
        assert_eq!(asked, ["setoption drawmoves 40"]);
        let narrow = "option drawmoves type spin default 60 min 60 max 90";
        assert_eq!(tell(RuleSet::League, &[narrow], &[]), [""; 0]);
        assert_eq!(tell(RuleSet::Cxa, &[], &[]), [""; 0]);
    }

    #[test]
    fn the_game_is_chosen_where_there_is_a_choice() {
        let lines = settings(FAIRY, &["proto=uci", "option.hash=64", "option.Clear Hash="]);
        let expected = [
            "setoption name UCI_Variant value xiangqi",
            "setoption name Hash value 64",
            "setoption name Clear Hash",
        ];
        assert_eq!(lines.unwrap(), expected);
        let lines = settings(FAIRY, &["proto=uci", "variant=chess", "ponder=on"]).unwrap();
        assert_eq!(
            lines,
            ["setoption name UCI_Variant value chess", "setoption name Ponder value true"]
        );
    }

    #[test]
    fn ucci_engines_are_asked_for_milliseconds() {
        let offer = ["option usemillisec type check default true"];
        assert_eq!(settings(&offer, &[]).unwrap(), ["setoption usemillisec true"]);
        assert!(Settings::of(&EngineSpec::default(), &[]).unwrap().in_seconds);
    }

    #[test]
    fn values_are_checked_and_unknown_names_told() {
        for (wanted, fault) in [
            ("option.Hash=0", "option.Hash=0: want a number from 1 to 1024"),
            ("option.Hash=big", "option.Hash=big: want a number from 1 to 1024"),
            ("option.Ponder=maybe", "option.Ponder=maybe: want true or false"),
            ("variant=go", "option.UCI_Variant=go: want one of chess, xiangqi"),
        ] {
            assert_eq!(settings(FAIRY, &["proto=uci", wanted]).unwrap_err().to_string(), fault);
        }
        let mut spec = EngineSpec::default();
        spec.apply("option.Threads=2").unwrap();
        assert_eq!(Settings::of(&spec, &declared(FAIRY)).unwrap().undeclared, ["Threads"]);
    }
}
