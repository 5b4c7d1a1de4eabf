//! Proves what a table says of results that rest on the rules of repetition:
//! see [`verify`](super::verify).

use crate::board::{Color, Move, PieceKind, Position};
use crate::rules::attacks_any;

use super::check_graph::{CheckGraph, Checker};
use super::parallel::map;
use super::solution::{Solution, Sources, look_up};
use super::table::Cache;
use super::value::{Value, Wdl};
use super::verify::Contradiction;

/// A table and those that captures lead to, seen by the moves of the board room.
pub struct View<'a> {
    pub solution: &'a Solution,
    pub sources: &'a Sources,
}

impl View<'_> {
    /// Calls `visit` with each legal move of the position of this number.
    pub fn for_each_move(
        &self,
        position: &mut Position,
        number: usize,
        cache: &mut Cache,
        mut visit: impl FnMut(&mut Position, &Step),
    ) {
        let index = &self.solution.index;
        let (side, ranks) = (position.side_to_move(), index.ranks(number));
        for &m in &position.legal_moves() {
            let step = if position.piece_at(m.to()).is_none() {
                let number = index.number_after(position, number, &ranks, m);
                let value = number.and_then(|number| self.solution.value(number, !side));
                Step { m, number, value }
            } else {
                let undo = position.make(m);
                let value = look_up(self.sources, position, cache);
                position.unmake(m, undo);
                Step { m, number: None, value }
            };
            visit(position, &step);
        }
    }

    /// Whether the side that the value is of could lose.
    pub fn may_lose(&self, value: Value) -> bool {
        value.range().0 == Wdl::Loss
    }

    /// Whether a move gives check, or leaves a piece attacked by anything but
    /// king and pawns.
    pub fn offends(&self, position: &mut Position, m: Move) -> bool {
        let undo = position.make(m);
        let offends = position.in_check() || self.attacks(position);
        position.unmake(m, undo);
        offends
    }

    /// Whether a piece of the side to move stands attacked like that.
    fn attacks(&self, after: &mut Position) -> bool {
        let undo = after.make_null();
        let attacks = after.pseudo_legal_moves().iter().any(|m| {
            let kind = after.piece_at(m.from()).map(|piece| piece.kind());
            let is_attacker = !matches!(kind, None | Some(PieceKind::King | PieceKind::Pawn));
            is_attacker && after.piece_at(m.to()).is_some()
        });
        after.unmake_null(undo);
        attacks
    }
}

/// A legal move, as a table sees it.
pub struct Step {
    pub m: Move,
    /// The number that it leads to; `None` if it captures.
    pub number: Option<usize>,
    /// The value of the position that it leads to, for the side to move there.
    pub value: Option<Value>,
}

/// The proof of what one side wins by rule.
pub struct RuleProof<'a> {
    view: &'a View<'a>,
    winner: Color,
    threads: usize,
}

/// A position that a table holds to be won by rule.
struct Claim {
    side: Color,
    number: usize,
    is_in_check: bool,
    /// Whether it is decided without other claims, or cannot be by any.
    settled: Option<bool>,
    /// The claims that the moves lead to.
    moves: Vec<u32>,
    /// How many of these moves, from the last one back, give check.
    checks: usize,
}

/// The claims proved so far.
struct Progress {
    /// By claim: the claims with a move to it, once for each move.
    before: Vec<Vec<u32>>,
    proved: Vec<bool>,
    /// By claim: moves to claims that are not proved.
    unproved: Vec<usize>,
}

impl Progress {
    fn new(claims: &[Claim]) -> Progress {
        let mut before = vec![Vec::new(); claims.len()];
        for (number, claim) in claims.iter().enumerate() {
            claim.moves.iter().for_each(|&after| before[after as usize].push(number as u32));
        }
        let unproved = claims.iter().map(|claim| claim.moves.len()).collect();
        Progress { before, proved: vec![false; claims.len()], unproved }
    }
}

