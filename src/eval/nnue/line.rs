//! The hidden layers along a line of moves, brought up to date only when a
//! value is asked for.

use std::sync::Arc;

use crate::board::{Color, Move, Piece, PieceKind, Position, Square};

use super::features::{View, output_bucket};
use super::kernels::Kernel;
use super::network::{Column, Network, Weights};
use super::refresh::RefreshCache;

/// Room for the moves that most searches look ahead; it grows when one goes
/// deeper.
const USUAL_LENGTH: usize = 64;

/// Evaluates positions along a line of moves with a net. [`push`](Line::push)
/// notes what a move changes; the sums follow in [`evaluate`](Line::evaluate).
#[derive(Clone, Debug)]
pub struct Line {
    network: Arc<Network>,
    kernel: Kernel,
    /// The root and a step for each move; beyond the current one their
    /// contents mean nothing.
    steps: Vec<Step>,
    current: usize,
    cache: RefreshCache,
}

/// One position of the line.
#[derive(Clone, Debug)]
struct Step {
    /// The hidden layer of each side, where it is up to date.
    layers: [Column; 2],
    is_current: [bool; 2],
    views: [View; 2],
    change: Option<Change>,
}

/// What a move changed on the board.
#[derive(Clone, Copy, Debug)]
struct Change {
    piece: Piece,
    from: Square,
    to: Square,
    captured: Option<Piece>,
}

impl Line {
    /// A line that consists of `position`.
    pub fn new(network: Arc<Network>, position: &Position) -> Line {
        let root = Step {
            layers: [Column::ZERO; 2],
            is_current: [false; 2],
            views: Color::ALL.map(|color| View::of(position, color)),
            change: None,
        };
        let mut line = Line {
            kernel: Kernel::best(),
            steps: vec![root; USUAL_LENGTH],
            current: 0,
            cache: RefreshCache::new(network.weights()),
            network,
        };
        line.reset(position);
        line
    }

    /// Forgets the moves and starts from `position`.
    pub fn reset(&mut self, position: &Position) {
        self.current = 0;
        self.steps[0].change = None;
        for color in Color::ALL {
            self.steps[0].views[color.index()] = View::of(position, color);
            self.refresh(color, position);
        }
    }

    /// Follows a move that is about to be made in `position`.
    #[inline]
    pub fn push(&mut self, position: &Position, m: Move) {
        let mut views = self.steps[self.current].views;
        let change = position.piece_at(m.from()).map(|piece| {
            if piece.kind() == PieceKind::King {
                views[piece.color().index()] = View::new(piece.color(), m.to());
            }
            Change { piece, from: m.from(), to: m.to(), captured: position.piece_at(m.to()) }
        });
        self.current += 1;
        if self.current == self.steps.len() {
            self.steps.push(self.steps[0].clone());
        }
        let step = &mut self.steps[self.current];
        step.is_current = [false; 2];
        step.views = views;
        step.change = change;
    }

    /// Steps back over the last move; nothing happens at the root.
    #[inline]
    pub fn pop(&mut self) {
        self.current = self.current.saturating_sub(1);
    }

    /// The value of `position`, which the line has led to, in centipawns for
    /// the side to move; never beyond [`LIMIT`](crate::eval::LIMIT).
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.bring_up_to_date(Color::Red, position);
        self.bring_up_to_date(Color::Black, position);
        let layers = &self.steps[self.current].layers;
        let side = position.side_to_move();
        let head = &self.network.weights().heads[output_bucket(position)];
        let layers = [&layers[side.index()], &layers[(!side).index()]];
        Network::value(self.kernel.output(layers, head))
    }

    /// Makes the layer of a side right for the current position: move by move
    /// from the last one at which it was, or at once if the view changed on
    /// the way.
    #[inline]
    fn bring_up_to_date(&mut self, color: Color, position: &Position) {
        let index = color.index();
        let view = self.steps[self.current].views[index];
        let mut known = self.current;
        while !self.steps[known].is_current[index] {
            // the root is always known
            known -= 1;
            if self.steps[known].views[index] != view {
                return self.refresh(color, position);
            }
        }
        for number in known + 1..=self.current {
            self.follow(color, view, number);
        }
    }

    /// Computes a layer from the one before it.
    #[inline]
    fn follow(&mut self, color: Color, view: View, number: usize) {
        let weights = self.network.weights();
        let (before, after) = self.steps.split_at_mut(number);
        let index = color.index();
        let (from, step) = (&before[number - 1].layers[index], &mut after[0]);
        let to = &mut step.layers[index];
        match step.change {
            None => *to = *from,
            Some(change) => change.apply(self.kernel, weights, view, from, to),
        }
        step.is_current[index] = true;
    }

    #[inline(never)]
    fn refresh(&mut self, color: Color, position: &Position) {
        let step = &mut self.steps[self.current];
        let index = color.index();
        let (kernel, weights) = (self.kernel, self.network.weights());
        step.layers[index] = *self.cache.layer(kernel, weights, color, step.views[index], position);
        step.is_current[index] = true;
    }
}

