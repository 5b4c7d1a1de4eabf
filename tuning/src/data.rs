//! Selects positions from games, for training and for validation.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use clap::Args;
use hanxin::arena::training::{Record, Start};
use hanxin::board::{Color, Position};
use hanxin::egtb::{Prober, Tables, Wdl};
use rayon::prelude::*;

use crate::curve::{fit_scale, is_extreme};
use crate::progress::print_line;
use crate::selfplay::is_quiet;
use crate::store::{self, Games};

/// The games to read.
#[derive(Args)]
pub struct Data {
    /// Files that datagen has made, the newest last: of a position that occurs
    /// twice its label is taken, and scores of other evaluations are brought to its scale
    #[arg(long = "data", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// A folder of endgame tables beside those inside the program: what tables
    /// tell of a position is its label
    #[arg(long)]
    tables: Option<PathBuf>,
}

/// The blend of result and score to predict.
#[derive(Args, Clone, Copy)]
pub struct Mixture {
    /// How much of the target is the result of the game; the rest is the score
    /// of the search
    #[arg(long, default_value_t = 0.3, value_parser = crate::numbers::fraction)]
    pub lambda: f64,
}

/// The label of a position, from one side's point of view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Label {
    /// Result for the side: 0, 0.5 or 1.
    pub points: f32,
    /// The search's score, centipawns.
    pub score: i16,
}

impl Label {
    /// The same for the side to move; `self` is for Red.
    pub fn for_mover(self, position: &Position) -> Label {
        match position.side_to_move() {
            Color::Red => self,
            Color::Black => Label { points: 1.0 - self.points, score: -self.score },
        }
    }
}

/// Training and validation data; no game is in both.
pub struct Split<T> {
    /// Training data.
    pub training: Vec<T>,
    /// Validation data.
    pub validation: Vec<T>,
}

/// One game in this many is kept for validation.
const VALIDATION: u32 = 10;
/// The first plies of a game from the initial position are not used.
const FIRST_PLY: usize = 10;
/// Nor are positions that are as good as decided,
const SCORE_LIMIT: i16 = 2_000;
/// nor those with more plies than this since the last capture.
const QUIET_LIMIT: u16 = 80;
/// Games processed at a time; their positions are held in memory twice.
const CHUNK: usize = 8_192;
/// The least score of a position that tables call won, centipawns.
const TABLE_WIN: i16 = 1_000;
/// Scores that tell their scale.
const LEAST_SCORES: usize = 1_000;
/// Labels sampled at most for the scale of a file's scores.
const SCALE_SAMPLE: usize = 1 << 20;

impl Data {
    /// The files of games.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Maps the selected positions of all games by `make`, each position once, in
    /// the order of the games, the last file first; the label is for Red.
    ///
    /// # Errors
    /// When a file cannot be read, holds an illegal move or scores that do not predict
    /// its results, or no position is selected.
    pub fn load<T: Send>(&self, make: impl Fn(&Position, Label) -> T + Sync) -> Result<Split<T>> {
        let [mut training, mut validation] = [Vec::new(), Vec::new()];
        self.gather(
            |_| true,
            || &make,
            |game, made| {
                let part = if is_held_out(game) { &mut validation } else { &mut training };
                part.push(made);
            },
        )?;
        ensure!(!training.is_empty(), "too few games: none to learn from");
        ensure!(!validation.is_empty(), "too few games: none to judge by");
        Ok(Split { training, validation })
    }

    /// The same for the validation games only; `maker` gives a function for each
    /// of them.
    ///
    /// # Errors
    /// As [`load`](Data::load).
    pub fn load_validation<T: Send, M: FnMut(&Position, Label) -> T>(
        &self,
        maker: impl Fn() -> M + Sync,
    ) -> Result<Vec<T>> {
        let mut validation = Vec::new();
        self.gather(is_held_out, maker, |_, made| validation.push(made))?;
        ensure!(!validation.is_empty(), "too few games: none to judge by");
        Ok(validation)
    }

