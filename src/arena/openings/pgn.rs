//! Openings of a file of games.

use super::Opening;
use crate::board::Position;
use crate::notation::parse_any;
use crate::rules::{Game, RuleSet};

/// Reads the first plies of every game. Moves may be written in any notation.
///
/// # Errors
/// The first game that cannot be played through, with its number.
pub fn read(text: &str, plies: usize) -> Result<Vec<Opening>, String> {
    let games = (1..).zip(games(text));
    games
        .map(|(number, game)| opening(game, plies).map_err(|f| format!("game {number}: {f}")))
        .collect()
}

/// A game: its tags and its moves as they stand.
#[derive(Default)]
struct Text<'a> {
    tags: Vec<&'a str>,
    moves: Vec<&'a str>,
}

/// A tag after moves begins another game.
fn games(text: &str) -> Vec<Text<'_>> {
    let mut games: Vec<Text> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_tag = line.starts_with('[');
        if games.last().is_none_or(|game| is_tag && !game.moves.is_empty()) {
            games.push(Text::default());
        }
        if let Some(game) = games.last_mut() {
            if is_tag { game.tags.push(line) } else { game.moves.push(line) }
        }
    }
    games
}

fn opening(text: Text<'_>, plies: usize) -> Result<Opening, String> {
    let tag = |name: &str| {
        let value = |line: &&str| {
            let rest = line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(' ')?;
            Some(rest.trim_end_matches(']').trim().trim_matches('"').to_owned())
        };
        text.tags.iter().find_map(value)
    };
    let start = match tag("FEN") {
        Some(fen) => Position::from_fen(&fen).map_err(|fault| fault.to_string())?,
        None => Position::startpos(),
    };
    let mut game = Game::new(start.clone(), RuleSet::default());
    for word in words(&text.moves.join("\n")).iter().take(plies) {
        let m = parse_any(game.position(), word).map_err(|fault| fault.to_string())?;
        game.play(m).map_err(|fault| fault.to_string())?;
    }
    let name = tag("Opening").or_else(|| tag("ECCO"));
    Opening::checked(name.filter(|name| !name.is_empty()), start, game.moves().collect())
}

/// The moves of a movetext, without numbers, comments, variations, glyphs and
/// the result.
fn words(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let (mut in_comment, mut in_remark, mut depth) = (false, false, 0_u32);
    for c in text.chars() {
        match c {
            '}' if in_comment => in_comment = false,
            '\n' if in_remark => in_remark = false,
            _ if in_comment || in_remark => continue,
            '{' => in_comment = true,
            ';' => in_remark = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => continue,
            _ => {
                plain.push(c);
                continue;
            }
        }
        plain.push(' ');
    }
    let is_move = |word: &&str| {
        let is_result = ["*", "1-0", "0-1", "1/2-1/2"].contains(word);
        let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
        !is_result && !is_number && !word.starts_with('$')
    };
    let without_number = |word: &str| match word.rsplit_once('.') {
        Some((number, m)) if number.chars().all(|c| c.is_ascii_digit() || c == '.') => m.to_owned(),
        _ => word.to_owned(),
    };
    plain.split_whitespace().filter(is_move).map(without_number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[Event \"x\"]\n[Opening \"Central cannon\"]\n\n\
        1. 炮二平五 {+0.3/12 (no ) here} 马８进７ (1... h7e7 2. h0g2)\n2.马二进三 $1 车９平８ 1-0\n\n\
        [Event \"y\"]\n1. H2-E2 H9-G7 ; remark 2. x\n2... h0g2 *\n";

    #[test]
    fn games_give_their_first_plies() {
        let openings = read(GAMES, 3).unwrap();
        assert_eq!(openings.len(), 2);
        assert_eq!(openings[0].name.as_deref(), Some("Central cannon"));
        let moves: Vec<String> = openings[0].moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["h2e2", "h9g7", "h0g2"]);
        assert_eq!(openings[0].moves, openings[1].moves);
        assert_eq!(read(GAMES, 99).unwrap()[0].moves.len(), 4);
    }

    #[test]
    fn faults_name_the_game() {
        let error = read("[Event \"x\"]\n1. h2e2\n[Event \"y\"]\n1. h2h8", 9).unwrap_err();
        assert!(error.starts_with("game 2: "), "{error}");
        assert_eq!(read("", 9), Ok(vec![]));
    }
}
