//! What happens between the search and whoever asked for it: lines that
//! nobody asked for are left out, and at the end the move is chosen and a
//! draw or resignation claimed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::board::Move;
use crate::search::{self, Limits, Line, Outcome};

use super::announcements::{Announcements, Situation};
use super::event::{Announcement, Answer, Event, Observer};
use super::node_clock::NodeClock;
use super::strength::Weakness;

/// What may still change while a search runs.
#[derive(Debug, Default)]
pub struct SearchFlags {
    draw_offered: AtomicBool,
    /// Whether the move will be played, as far as is known: not in analysis,
    /// nor while pondering.
    counts: AtomicBool,
}

impl SearchFlags {
    pub fn new(limits: &Limits, draw_offered: bool) -> SearchFlags {
        SearchFlags {
            draw_offered: AtomicBool::new(draw_offered),
            counts: AtomicBool::new(!limits.infinite && !limits.ponder),
        }
    }

    pub fn ponder_hit(&self, draw_offered: bool) {
        self.draw_offered.fetch_or(draw_offered, Relaxed);
        self.counts.store(true, Relaxed);
    }
}

/// Everything that the end of a search depends on.
pub struct SearchObserver {
    pub observer: Observer,
    /// How many best lines are shown.
    pub lines: usize,
    pub weakness: Option<Weakness>,
    /// A random number from 0 to 1.
    pub roll: f64,
    pub ply: usize,
    pub may_draw: bool,
    pub may_resign: bool,
    pub announcements: Arc<Mutex<Announcements>>,
    pub node_clock: Arc<Mutex<NodeClock>>,
    pub flags: Arc<SearchFlags>,
    /// The first move of the line shown last.
    pub shown: Mutex<Option<Move>>,
}

impl SearchObserver {
    /// Hands an event of the search on.
    pub fn pass(&self, event: search::Event) {
        let event = match event {
            search::Event::Line(line) if line.multipv > self.lines => return,
            search::Event::Line(line) => {
                if line.multipv == 1 {
                    *self.shown.lock() = line.pv.first().copied();
                }
                Event::Line(line)
            }
            search::Event::CurrentMove { depth, current, number } => {
                Event::CurrentMove { depth, current, number }
            }
            search::Event::Done(outcome) => {
                let answer = self.answer(&outcome);
                self.justify(&answer, outcome.lines);
                Event::Done(answer)
            }
        };
        (self.observer)(event);
    }

    fn answer(&self, outcome: &Outcome) -> Answer {
        if self.flags.counts.load(Relaxed) {
            self.node_clock.lock().spend(outcome.on_clock);
        }
        let (best, ponder) = self.choose(outcome);
        Answer {
            best,
            ponder,
            announcement: self.announcement(outcome),
            nodes: outcome.nodes,
            time: outcome.time,
        }
    }

    /// Shows the line of the move to be played, if another one was shown last:
    /// the search may change its mind, or the choice fall on another line.
    fn justify(&self, answer: &Answer, lines: Vec<Line>) {
        if *self.shown.lock() != answer.best
            && let Some(line) =
                lines.into_iter().find(|line| line.pv.first() == answer.best.as_ref())
        {
            (self.observer)(Event::Line(Line { multipv: 1, ..line }));
        }
    }

    fn choose(&self, outcome: &Outcome) -> (Option<Move>, Option<Move>) {
        let Some(weakness) = self.weakness else { return (outcome.best, outcome.ponder) };
        let scores: Vec<_> = outcome.lines.iter().map(|line| line.score).collect();
        match (weakness.choose(&scores, self.roll), &outcome.lines[..]) {
            (place @ 1.., lines) => {
                let pv = &lines[place].pv;
                (pv.first().copied(), pv.get(1).copied())
            }
            _ => (outcome.best, outcome.ponder),
        }
    }

    fn announcement(&self, outcome: &Outcome) -> Option<Announcement> {
        if outcome.best.is_none() || !self.flags.counts.load(Relaxed) {
            return None;
        }
        self.announcements.lock().judge(Situation {
            score: outcome.score,
            ply: self.ply,
            draw_offered: self.flags.draw_offered.load(Relaxed),
            may_draw: self.may_draw,
            may_resign: self.may_resign,
        })
    }
}
