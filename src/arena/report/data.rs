//! Games as the script of the page reads them: short, and what they share
//! only once.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::arena::game::{GameRecord, GameResult, PlayedMove};
use crate::board::{Move, Position};
use crate::book::opening_name;

#[derive(Debug, Default, Serialize)]
pub(super) struct Games {
    /// Texts that games refer to by their places: names, starts, reasons.
    texts: Vec<String>,
    #[serde(skip)]
    places: HashMap<String, usize>,
    list: Vec<Value>,
}

impl Games {
    /// A game as a list: number, round, places of the texts of Red, Black,
    /// start, opening, termination and reason, result (1, 0, -1 for Red),
    /// moves as one text, and of each move the score (null if unknown), the
    /// depth and the time in milliseconds, in three lists.
    pub fn add(&mut self, game: &GameRecord) {
        let moves: String = game.moves.iter().map(|played| played.m.to_string()).collect();
        let result = match game.result {
            GameResult::RedWins => 1,
            GameResult::Draw => 0,
            GameResult::BlackWins => -1,
        };
        let texts = [
            game.red.clone(),
            game.black.clone(),
            game.start_fen.clone(),
            opening(game),
            game.termination.to_string(),
            game.reason.clone(),
        ];
        let texts = texts.map(|text| self.place(text));
        let list = |value: fn(&PlayedMove) -> Value| -> Vec<Value> {
            game.moves.iter().map(value).collect()
        };
        self.list.push(json!([
            game.number + 1,
            game.round,
            texts,
            result,
            moves,
            list(|played| json!(played.score.map(|score| score.raw()))),
            list(|played| json!(played.depth)),
            list(|played| json!(played.time.as_millis() as u64)),
        ]));
    }

    fn place(&mut self, text: String) -> usize {
        let next = self.texts.len();
        *self.places.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}

/// What the opening is called, in both languages where its name is known.
fn opening(game: &GameRecord) -> String {
    let moves: Vec<Move> = game.moves.iter().map(|played| played.m).collect();
    let begins_at_start =
        Position::from_fen(&game.start_fen).is_ok_and(|start| start == Position::startpos());
    let name = begins_at_start.then(|| opening_name(&moves)).flatten();
    let name = name.map(|name| format!("{} {}", name.english, name.chinese));
    name.or_else(|| game.opening.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game::example as game;

    #[test]
    fn texts_are_kept_once() {
        let mut games = Games::default();
        games.add(&game());
        games.add(&GameRecord { number: 5, result: GameResult::Draw, ..game() });
        let json = json!(games);
        assert_eq!(json["texts"].as_array().unwrap().len(), 6);
        assert_eq!(json["list"][0][0], 5);
        assert_eq!(json["list"][1][3], 0);
        assert_eq!(json["list"][0][4], "h2e2h9g7h0g2");
        assert_eq!(json["list"][0][5], json!([31, 31, 31]));
        assert_eq!(json["list"][0][7], json!([15, 15, 15]));
        assert_eq!(json["texts"][3], "Central Cannon 中炮局");
    }

    #[test]
    fn openings_from_files_keep_their_names() {
        let start_fen = "3k5/9/9/9/9/9/9/9/9/4K4 w".to_owned();
        let record = GameRecord { start_fen, opening: Some("study".into()), ..game() };
        assert_eq!(opening(&record), "study");
        assert_eq!(opening(&GameRecord { opening: None, ..record }), "");
    }
}
