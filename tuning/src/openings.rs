//! Makes a suite of openings to begin matches with.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hanxin::board::{Color, Move, PieceKind, Position};
use hanxin::book::opening_name;
use hanxin::rules::Game;
use hanxin::search::Limits;
use hanxin::util::{check_output, write_whole};

use crate::progress::{bar, print_line};
use crate::selfplay::{Evaluation, Player, near_best};
use hanxin::util::seeded;
use rand::RngExt;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning openings --count 500 --threads 2 --out openings.epd";

/// What openings to make.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// How many openings
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// The largest score of either side, centipawns
    #[arg(long, default_value_t = 60)]
    balance: i32,
    /// Nodes searched to find the score of a position
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Threads; the suite does not depend on their number
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Determines the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    evaluation: Evaluation,
    /// The file
    #[arg(long, default_value = "openings/balanced.epd")]
    out: PathBuf,
}

/// Plies of an opening at least; up to three more are played.
const PLIES: usize = 6;
/// Nodes searched for the moves that an opening may go on with.
const MOVE_NODES: u64 = 3_000;
/// MultiPV of that search.
const MOVES: usize = 10;
/// A move that loses at most this against the best one may be played,
/// centipawns.
const MARGIN: i32 = 45;
/// Candidates in a row that may be rejected before the search gives up.
const MAX_FUTILE_CANDIDATES: u64 = 2_000;

/// A start position for games.
#[derive(Debug, PartialEq)]
struct Opening {
    moves: Vec<Move>,
    position: Position,
    /// For the side to move, centipawns.
    score: i32,
}

/// Makes the suite and writes its file.
///
/// # Errors
/// When the file cannot be written, a search cannot run or fewer openings are
/// found, which are written.
pub fn run(options: &Options) -> Result<()> {
    // better now than after hours of searching
    check_output("--out", &options.out, options.evaluation.file())?;
    let eval = options.evaluation.open()?;
    let mut players = Player::several(options.threads.into(), options.nodes, &eval)?;
    find(&mut players, options)?.write(options)
}

