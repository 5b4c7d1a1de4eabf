//! What a person or a script sees while a match is played.

use std::io::Write;

use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Value, json};

use super::super::progress::bar;
use super::super::{Failure, remark};
use crate::arena::{
    Assignment, CupWinner, Decision, GameRecord, HostEvent, HostState, Overhead, Plan, PlayedMove,
    Summary, SwissPlace, TournamentOutcome,
};
use crate::board::Position;
use crate::front::drawing::{Pieces, draw};
use crate::util::text_table;

/// Lines on the output, and a bar on the standard error if that is a terminal.
pub struct Progress<'a, W> {
    out: &'a mut W,
    names: Vec<String>,
    bar: ProgressBar,
    total: Option<u64>,
    is_json: bool,
    interval: u64,
    /// The game whose board is shown.
    shown: Option<u32>,
    /// Of a tournament that is over, if it decides something.
    outcome: Option<TournamentOutcome>,
}

impl<'a, W: Write> Progress<'a, W> {
    pub fn new(
        out: &'a mut W,
        plan: &Plan,
        total: Option<u64>,
        is_json: bool,
        interval: u64,
    ) -> Progress<'a, W> {
        let template = match total {
            Some(_) => "[{elapsed_precise}] {bar:30} {pos}/{len} {msg} (left: {eta})",
            None => "[{elapsed_precise}] {pos} {msg}",
        };
        let bar = bar(total, template);
        if is_json {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        Progress { out, names, bar, total, is_json, interval, shown: None, outcome: None }
    }

    pub fn remark(&mut self, text: &str) {
        self.bar.suspend(|| remark(text));
    }

    /// What has been played in earlier runs.
    pub fn resume(&mut self, summary: &Summary) -> Result<(), Failure> {
        self.bar.set_position(summary.games());
        self.bar.reset_eta();
        match (summary.games(), self.is_json) {
            (0, _) => Ok(()),
            (_, true) => self.line(&standings_event(summary)),
            (games, false) => self.line(&format!("Taking up the match after {games} games")),
        }
    }

    /// News of a rank that plays games.
    pub fn host(&mut self, event: &HostEvent) -> Result<(), Failure> {
        if !self.is_json {
            return self.line(&event.to_string());
        }
        let HostEvent { rank, host, state } = event;
        let (state, games) = match state {
            HostState::Ready { games } => ("ready", Some(games)),
            HostState::Silent { games } => ("silent", Some(games)),
            HostState::Back => ("back", None),
            HostState::Left { games } => ("left", Some(games)),
            HostState::Unable(_) => ("unable", None),
        };
        let text = event.to_string();
        let event = json!({
            "event": "host", "rank": rank, "host": host, "state": state, "games": games,
            "text": text,
        });
        self.line(&event.to_string())
    }

    pub fn started(&mut self, game: &Assignment, host: Option<&str>) -> Result<(), Failure> {
        self.shown = self.shown.or(Some(game.number));
        let (red, black) = (&self.names[game.red], &self.names[game.black]);
        let line = if self.is_json {
            let Assignment { number, pair, round, .. } = game;
            json!({
                "event": "started", "number": number, "pair": pair, "round": round,
                "red": red, "black": black, "host": host,
            })
            .to_string()
        } else {
            let of = self.total.map_or(String::new(), |total| format!(" of {total}"));
            let on = host.map_or(String::new(), |host| format!(" on {host}"));
            format!("Started game {}{of} ({red} vs {black}){on}", game.number + 1)
        };
        self.line(&line)
    }

    /// Draws the board of one of the games.
    pub fn moved(
        &mut self,
        game: &Assignment,
        position: &Position,
        played: &PlayedMove,
    ) -> Result<(), Failure> {
        if self.shown != Some(game.number) {
            return Ok(());
        }
        let score = played.score.map_or(String::new(), |score| score.to_string());
        let (m, depth, time) = (played.m, played.depth, played.time.as_secs_f64());
        let head = format!("Game {}: {m} {score}/{depth} {time:.2}s", game.number + 1);
        self.line(&format!("{head}\n{}\n", draw(position, Some(m), Pieces::Latin)))
    }

    pub fn finished(&mut self, record: &GameRecord, summary: &Summary) -> Result<(), Failure> {
        if self.shown == Some(record.number) {
            self.shown = None;
        }
        self.bar.set_position(summary.games());
        self.bar.set_message(summary.brief());
        if self.is_json {
            self.line(&json!({ "event": "game", "game": record }).to_string())?;
        } else {
            let (red, black) = (&record.red, &record.black);
            let (result, reason) = (record.result.score_text(), &record.reason);
            let number = record.number + 1;
            self.line(&format!(
                "Finished game {number} ({red} vs {black}): {result} {{{reason}}}"
            ))?;
        }
        if self.interval > 0 && summary.games().is_multiple_of(self.interval) {
            self.standings(summary)?;
        }
        Ok(())
    }