impl Change {
    #[inline]
    fn apply(self, kernel: Kernel, weights: &Weights, view: View, from: &Column, to: &mut Column) {
        let column = |piece, square| &weights.features[view.feature(piece, square)];
        let added = column(self.piece, self.to);
        let removed = column(self.piece, self.from);
        match self.captured {
            None => kernel.shift(from, added, removed, to),
            Some(captured) => {
                let captured = column(captured, self.to);
                kernel.shift_capturing(from, added, [removed, captured], to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_network;
    use super::*;
    use crate::eval::classical::testing::random_game;

    /// The value without any updating and with the scalar kernel.
    fn afresh(network: &Network, position: &Position) -> i32 {
        let weights = network.weights();
        let layer = |color| {
            let mut layer = weights.feature_biases;
            for feature in View::of(position, color).features(position) {
                Kernel::SCALAR.adjust(&mut layer, &[&weights.features[feature]], &[]);
            }
            layer
        };
        let side = position.side_to_move();
        let (own, other) = (layer(side), layer(!side));
        let head = &weights.heads[output_bucket(position)];
        Network::value(Kernel::SCALAR.output([&own, &other], head))
    }

    #[test]
    fn a_line_evaluates_as_from_scratch() {
        let network = Arc::new(random_network(7));
        let mut line = Line::new(Arc::clone(&network), &Position::startpos());
        for kernel in Kernel::available() {
            line.kernel = kernel;
            for seed in 0..30 {
                let mut position = Position::startpos();
                line.reset(&position);
                for (ply, m) in random_game(seed, 200).into_iter().enumerate() {
                    line.push(&position, m);
                    position.make(m);
                    // gaps of all lengths
                    if ply * ply % (seed as usize + 1) < 3 {
                        assert_eq!(line.evaluate(&position), afresh(&network, &position));
                    }
                }
            }
        }
    }

    #[test]
    fn moves_are_taken_back_and_others_tried() {
        let network = Arc::new(random_network(8));
        let mut position = Position::startpos();
        let mut line = Line::new(Arc::clone(&network), &position);
        let mut played = Vec::new();
        for (number, m) in random_game(5, 300).into_iter().enumerate() {
            for other in position.legal_moves().iter().copied().step_by(7) {
                line.push(&position, other);
                let undo = position.make(other);
                if number % 3 > 0 {
                    assert_eq!(line.evaluate(&position), afresh(&network, &position));
                }
                position.unmake(other, undo);
                line.pop();
            }
            line.push(&position, m);
            played.push((m, position.make(m)));
        }
        while let Some((m, undo)) = played.pop() {
            position.unmake(m, undo);
            line.pop();
            assert_eq!(line.evaluate(&position), afresh(&network, &position));
        }
        line.pop();
        assert_eq!(line.evaluate(&position), afresh(&network, &position));
    }

    #[test]
    fn passing_changes_the_side_only() {
        let network = Arc::new(random_network(9));
        let mut position = Position::startpos();
        let mut line = Line::new(Arc::clone(&network), &position);
        for m in random_game(11, 150) {
            line.push(&position, m);
            position.make(m);
            if !position.in_check() {
                let undo = position.make_null();
                assert_eq!(line.evaluate(&position), afresh(&network, &position));
                position.unmake_null(undo);
            }
        }
    }

    #[test]
    fn colors_do_not_matter_nor_sides_for_kings_off_the_middle() {
        let network = random_network(10);
        let mut off_the_middle = 0;
        for seed in 0..40 {
            let mut position = Position::startpos();
            for m in random_game(seed, 200) {
                position.make(m);
                let value = afresh(&network, &position);
                assert_eq!(afresh(&network, &position.swap_colors()), value);
                if Color::ALL.iter().all(|&color| position.king(color).file() != 4) {
                    assert_eq!(afresh(&network, &position.mirror()), value);
                    off_the_middle += 1;
                }
            }
        }
        assert!(off_the_middle > 100, "{off_the_middle}");
    }

    #[test]
    fn a_line_longer_than_usual_goes_on() {
        let network = Arc::new(random_network(12));
        let mut position = Position::startpos();
        let mut line = Line::new(Arc::clone(&network), &position);
        let shuffle = ["h0g2", "h9g7", "g2h0", "g7h9"].map(|text| text.parse::<Move>().unwrap());
        for &m in shuffle.iter().cycle().take(4 * USUAL_LENGTH + 1) {
            line.push(&position, m);
            position.make(m);
        }
        assert_eq!(line.evaluate(&position), afresh(&network, &position));
    }
}
