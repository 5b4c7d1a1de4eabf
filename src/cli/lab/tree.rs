//! `hanxin lab tree`: draws a search tree.

use std::io::Write;

use clap::{Args, ValueEnum};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RED, TextStyle, WHITE};

use crate::arena::chart::{Area, BLUE, FONT, GREY, PlotError, svg};
use crate::cli::position;
use crate::lab::{
    Cause, Game, Limits, TicTacToe, Tree, TreeGame, Variant, Visit, Window, Xiangqi, search_traced,
};
use crate::score::{Score, Verdict};

use super::{Failure, variant};

/// Visits that a drawing may have.
const MOST: u64 = 1000;

const EXAMPLES: &str = "\
Examples:
  hanxin lab tree > figure.svg
  hanxin lab tree --variant mtd-two-bounds > figure.svg
  hanxin lab tree --cells xoxoox... --depth 3 > tree.svg
  hanxin lab tree --game xiangqi --depth 3 --variant negascout+all > tree.svg

Squares choose the greatest score, circles the least; all scores are seen from
the root. Below a node stands the window it was searched with. A red bar marks a
cut-off. Drivers that search the root several times give a tree for each time.";

/// Draw a search tree with its windows, scores and cut-offs, as SVG.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game; figure if it does not follow from the other arguments.
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// Where tic-tac-toe begins: nine of x, o and ., row by row [default: xo..x..o.].
    #[arg(long, conflicts_with = "fen")]
    cells: Option<String>,
    /// Where Xiangqi begins [default: an ending].
    #[arg(long)]
    fen: Option<String>,
    /// Plies.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=9))]
    depth: u32,
    /// The variant, as in `hanxin lab compare`.
    #[arg(long, default_value = "fail-soft")]
    variant: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GameName {
    /// The worked example of the lecture notes, figure 3.10.
    Figure,
    /// Tic-tac-toe.
    Tictactoe,
    /// Xiangqi.
    Xiangqi,
}

/// A game of tic-tac-toe with four moves made.
const CELLS: &str = "xo..x..o.";
/// An ending with few moves: a pawn on either side.
const ENDING: &str = "3k1a3/9/3P5/9/9/9/9/5p3/9/3A1K3 w";

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let variant = variant(&self.variant)?;
        let (nodes, visits) = match self.game()? {
            GameName::Figure => self.visits(TreeGame::new(Tree::figure_3_10(0)), &variant),
            GameName::Tictactoe => {
                let cells = self.cells.as_deref().unwrap_or(CELLS);
                let game: TicTacToe = cells.parse().map_err(Failure::invalid)?;
                self.visits(game, &variant)
            }
            GameName::Xiangqi => {
                let fen = self.fen.as_deref().unwrap_or(ENDING);
                self.visits(Xiangqi::new(position(fen)?), &variant)
            }
        };
        if nodes > MOST {
            return Err(Failure::Refused(format!(
                "more than {MOST} nodes are too many to draw: take a smaller --depth or a \
                 position with fewer moves (--cells, --fen)"
            )));
        }
        let text = Drawing::of(&visits).to_svg();
        let text = text.map_err(|error| Failure::refused(format!("cannot draw: {error}")))?;
        Ok(writeln!(out, "{text}")?)
    }

    /// The game that is asked for, or follows from where it begins.
    fn game(&self) -> Result<GameName, Failure> {
        use GameName::{Figure, Tictactoe, Xiangqi};
        match (self.game, &self.cells, &self.fen) {
            (None, None, None) => Ok(Figure),
            (None | Some(Tictactoe), Some(_), _) => Ok(Tictactoe),
            (None | Some(Xiangqi), _, Some(_)) => Ok(Xiangqi),
            (Some(game), None, None) => Ok(game),
            (_, Some(_), _) => Err(Failure::Invalid("--cells is for --game tictactoe".into())),
            (_, _, Some(_)) => Err(Failure::Invalid("--fen is for --game xiangqi".into())),
        }
    }

    /// The nodes searched, up to one more than can be drawn, and their visits.
    fn visits<G: Game>(&self, game: G, variant: &Variant) -> (u64, Vec<Visit>) {
        let limits = Limits { nodes: Some(MOST), ..Limits::to_depth(self.depth) };
        let (found, visits) = search_traced(game, variant.settings, &limits);
        (found.nodes, visits)
    }
}

