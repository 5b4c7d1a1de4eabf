//! The engine never breaks a rule of repetition that it need not break: from
//! positions with one more repetition on the board it plays, under each rule
//! set, no move that makes it the offender while another move holds the
//! result; with caution, no move that does so under any of them.
//!
//! `HANXIN_SAFETY_POSITIONS` and `HANXIN_SAFETY_NODES` set the size of the run;
//! 500 and 5000 make the full one.

mod positions;

use hanxin::board::{Color, Move, Position};
use hanxin::rules::{Game, Parameters, RuleSet, effects};
use hanxin::search::{Limits, Outcome, ThreadPool};
use hanxin::util::{Random, seeded};
use positions::random_position;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

const ATTACKERS: [&str; 9] = ["R", "C", "N", "RC", "RN", "CN", "RR", "CCA", "NP"];
const DEFENDERS: [&str; 9] = ["AA", "AABB", "AAR", "AAC", "AABN", "BBRP", "AN", "ACN", "AABBR"];

/// A game in which the next move of the side to move repeats a position for
/// the third time, to its own harm under at least one rule set.
struct Trap {
    start: Position,
    moves: Vec<Move>,
    /// The move that repeats.
    bait: Move,
}

/// Repetitions are judged at the third occurrence under every rule set.
fn strict(rules: RuleSet) -> Parameters {
    Parameters { fold: 3, ..rules.parameters() }
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Err(_) => default,
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
    }
}

fn attacks(before: &Position, m: Move) -> bool {
    RuleSet::ALL.into_iter().any(|rules| !effects(rules, before, m).is_empty())
}

fn back(m: Move) -> Move {
    Move::new(m.to(), m.from()).expect("a move has two squares")
}

fn after(position: &Position, m: Move) -> Position {
    let mut after = position.clone();
    after.make(m);
    after
}

fn quiet(position: &Position) -> Vec<Move> {
    position.legal_moves().iter().copied().filter(|&m| !position.is_capture(m)).collect()
}

/// Whether `side` loses if `last` is played, by one of the rule sets.
fn offends(by: &[RuleSet], start: &Position, moves: &[Move], last: &[Move], side: Color) -> bool {
    by.iter().any(|&rules| {
        let mut game = Game::new(start.clone(), strict(rules));
        for &m in moves.iter().chain(last) {
            game.play(m).expect("only legal moves are tried");
        }
        game.repetition().is_some_and(|verdict| verdict.offender == Some(side))
    })
}

/// Whether the move makes its side the offender at once or lets the opponent
/// complete the repetition that does.
fn breaks_a_rule(by: &[RuleSet], start: &Position, moves: &[Move], m: Move) -> bool {
    let mut position = start.clone();
    moves.iter().for_each(|&m| {
        position.make(m);
    });
    let side = position.side_to_move();
    offends(by, start, moves, &[m], side)
        || after(&position, m)
            .legal_moves()
            .iter()
            .any(|&reply| offends(by, start, moves, &[m, reply], side))
}

/// Two sides that move back and forth, one of them attacking each time; the
/// attacker moves in `before`.
fn trap(rng: &mut Random, before: &Position) -> Option<Trap> {
    let mut attacks_to = quiet(before);
    attacks_to.shuffle(rng);
    for there in attacks_to.into_iter().filter(|&m| attacks(before, m)) {
        let attacked = after(before, there);
        let mut replies = quiet(&attacked);
        replies.shuffle(rng);
        for reply in replies {
            let answered = after(&attacked, reply);
            let bait = back(there);
            if !answered.is_legal(bait) || !attacks(&answered, bait) {
                continue;
            }
            let start = after(&answered, bait);
            if !start.is_legal(back(reply)) {
                continue;
            }
            let moves = vec![back(reply), there, reply, bait, back(reply), there, reply];
            if offends(&RuleSet::ALL, &start, &moves, &[bait], before.side_to_move()) {
                return Some(Trap { start, moves, bait });
            }
        }
    }
    None
}

