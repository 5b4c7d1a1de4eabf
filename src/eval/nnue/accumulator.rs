//! The accumulators of both sides along a line of moves, updated only where a
//! value may be asked for.

use std::sync::Arc;

use crate::board::{Color, Move, Piece, Position, Square};

use super::features::{Flanks, Perspective, output_bucket};
use super::finny::FinnyTable;
use super::kernels::Kernel;
use super::network::{Accumulator, Network};

/// Room for the moves that most searches look ahead; it grows when one goes
/// deeper.
const USUAL_DEPTH: usize = 64;

/// Evaluates positions along a line of moves with a net.
/// [`push`](AccumulatorStack::push) notes which piece moves; the accumulators
/// follow in [`prepare`](AccumulatorStack::prepare).
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    network: Arc<Network>,
    kernel: Kernel,
    /// One for the root and one for each move; those beyond the current one
    /// are stale.
    entries: Vec<Entry>,
    current: usize,
    finny_table: FinnyTable,
}

/// One position of the line.
#[derive(Clone, Debug)]
struct Entry {
    /// By side, valid where `is_accurate`.
    accumulators: [Accumulator; 2],
    is_accurate: [bool; 2],
    flanks: Flanks,
    perspectives: [Perspective; 2],
    dirty: Option<DirtyPiece>,
}

/// The piece that a move takes from one square to another.
#[derive(Clone, Copy, Debug)]
struct DirtyPiece {
    piece: Piece,
    from: Square,
    to: Square,
    captured: Option<Piece>,
}

impl AccumulatorStack {
    /// A stack whose root is `position`.
    pub fn new(network: Arc<Network>, position: &Position) -> AccumulatorStack {
        let flanks = Flanks::of(position);
        let root = Entry {
            accumulators: [Accumulator::ZERO; 2],
            is_accurate: [false; 2],
            flanks,
            perspectives: Color::ALL.map(|color| flanks.perspective(color)),
            dirty: None,
        };
        let mut stack = AccumulatorStack {
            kernel: Kernel::best(),
            entries: vec![root; USUAL_DEPTH],
            current: 0,
            finny_table: FinnyTable::new(network.weights()),
            network,
        };
        stack.reset(position);
        stack
    }

    /// Forgets the moves and starts from `position`.
    pub fn reset(&mut self, position: &Position) {
        self.current = 0;
        let root = &mut self.entries[0];
        root.dirty = None;
        root.flanks = Flanks::of(position);
        root.perspectives = Color::ALL.map(|color| root.flanks.perspective(color));
        for color in Color::ALL {
            self.refresh(color, position);
        }
    }

    /// Follows a move that is about to be made in `position`.
    #[inline]
    pub fn push(&mut self, position: &Position, m: Move) {
        self.current += 1;
        if self.current == self.entries.len() {
            self.entries.push(self.entries[0].clone());
        }
        let (before, after) = self.entries.split_at_mut(self.current);
        let entry = &mut after[0];
        entry.is_accurate = [false; 2];
        // changed in its place: what is written in parts and copied as a whole
        // makes the processor wait
        entry.flanks = before[self.current - 1].flanks;
        entry.dirty = position.piece_at(m.from()).map(|piece| {
            let captured = position.piece_at(m.to());
            entry.flanks.move_piece(piece, m.from(), m.to());
            if let Some(captured) = captured {
                entry.flanks.remove_piece(captured, m.to());
            }
            DirtyPiece { piece, from: m.from(), to: m.to(), captured }
        });
        entry.perspectives = Color::ALL.map(|color| entry.flanks.perspective(color));
    }

    /// Steps back over the last move; nothing happens at the root.
    #[inline]
    pub fn pop(&mut self) {
        self.current = self.current.saturating_sub(1);
    }

    /// Makes the accumulators of both sides accurate for `position`, which the
    /// line has led to.
    #[inline]
    pub fn prepare(&mut self, position: &Position) {
        self.update(Color::Red, position);
        self.update(Color::Black, position);
    }

