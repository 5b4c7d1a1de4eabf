//! The search by proof numbers.

use arrayvec::ArrayVec;

use crate::board::{Move, MoveList, Position};

use super::table::{FOR_EVER, INFINITE, Numbers, Table};

/// What ends a mate search.
#[derive(Clone, Copy, Debug)]
pub struct MateLimits {
    /// Positions looked at.
    pub nodes: u64,
    /// Longest mate looked for, in moves of the attacker.
    pub moves: u16,
    /// Go on after a proof until no mate is shorter.
    pub shortest: bool,
}

impl MateLimits {
    /// The longest mate that is ever looked for, in moves of the attacker.
    pub const MAX_MOVES: u16 = 100;
}

impl Default for MateLimits {
    /// The first mate of any length found among a million positions.
    fn default() -> MateLimits {
        MateLimits { nodes: 1_000_000, moves: MateLimits::MAX_MOVES, shortest: false }
    }
}

/// What is known about a mate by checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateVerdict {
    /// The side to move mates. The line begins with its move and ends with
    /// the mate; the defender's moves in it last longest against the mate
    /// found, as far as is known.
    Mate(Vec<Move>),
    /// There is no mate by checks in as many moves as were allowed.
    NoMate,
    /// A limit came first.
    Unknown,
}

/// The result of a mate search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateOutcome {
    /// Whether there is a mate.
    pub verdict: MateVerdict,
    /// Length of the mate found, in moves of the attacker.
    pub mate_in: Option<u16>,
    /// Mates in so many moves are ruled out; `u16::MAX`: all.
    pub refuted_moves: u16,
    /// Positions looked at.
    pub nodes: u64,
}

impl MateOutcome {
    /// Whether no shorter mate by checks than the one found exists.
    pub fn is_shortest(&self) -> bool {
        self.mate_in.is_some_and(|moves| moves <= self.refuted_moves + 1)
    }
}

/// A limit was reached.
#[derive(Debug)]
struct Stopped;

/// A search for mates by checks, with its table.
pub struct MateSearch {
    table: Table,
}

impl MateSearch {
    /// A search with a table of this many entries of 32 bytes.
    pub fn new(entries: usize) -> MateSearch {
        MateSearch { table: Table::new(entries) }
    }

    /// Looks for a mate by the side to move, giving check with every move.
    ///
    /// `history` holds the keys of positions that have stood on the board
    /// before: the attacker must not come back to one of them. `is_stopped` is
    /// asked about every thousand nodes.
    pub fn prove(
        &mut self,
        position: &Position,
        history: &[u64],
        limits: MateLimits,
        is_stopped: impl Fn() -> bool,
    ) -> MateOutcome {
        self.table.clear();
        self.resume(position, history, limits, is_stopped)
    }

    /// Goes on where a search of the same position with the same history met a
    /// limit; the nodes of `limits` are those of this part.
    pub fn resume(
        &mut self,
        position: &Position,
        history: &[u64],
        limits: MateLimits,
        is_stopped: impl Fn() -> bool,
    ) -> MateOutcome {
        let mut history = history.to_vec();
        history.sort_unstable();
        let mut tree = Tree {
            table: &mut self.table,
            position: position.clone(),
            history,
            nodes: 0,
            limit: limits.nodes,
            is_stopped: &is_stopped,
        };
        tree.solve(limits)
    }
}

/// A move and the numbers of the position after it.
struct Child {
    m: Move,
    key: u64,
    numbers: Numbers,
}

type Children = ArrayVec<Child, { MoveList::CAPACITY }>;

