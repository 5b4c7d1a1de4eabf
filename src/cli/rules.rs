//! `hanxin rules`: what the referee says of a game, and why.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::board::{Color, Move, Position};
use crate::notation::{self, Notation};
use crate::rules::{
    Effect, Explanation, Game, MoveReport, Outcome, Parameters, PlayError, Reason, RuleSet,
    explain_cycle,
};

use super::csv_table::CsvTable;
use super::{Failure, position_or_start};

const EXAMPLES: &str = "\
Examples:
  hanxin rules --rules axf --fen '9/5k3/8b/9/r8/1C2P4/9/4K4/9/9 b' \\
      --moves 'a5b5 b4a4 b5a5 a4b4 a5b5 b4a4 b5a5 a4b4'
  hanxin rules --json --file games.csv

The start counts as the first occurrence of its position. What came before it
is unknown; how many plies without a capture these were the FEN may say, and
they are named as unseen. A game ends where the rule set in force ends it, and moves after
that do not count. Exit code 2: the input makes no sense.";

/// Judge a game: its repetition, what each move of that does, the verdict.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The rules in force: axf (Asian), cxa (Chinese national) or league
    /// (computer league).
    #[arg(long, default_value = "axf")]
    rules: String,
    /// The position before the first move; the start of a game if there is
    /// none.
    #[arg(long)]
    fen: Option<String>,
    /// The moves with spaces between them, in coordinates or in any notation.
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: String,
    /// The occurrence of a position at which a repetition is judged; if it is
    /// not given, each rule set takes its own.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    fold: Option<u32>,
    /// Plies without a capture that make a draw; if it is not given, each rule
    /// set takes its own.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    limit: Option<u16>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// Judge all games of a CSV file in UTF-8 or GBK, one line of JSON each.
    /// Columns: moves, start_fen, rule_set (--rules counts where it is missing
    /// or empty), id.
    #[arg(long, value_name = "CSV", requires = "json", conflicts_with_all = ["fen", "moves"])]
    file: Option<PathBuf>,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(path) = &self.file {
            return self.judge_file(path, out);
        }
        let judged = self.judge(&self.rules, self.fen.as_deref(), &self.moves)?;
        if self.json {
            return Ok(writeln!(out, "{:#}", judged.to_json())?);
        }
        judged.write(out)
    }

    fn judge(&self, rules: &str, fen: Option<&str>, moves: &str) -> Result<Judged, Failure> {
        let rules: RuleSet = rules.parse().map_err(Failure::invalid)?;
        let start = position_or_start(fen)?;
        let moves = read_moves(&start, moves)?;
        let finding = |rules| Finding::of(self.parameters(rules), &start, &moves);
        let [axf, cxa, league] = RuleSet::ALL.map(|rules| finding(rules).map_err(Failure::invalid));
        let findings = [axf?, cxa?, league?];
        Ok(Judged { rules, plies: moves.len(), findings })
    }

    fn parameters(&self, rules: RuleSet) -> Parameters {
        let own = rules.parameters();
        Parameters {
            fold: self.fold.unwrap_or(own.fold),
            quiet_limit: self.limit.unwrap_or(own.quiet_limit),
            ..own
        }
    }

    fn judge_file(&self, path: &Path, out: &mut impl Write) -> Result<(), Failure> {
        let table = CsvTable::read(path, &["moves"])?;
        let (mut games, mut bad) = (0, 0);
        for row in table.rows() {
            games += 1;
            let filled_in = |column| Some(row.cell(column)).filter(|text| !text.is_empty());
            let rules = filled_in("rule_set").unwrap_or(&self.rules);
            let judged = self.judge(rules, filled_in("start_fen"), row.cell("moves"));
            bad += usize::from(judged.is_err());
            let mut line =
                judged.map_or_else(|error| json!({ "error": error.to_string() }), |j| j.to_json());
            line["id"] = filled_in("id").map_or(json!(games), Value::from);
            writeln!(out, "{line}")?;
        }
        if bad > 0 {
            return Err(Failure::Invalid(format!("{bad} of {games} games could not be judged")));
        }
        Ok(())
    }
}

/// Reads moves and sees to it that they are legal one after the other.
fn read_moves(start: &Position, text: &str) -> Result<Vec<Move>, Failure> {
    let mut game = Game::new(start.clone(), RuleSet::default());
    for word in text.split_whitespace() {
        let named = || notation::parse_any(game.position(), word);
        // coordinates first: the rules know best what is wrong with a move
        let m = word.parse().or_else(|_| named());
        let m = m.map_err(|error| Failure::invalid(format!("move {}: {error}", game.ply() + 1)))?;
        game.play(m).map_err(Failure::invalid)?;
    }
    Ok(game.moves().collect())
}

/// What the referee says, whatever the rule set.
struct Judged {
    rules: RuleSet,
    /// The moves given, those after the end included.
    plies: usize,
    findings: [Finding; 3],
}

struct Finding {
    /// The game up to its end.
    game: Game,
    outcome: Option<Outcome>,
    /// Of the repetition, if the last position is one.
    repetition: Option<(Position, Explanation)>,
}

impl Finding {
    fn of(parameters: Parameters, start: &Position, moves: &[Move]) -> Result<Finding, PlayError> {
        let replay = |moves: &[Move]| Game::replay(start.clone(), parameters, moves);
        let game = match replay(moves) {
            Err(PlayError::AlreadyOver { number, .. }) => replay(&moves[..number - 1]),
            game => game,
        }?;
        let repetition = game.cycle(game.occurrences()).map(|(start, moves)| {
            let explanation = explain_cycle(parameters.rules, &start, &moves);
            (start, explanation)
        });
        Ok(Finding { outcome: game.outcome(), repetition, game })
    }

