//! Null move pruning (Beal, 1989; Donninger, 1993): if the position is so good
//! that the opponent cannot hurt it even with two moves in a row, it need not be
//! searched to the full depth.
//!
//! As in the thesis (section 3.2.3): never in check, never twice in a row, only
//! with a clear advantage, and reduced by two plies. Where a side would rather
//! not move (zugzwang) a null move lies; the verification, a search of the real
//! moves one ply shallower, finds some of that out.

use crate::score::Score;

use super::game::Game;
use super::services::Search;
use super::settings::NullMove;
use super::trace::Cause;
use super::window::Window;

/// The evaluation from which a null move is tried, in centipawns: 200 units of
/// the thesis, of which a pawn is worth about 21.
const ADVANTAGE: i32 = 933;

/// The score with which the node is left, if a null move fails high.
pub(super) fn prune<G: Game>(search: &mut Search<G>, depth: i32, window: Window) -> Option<Score> {
    let after_null = std::mem::take(&mut search.after_null);
    let switched_on = search.settings.null_move != NullMove::Off;
    if !switched_on || after_null || search.ply == 0 || search.game.in_check() {
        return None;
    }
    if search.game.evaluate() <= ADVANTAGE || !search.game.make_null() {
        return None;
    }
    let score = after_null_move(search, depth - 3, window.beta);
    let holds = score >= window.beta
        && (search.settings.null_move == NullMove::Plain || verified(search, depth, window));
    holds.then_some(score)
}

/// The score of the null move just made, which it takes back.
fn after_null_move<G: Game>(search: &mut Search<G>, depth: i32, beta: Score) -> Score {
    search.ply += 1;
    search.after_null = true;
    let score = -search.visit(Cause::NullMove, depth, -Window::below(beta));
    search.after_null = false;
    search.unmake();
    score
}

/// Whether a shallower search of the real moves fails high too.
fn verified<G: Game>(search: &mut Search<G>, depth: i32, window: Window) -> bool {
    search.after_null = true;
    let score = search.visit(Cause::Verification, depth - 2, window);
    search.after_null = false;
    score >= window.beta
}