/// One search.
struct Tree<'a> {
    table: &'a mut Table,
    position: Position,
    /// Keys of the positions that count as lost for the attacker, sorted.
    history: Vec<u64>,
    nodes: u64,
    limit: u64,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Tree<'_> {
    fn solve(&mut self, limits: MateLimits) -> MateOutcome {
        let mut outcome = MateOutcome {
            verdict: MateVerdict::Unknown,
            mate_in: None,
            refuted_moves: 0,
            nodes: 0,
        };
        // a limit leaves what was found so far
        let _ = self.find(limits.moves.min(MateLimits::MAX_MOVES), &mut outcome);
        if limits.shortest {
            let _ = self.shorten(&mut outcome);
        }
        outcome.nodes = self.nodes;
        outcome
    }

    /// Looks for a mate with bounds that grow to `moves`.
    fn find(&mut self, moves: u16, outcome: &mut MateOutcome) -> Result<(), Stopped> {
        if moves == 0 {
            outcome.verdict = MateVerdict::NoMate;
            return Ok(());
        }
        let mut bound = FIRST_BOUND.min(moves);
        loop {
            let numbers = self.expand(true, bound, [INFINITE; 2])?;
            if numbers.is_mate() {
                return self.record(numbers.moves, outcome);
            }
            outcome.refuted_moves = numbers.moves;
            if numbers.moves >= moves {
                outcome.verdict = MateVerdict::NoMate;
                return Ok(());
            }
            bound = (bound * 2).min(moves);
        }
    }

    /// Replaces the mate found by shorter ones until there is none. From above,
    /// since each mate usually skips several lengths, and the one refutation
    /// at the end cannot be saved.
    fn shorten(&mut self, outcome: &mut MateOutcome) -> Result<(), Stopped> {
        while let Some(length) = outcome.mate_in.filter(|&n| n > outcome.refuted_moves + 1) {
            let numbers = self.expand(true, length - 1, [INFINITE; 2])?;
            if numbers.is_mate() {
                self.record(numbers.moves, outcome)?;
            } else {
                outcome.refuted_moves = numbers.moves;
            }
        }
        Ok(())
    }

    fn record(&mut self, moves: u16, outcome: &mut MateOutcome) -> Result<(), Stopped> {
        outcome.verdict = MateVerdict::Mate(self.line(moves)?);
        outcome.mate_in = Some(moves);
        Ok(())
    }

    /// The line of a mate proved in at most `moves` moves.
    fn line(&mut self, moves: u16) -> Result<Vec<Move>, Stopped> {
        let mut line = Vec::new();
        let root = self.position.clone();
        let (mut attacks, mut moves) = (true, moves);
        let result = loop {
            match self.next_of_line(attacks, moves) {
                Ok(Some(child)) => {
                    line.push(child.m);
                    self.position.make(child.m);
                    moves = child.numbers.moves;
                    attacks = !attacks;
                }
                Ok(None) => break Ok(line),
                Err(stopped) => break Err(stopped),
            }
        };
        self.position = root;
        result
    }

    /// The attacker's move with the shortest mate known, or the reply with the
    /// longest; `None` if the present position is mate.
    fn next_of_line(&mut self, attacks: bool, moves: u16) -> Result<Option<Child>, Stopped> {
        let mut children = self.children(attacks, moves)?;
        let is_proved = |child: &Child| child.numbers.is_mate();
        // entries that have been replaced are proved again
        if !attacks || !children.iter().any(is_proved) {
            for child in &mut children {
                if !is_proved(child) {
                    child.numbers = self.expand_child(attacks, moves, child.m, [INFINITE; 2])?;
                }
            }
        }
        let mates = children.into_iter().filter(is_proved);
        Ok(match attacks {
            true => mates.min_by_key(|child| child.numbers.moves),
            false => mates.max_by_key(|child| child.numbers.moves),
        })
    }

    /// Counts a node and looks whether the search is over.
    fn enter(&mut self) -> Result<(), Stopped> {
        const POLL_INTERVAL: u64 = 1024;
        let is_due = (self.nodes + 1).is_multiple_of(POLL_INTERVAL);
        if self.nodes >= self.limit || is_due && (self.is_stopped)() {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(())
    }

    /// Searches the present position until one of its numbers reaches its
    /// limit; `moves` are left to the attacker, who `attacks` now or after the
    /// reply.
    fn expand(&mut self, attacks: bool, moves: u16, limits: [u32; 2]) -> Result<Numbers, Stopped> {
        let nodes_before = self.nodes;
        self.enter()?;
        let mut children = self.children(attacks, moves)?;
        let left = moves - u16::from(attacks);
        loop {
            let numbers = combine(attacks, moves, &children);
            if numbers.left[0] >= limits[0] || numbers.left[1] >= limits[1] {
                let work = self.nodes - nodes_before;
                self.table.store(self.position.key(), numbers, work);
                return Ok(numbers);
            }
            let (best, limits) = select(attacks, &children, limits);
            children[best].numbers = self.expand_child(attacks, moves, children[best].m, limits)?;
            for (i, child) in children.iter_mut().enumerate() {
                if i != best
                    && left > 0
                    && let Some(numbers) = self.table.probe(child.key, left)
                {
                    child.numbers = numbers;
                }
            }
        }
    }

    fn expand_child(
        &mut self,
        attacks: bool,
        moves: u16,
        m: Move,
        limits: [u32; 2],
    ) -> Result<Numbers, Stopped> {
        let undo = self.position.make(m);
        let result = self.expand(!attacks, moves - u16::from(attacks), limits);
        self.position.unmake(m, undo);
        result
    }

    /// The moves of the present position with what is known of them.
    fn children(&mut self, attacks: bool, moves: u16) -> Result<Children, Stopped> {
        let list = if attacks { checks(&self.position) } else { self.position.legal_moves() };
        let mut children = Children::new();
        for &m in &list {
            let numbers = self.look(attacks, moves, m)?;
            let key = self.position.key_after(m);
            children.push(Child { m, key, numbers });
        }
        Ok(children)
    }

    /// What is known of the position after a move.
    fn look(&mut self, attacks: bool, moves: u16, m: Move) -> Result<Numbers, Stopped> {
        let key = self.position.key_after(m);
        if self.history.binary_search(&key).is_ok() {
            return Ok(Numbers::refuted(FOR_EVER));
        }
        let left = moves - u16::from(attacks);
        // the last check mates or does not: an estimate is of no use
        if left > 0
            && let Some(numbers) = self.table.estimate(key, left)
        {
            return Ok(numbers);
        }
        self.enter()?;
        let undo = self.position.make(m);
        let numbers =
            if attacks { self.first_of_replies(left) } else { self.first_of_checks(left) };
        self.position.unmake(m, undo);
        Ok(numbers)
    }

    /// The first numbers of a position in which the defender is in check.
    fn first_of_replies(&self, moves: u16) -> Numbers {
        match self.position.legal_moves().len() as u32 {
            0 => Numbers::mate(0),
            _ if moves == 0 => Numbers::refuted(0),
            replies => Numbers { left: [replies, 1], moves },
        }
    }

    /// The first numbers of a position in which the attacker is to move.
    fn first_of_checks(&self, moves: u16) -> Numbers {
        match checks(&self.position).len() as u32 {
            0 => Numbers::refuted(FOR_EVER),
            checks => Numbers { left: [1, checks], moves },
        }
    }
}

