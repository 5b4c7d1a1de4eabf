//! Gives positions of games new labels.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};
use clap::Args;
use hanxin::arena::training::{Header, Record};
use hanxin::eval::EvalKind;
use hanxin::rules::{Game, Parameters};
use hanxin::util::{seeded, stop_signal};
use rand::seq::SliceRandom;

use crate::data::selected_plies;
use crate::progress::{bar, print_line};
use crate::selfplay::{Evaluation, Player};
use crate::store::{self, Games, Store};
use crate::workers::{lock, share};
use crate::{cores, interrupted};

const EXAMPLE: &str = "\
Example:
  hanxin-tuning relabel --games games-3.hxg --nodes 3000 --threads 2 --out deep-3.hxg

Ctrl-C ends it; the same command goes on.";

/// The games, and what the labels are worth.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// A file that datagen has made
    #[arg(long)]
    games: PathBuf,
    /// Positions of a game that get a new label at most; the others lose theirs
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    positions: u16,
    /// Nodes of a search after which no iteration begins
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Determines the positions; another one gives others of the same games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions searched at the same time
    #[arg(long, default_value_t = cores(), value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    #[command(flatten)]
    evaluation: Evaluation,
    /// The file of the same games with the new labels; if it exists it is continued
    #[arg(long)]
    out: PathBuf,
}

/// What has been written.
struct Output {
    store: Store,
    games: usize,
    labels: u64,
}

impl Output {
    fn add(&mut self, game: &Record) -> Result<()> {
        self.store.append(game)?;
        self.games += 1;
        self.labels += game.scores();
        Ok(())
    }
}

/// Searches positions of all games, or until the user stops it.
///
/// # Errors
/// When a file cannot be used, holds labels of other games or settings, a game has
/// an illegal move, or the user stops it.
pub fn run(options: &Options) -> Result<()> {
    options.relabel(&options.evaluation.open()?, &stop_signal())
}

impl Options {
    fn relabel(&self, eval: &EvalKind, stop: &AtomicBool) -> Result<()> {
        let Games { header, mut games, .. } = store::read(&self.games)?;
        let total = games.len();
        let header = Header { nodes: self.nodes, evaluation: eval.checksum(), ..header };
        let (store, done) = Store::open(&self.out, header)?;
        self.check(&done, &games)?;
        let present: HashSet<u32> = done.iter().map(|game| game.number).collect();
        games.retain(|game| !present.contains(&game.number));
        let bar = bar(total as u64);
        bar.set_position((total - games.len()) as u64);
        bar.reset_eta();
        let labels = done.iter().map(Record::scores).sum();
        let output = Mutex::new(Output { store, games: total - games.len(), labels });
        let mut players = Player::for_labels(self.threads, self.nodes.into(), eval)?;
        share(&mut players, games, stop, |player, game| {
            let game = self.label(player, game)?;
            let mut output = lock(&output)?;
            output.add(&game)?;
            bar.set_position(output.games as u64);
            bar.set_message(format!("{} labels", output.labels));
            Ok(())
        })?;
        bar.finish_and_clear();
        let Output { games, labels, .. } = *lock(&output)?;
        print_line!("{games} of {total} games, {labels} labels");
        if games == total { Ok(()) } else { Err(interrupted()) }
    }

    /// Checks that games that are there were made from these ones with these
    /// settings.
    fn check(&self, done: &[Record], games: &[Record]) -> Result<()> {
        let sources: HashMap<u32, &Record> = games.iter().map(|game| (game.number, game)).collect();
        for game in done {
            let source = sources.get(&game.number);
            let is_ours = source.map_or(Ok(false), |source| self.could_be_of(game, source))?;
            ensure!(
                is_ours,
                "{} holds labels of other games or settings: give those, or another --out",
                self.out.display()
            );
        }
        Ok(())
    }

    /// Whether a game has the moves and the result of its source, and labels only
    /// where they are drawn; a search may have given none there.
    fn could_be_of(&self, game: &Record, source: &Record) -> Result<bool> {
        let without_scores = |game: &Record| {
            let mut game = game.clone();
            game.plies.iter_mut().for_each(|ply| ply.score = None);
            game
        };
        if without_scores(game) != without_scores(source) {
            return Ok(false);
        }
        let wanted = self.draw(source)?;
        let mut plies = game.plies.iter().enumerate();
        Ok(plies.all(|(index, ply)| ply.score.is_none() || wanted.contains(&index)))
    }