    pub fn standings(&mut self, summary: &Summary) -> Result<(), Failure> {
        let text = if self.is_json { standings_event(summary) } else { summary.standings_text() };
        self.line(&text)
    }

    /// What the tournament has decided, to be said at the end.
    pub fn set_outcome(&mut self, outcome: Option<TournamentOutcome>) {
        self.outcome = outcome;
    }

    /// The outcome in words, if there is one beside the results.
    pub fn outcome_text(&self) -> Option<String> {
        Some(match self.outcome.as_ref()? {
            TournamentOutcome::Knockout(cup) => self.cup_text(cup),
            TournamentOutcome::Swiss(table) => {
                format!("Swiss system, byes counted as encounters won:\n{}", self.swiss_text(table))
            }
        })
    }

    fn swiss_text(&self, table: &[SwissPlace]) -> String {
        let header = ["Engine", "Place", "Points", "Byes"].map(str::to_owned);
        let row = |&SwissPlace { engine, place, points, byes }: &SwissPlace| {
            let points = format!("{:.1}", f64::from(points) / 2.0);
            vec![self.names[engine].clone(), place.to_string(), points, byes.to_string()]
        };
        text_table([header.to_vec()].into_iter().chain(table.iter().map(row)))
    }

    fn swiss_json(&self, table: &[SwissPlace]) -> Value {
        let row = |&SwissPlace { engine, place, points, byes }: &SwissPlace| {
            let points = f64::from(points) / 2.0;
            json!({ "name": self.names[engine], "place": place, "points": points, "byes": byes })
        };
        table.iter().map(row).collect()
    }

    /// `a wins the cup: 2 - 2 against b in the final, 1.5 - 0.5 in tie-break 1`.
    fn cup_text(&self, cup: &CupWinner) -> String {
        let score = |points: [u32; 2]| {
            let [own, other] = points.map(|half_points| f64::from(half_points) / 2.0);
            format!("{own} - {other}")
        };
        let [winner, other] = [cup.winner, cup.runner_up].map(|engine| &self.names[engine]);
        let how = match cup.decision {
            Decision::Score => String::new(),
            Decision::TieBreak { number, points } => {
                format!(", {} in tie-break {number}", score(points))
            }
            Decision::Seed => ", all tie-breaks drawn, as the better seed".to_owned(),
        };
        format!("{winner} wins the cup: {} against {other} in the final{how}", score(cup.points))
    }

    fn cup_json(&self, cup: &CupWinner) -> Value {
        let CupWinner { winner, runner_up, points, decision } = cup;
        let [winner, runner_up] = [winner, runner_up].map(|&engine| &self.names[engine]);
        let score = points.map(|half_points| f64::from(half_points) / 2.0);
        let decision = match decision {
            Decision::Score => "score",
            Decision::TieBreak { .. } => "tie-break",
            Decision::Seed => "seed",
        };
        json!({ "winner": winner, "runner_up": runner_up, "score": score, "decision": decision })
    }

    /// The last words; with the time that the runner took if games have been
    /// played.
    pub fn end(
        &mut self,
        summary: &Summary,
        overhead: Option<&Overhead>,
        reason: &str,
    ) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        if self.is_json {
            self.standings(summary)?;
            let runner = overhead.map(Overhead::to_json);
            let (cup, swiss) = match &self.outcome {
                Some(TournamentOutcome::Knockout(cup)) => (Some(self.cup_json(cup)), None),
                Some(TournamentOutcome::Swiss(table)) => (None, Some(self.swiss_json(table))),
                None => (None, None),
            };
            let end = json!({
                "event": "end", "reason": reason, "cup": cup, "swiss": swiss, "runner": runner,
            });
            return self.line(&end.to_string());
        }
        let text = summary.to_string();
        match summary.duel() {
            Some(_) => {
                self.line(&format!("{}\n\n{}", summary.standings_text(), text.trim_end()))?
            }
            None => self.line(text.trim_end())?,
        }
        if let Some(outcome) = self.outcome_text() {
            self.line(&format!("\n{outcome}"))?;
        }
        if let Some(overhead) = overhead {
            self.line(&overhead.to_string())?;
        }
        self.line(reason)
    }

    fn line(&mut self, text: &str) -> Result<(), Failure> {
        let out = &mut self.out;
        let written = self.bar.suspend(|| writeln!(out, "{text}").and_then(|()| out.flush()));
        Ok(written?)
    }
}

fn standings_event(summary: &Summary) -> String {
    let duel = summary.duel().map(|standings| standings.to_json(summary.sprt()));
    json!({ "event": "standing", "duel": duel, "summary": summary.to_json() }).to_string()
}
