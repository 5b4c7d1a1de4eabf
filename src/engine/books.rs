//! The opening books that the user named, and the move they suggest.

use std::path::Path;

use rand::Rng;

use crate::board::{Move, Position};
use crate::book::{
    self, Book, BookError, BookMove, Choice, HanxinBook, Library, OpeningName, opening_name,
};
use crate::rules::Game;
use crate::search::Limits;

use super::data_dir::locate;

/// The book inside the program alone.
pub fn embedded() -> Library {
    let mut library = Library::default();
    library.push(Box::new(HanxinBook::embedded()));
    library
}

/// What the opening of a game is called.
pub fn name_of(game: &Game) -> Option<OpeningName> {
    let moves: Vec<Move> = game.moves().collect();
    (game.start() == Position::startpos()).then(|| opening_name(&moves)).flatten()
}

/// Opens all files of a list divided by `;`, which are looked for as
/// [`locate`] says.
///
/// # Errors
/// The fault of the first file that cannot be used; nothing is kept then.
pub fn open(files: &str, folder: Option<&Path>) -> Result<Library, BookError> {
    let mut library = Library::default();
    let names = files.split(Library::SEPARATOR).map(str::trim).filter(|name| !name.is_empty());
    for name in names {
        library.push(book::open(&locate(name, folder))?);
    }
    Ok(library)
}

/// What the books know of the position of a game and may be played: not
/// banned, among the moves to search, and repeating no position. With it the
/// move chosen.
pub fn suggest(
    library: &Library,
    game: &Game,
    limits: &Limits,
    choice: Choice,
    rng: &mut impl Rng,
) -> Option<(Vec<BookMove>, BookMove)> {
    let wanted = |m: Move| {
        !limits.banned.contains(&m)
            && (limits.search_moves.is_empty() || limits.search_moves.contains(&m))
            && !repeats(game, m)
    };
    let moves: Vec<BookMove> =
        library.probe(game.position()).into_iter().filter(|found| wanted(found.mv)).collect();
    let chosen = choice.pick(&moves, rng)?;
    Some((moves, chosen))
}

/// The reply that the books expect to a move.
pub fn reply(library: &Library, game: &Game, m: Move) -> Option<Move> {
    let mut after = game.position().clone();
    after.make(m);
    library.probe(&after).first().map(|found| found.mv)
}

fn repeats(game: &Game, m: Move) -> bool {
    let mut after = game.clone();
    after.play(m).is_ok() && after.occurrences() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Policy;
    use crate::rules::RuleSet;
    use crate::util::seeded;

    const BEST: Choice = Choice { policy: Policy::Best, minimum_weight: 0 };

    /// Four moves at the start: b0c2 and h0g2, then b2e2 and h2e2.
    fn folder_with_book() -> tempfile::TempDir {
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(book, folder.path().join("a.dat")).unwrap();
        folder
    }

    fn m(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn relative_names_are_found_beside_the_engine() {
        let folder = folder_with_book();
        assert!(!open("a.dat; ;", Some(folder.path())).unwrap().is_empty());
        let absolute = folder.path().join("a.dat");
        assert!(!open(&absolute.to_string_lossy(), None).unwrap().is_empty());
        let error = open("a.dat;b.dat", Some(folder.path())).unwrap_err();
        assert!(error.to_string().contains("b.dat"), "{error}");
    }

    #[test]
    fn bans_and_root_moves_are_respected() {
        let folder = folder_with_book();
        let library = open("a.dat", Some(folder.path())).unwrap();
        let game = Game::new(Position::startpos(), RuleSet::Axf);
        let mut rng = seeded(1, 0);
        let mut best = |limits: &Limits| suggest(&library, &game, limits, BEST, &mut rng);
        let (moves, first) = best(&Limits::default()).unwrap();
        assert_eq!((moves.len(), moves[0]), (4, first));
        let banned = vec![m("h2e2"), m("b0c2")];
        let (moves, chosen) = best(&Limits { banned, ..Limits::default() }).unwrap();
        assert_eq!((moves.len(), chosen.mv), (2, moves[0].mv));
        let search_moves = vec![m("h0g2"), m("a0a1")];
        let (moves, _) = best(&Limits { search_moves, ..Limits::default() }).unwrap();
        assert_eq!(moves.iter().map(|found| found.mv).collect::<Vec<_>>(), [m("h0g2")]);
        let search_moves = vec![m("a0a1")];
        assert_eq!(best(&Limits { search_moves, ..Limits::default() }), None);
    }

    #[test]
    fn a_repetition_is_left_to_the_search() {
        let folder = folder_with_book();
        let library = open("a.dat", Some(folder.path())).unwrap();
        let start = Position::startpos();
        let moves = ["h0g2", "h9g7", "g2h0", "g7h9"].map(m);
        let game = Game::replay(start, RuleSet::Axf, &moves).unwrap();
        let mut rng = seeded(1, 0);
        let (moves, _) = suggest(&library, &game, &Limits::default(), BEST, &mut rng).unwrap();
        assert_eq!(moves.len(), 3, "h0g2 would lead to a position of the game");
        assert!(reply(&library, &game, m("h2e2")).is_some());
    }
}