impl<'a> RuleProof<'a> {
    /// The proof of what `winner` wins.
    pub fn new(view: &'a View<'a>, winner: Color, threads: usize) -> RuleProof<'a> {
        RuleProof { view, winner, threads }
    }

    /// Derives all that is won by rule, from what is won otherwise.
    ///
    /// # Errors
    /// When something does not follow.
    pub fn force_wins(&self, claimed: &[(Color, usize)]) -> Result<(), Contradiction> {
        let mut claimed = claimed.to_vec();
        claimed.sort_unstable();
        let claims = map(&claimed, self.threads, Cache::default, |cache, &(side, number)| {
            self.claim(side, number, &claimed, cache)
        });
        let mut progress = Progress::new(&claims);
        let settled = (0..claims.len()).filter(|&claim| claims[claim].settled == Some(true));
        let mut new: Vec<usize> = settled.collect();
        loop {
            self.force(new, &claims, &mut progress);
            new = self.force_checkers(&claims, &progress);
            if new.is_empty() {
                break;
            }
        }
        match progress.proved.iter().position(|&proved| !proved) {
            Some(claim) => {
                let fen = self.fen(claims[claim].side, claims[claim].number);
                Err(Contradiction::Unforced { fen: fen.unwrap_or_default() })
            }
            None => Ok(()),
        }
    }

    fn claim(
        &self,
        side: Color,
        number: usize,
        claimed: &[(Color, usize)],
        cache: &mut Cache,
    ) -> Claim {
        let index = &self.view.solution.index;
        let (mut quiet, mut checks) = (Vec::new(), Vec::new());
        let (mut wins, mut escapes) = (false, false);
        let mut position = index.position(number, side);
        position.iter_mut().for_each(|position| {
            let squares = position.check_squares();
            self.view.for_each_move(position, number, cache, |position, step| {
                let claim =
                    step.number.and_then(|number| claimed.binary_search(&(!side, number)).ok());
                let result = step.value.unwrap_or(Value::Draw).wdl();
                let won = Some(if side == self.winner { Wdl::Loss } else { Wdl::Win });
                match claim {
                    Some(claim) if position.gives_check(step.m, &squares) => {
                        checks.push(claim as u32)
                    }
                    Some(claim) => quiet.push(claim as u32),
                    None => (wins, escapes) = (wins || result == won, escapes || result != won),
                }
            });
        });
        let settled = match side == self.winner {
            true => wins.then_some(true),
            false if escapes => Some(false),
            false => (quiet.is_empty() && checks.is_empty()).then_some(true),
        };
        let is_in_check = position.is_some_and(|position| position.in_check());
        let number_of_checks = checks.len();
        quiet.append(&mut checks);
        Claim { side, number, is_in_check, settled, moves: quiet, checks: number_of_checks }
    }

    /// Proves claims, and all that moves decide because of that.
    fn force(&self, mut new: Vec<usize>, claims: &[Claim], progress: &mut Progress) {
        while let Some(claim) = new.pop() {
            if std::mem::replace(&mut progress.proved[claim], true) {
                continue;
            }
            for &before in &progress.before[claim] {
                let before = before as usize;
                progress.unproved[before] -= 1;
                let is_decided = claims[before].side == self.winner
                    || progress.unproved[before] == 0 && claims[before].settled.is_none();
                if is_decided {
                    new.push(before);
                }
            }
        }
    }

    /// The claims that hold because nothing is left to the loser but to give
    /// check for ever.
    fn force_checkers(&self, claims: &[Claim], progress: &Progress) -> Vec<usize> {
        let open = |&&claim: &&u32| !progress.proved[claim as usize];
        let numbers = |moves: &[u32]| -> Vec<usize> {
            moves.iter().filter(open).map(|&claim| claims[claim as usize].number).collect()
        };
        let mut checkers = Vec::new();
        for (claim, proved) in claims.iter().zip(&progress.proved) {
            let (quiet, checks) = claim.moves.split_at(claim.moves.len() - claim.checks);
            let can_only_check = quiet.iter().find(open).is_none() && claim.settled.is_none();
            if !proved && claim.side != self.winner && can_only_check {
                let (number, is_in_check) = (claim.number, claim.is_in_check);
                checkers.push(Checker { number, is_in_check, checks: numbers(checks) });
            }
        }
        let find = |side: Color, number: usize| {
            claims.binary_search_by_key(&(side, number), |claim| (claim.side, claim.number)).ok()
        };
        let graph = CheckGraph::new(checkers, |evaders| {
            let claim = |&number: &usize| find(self.winner, number);
            let moves = |claim: usize| numbers(&claims[claim].moves);
            evaders.iter().map(|number| claim(number).map_or(Vec::new(), moves)).collect()
        });
        let (checkers, evaders) = graph.perpetual();
        let checkers = checkers.into_iter().filter_map(|number| find(!self.winner, number));
        checkers.chain(evaders.into_iter().filter_map(|n| find(self.winner, n))).collect()
    }

    /// Looks whether one of these positions, which the opponent holds by checks
    /// and attacks alone, could be won by rule.
    ///
    /// # Errors
    /// When one could be.
    pub fn look_for_more(&self, held: &[usize]) -> Result<(), Contradiction> {
        // not every attack on a piece is one by the rules, but that is costly to tell
        let suspects = self.held_for_ever(held, |_, _| true);
        let found = self.held_for_ever(&suspects, attacks_any);
        match found.first().and_then(|&number| self.fen(!self.winner, number)) {
            Some(fen) => Err(Contradiction::Overlooked { fen }),
            None => Ok(()),
        }
    }

    /// Of these positions, which the opponent holds by checks and attacks alone,
    /// those that it can hold by nothing else for ever, if these moves `attack`.
    fn held_for_ever(
        &self,
        held: &[usize],
        attack: impl Fn(&Position, Move) -> bool + Sync,
    ) -> Vec<usize> {
        let checkers = map(held, self.threads, Cache::default, |cache, &number| {
            let index = &self.view.solution.index;
            let mut position = index.position(number, !self.winner)?;
            let is_in_check = position.in_check();
            let (mut checks, mut escapes) = (Vec::new(), false);
            self.view.for_each_move(&mut position, number, cache, |position, step| {
                let value = step.value.map_or(Value::Draw, Value::before_move);
                if !self.view.may_lose(value) && !escapes {
                    checks.extend(step.number);
                    escapes = !attack(position, step.m);
                }
            });
            (!escapes).then_some(Checker { number, is_in_check, checks })
        });
        let checkers = checkers.into_iter().flatten().collect();
        CheckGraph::new(checkers, |evaders| self.evasions(evaders)).perpetual().0
    }

    /// The numbers after the quiet moves of each of these positions.
    fn evasions(&self, evaders: &[usize]) -> Vec<Vec<usize>> {
        let index = &self.view.solution.index;
        map(
            evaders,
            self.threads,
            || (),
            |(), &number| {
                let Some(position) = index.position(number, self.winner) else {
                    return Vec::new();
                };
                let ranks = index.ranks(number);
                let mut moves = position.legal_moves();
                moves.retain(|m| position.piece_at(m.to()).is_none());
                let after = |&m| index.number_after(&position, number, &ranks, m);
                moves.iter().filter_map(after).collect()
            },
        )
    }

    fn fen(&self, side: Color, number: usize) -> Option<String> {
        Some(self.view.solution.index.position(number, side)?.to_fen())
    }
}
