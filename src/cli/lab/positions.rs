//! The positions of the thesis' experiments.

use crate::board::{Move, Position};

/// A midgame of the thesis' table 3-1.
pub struct Midgame {
    /// Its number there.
    pub id: u32,
    pub position: Position,
    /// The move wanted.
    pub expected: Move,
    /// The move that the thesis' engine chose in 20 s, and the depth it reached.
    pub thesis_move: Move,
    pub thesis_depth: u32,
    /// What the thesis' engine thought the wanted move worth above its own one, in
    /// its own units (a pawn is about 21).
    pub thesis_difference: i32,
}

/// The ten midgames.
pub fn midgames() -> Vec<Midgame> {
    let text = include_str!("../../../tests/data/midgames.csv");
    text.lines().skip(1).filter_map(midgame).collect()
}

fn midgame(line: &str) -> Option<Midgame> {
    let mut cells = line.split(',');
    Some(Midgame {
        id: cells.next()?.parse().ok()?,
        position: Position::from_fen(cells.next()?).ok()?,
        expected: cells.next()?.parse().ok()?,
        thesis_move: cells.next()?.parse().ok()?,
        thesis_depth: cells.next()?.parse().ok()?,
        thesis_difference: cells.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_ten_midgames_and_their_moves_are_legal() {
        let midgames = midgames();
        assert_eq!(midgames.len(), 10);
        for Midgame { id, position, expected, thesis_move, .. } in midgames {
            assert!(position.is_legal(expected) && position.is_legal(thesis_move), "{id}");
        }
    }
}