    fn verdict(&self) -> &'static str {
        match self.outcome.map(|outcome| outcome.winner) {
            None => "none",
            Some(None) => "draw",
            Some(Some(Color::Red)) => "red_wins",
            Some(Some(Color::Black)) => "black_wins",
        }
    }

    /// Who breaks a rule, and only that.
    fn offender(&self) -> Option<&'static str> {
        match self.outcome?.reason {
            Reason::Repetition(verdict) => verdict.offender.map(Color::name),
            _ => None,
        }
    }

    fn reason(&self) -> String {
        let sentence = self.repetition.as_ref().map(|(_, explanation)| &explanation.sentence);
        match (self.outcome, sentence) {
            (Some(Outcome { reason: Reason::Repetition(_), .. }), Some(sentence)) => {
                sentence.clone()
            }
            (Some(outcome), _) => format!("{outcome}."),
            (None, Some(sentence)) => {
                let (count, fold) = (self.game.occurrences(), self.game.parameters().fold);
                format!("Occurrence {count} of {fold}, not judged yet. So far: {sentence}")
            }
            (None, None) => "The game goes on.".to_owned(),
        }
    }

    fn summary(&self) -> Value {
        json!({
            "verdict": self.verdict(),
            "offender": self.offender(),
            "reason": self.reason(),
            "ply": self.game.ply(),
        })
    }

    /// The moves of the repetition with their numbers in the game and their
    /// Chinese names.
    fn cycle(&self) -> Vec<(usize, String, &MoveReport)> {
        let Some((start, explanation)) = &self.repetition else { return Vec::new() };
        let mut position = start.clone();
        let first = self.game.ply() + 1 - explanation.moves.len();
        let name = |(i, report)| {
            let report: &MoveReport = report;
            let chinese = Notation::Chinese.write(&position, report.m);
            position.make(report.m);
            (first + i, chinese, report)
        };
        explanation.moves.iter().enumerate().map(name).collect()
    }
}

impl Judged {
    fn finding(&self) -> &Finding {
        &self.findings[self.rules as usize]
    }

    fn to_json(&self) -> Value {
        let finding = self.finding();
        let parameters = finding.game.parameters();
        let mut json = finding.summary();
        let cycle = finding.cycle();
        let cycle: Vec<Value> = cycle
            .into_iter()
            .map(|(ply, chinese, report)| move_json(ply, &chinese, report))
            .collect();
        json["rules"] = json!(self.rules.name());
        json["fold"] = json!(parameters.fold);
        json["limit"] = json!(parameters.quiet_limit);
        json["plies"] = json!(self.plies);
        json["unseen_plies"] = json!(finding.game.start().quiet_plies());
        json["fen"] = json!(finding.game.position().to_fen());
        json["occurrences"] = json!(finding.game.occurrences());
        json["cycle"] = json!(cycle);
        for (rules, finding) in RuleSet::ALL.into_iter().zip(&self.findings) {
            json["rule_sets"][rules.name()] = finding.summary();
        }
        json
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        let finding = self.finding();
        let (game, parameters) = (&finding.game, finding.game.parameters());
        let Parameters { rules, fold, quiet_limit, .. } = parameters;
        writeln!(
            out,
            "Rules: {rules}, repetition judged at occurrence {fold}, limit {quiet_limit} plies"
        )?;
        writeln!(out, "Position after {} plies: {}", game.ply(), game.position().to_fen())?;
        let unseen = game.start().quiet_plies();
        if unseen > 0 {
            writeln!(out, "What the {unseen} quiet plies before the start repeated is unknown.")?;
        }
        if game.ply() < self.plies {
            let rest = self.plies - game.ply();
            writeln!(out, "The game ended there; plies after it that do not count: {rest}")?;
        }
        match game.occurrences() {
            1 => writeln!(out, "No repetition: it is new.")?,
            count => writeln!(out, "Repetition: occurrence {count} of it. Since the first:")?,
        }
        for (ply, chinese, report) in finding.cycle() {
            let effects = effects_text(&report.effects);
            let side = report.side.name();
            writeln!(out, "{ply:5} {side:5} {} {chinese}  {effects}", report.m)?;
        }
        writeln!(out, "Verdict: {} - {}", finding.verdict(), finding.reason())?;
        for (rules, finding) in RuleSet::ALL.into_iter().zip(&self.findings) {
            let (verdict, ply, reason) = (finding.verdict(), finding.game.ply(), finding.reason());
            writeln!(out, "{rules:6} {verdict:10} after {ply} plies - {reason}")?;
        }
        Ok(())
    }
}

fn effects_text(effects: &[Effect]) -> String {
    if effects.is_empty() {
        return "idle".to_owned();
    }
    effects.iter().map(Effect::to_string).collect::<Vec<_>>().join(", ")
}

fn move_json(ply: usize, chinese: &str, report: &MoveReport) -> Value {
    json!({
        "ply": ply,
        "side": report.side.name(),
        "move": report.m.to_string(),
        "chinese": chinese,
        "effects": report.effects.iter().map(effect_json).collect::<Vec<_>>(),
        "text": effects_text(&report.effects),
    })
}

fn effect_json(effect: &Effect) -> Value {
    match effect {
        Effect::Check => json!({ "kind": "check" }),
        Effect::MateThreat => json!({ "kind": "mate_threat" }),
        Effect::Plan(first) => json!({ "kind": "plan", "first": first.to_string() }),
        Effect::Chase(chase) => json!({
            "kind": "chase",
            "chaser": chase.chaser.letter(),
            "victim": chase.victim.letter(),
            "capture": chase.capture.to_string(),
            "protected": chase.is_protected,
            "uncovering": chase.is_uncovering,
        }),
    }
}