    fn gather<T: Send, M: FnMut(&Position, Label) -> T>(
        &self,
        wanted: impl Fn(&Record) -> bool,
        maker: impl Fn() -> M + Sync,
        mut take: impl FnMut(&Record, T),
    ) -> Result<()> {
        let tables = self.open_tables()?;
        let mut seen = HashSet::new();
        let mut newest = None;
        for path in self.files.iter().rev() {
            let Games { header, mut games, .. } = store::read(path)?;
            let factor = match scale_of(&games) {
                Some(scale) => {
                    ensure!(
                        !is_extreme(scale),
                        "{}: its scores do not predict its results (K {scale:.1}); leave it out",
                        path.display()
                    );
                    print_line!("{}: K of scores {scale:.1}", path.display());
                    let (newest_scale, evaluation) =
                        *newest.get_or_insert((scale, header.evaluation));
                    // scores of one evaluation mean the same; results also depend on
                    // how games are played out
                    if header.evaluation == evaluation { 1.0 } else { newest_scale / scale }
                }
                None => {
                    print_line!("{}: too few scores to tell their K", path.display());
                    1.0
                }
            };
            games.retain(&wanted);
            for portion in games.chunks(CHUNK) {
                let prober = || Prober::new(Arc::clone(&tables));
                let positions =
                    |prober: &mut Prober, game| training_positions(game, factor, prober, maker());
                let found: Vec<_> = portion.par_iter().map_init(prober, positions).collect();
                for (game, found) in portion.iter().zip(found) {
                    let place =
                        || format!("{}: illegal move in game {}", path.display(), game.number);
                    let found = found.ok_or_else(|| anyhow::anyhow!(place()))?;
                    for (key, made) in found {
                        if seen.insert(key) {
                            take(game, made);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn open_tables(&self) -> Result<Arc<Tables>> {
        let mut tables = Tables::embedded().clone();
        if let Some(folder) = &self.tables {
            let faults = tables.add_folder(folder)?;
            faults.iter().for_each(|fault| print_line!("{fault}"));
        }
        Ok(Arc::new(tables))
    }
}

/// Whether a game belongs to the validation data.
fn is_held_out(game: &Record) -> bool {
    game.number % VALIDATION == VALIDATION - 1
}

/// The scale at which the scores of these games predict their results best;
/// `None` if there are fewer than [`LEAST_SCORES`].
fn scale_of(games: &[Record]) -> Option<f64> {
    let labels = games.iter().flat_map(|game| {
        let points = f64::from(game.result.points_of(Color::Red) as u8) / 2.0;
        let scores = game.plies.iter().filter_map(|ply| ply.score);
        let usable = scores.filter(|score| score.abs() < SCORE_LIMIT);
        usable.map(move |score| (f64::from(score), points))
    });
    let count = labels.clone().count();
    let sample = || labels.step_by(count.div_ceil(SCALE_SAMPLE)).collect::<Vec<_>>();
    (count >= LEAST_SCORES).then(|| fit_scale(&sample()))
}

/// The label of a position by its result, where tables know that: a drawn one is
/// even, and a win is as sure as a search would be that saw so far.
fn label_of_tables(position: &mut Position, score: i16, prober: &mut Prober) -> Option<Label> {
    let result = prober.wdl(position)?;
    let for_red = match position.side_to_move() {
        Color::Red => result,
        Color::Black => result.before_move(),
    };
    let label = match for_red {
        Wdl::Draw => Label { points: 0.5, score: 0 },
        Wdl::Win => Label { points: 1.0, score: score.max(TABLE_WIN) },
        Wdl::Loss => Label { points: 0.0, score: score.min(-TABLE_WIN) },
    };
    Some(label)
}

/// The selected positions of a game: keys, and what `make` makes of them, the
/// scores multiplied by `factor` within the limit; `None` if a move is illegal.
fn training_positions<T>(
    game: &Record,
    factor: f64,
    prober: &mut Prober,
    mut make: impl FnMut(&Position, Label) -> T,
) -> Option<Vec<(u64, T)>> {
    let points = f32::from(game.result.points_of(Color::Red) as u8) / 2.0;
    let mut found = Vec::new();
    select(game, |_, position, score| {
        let limit = f64::from(SCORE_LIMIT);
        let score = (f64::from(score) * factor).round().clamp(-limit, limit) as i16;
        let by_tables = label_of_tables(position, score, prober);
        let label = by_tables.unwrap_or(Label { points, score });
        found.push((position.key(), make(position, label)));
    })?;
    Some(found)
}

/// Which of the searched moves of a game have selected positions before them;
/// `None` if a move is illegal.
pub fn selected_plies(game: &Record) -> Option<Vec<usize>> {
    let mut plies = Vec::new();
    select(game, |ply, _, _| plies.push(ply))?;
    Some(plies)
}

/// Hands over the positions of a game that can be learnt from, with the index of
/// the searched move and the score for Red; `None` if a move is illegal.
fn select(game: &Record, mut take: impl FnMut(usize, &mut Position, i16)) -> Option<()> {
    let mut position = game.start.position();
    for &m in &game.opening {
        if !position.is_legal(m) {
            return None;
        }
        position.make(m);
    }
    for (ply, searched) in game.plies.iter().enumerate() {
        if !position.is_legal(searched.best) {
            return None;
        }
        let quiet = is_quiet(&position, searched.best);
        let open = position.quiet_plies() <= QUIET_LIMIT;
        let score = searched.score.filter(|score| score.abs() < SCORE_LIMIT);
        let late = game.start != Start::Initial || game.opening.len() + ply >= FIRST_PLY;
        if quiet
            && open
            && late
            && let Some(score) = score
        {
            take(ply, &mut position, score);
        }
        position.make(searched.best);
    }
    Some(())
}

#[cfg(test)]
pub mod testing {
    use hanxin::arena::training::{Header, Ply, Record, Start};
    use hanxin::arena::{GameResult, Termination};

    use super::Data;
    use crate::store::Store;

    /// A game of these moves, the first ten of them random ones, that Red wins.
    pub fn game(moves: &str, scores: &[i16]) -> Record {
        let moves: Vec<_> = moves.split_whitespace().map(|text| text.parse().unwrap()).collect();
        let (opening, best) = moves.split_at(10);
        let plies = best.iter().zip(scores).map(|(&best, &score)| Ply { best, score: Some(score) });
        Record {
            number: 0,
            result: GameResult::RedWins,
            termination: Termination::MaxMoves,
            start: Start::Initial,
            opening: opening.to_vec(),
            plies: plies.collect(),
        }
    }

    /// Ten moves after which the pieces but a rook stand as at the start.
    pub const SHUFFLE: &str = "a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0 a8a9 a0a1 a9a8";

    /// A file of these games, numbered from 0, in a temporary directory.
    pub fn file(games: &[Record]) -> (tempfile::TempDir, Data) {
        files(&[(0, games)])
    }

    /// The same for several files, each with the checksum of what evaluated.
    pub fn files(games: &[(u32, &[Record])]) -> (tempfile::TempDir, Data) {
        let folder = tempfile::tempdir().unwrap();
        let header =
            Header { nodes: 1, seed: 1, endings: 0, openings: 0, midgames: 0, evaluation: 0 };
        let write = |(number, &(evaluation, games)): (usize, &(u32, &[Record]))| {
            let header = Header { evaluation, ..header };
            let path = folder.path().join(format!("games-{number}"));
            let (mut store, _) = Store::open(&path, header).unwrap();
            for (number, game) in games.iter().enumerate() {
                store.append(&Record { number: number as u32, ..game.clone() }).unwrap();
            }
            path
        };
        let files = games.iter().enumerate().map(write).collect();
        (folder, Data { files, tables: None })
    }
}

#[cfg(test)]
mod tests {
    use hanxin::arena::GameResult;

    use super::testing::{SHUFFLE, file, files, game};
    use super::*;

    fn take(moves: &str, scores: &[i16]) -> Vec<i16> {
        let (_folder, data) = file(&vec![game(moves, scores); 10]);
        let mut taken = Vec::new();
        data.gather(
            |_| true,
            || |_: &Position, label: Label| label.score,
            |_, score| taken.push(score),
        )
        .unwrap();
        taken
    }

    #[test]
    fn quiet_open_new_positions_are_taken() {
        assert_eq!(take(&format!("{SHUFFLE} b0c2 b9c7"), &[30, -20]), [30, -20]);
        // decided, captures, in check, seen before
        assert_eq!(take(&format!("{SHUFFLE} b0c2 b9c7"), &[2_000, 1_999]), [1_999]);
        assert_eq!(take(&format!("{SHUFFLE} h2h9 i9h9"), &[5, 6]), [0; 0]);
        assert_eq!(take(&format!("{SHUFFLE} h2e2 d9e8 e2e6 e8d9"), &[1, 2, 3, 4]), [1, 2]);
        let again = format!("{SHUFFLE} a1a0 a8a9 a0a1 a9a8 b0c2");
        assert_eq!(take(&again, &[1, 2, 3, 4, 5]), [1, 2, 3, 4]);
    }

    #[test]
    fn the_newest_label_counts_and_sets_the_scale() {
        let won = |scores: &[i16]| game(&format!("{SHUFFLE} b0c2"), scores);
        let drawn = |moves: &str, scores: &[i16]| Record {
            result: GameResult::Draw,
            ..game(&format!("{SHUFFLE} {moves}"), scores)
        };
        // half the scores stand for the same chances
        let many = |games: [Record; 2]| vec![games; LEAST_SCORES / 3 + 1].concat();
        let older = many([won(&[60]), drawn("b2e2 h9g7", &[-40, -42])]);
        let newer = many([won(&[120]), drawn("h2e2 h9g7", &[-80, -84])]);
        // too small to set anything
        let newest = [drawn("c3c4 h9g7", &[7, 10])];
        let scores = |evaluation_of_older| {
            let files = [(evaluation_of_older, &older[..]), (1, &newer), (1, &newest)];
            let (_folder, data) = self::files(&files);
            let mut taken = Vec::new();
            let score = || |_: &Position, label: Label| label.score;
            data.gather(|_| true, score, |_, score| taken.push(score)).unwrap();
            taken
        };
        // the first position of all games once; three that one file each has
        assert_eq!(scores(0), [7, 10, -84, -84]);
        assert_eq!(scores(1), [7, 10, -84, -42]);
    }

    #[test]
    fn scaled_scores_keep_within_the_limit() {
        let game = game(&format!("{SHUFFLE} b0c2 b9c7"), &[1_900, -1_900]);
        let mut prober = Prober::new(Arc::new(Tables::default()));
        let scores = training_positions(&game, 20.0, &mut prober, |position, label| {
            label.for_mover(position).score
        });
        let scores: Vec<i16> = scores.unwrap().into_iter().map(|(_, score)| score).collect();
        assert_eq!(scores, [SCORE_LIMIT; 2]);
    }

    #[test]
    fn a_file_whose_scores_say_nothing_is_refused() {
        // Red wins all games, and sees itself behind
        let lost = game(&format!("{SHUFFLE} b0c2"), &[-60]);
        let (_folder, data) = file(&vec![lost; LEAST_SCORES]);
        let refused = data.load(|_, _| ()).err().unwrap().to_string();
        assert!(refused.contains("games-0: its scores do not predict"), "{refused}");
    }

    #[test]
    fn positions_without_captures_for_long_are_left() {
        let moves = format!("{SHUFFLE} {}b0a2 b9a7 g0e2 g9e7", "b0c2 b9c7 c2b0 c7b9 ".repeat(17));
        let scores: Vec<i16> = (0..72).collect();
        // 80 plies after the start all that is left is too late
        assert_eq!(take(&moves, &scores).last(), Some(&70));
    }

    #[test]
    fn every_tenth_game_is_for_validation() {
        let other = game(&format!("{SHUFFLE} h2e2 b9c7"), &[3, 4]);
        let mut games = vec![game(&format!("{SHUFFLE} b0c2 b9c7"), &[30, -20]); 9];
        games.push(other);
        let (_folder, data) = file(&games);
        let split = data.load(|_, label| label).unwrap();
        assert_eq!(split.training.iter().map(|label| label.score).collect::<Vec<_>>(), [30, -20]);
        assert_eq!(split.validation, [Label { points: 1.0, score: 4 }]);
        let alone = data.load_validation(|| |_: &Position, label: Label| label.score).unwrap();
        assert_eq!(alone, [3, 4]);
    }

    #[test]
    fn an_illegal_move_is_noticed() {
        let (_folder, data) = file(&[game(&format!("{SHUFFLE} a0a5"), &[0])]);
        let refused = data.load(|_, _| ()).err().unwrap().to_string();
        assert!(refused.contains("illegal move in game 0"), "{refused}");
    }

    #[test]
    fn tables_know_better_than_scores_and_results() {
        let mut prober = Prober::new(Arc::new(Tables::embedded().clone()));
        let mut label = |fen: &str, score| {
            label_of_tables(&mut Position::from_fen(fen).unwrap(), score, &mut prober)
        };
        // a rook cannot win against all guards, but wins against less
        let drawn = "3a2b2/R3ak3/8b/9/9/9/9/9/9/4K4 w";
        assert_eq!(label(drawn, 225), Some(Label { points: 0.5, score: 0 }));
        let won = "5k3/R8/8b/9/9/9/9/9/9/4K4";
        for side in ["w", "b"] {
            let fen = format!("{won} {side}");
            assert_eq!(label(&fen, 400), Some(Label { points: 1.0, score: TABLE_WIN }));
            assert_eq!(label(&fen, 1_900), Some(Label { points: 1.0, score: 1_900 }));
        }
        let lost = "4k4/9/9/9/9/9/9/8B/r8/5K3 w";
        assert_eq!(label(lost, -400), Some(Label { points: 0.0, score: -TABLE_WIN }));
        assert_eq!(label("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", 3), None);
    }

    #[test]
    fn labels_turn_with_the_side() {
        let mut position = Position::startpos();
        let label = Label { points: 1.0, score: 30 };
        assert_eq!(label.for_mover(&position), label);
        position.make("h2e2".parse().unwrap());
        assert_eq!(label.for_mover(&position), Label { points: 0.0, score: -30 });
    }
}
