//! Openings of a file of games.

use super::super::pgn;
use super::{Opening, OpeningFault};

/// Reads the first plies of every game, in whatever notation it is written.
///
/// # Errors
/// The first game that cannot be played through, with its number.
pub fn read(bytes: &[u8], plies: usize) -> Result<Vec<Opening>, OpeningFault> {
    let games = (1..).zip(pgn::games(bytes));
    let opening = |(number, game): (usize, Result<pgn::PgnGame, pgn::PgnError>)| {
        let game = game?;
        let name = game.tag("Opening").filter(|name| !name.is_empty()).map(str::to_owned);
        let moves = game.moves.iter().copied().take(plies).collect();
        Opening::checked(name, game.start, moves)
            .map_err(|fault| OpeningFault::Game(number, Box::new(fault)))
    };
    games.map(opening).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[Event \"x\"]\n[Opening \"Central cannon\"]\n\n\
        1. 炮二平五 马８进７ 2. 马二进三 车９平８ 1-0\n\n\
        [Event \"y\"]\n\n1. H2-E2 H9-G7\n2. H0-G2 *\n";

    #[test]
    fn games_give_their_first_plies() {
        let openings = read(GAMES.as_bytes(), 3).unwrap();
        assert_eq!(openings.len(), 2);
        assert_eq!(openings[0].name.as_deref(), Some("Central cannon"));
        let moves: Vec<String> = openings[0].moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["h2e2", "h9g7", "h0g2"]);
        assert_eq!(openings[0].moves, openings[1].moves);
        assert_eq!(read(GAMES.as_bytes(), 99).unwrap()[0].moves.len(), 4);
    }

    #[test]
    fn faults_name_the_game() {
        let error = read(b"[Event \"x\"]\n\n1. h2e2\n\n[Event \"y\"]\n\n1. h2h8\n", 9);
        assert!(error.unwrap_err().to_string().contains("game 2"));
        assert_eq!(read(b"", 9).unwrap(), []);
    }
}