/// Bound on the moves of the first iteration; doubled in each.
const FIRST_BOUND: u16 = 8;

/// The legal moves that give check.
fn checks(position: &Position) -> MoveList {
    let squares = position.check_squares();
    let mut moves = position.legal_moves();
    moves.retain(|m| position.gives_check(m, &squares));
    moves
}

/// The numbers of a node by those of its moves: one of them must succeed for
/// the side to move, all for the other side.
fn combine(attacks: bool, moves: u16, children: &[Child]) -> Numbers {
    let (goal, other) = if attacks { (0, 1) } else { (1, 0) };
    let lengths = |wanted: fn(Numbers) -> bool| {
        children.iter().map(|child| child.numbers).filter(move |&n| wanted(n)).map(|n| n.moves)
    };
    let least = children.iter().map(|child| child.numbers.left[goal]).min().unwrap_or(INFINITE);
    let (mut largest, mut open) = (0, 0);
    for child in children {
        let left = child.numbers.left[other];
        largest = largest.max(left);
        open += u32::from(left > 0);
    }
    let all = if largest == 0 { 0 } else { (largest + open - 1).min(INFINITE - 1) };
    match (attacks, least == 0, all == 0) {
        (true, true, _) => Numbers::mate(1 + lengths(Numbers::is_mate).min().unwrap_or(0)),
        (true, _, true) => {
            let shortest = lengths(Numbers::is_refuted).min().unwrap_or(FOR_EVER);
            Numbers::refuted(shortest.saturating_add(1))
        }
        (false, true, _) => Numbers::refuted(lengths(Numbers::is_refuted).max().unwrap_or(0)),
        (false, _, true) => Numbers::mate(lengths(Numbers::is_mate).max().unwrap_or(0)),
        _ => {
            let mut left = [0; 2];
            left[goal] = least;
            left[other] = all;
            Numbers { left, moves }
        }
    }
}

/// The move to search, and the limits of its numbers.
fn select(attacks: bool, children: &[Child], limits: [u32; 2]) -> (usize, [u32; 2]) {
    let (goal, other) = if attacks { (0, 1) } else { (1, 0) };
    let (mut best, mut second) = (0, INFINITE);
    let rank = |child: &Child| (child.numbers.left[goal], child.numbers.left[other]);
    for (i, child) in children.iter().enumerate().skip(1) {
        if rank(child) < rank(&children[best]) {
            second = children[best].numbers.left[goal];
            best = i;
        } else {
            second = second.min(child.numbers.left[goal]);
        }
    }
    let mut below = [0; 2];
    // half as much again as the second best
    below[goal] = limits[goal].min((second + second / 2 + 1).min(INFINITE));
    // what the number of the other moves adds stays
    let open = children.iter().filter(|child| child.numbers.left[other] > 0).count() as u32;
    below[other] = limits[other] - (open - 1);
    (best, below)
}