    /// The game with new labels for some positions.
    fn label(&self, player: &mut Player, mut game: Record) -> Result<Record> {
        let wanted = self.draw(&game)?;
        player.clear();
        let mut played = Game::replay(game.start.position(), Parameters::default(), &game.opening)?;
        for (index, ply) in game.plies.iter_mut().enumerate() {
            ply.score = if wanted.contains(&index) { player.label(&played)? } else { None };
            played.play(ply.best)?;
        }
        Ok(game)
    }

    /// The searched moves whose positions are wanted.
    fn draw(&self, game: &Record) -> Result<HashSet<usize>> {
        let plies = selected_plies(game);
        let mut plies =
            plies.with_context(|| format!("there is an illegal move in game {}", game.number))?;
        plies.shuffle(&mut seeded(self.seed, u64::from(game.number)));
        Ok(plies.into_iter().take(usize::from(self.positions)).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A file of six short games.
    fn games(path: &Path) -> Vec<Record> {
        games_of(path, 60)
    }

    fn games_of(path: &Path, nodes: u32) -> Vec<Record> {
        let evaluation = EvalKind::Classical.checksum();
        let header = Header { nodes, seed: 3, endings: 20, openings: 0, midgames: 0, evaluation };
        let mut player =
            Player::for_labels(1, nodes.into(), &EvalKind::Classical).unwrap().remove(0);
        let (mut store, _) = Store::open(path, header).unwrap();
        for number in 0..6 {
            store.append(&player.play(header, number).unwrap()).unwrap();
        }
        store::read(path).unwrap().games
    }

    fn options(games: &Path, out: &Path) -> Options {
        Options {
            games: games.to_owned(),
            positions: 2,
            nodes: 300,
            seed: 1,
            threads: 2,
            evaluation: Evaluation::default(),
            out: out.to_owned(),
        }
    }

    fn relabel(games: &Path, out: &Path, stopped: bool) -> Result<Vec<Record>> {
        let options = options(games, out);
        options.relabel(&EvalKind::Classical, &AtomicBool::new(stopped))?;
        let Games { header, mut games, .. } = store::read(out)?;
        assert_eq!((header.nodes, header.seed), (300, 3));
        games.sort_by_key(|game| game.number);
        Ok(games)
    }

    #[test]
    fn a_few_positions_of_every_game_have_deeper_scores() {
        let folder = tempfile::tempdir().unwrap();
        let [source, out] = ["games", "deep"].map(|name| folder.path().join(name));
        let before = games(&source);
        let after = relabel(&source, &out, false).unwrap();
        let mut changed = 0;
        for (before, after) in before.iter().zip(&after) {
            let plies = selected_plies(before).unwrap();
            assert!(after.scores() <= 2);
            for (index, (old, new)) in before.plies.iter().zip(&after.plies).enumerate() {
                assert!(new.score.is_none() || plies.contains(&index));
                changed += u32::from(new.score.is_some() && new.score != old.score);
            }
            let moves = |game: &Record| game.moves().collect::<Vec<_>>();
            assert_eq!(moves(before), moves(after));
            assert_eq!((before.result, before.number), (after.result, after.number));
        }
        assert!(after.len() == before.len() && changed > 0);
    }

    #[test]
    fn a_broken_off_run_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let [source, alone, out] = ["games", "alone", "deep"].map(|name| folder.path().join(name));
        games(&source);
        let whole = relabel(&source, &alone, false).unwrap();
        let bytes = std::fs::read(&alone).unwrap();
        std::fs::write(&out, &bytes[..bytes.len() / 2]).unwrap();
        let stopped = relabel(&source, &out, true).unwrap_err();
        assert!(stopped.to_string().starts_with("interrupted"));
        assert_eq!(relabel(&source, &out, false).unwrap(), whole);
        assert_eq!(relabel(&source, &out, true).unwrap(), whole);
    }

    #[test]
    fn labels_of_other_games_or_settings_are_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [source, others, out] =
            ["games", "others", "deep"].map(|name| folder.path().join(name));
        games(&source);
        games_of(&others, 90);
        relabel(&source, &out, false).unwrap();
        let before = std::fs::read(&out).unwrap();
        let refusal = |options: Options| {
            let done = options.relabel(&EvalKind::Classical, &AtomicBool::new(false));
            done.unwrap_err().to_string()
        };
        for options in [
            Options { seed: 9, ..options(&source, &out) },
            Options { positions: 1, ..options(&source, &out) },
            options(&others, &out),
        ] {
            let refused = refusal(options);
            assert!(refused.contains("deep holds labels of other games"), "{refused}");
        }
        assert!(std::fs::read(&out).unwrap() == before);
    }
}
