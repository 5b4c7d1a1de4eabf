//! Games to PGN.

use std::fmt::Write;
use std::time::SystemTime;

use humantime::format_rfc3339_seconds;

use crate::arena::game::{GameRecord, PlayedMove, RecordError};
use crate::board::{Color, Move, Position};
use crate::book::opening_name;
use crate::notation::Notation;
use crate::score::{Score, Verdict};

/// What all games of a match have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Event {
    pub name: String,
    pub site: String,
    /// The time control, in words.
    pub time_control: Option<String>,
}

/// Lines of moves are not longer than this, in characters, if words are not.
const WIDTH: usize = 80;

/// The text of a game with an empty line at its end, so that texts can be put
/// together.
///
/// # Errors
/// When the record is not a game.
pub fn write(game: &GameRecord, event: &Event, notation: Notation) -> Result<String, RecordError> {
    let end = game.replay()?;
    let start = end.start();
    let mut text = String::new();
    for (name, value) in tags(game, event, notation, &start) {
        // writing to a string cannot fail
        let _ = writeln!(text, "[{name} \"{}\"]", tag_value(&value));
    }
    text.push('\n');
    let mut words = words_of_moves(game, notation, start);
    words.push(comment(&game.reason));
    words.push(game.result.score_text().into());
    text.push_str(&wrapped(&words));
    text.push('\n');
    Ok(text)
}

fn tags(
    game: &GameRecord,
    event: &Event,
    notation: Notation,
    start: &Position,
) -> Vec<(&'static str, String)> {
    let (date, time) = date_and_time(game.started);
    let mut tags = vec![
        ("Game", "Chinese Chess".into()),
        ("Event", event.name.clone()),
        ("Site", event.site.clone()),
        ("Date", date),
        ("Round", format!("{}.{}", game.round, game.number + 1)),
        ("Red", game.red.clone()),
        ("Black", game.black.clone()),
        ("Result", game.result.score_text().into()),
    ];
    tags.extend(opening(game, notation, start).map(|name| ("Opening", name)));
    if *start != Position::startpos() {
        tags.push(("FEN", game.start_fen.clone()));
    }
    tags.push(("Format", format_name(notation).into()));
    tags.push(("PlyCount", game.moves.len().to_string()));
    tags.push(("Time", time));
    tags.extend(event.time_control.clone().map(|control| ("TimeControl", control)));
    tags.push(("Termination", game.termination.to_string()));
    tags
}

/// In UTC: "2026.02.03" and "04:05:06".
fn date_and_time(instant: SystemTime) -> (String, String) {
    let text = format_rfc3339_seconds(instant).to_string();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    (date.replace('-', "."), time.trim_end_matches('Z').into())
}

/// What the opening is called, in the language of the moves.
fn opening(game: &GameRecord, notation: Notation, start: &Position) -> Option<String> {
    let moves: Vec<Move> = game.moves.iter().map(|played| played.m).collect();
    let is_whole_game = *start == Position::startpos();
    let name = is_whole_game.then(|| opening_name(&moves)).flatten().map(|name| match notation {
        Notation::Chinese => name.chinese.to_owned(),
        Notation::Iccs | Notation::Wxf => name.english.to_owned(),
    });
    name.or_else(|| game.opening.clone())
}

const fn format_name(notation: Notation) -> &'static str {
    match notation {
        Notation::Iccs => "ICCS",
        Notation::Wxf => "WXF",
        Notation::Chinese => "Chinese",
    }
}

