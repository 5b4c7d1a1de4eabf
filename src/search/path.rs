//! The way from the start of the game to the present node: for repetitions.

use crate::board::{Move, Position, Undo};

/// One ply of the path.
struct Step {
    /// Key of the position before the move.
    key: u64,
    /// The move; `None` for a null move.
    played: Option<Move>,
    undo: Undo,
    /// [`Path::reversible`] before the move.
    reversible: usize,
}

/// The plies played since the start of the game, those of the search included.
#[derive(Default)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// Plies since the last capture or null move: only among these can the
    /// present position have occurred before.
    reversible: usize,
}

impl Path {
    /// Notes that `played` led from the position with `key` to the present one.
    #[inline]
    pub(super) fn push(&mut self, key: u64, played: Option<Move>, undo: Undo) {
        let clean = played.is_some() && undo.captured().is_none();
        self.steps.push(Step { key, played, undo, reversible: self.reversible });
        self.reversible = if clean { self.reversible + 1 } else { 0 };
    }

    /// Takes the last ply back from the path.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Option<Move>, Undo)> {
        let step = self.steps.pop()?;
        self.reversible = step.reversible;
        Some((step.played, step.undo))
    }

    /// How many plies ago the position with `key` stood on the board last.
    #[inline]
    pub(super) fn plies_since(&self, key: u64) -> Option<usize> {
        let len = self.steps.len();
        (4..=self.reversible).step_by(2).find(|&back| self.steps[len - back].key == key)
    }

    /// The cycle of the last `plies` plies: the position it began from and the
    /// moves from there to `present`.
    pub(super) fn cycle(&self, present: &Position, plies: usize) -> (Position, Vec<Move>) {
        let mut start = present.clone();
        let steps = &self.steps[self.steps.len() - plies..];
        for step in steps.iter().rev() {
            if let Some(m) = step.played {
                start.unmake(m, step.undo);
            }
        }
        (start, steps.iter().filter_map(|step| step.played).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(path: &mut Path, position: &mut Position, text: &str) {
        let m = text.parse().unwrap();
        let key = position.key();
        let undo = position.make(m);
        path.push(key, Some(m), undo);
    }

    #[test]
    fn a_repetition_is_found_and_its_cycle_rebuilt() {
        let mut position = Position::startpos();
        let mut path = Path::default();
        play(&mut path, &mut position, "h2e2");
        let start = position.clone();
        let shuffle = ["h9g7", "h0g2", "g7h9", "g2h0"];
        for text in shuffle {
            assert_eq!(path.plies_since(position.key()), None);
            play(&mut path, &mut position, text);
        }
        assert_eq!(path.plies_since(position.key()), Some(4));
        let (begin, moves) = path.cycle(&position, 4);
        assert_eq!(begin, start);
        assert_eq!(moves.iter().map(Move::to_string).collect::<Vec<_>>(), shuffle);
    }

    #[test]
    fn captures_and_null_moves_end_the_search_for_repetitions() {
        let mut position = Position::startpos();
        let mut path = Path::default();
        for text in ["h2h9", "i9h9"] {
            play(&mut path, &mut position, text);
        }
        assert_eq!(path.reversible, 0);
        let key = position.key();
        let undo = position.make_null();
        path.push(key, None, undo);
        for text in ["b9c7", "b0c2", "c7b9", "c2b0"] {
            play(&mut path, &mut position, text);
        }
        assert_eq!(path.plies_since(position.key()), Some(4));
        assert_eq!(path.plies_since(key), None);
    }
}