    /// The value of `position`, which the line has led to, in centipawns for
    /// the side to move; never beyond [`LIMIT`](crate::eval::LIMIT).
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.prepare(position);
        let accumulators = &self.entries[self.current].accumulators;
        let side = position.side_to_move();
        let head = &self.network.weights().heads[output_bucket(position)];
        let accumulators = [&accumulators[side.index()], &accumulators[(!side).index()]];
        Network::value(self.kernel.output(accumulators, head))
    }

    /// Makes the accumulator of a side accurate for the current position: move
    /// by move from the last accurate one, or by a refresh if the perspective
    /// changed on the way.
    #[inline]
    fn update(&mut self, color: Color, position: &Position) {
        let index = color.index();
        let perspective = self.entries[self.current].perspectives[index];
        let mut known = self.current;
        while !self.entries[known].is_accurate[index] {
            // the root is always accurate
            known -= 1;
            if self.entries[known].perspectives[index] != perspective {
                return self.refresh(color, position);
            }
        }
        for number in known + 1..=self.current {
            self.update_from_previous(index, perspective, number);
        }
    }

    /// Computes an accumulator from that of the entry before.
    #[inline]
    fn update_from_previous(&mut self, index: usize, perspective: Perspective, number: usize) {
        let features = &self.network.weights().features;
        let (before, after) = self.entries.split_at_mut(number);
        let (from, entry) = (&before[number - 1].accumulators[index], &mut after[0]);
        let to = &mut entry.accumulators[index];
        entry.is_accurate[index] = true;
        let Some(dirty) = entry.dirty else {
            *to = *from;
            return;
        };
        let feature = |piece, square| &features[perspective.feature(piece, square)];
        let added = feature(dirty.piece, dirty.to);
        let removed = feature(dirty.piece, dirty.from);
        match dirty.captured {
            None => self.kernel.add_sub(from, added, removed, to),
            Some(captured) => {
                let captured = feature(captured, dirty.to);
                self.kernel.add_sub_sub(from, added, [removed, captured], to);
            }
        }
    }

    #[inline(never)]
    fn refresh(&mut self, color: Color, position: &Position) {
        let entry = &mut self.entries[self.current];
        let index = color.index();
        let (kernel, weights) = (self.kernel, self.network.weights());
        entry.accumulators[index] =
            *self.finny_table.accumulator(kernel, weights, entry.perspectives[index], position);
        entry.is_accurate[index] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_network;
    use super::*;
    use crate::board::testing::random_game;

    /// The value without any updating and with the scalar kernel.
    fn afresh(network: &Network, position: &Position) -> i32 {
        let weights = network.weights();
        let accumulator = |color| {
            let mut accumulator = weights.feature_biases;
            for feature in Flanks::of(position).perspective(color).features(position) {
                Kernel::SCALAR.add_sub_all(&mut accumulator, &[&weights.features[feature]], &[]);
            }
            accumulator
        };
        let side = position.side_to_move();
        let (own, other) = (accumulator(side), accumulator(!side));
        let head = &weights.heads[output_bucket(position)];
        Network::value(Kernel::SCALAR.output([&own, &other], head))
    }

    #[test]
    fn a_stack_evaluates_as_from_scratch() {
        let network = Arc::new(random_network(7));
        let mut stack = AccumulatorStack::new(Arc::clone(&network), &Position::startpos());
        for kernel in Kernel::available() {
            stack.kernel = kernel;
            for seed in 0..30 {
                let mut position = Position::startpos();
                stack.reset(&position);
                for (ply, m) in random_game(seed, 200).into_iter().enumerate() {
                    stack.push(&position, m);
                    position.make(m);
                    // gaps of all lengths
                    if ply * ply % (seed as usize + 1) < 3 {
                        assert_eq!(stack.evaluate(&position), afresh(&network, &position));
                    }
                }
            }
        }
    }

    #[test]
    fn moves_are_taken_back_and_others_tried() {
        let network = Arc::new(random_network(8));
        let mut position = Position::startpos();
        let mut stack = AccumulatorStack::new(Arc::clone(&network), &position);
        let mut played = Vec::new();
        for (number, m) in random_game(5, 300).into_iter().enumerate() {
            for other in position.legal_moves().iter().copied().step_by(7) {
                stack.push(&position, other);
                let undo = position.make(other);
                if number % 3 > 0 {
                    assert_eq!(stack.evaluate(&position), afresh(&network, &position));
                }
                position.unmake(other, undo);
                stack.pop();
            }
            stack.push(&position, m);
            played.push((m, position.make(m)));
        }
        while let Some((m, undo)) = played.pop() {
            position.unmake(m, undo);
            stack.pop();
            assert_eq!(stack.evaluate(&position), afresh(&network, &position));
        }
        stack.pop();
        assert_eq!(stack.evaluate(&position), afresh(&network, &position));
    }

    #[test]
    fn passing_changes_the_side_only() {
        let network = Arc::new(random_network(9));
        let mut position = Position::startpos();
        let mut stack = AccumulatorStack::new(Arc::clone(&network), &position);
        for m in random_game(11, 150) {
            stack.push(&position, m);
            position.make(m);
            if !position.in_check() {
                let undo = position.make_null();
                assert_eq!(stack.evaluate(&position), afresh(&network, &position));
                position.unmake_null(undo);
            }
        }
    }

    #[test]
    fn colors_do_not_matter_nor_sides() {
        let network = random_network(10);
        let (mut undecided, mut all) = (0, 0);
        for seed in 0..40 {
            let mut position = Position::startpos();
            for m in random_game(seed, 200) {
                position.make(m);
                let value = afresh(&network, &position);
                assert_eq!(afresh(&network, &position.swap_colors()), value);
                undecided += usize::from(afresh(&network, &position.mirror()) != value);
                all += 1;
            }
        }
        // both kings in the middle and both flanks as heavy
        assert!(undecided * 100 < all, "{undecided} of {all}");
    }

    #[test]
    fn a_stack_longer_than_usual_goes_on() {
        let network = Arc::new(random_network(12));
        let mut position = Position::startpos();
        let mut stack = AccumulatorStack::new(Arc::clone(&network), &position);
        let shuffle = ["h0g2", "h9g7", "g2h0", "g7h9"].map(|text| text.parse::<Move>().unwrap());
        for &m in shuffle.iter().cycle().take(4 * USUAL_DEPTH + 1) {
            stack.push(&position, m);
            position.make(m);
        }
        assert_eq!(stack.evaluate(&position), afresh(&network, &position));
    }
}
