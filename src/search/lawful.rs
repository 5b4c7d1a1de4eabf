//! Root moves that no referee can punish.
//!
//! The search counts an own offence as a loss, but less of one than a mate,
//! since the opponent may deviate. At the root that is not enough: a game that
//! is lost anyway must not be lost by the rules of repetition.

use crate::board::{Color, Move, Position};
use crate::rules::offends_any;

use super::path::Path;

/// Those of `candidates`, legal in `position` at the end of `path`, that
/// neither complete a cycle in which their side offends under some rule set
/// nor let the opponent complete one.
pub(super) fn lawful(mut position: Position, mut path: Path, candidates: &[Move]) -> Vec<Move> {
    let us = position.side_to_move();
    let mut lawful = candidates.to_vec();
    if path.may_repeat() {
        lawful.retain(|&m| {
            path.play(&mut position, m);
            let offends = offends_now(&position, &path, us)
                || position.legal_moves().iter().any(|&reply| {
                    path.play(&mut position, reply);
                    let offends = offends_now(&position, &path, us);
                    path.take_back(&mut position);
                    offends
                });
            path.take_back(&mut position);
            !offends
        });
    }
    lawful
}

/// Whether the last move completed a cycle in which `us` offends.
fn offends_now(position: &Position, path: &Path, us: Color) -> bool {
    path.plies_since(position.key()).is_some_and(|plies| {
        let (start, moves) = path.cycle(position, plies);
        offends_any(&start, &moves, us)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::Parameters;

    use super::*;

    fn left_out(fen: &str, moves: &str) -> Vec<String> {
        let start = Position::from_fen(fen).unwrap();
        let moves: Vec<Move> = moves.split(' ').map(|text| text.parse().unwrap()).collect();
        let (position, path) = Path::replay(&start, &moves, &Parameters::default());
        let legal = position.legal_moves().to_vec();
        let lawful = lawful(position, path, &legal);
        legal.iter().filter(|m| !lawful.contains(m)).map(Move::to_string).collect()
    }

    #[test]
    fn a_perpetual_check_is_neither_completed_nor_left_to_be_completed() {
        let fen = "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w";
        assert_eq!(left_out(fen, "e9d9 d8e8"), ["d9e9"]);
        assert_eq!(left_out(fen, "e9d9 d8e8 d9e9 e8d8"), ["e9d9"]);
    }

    #[test]
    fn the_victim_and_who_is_idle_are_free() {
        let check = "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w";
        assert!(left_out(check, "e9d9 d8e8 d9e9").is_empty());
        let idle = "5k3/9/9/9/9/9/9/9/9/3K5 w";
        assert!(left_out(idle, "d0d1 f9f8 d1d0").is_empty());
    }
}