fn random_trap(rng: &mut Random) -> Option<Trap> {
    let mut side = |pieces: &[&str]| format!("K{}", pieces.choose(rng).unwrap_or(&""));
    let (red, black) = (side(&ATTACKERS), side(&DEFENDERS));
    let position = random_position(rng, &red, &black, 'w')?;
    if position.in_check() {
        return None;
    }
    // both colours attack
    let position = if rng.random() { position } else { position.swap_colors() };
    trap(rng, &position)
}

/// Traps, half of which are such that the engine would play the bait if it
/// were not for the history.
fn traps(count: usize, engine: &mut Engine) -> Vec<Trap> {
    let mut rng = seeded(1, 0);
    let mut traps = Vec::new();
    let mut idle = 0;
    while traps.len() < count {
        let Some(trap) = random_trap(&mut rng) else { continue };
        let is_tempting = engine.likes(&trap);
        if is_tempting || 2 * idle < count {
            idle += usize::from(!is_tempting);
            traps.push(trap);
        }
    }
    traps
}

struct Engine {
    pool: ThreadPool,
    nodes: u64,
}

impl Engine {
    fn search(&mut self, trap: &Trap, rules: Parameters, nodes: u64, banned: Vec<Move>) -> Outcome {
        self.pool.clear();
        let limits = Limits { nodes: Some(nodes), banned, ..Limits::default() };
        let game = Game::replay(trap.start.clone(), rules, &trap.moves).expect("legal moves");
        self.pool.search(&game, limits)
    }

    /// Whether the bait is the best move where nothing is forbidden: in the
    /// same position without its history.
    fn likes(&mut self, trap: &Trap) -> bool {
        let mut start = trap.start.clone();
        trap.moves.iter().for_each(|&m| {
            start.make(m);
        });
        let bare = Trap { start, moves: Vec::new(), bait: trap.bait };
        self.search(&bare, RuleSet::Axf.parameters(), self.nodes, Vec::new()).best
            == Some(trap.bait)
    }

    /// The fault of the engine in this position, if there is one.
    fn fault(&mut self, trap: &Trap, rules: RuleSet) -> Option<String> {
        let all = RuleSet::ALL;
        let by = if self.pool.options.is_cautious { &all[..] } else { &[rules] };
        let played = self.search(trap, strict(rules), self.nodes, Vec::new());
        let best = played.best.expect("there is a legal move");
        if !breaks_a_rule(by, &trap.start, &trap.moves, best) {
            return None;
        }
        let mut position = trap.start.clone();
        trap.moves.iter().for_each(|&m| {
            position.make(m);
        });
        let legal = position.legal_moves();
        let (offences, others): (Vec<Move>, Vec<Move>) =
            legal.iter().partition(|&&m| breaks_a_rule(by, &trap.start, &trap.moves, m));
        if others.is_empty() {
            return None;
        }
        // a closer look: what seems to hold may be lost by force
        let other = self.search(trap, strict(rules), 20 * self.nodes, offences);
        let holds = !other.score.is_loss();
        holds.then(|| {
            format!(
                "{rules}: {best} ({:?}) instead of {:?} ({:?}) after {} {:?}",
                played.score,
                other.best,
                other.score,
                trap.start.to_fen(),
                trap.moves
            )
        })
    }
}

#[test]
fn no_needless_offence() {
    let count = setting("HANXIN_SAFETY_POSITIONS", 60) as usize;
    let nodes = setting("HANXIN_SAFETY_NODES", 2000);
    let mut engine =
        Engine { pool: ThreadPool::new(1, 1).expect("a megabyte is to be had"), nodes };
    let traps = traps(count, &mut engine);
    for is_cautious in [false, true] {
        engine.pool.options.is_cautious = is_cautious;
        let faults: Vec<String> = traps
            .iter()
            .flat_map(|trap| RuleSet::ALL.map(|rules| engine.fault(trap, rules)))
            .flatten()
            .collect();
        let (number, all) = (faults.len(), 3 * count);
        assert!(faults.is_empty(), "{number} of {all}, cautious {is_cautious}: {faults:#?}");
    }
}
