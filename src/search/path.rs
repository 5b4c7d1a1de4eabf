//! The way from the start of the game to the present node: for repetitions.

use crate::board::{Move, Position, Undo};
use crate::rules::{Parameters, QuietCounter};

/// One ply of the path.
#[derive(Clone)]
struct Step {
    /// Key of the position before the move.
    key: u64,
    /// The move; `None` for a null move.
    played: Option<Move>,
    undo: Undo,
    /// [`Path::reversible`] before the move.
    reversible: usize,
    /// [`Path::quiet`] before the move.
    quiet: QuietCounter,
}

/// The plies played since the start of the game, those of the search included.
#[derive(Clone)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// Plies since the last capture or null move: only among these can the
    /// present position have occurred before.
    reversible: usize,
    /// How near the natural move limit is.
    quiet: QuietCounter,
}

impl Path {
    /// The path of a game that begins with `start`.
    pub(super) fn new(start: &Position, rules: &Parameters) -> Path {
        Path {
            steps: Vec::with_capacity(512),
            reversible: 0,
            quiet: QuietCounter::new(rules, start.quiet_plies()),
        }
    }

    /// The position and the path after `moves` from `start`.
    pub(super) fn replay(start: &Position, moves: &[Move], rules: &Parameters) -> (Position, Path) {
        let mut position = start.clone();
        let mut path = Path::new(&position, rules);
        for &m in moves {
            path.play(&mut position, m);
        }
        (position, path)
    }

    /// Makes a legal move on the board and notes it.
    pub(super) fn play(&mut self, position: &mut Position, m: Move) {
        let key = position.key();
        let undo = position.make(m);
        self.push(key, m, undo, position);
    }

    /// Takes the last ply back from the path and the board.
    pub(super) fn take_back(&mut self, position: &mut Position) {
        match self.pop() {
            Some((Some(m), undo)) => position.unmake(m, undo),
            Some((None, undo)) => position.unmake_null(undo),
            None => {}
        }
    }

    /// Whether a position that has stood on the board can come back within two
    /// plies.
    pub(super) fn may_repeat(&self) -> bool {
        self.reversible >= 2
    }

    /// The last move, if it was quiet.
    pub(super) fn last_quiet(&self) -> Option<Move> {
        let step = self.steps.last()?;
        step.played.filter(|_| step.undo.captured().is_none())
    }

    /// Notes that a move led from the position with `key` to `present`.
    #[inline]
    pub(super) fn push(&mut self, key: u64, played: Move, undo: Undo, present: &Position) {
        let Path { reversible, quiet, .. } = *self;
        self.steps.push(Step { key, played: Some(played), undo, reversible, quiet });
        let captured = undo.captured().is_some();
        self.reversible = if captured { 0 } else { reversible + 1 };
        self.quiet = quiet.advance(captured, present.in_check(), !present.side_to_move());
    }

    /// Notes that a null move led from the position with `key` to the present
    /// one.
    pub(super) fn push_null(&mut self, key: u64, undo: Undo) {
        let Path { reversible, quiet, .. } = *self;
        self.steps.push(Step { key, played: None, undo, reversible, quiet });
        self.reversible = 0;
    }

    /// Plies without a capture as the natural move limit counts them.
    #[inline]
    pub(super) fn quiet_plies(&self) -> u16 {
        self.quiet.counted()
    }

    /// Takes the last ply back from the path.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Option<Move>, Undo)> {
        let step = self.steps.pop()?;
        self.reversible = step.reversible;
        self.quiet = step.quiet;
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
        path.play(position, text.parse().unwrap());
    }

    fn new_path() -> Path {
        Path::new(&Position::startpos(), &Parameters::default())
    }

    #[test]
    fn a_repetition_is_found_and_its_cycle_rebuilt() {
        let mut position = Position::startpos();
        let mut path = new_path();
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
        let mut path = new_path();
        for text in ["h2h9", "i9h9"] {
            play(&mut path, &mut position, text);
        }
        assert_eq!(path.reversible, 0);
        let key = position.key();
        let undo = position.make_null();
        path.push_null(key, undo);
        for text in ["b9c7", "b0c2", "c7b9", "c2b0"] {
            play(&mut path, &mut position, text);
        }
        assert_eq!(path.plies_since(position.key()), Some(4));
        assert_eq!(path.plies_since(key), None);
    }
}