/// The width that a leaf takes, in pixels.
const COLUMN: i32 = 72;
/// The height of a ply, in pixels.
const ROW: i32 = 92;
/// Half the size of a node, in pixels.
const NODE: i32 = 17;

/// A point, in pixels from the upper left.
type Point = (i32, i32);

/// A node in its place.
struct Placed<'a> {
    visit: &'a Visit,
    at: Point,
    parent: Option<Point>,
}

/// All nodes in their places.
struct Drawing<'a> {
    nodes: Vec<Placed<'a>>,
    columns: i32,
    rows: i32,
}

impl<'a> Drawing<'a> {
    fn of(visits: &'a [Visit]) -> Drawing<'a> {
        let mut drawing = Drawing { nodes: Vec::new(), columns: 0, rows: 0 };
        for visit in visits {
            drawing.place(visit, 0);
        }
        drawing
    }

    /// Places a node above the middle of its children, and returns where.
    fn place(&mut self, visit: &'a Visit, row: i32) -> Point {
        self.rows = self.rows.max(row + 1);
        let first = self.nodes.len();
        let children: Vec<i32> =
            visit.children.iter().map(|child| self.place(child, row + 1).0).collect();
        let x = match children[..] {
            [] => {
                self.columns += 1;
                self.columns * COLUMN - COLUMN / 2
            }
            [left, ..] => (left + children.last().unwrap_or(&left)) / 2,
        };
        let at = (x, row * ROW + 30);
        let orphans = self.nodes[first..].iter_mut().filter(|node| node.parent.is_none());
        orphans.for_each(|node| node.parent = Some(at));
        self.nodes.push(Placed { visit, at, parent: None });
        at
    }

    fn to_svg(&self) -> Result<String, PlotError> {
        let size = (self.columns * COLUMN, self.rows * ROW);
        svg((size.0.unsigned_abs(), size.1.unsigned_abs()), |area| {
            self.nodes.iter().try_for_each(|node| node.draw_edge(area))?;
            self.nodes.iter().try_for_each(|node| node.draw(area))
        })
    }
}

impl Placed<'_> {
    fn draw_edge(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let Some(parent) = self.parent else { return Ok(()) };
        area.draw(&PathElement::new([parent, self.at], GREY.stroke_width(1)))
    }

    fn draw(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let (x, y) = self.at;
        let is_root_side = self.visit.ply.is_multiple_of(2);
        for style in [WHITE.filled(), BLUE.stroke_width(2)] {
            if is_root_side {
                area.draw(&Rectangle::new([(x - NODE, y - NODE), (x + NODE, y + NODE)], style))?;
            } else {
                area.draw(&Circle::new(self.at, NODE, style))?;
            }
        }
        write(area, score(self.visit.score, is_root_side), (x, y - 7), 14)?;
        write(area, window(self.visit.window, is_root_side), (x, y + NODE + 2), 10)?;
        write(area, cause(&self.visit.cause), (x, y - NODE - 12), 10)?;
        self.draw_cut_off(area)
    }

    fn draw_cut_off(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let (x, y) = (self.at.0, self.at.1 + NODE + 16);
        let cut_off = self.visit.moves_cut_off();
        if cut_off == 0 {
            return Ok(());
        }
        area.draw(&PathElement::new([(x - NODE, y), (x + NODE, y)], RED.stroke_width(3)))?;
        write(area, format!("{cut_off} cut off"), (x, y + 4), 10)
    }
}

/// Writes a line of text centred below a point.
fn write(area: &Area<'_>, text: String, at: Point, size: i32) -> Result<(), PlotError> {
    let style = TextStyle::from((FONT, size)).color(&BLACK);
    area.draw(&Text::new(text, at, style.pos(Pos::new(HPos::Center, VPos::Top))))
}

fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Root => String::new(),
        Cause::Move(m) => m.clone(),
        Cause::NullMove => "null move".to_owned(),
        Cause::Verification => "verification".to_owned(),
        Cause::InternalDeepening => "shallower".to_owned(),
    }
}

/// The window as the side to move at the root sees it.
fn window(window: Window, is_root_side: bool) -> String {
    let seen = if is_root_side { window } else { -window };
    format!("({}, {})", score(seen.alpha, true), score(seen.beta, true))
}

/// The score as the side to move at the root sees it.
fn score(score: Score, is_root_side: bool) -> String {
    let seen = if is_root_side { score } else { -score };
    match seen.verdict() {
        _ if seen == Score::INFINITE => "∞".to_owned(),
        _ if seen == -Score::INFINITE => "-∞".to_owned(),
        Verdict::Mate(plies) if seen.is_loss() => format!("lost {}", plies.abs()),
        Verdict::Mate(plies) => format!("won {plies}"),
        _ => seen.raw().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(variant: &str) -> String {
        let variant: Variant = variant.parse().unwrap();
        let game = TreeGame::new(Tree::figure_3_10(0));
        let (_, visits) = search_traced(game, variant.settings, &Limits::to_depth(4));
        Drawing::of(&visits).to_svg().unwrap()
    }

    #[test]
    fn the_game_follows_from_where_it_begins() {
        use clap::FromArgMatches;
        for (words, game) in [
            ("", "Ok(Figure)"),
            ("--fen x", "Ok(Xiangqi)"),
            ("--cells x", "Ok(Tictactoe)"),
            ("--game xiangqi", "Ok(Xiangqi)"),
            ("--game tictactoe --cells x", "Ok(Tictactoe)"),
            ("--game figure --fen x", "Err(Invalid(\"--fen is for --game xiangqi\"))"),
            ("--game xiangqi --cells x", "Err(Invalid(\"--cells is for --game tictactoe\"))"),
        ] {
            let command = Arguments::augment_args(clap::Command::new("tree"));
            let words = std::iter::once("tree").chain(words.split_whitespace());
            let arguments = Arguments::from_arg_matches(&command.get_matches_from(words)).unwrap();
            assert_eq!(format!("{:?}", arguments.game()), game);
        }
    }

    #[test]
    fn the_worked_example_has_its_four_cut_offs() {
        assert_eq!(drawn("fail-soft").matches("cut off").count(), 4);
        assert_eq!(drawn("minimax").matches("cut off").count(), 0);
    }

    #[test]
    fn a_margin_cuts_off_too() {
        let variant: Variant = "negascout+all+margin".parse().unwrap();
        let game = TreeGame::new(Tree::figure_3_10(0));
        let (_, visits) = search_traced(game, variant.settings, &Limits::to_depth(4));
        let visits: Vec<&Visit> = visits.iter().flat_map(Visit::all).collect();
        let is_early = |visit: &&&Visit| {
            let is_move = |child: &&Visit| matches!(child.cause, Cause::Move(_));
            visit.children.iter().filter(is_move).count() < visit.moves
        };
        let early = visits.iter().filter(is_early).count();
        let by_margin = |visit: &&&Visit| visit.is_cut_off() && visit.score < visit.window.beta;
        assert!(visits.iter().any(|visit| by_margin(&visit)));
        assert_eq!(visits.iter().filter(|visit| visit.is_cut_off()).count(), early);
    }

    #[test]
    fn no_two_nodes_are_drawn_in_one_place() {
        let settings = crate::lab::Settings::default();
        let (_, visits) = search_traced(TicTacToe::default(), settings, &Limits::to_depth(2));
        let drawing = Drawing::of(&visits);
        let places: std::collections::HashSet<_> = drawing.nodes.iter().map(|n| n.at).collect();
        assert_eq!(places.len(), drawing.nodes.len());
    }
}