fn words_of_moves(game: &GameRecord, notation: Notation, start: Position) -> Vec<String> {
    let mut position = start;
    let mut words = Vec::new();
    for (place, played) in game.moves.iter().enumerate() {
        let number = position.ply() / 2 + 1;
        match position.side_to_move() {
            Color::Red => words.push(format!("{number}.")),
            Color::Black if place == 0 => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(notation.write(&position, played.m));
        words.extend(remark(played));
        position.make(played.m);
    }
    words
}

/// What is known of a move, as a comment.
fn remark(played: &PlayedMove) -> Option<String> {
    if played.from_book {
        return Some("{book}".into());
    }
    let seconds = played.time.as_secs_f64();
    match played.score {
        Some(score) => Some(format!("{{{}/{} {seconds:.3}s}}", pawns(score), played.depth)),
        None if played.time.is_zero() => None,
        None => Some(format!("{{{seconds:.3}s}}")),
    }
}

/// `+0.31`, or `-M6` when mated in 6 plies. A win by rule or table is written
/// like a mate, as other programs know nothing of either.
fn pawns(score: Score) -> String {
    match score.verdict() {
        Verdict::Evaluation(centipawns) => format!("{:+.2}", f64::from(centipawns) / 100.0),
        Verdict::Table(plies) | Verdict::Rule(plies) | Verdict::Mate(plies) => {
            let sign = if score.is_win() { '+' } else { '-' };
            format!("{sign}M{}", plies.abs())
        }
    }
}

/// A comment that no brace or line end within it ends early.
fn comment(text: &str) -> String {
    let harmless = |c: char| match c {
        '{' => '(',
        '}' => ')',
        c if c.is_control() => ' ',
        c => c,
    };
    format!("{{{}}}", text.chars().map(harmless).collect::<String>())
}

/// A text between quotes in a tag.
fn tag_value(text: &str) -> String {
    let mut value = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => value.extend(['\\', c]),
            c if c.is_control() => value.push(' '),
            c => value.push(c),
        }
    }
    value
}

fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words.iter().flat_map(|word| word.split(' ')) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::game::example as game;

    fn event() -> Event {
        let time_control = Some("60+0.6".into());
        Event { name: "a \"test\"".into(), site: "C:\\here\nthere".into(), time_control }
    }

    #[test]
    fn a_game_is_written_like_this() {
        let text = write(&game(), &event(), Notation::Iccs).unwrap();
        let expected = r#"[Game "Chinese Chess"]
[Event "a \"test\""]
[Site "C:\\here there"]
[Date "2026.02.03"]
[Round "1.5"]
[Red "first"]
[Black "second"]
[Result "1-0"]
[Opening "Central Cannon"]
[Format "ICCS"]
[PlyCount "3"]
[Time "04:05:06"]
[TimeControl "60+0.6"]
[Termination "time-forfeit"]

1. H2-E2 {+0.31/12 0.015s} H9-G7 {+0.31/12 0.015s} 2. H0-G2 {+0.31/12 0.015s}
{Black's time ran out} 1-0

"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn other_notations_and_starts() {
        let text = write(&game(), &event(), Notation::Chinese).unwrap();
        assert!(text.contains("[Opening \"中炮局\"]\n[Format \"Chinese\"]"), "{text}");
        assert!(text.contains("1. 炮二平五 {+0.31/12 0.015s} 马８进７"), "{text}");
        let start_fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 7";
        let later = GameRecord {
            start_fen: start_fen.into(),
            moves: vec![game().moves[1]],
            opening: Some("suite 3".into()),
            ..game()
        };
        let text = write(&later, &Event::default(), Notation::Wxf).unwrap();
        assert!(text.contains(&format!("[FEN \"{start_fen}\"]")), "{text}");
        assert!(text.contains("[Opening \"suite 3\"]"), "{text}");
        assert!(text.contains("\n7... H8+7 {"), "{text}");
    }

    #[test]
    fn remarks_tell_what_is_known() {
        let bare = PlayedMove::bare("h2e2".parse().unwrap());
        assert_eq!(remark(&bare), None);
        let timed = PlayedMove { time: Duration::from_micros(1_234_567), ..bare };
        assert_eq!(remark(&timed).unwrap(), "{1.235s}");
        assert_eq!(remark(&PlayedMove { from_book: true, ..timed }).unwrap(), "{book}");
        for (score, text) in [
            (Score::mate_in(7), "{+M7/0 0.000s}"),
            (Score::mated_in(0), "{-M0/0 0.000s}"),
            (Score::rule_loss_in(4), "{-M4/0 0.000s}"),
            (Score::from_centipawns(-5), "{-0.05/0 0.000s}"),
        ] {
            assert_eq!(remark(&PlayedMove { score: Some(score), ..bare }).unwrap(), text);
        }
    }

    #[test]
    fn reasons_cannot_break_the_file() {
        let reason = "engine says }{ 1-0 \n[Event \"x\"]".into();
        let text = write(&GameRecord { reason, ..game() }, &event(), Notation::Iccs).unwrap();
        assert!(text.contains("says )( 1-0  [Event"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
