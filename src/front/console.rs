//! What a person at a terminal gets to read.

use std::fmt::Write;

use crate::board::{Color, Position};
use crate::book::{BookMove, Facts};
use crate::engine::{Audience, Engine, OPTIONS, OptionId, OptionKind};
use crate::eval::EvalKind;
use crate::notation::Notation;
use crate::protocol::Ranks;
use crate::util::text_table;

use super::drawing::{Pieces, draw};

pub fn banner() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("hanxin {version}, a Xiangqi engine. `help` lists the commands, `quit` ends.")
}

const COMMANDS: &[(&str, &str)] = &[
    ("d", "draw the board"),
    ("moves", "list the legal moves"),
    ("book", "show what opening books say of the position"),
    ("egtb", "draw the board with what endgame tables tell of it"),
    ("eval", "take the static evaluation apart"),
    ("position startpos [moves h2e2 ...]", "set up the start of a game"),
    ("position fen <FEN> [moves ...]", "set up any position"),
    ("flip", "exchange the colours"),
    ("go depth 12 | movetime 5000 | infinite", "think"),
    ("stop", "think no longer"),
    ("perft <depth>", "count move paths"),
    ("bench [depth]", "search fixed positions and show the speed"),
    ("setoption name <option> value <value>", "change an option"),
    ("ucci, uci", "speak one of these protocols"),
    ("quit", "end"),
];

pub fn help() -> String {
    let mut text = String::from("commands:\n");
    for (command, meaning) in COMMANDS {
        // writing to a String cannot fail
        let _ = writeln!(text, "  {command:40} {meaning}");
    }
    text.push_str("options:\n");
    for option in OPTIONS.iter().filter(|option| option.audience != Audience::Ucci) {
        let values = match option.kind {
            OptionKind::Button => String::new(),
            kind => format!("({kind})"),
        };
        let _ = writeln!(text, "  {:20} {} {values}", option.uci, option.help);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The board with what there is to know about the position.
pub fn display(engine: &Engine) -> String {
    let game = engine.game();
    let position = game.position();
    let latin = engine.settings().text(OptionId::Pieces) == "latin";
    let pieces = if latin { Pieces::Latin } else { Pieces::Chinese };
    let mut text = draw(position, game.moves().last(), pieces);
    let side = match position.side_to_move() {
        Color::Red => "Red 红方",
        Color::Black => "Black 黑方",
    };
    let check = if position.in_check() { ", in check 将军" } else { "" };
    let _ = writeln!(text, "\nto move: {side}{check}");
    if let Some(outcome) = game.outcome() {
        let _ = writeln!(text, "over:    {outcome}");
    }
    let _ = writeln!(text, "fen:     {}", position.to_fen());
    let _ = write!(text, "key:     {:016x}", position.key());
    text
}

/// What the position is worth: the classical evaluation taken apart, and if a
/// net evaluates, its value.
pub fn evaluation(engine: &Engine) -> String {
    let mut text = engine.trace().to_string();
    if let EvalKind::Nnue(network) = engine.evaluation() {
        let value = engine.evaluate();
        let maker = network.description().escape_debug();
        let _ = write!(text, "\nby the net: {value:+} cp, which is what counts ({maker})");
    }
    text
}

/// The board with the result of the position and of each move, as far as
/// endgame tables tell them.
pub fn tables(engine: &Engine, ranks: Ranks) -> String {
    let position = engine.game().position();
    let (known, moves) = engine.probe_tables();
    let mut text = display(engine);
    let _ = write!(text, "\n\nendgame tables: {known}");
    for (m, known) in moves.iter().filter(|(_, known)| known.result.is_some()) {
        let chinese = Notation::Chinese.write(position, *m);
        let _ = write!(text, "\n{} {chinese}  {known}", ranks.spell(*m));
    }
    text
}

/// The name of the opening and the moves of the first book that knows any.
pub fn book(engine: &Engine, ranks: Ranks) -> String {
    let (name, moves) = engine.probe_books();
    let name = name.map_or(String::new(), |name| format!("{} {}\n", name.chinese, name.english));
    name + &book_table(engine.game().position(), &moves, ranks)
}

/// What books know of moves of a position, as a table.
pub fn book_table(position: &Position, moves: &[BookMove], ranks: Ranks) -> String {
    if moves.is_empty() {
        return "no book knows this position".to_owned();
    }
    let all: f64 = moves.iter().map(|found| f64::from(found.weight)).sum();
    let number = |number: u32| if number == 0 { String::new() } else { number.to_string() };
    let head = ["move", "WXF", "着法", "weight", "share", "score", "depth", "won", "drawn", "lost"];
    let rows = moves.iter().map(|found| {
        let Facts { results: [won, drawn, lost], score, depth } = found.facts;
        vec![
            ranks.spell(found.mv).to_string(),
            Notation::Wxf.write(position, found.mv),
            Notation::Chinese.write(position, found.mv),
            found.weight.to_string(),
            format!("{:.0} %", 100.0 * f64::from(found.weight) / all),
            score.map_or(String::new(), |score| format!("{:+.2}", f64::from(score) / 100.0)),
            number(depth.into()),
            number(won),
            number(drawn),
            number(lost),
        ]
    });
    text_table(std::iter::once(head.map(str::to_owned).to_vec()).chain(rows))
}

/// The legal moves, in coordinates and in Chinese.
pub fn moves(position: &Position, ranks: Ranks) -> String {
    const COLUMNS: usize = 4;
    let moves = position.legal_moves();
    let mut text = format!("{} legal moves", moves.len());
    for (number, &m) in moves.iter().enumerate() {
        text.push_str(if number % COLUMNS == 0 { "\n" } else { "   " });
        let _ = write!(text, "{} {}", ranks.spell(m), Notation::Chinese.write(position, m));
    }
    text
}