/// As many openings as are wanted, or fewer if no more are found.
fn find(players: &mut [Player], options: &Options) -> Result<Suite> {
    let bar = bar(options.count.into());
    bar.set_message("openings");
    let mut suite = Suite::default();
    let mut futile = 0;
    for first in (0..).step_by(players.len()) {
        let before = suite.openings.len();
        for candidate in candidates(players, options, first)?.into_iter().flatten() {
            suite.add_if_new(candidate, options);
        }
        bar.set_position(suite.openings.len() as u64);
        let has_found = suite.openings.len() > before;
        futile = if has_found { 0 } else { futile + players.len() as u64 };
        if suite.openings.len() >= options.count as usize || futile > MAX_FUTILE_CANDIDATES {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(suite)
}

/// Candidates with numbers from `first`, one from each player.
fn candidates(
    players: &mut [Player],
    options: &Options,
    first: u64,
) -> Result<Vec<Option<Opening>>> {
    std::thread::scope(|scope| {
        let start = |(player, number)| scope.spawn(move || candidate(player, options, number));
        let running: Vec<_> = players.iter_mut().zip(first..).map(start).collect();
        let join = |worker: std::thread::ScopedJoinHandle<_>| {
            worker.join().unwrap_or_else(|_| bail!("a worker has panicked"))
        };
        running.into_iter().map(join).collect()
    })
}

/// Plays a few good moves and evaluates the position reached; `None` if it is
/// not a suitable start.
fn candidate(player: &mut Player, options: &Options, number: u64) -> Result<Option<Opening>> {
    let mut random = seeded(options.seed, number);
    player.clear();
    let plies = PLIES + random.random_range(0..4);
    let mut game = Game::from(Position::startpos());
    for _ in 0..plies {
        if game.outcome().is_some() {
            return Ok(None);
        }
        let lines = player.outcome(&game, by_nodes(MOVE_NODES), MOVES).lines;
        game.play(near_best(&lines, MARGIN, &mut random)?)?;
    }
    let position = game.position().clone();
    if !is_quiet(&position) || !is_even(&position) {
        return Ok(None);
    }
    let score = player.outcome(&game, by_nodes(options.nodes), 1).score.raw();
    let moves = game.moves().collect();
    Ok((score.abs() <= options.balance).then_some(Opening { moves, position, score }))
}

fn by_nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Whether neither side is in check and no capture wins material.
fn is_quiet(position: &Position) -> bool {
    let wins = |&m: &Move| position.is_capture(m) && position.see_ge(m, 1);
    !position.in_check() && !position.legal_moves().iter().any(wins)
}

/// Whether both sides have the same pieces.
fn is_even(position: &Position) -> bool {
    let count = |color, kind| position.pieces_of(color, kind).count();
    PieceKind::ALL.iter().all(|&kind| count(Color::Red, kind) == count(Color::Black, kind))
}

/// Distinct openings.
#[derive(Default)]
struct Suite {
    openings: Vec<Opening>,
    seen: HashSet<String>,
}

impl Suite {
    /// Adds an opening unless the suite has it already or is full.
    fn add_if_new(&mut self, opening: Opening, options: &Options) {
        let is_new = self.openings.len() < options.count as usize
            && self.seen.insert(canonical_board(&opening.position));
        if is_new {
            self.openings.push(opening);
        }
    }

    /// Writes the file, if there is an opening.
    ///
    /// # Errors
    /// When it cannot be written, or holds fewer openings than are wanted.
    fn write(&self, options: &Options) -> Result<()> {
        let (found, out) = (self.openings.len(), options.out.display());
        ensure!(found > 0, "no opening is found: allow a larger --balance");
        write_whole(&options.out, self.to_epd(options).as_bytes())
            .with_context(|| format!("cannot write {out}"))?;
        print_line!("{found} openings in {out}");
        let is_full = found >= options.count as usize;
        ensure!(is_full, "no more openings than {found} are found: allow a larger --balance");
        Ok(())
    }

    /// The file: a line of EPD for each opening.
    fn to_epd(&self, options: &Options) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (number, Opening { moves, position, score }) in (1..).zip(&self.openings) {
            let fen = position.to_fen();
            let board_and_side: Vec<&str> = fen.split(' ').take(2).collect();
            let moves_text: Vec<String> = moves.iter().map(Move::to_string).collect();
            let name = opening_name(moves).map_or("", |name| name.english);
            lines.push(format!(
                "{} - - ce {score}; acn {}; id \"hanxin.{number:04}\"; c0 \"{}\"; c1 \"{name}\";\n",
                board_and_side.join(" "),
                options.nodes,
                moves_text.join(" "),
            ));
        }
        lines.concat()
    }
}

/// The same text for positions that are mirror images of each other, or equal
/// with colours exchanged.
fn canonical_board(position: &Position) -> String {
    let board =
        |position: &Position| position.to_fen().split(' ').next().unwrap_or_default().to_owned();
    let position = match position.side_to_move() {
        Color::Red => position.clone(),
        Color::Black => position.swap_colors(),
    };
    board(&position).min(board(&position.mirror()))
}

#[cfg(test)]
mod tests {
    use hanxin::eval::EvalKind;

    use super::*;

    fn options() -> Options {
        Options {
            count: 4,
            balance: 2_000,
            nodes: 2_000,
            threads: 2,
            seed: 5,
            evaluation: Evaluation::default(),
            out: PathBuf::from("nowhere"),
        }
    }

    #[test]
    fn mirror_images_and_exchanged_colours_are_alike() {
        let alike = |fens: [&str; 2]| {
            let [a, b] = fens.map(|fen| canonical_board(&Position::from_fen(fen).unwrap()));
            a == b
        };
        let fen = "3k5/9/4b4/9/P8/9/9/9/9/4K3R w";
        assert!(alike([fen, "5k3/9/4b4/9/8P/9/9/9/9/R3K4 w"]));
        assert!(alike([fen, "r3k4/9/9/9/9/8p/9/4B4/9/5K3 b"]));
        assert!(!alike([fen, "3k5/9/4b4/9/P8/9/9/9/9/4K3R b"]));
        assert!(!alike([fen, "3k5/9/4b4/9/P8/9/9/9/9/4K2R1 w"]));
    }

    #[test]
    fn a_suite_is_determined_by_its_seed() {
        let suite = |threads: u16| {
            let mut players = Player::several(threads.into(), 1, &EvalKind::Classical).unwrap();
            let mut suite = Suite::default();
            for first in (0..24).step_by(usize::from(threads)) {
                let found = candidates(&mut players, &options(), first).unwrap();
                found
                    .into_iter()
                    .flatten()
                    .for_each(|opening| suite.add_if_new(opening, &options()));
            }
            suite
        };
        let one = suite(1);
        assert_eq!(one.openings, suite(2).openings);
        assert_eq!(one.openings.len(), 4);
        for line in one.to_epd(&options()).lines() {
            let position = Position::from_fen(line).unwrap();
            assert!(is_quiet(&position) && is_even(&position), "{line}");
            assert!(line.contains(" - - ce ") && line.contains("; c0 \""), "{line}");
        }
        // full, and what is there already is not taken twice
        let mut roomy = Suite { openings: Vec::new(), seen: one.seen };
        for opening in one.openings {
            roomy.add_if_new(opening, &options());
        }
        assert!(roomy.openings.is_empty());
    }

    #[test]
    fn fewer_openings_than_wanted_are_written_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { out: folder.path().join("suite.epd"), ..options() };
        let refusal = |suite: &Suite| suite.write(&options).unwrap_err().to_string();
        let mut suite = Suite::default();
        assert!(refusal(&suite).starts_with("no opening is found"));
        assert!(!options.out.exists());
        let position = Position::startpos();
        suite.add_if_new(Opening { moves: Vec::new(), position, score: 0 }, &options);
        assert!(refusal(&suite).contains("no more openings than 1 are found"));
        assert_eq!(std::fs::read_to_string(&options.out).unwrap(), suite.to_epd(&options));
    }

    #[test]
    fn captures_that_win_are_seen() {
        let start = Position::startpos();
        assert!(is_quiet(&start) && is_even(&start));
        // the cannon may take a horse for nothing but itself
        let hanging = Position::from_fen("3k5/9/9/9/r8/9/9/9/9/R3K4 w").unwrap();
        assert!(!is_quiet(&hanging) && is_even(&hanging));
        let uneven = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4K3R w").unwrap();
        assert!(is_quiet(&uneven) && !is_even(&uneven));
    }
}
