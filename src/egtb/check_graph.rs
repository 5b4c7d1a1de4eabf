//! Positions in which one side gives check for ever, or has to stop.

/// A position of the side that gives check, to move: it loses unless its checks
/// go on for ever and are not an offence.
pub struct Checker {
    /// Its number.
    pub number: usize,
    /// Whether it is in check itself.
    pub is_in_check: bool,
    /// The numbers of the positions after those moves that do not lose anyway.
    pub checks: Vec<usize>,
}

/// The positions that perpetual check could hold, and the answers to it.
pub struct CheckGraph {
    checkers: Vec<Checker>,
    /// The positions after the checks, the other side to move.
    evaders: Vec<usize>,
    /// By checker: places in `evaders`.
    checks: Vec<Vec<u32>>,
    /// By evader: places in `checkers`.
    evasions: Vec<Vec<u32>>,
}

/// Which checkers and which evaders are in a set.
type Set = (Vec<bool>, Vec<bool>);

impl CheckGraph {
    /// The graph of these checkers, in ascending order, and of the `evasions`
    /// of each evader: the numbers after the moves that do not win anyway.
    pub fn new(
        mut checkers: Vec<Checker>,
        evasions: impl FnOnce(&[usize]) -> Vec<Vec<usize>>,
    ) -> CheckGraph {
        let mut evaders: Vec<usize> =
            checkers.iter_mut().flat_map(|checker| checker.checks.iter().copied()).collect();
        evaders.sort_unstable();
        evaders.dedup();
        let place = |number: &usize| evaders.binary_search(number).ok().map(|at| at as u32);
        let checks = checkers
            .iter_mut()
            .map(|checker| std::mem::take(&mut checker.checks).iter().filter_map(place).collect());
        let checks = checks.collect();
        let place = |number: usize| {
            checkers.binary_search_by_key(&number, |c| c.number).ok().map(|at| at as u32)
        };
        let evasions = evasions(&evaders)
            .into_iter()
            .map(|numbers| numbers.into_iter().filter_map(place).collect())
            .collect();
        CheckGraph { checkers, evaders, checks, evasions }
    }

    /// The numbers, with the checker and with the evader to move, in which
    /// every way of not losing at once is a perpetual check that the evader
    /// does not answer with one of its own: it can always evade.
    ///
    /// This is the greatest set of which each position is in the
    /// [inner](Self::inner) one.
    pub fn perpetual(&self) -> (Vec<usize>, Vec<usize>) {
        let mut outer = (vec![true; self.checkers.len()], vec![true; self.evaders.len()]);
        loop {
            let inner = self.inner(&outer);
            if inner == outer {
                break;
            }
            outer = inner;
        }
        let checkers = self.checkers.iter().enumerate().filter(|&(c, _)| outer.0[c]);
        let evaders = self.evaders.iter().enumerate().filter(|&(e, _)| outer.1[e]);
        (checkers.map(|(_, checker)| checker.number).collect(), evaders.map(|(_, &e)| e).collect())
    }

    /// The least set of positions within another one from which the evader can
    /// get to where it is not giving check, without leaving the other set.
    fn inner(&self, outer: &Set) -> Set {
        let mut inner = (vec![false; self.checkers.len()], vec![false; self.evaders.len()]);
        loop {
            let mut has_grown = false;
            for (c, checker) in self.checkers.iter().enumerate().filter(|&(c, _)| outer.0[c]) {
                let evaders = if checker.is_in_check { &inner.1 } else { &outer.1 };
                if !inner.0[c] && self.checks[c].iter().all(|&e| evaders[e as usize]) {
                    (inner.0[c], has_grown) = (true, true);
                }
            }
            for (e, evasions) in self.evasions.iter().enumerate().filter(|&(e, _)| outer.1[e]) {
                if !inner.1[e] && evasions.iter().any(|&c| inner.0[c as usize]) {
                    (inner.1[e], has_grown) = (true, true);
                }
            }
            if !has_grown {
                return inner;
            }
        }
    }
}
