//! A thread that plays one game after another.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender};

use super::{MatchEvent, News, Plan, Setup};
use crate::arena::engines::EngineClient;
use crate::arena::game::{PlayedMove, Player, play_game};
use crate::arena::openings::Opening;
use crate::arena::schedule::Assignment;
use crate::rules::Game;

/// Starts a thread for each game that is to be played at the same time. They
/// play what `queue` has until it closes.
///
/// # Errors
/// When a thread does not start.
pub fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    plan: &'scope Plan,
    openings: &'scope [Opening],
    setup: &'scope Setup,
    stop: &'scope AtomicBool,
    queue: &Receiver<Assignment>,
    news: &Sender<News>,
) -> io::Result<()> {
    (0..setup.concurrency.max(1)).try_for_each(|place| {
        let (queue, news) = (queue.clone(), news.clone());
        let thread = GameThread { plan, openings, setup, stop, news };
        thread::Builder::new().spawn_scoped(scope, move || thread.serve(place, &queue)).map(drop)
    })
}

struct GameThread<'a> {
    plan: &'a Plan,
    openings: &'a [Opening],
    setup: &'a Setup,
    stop: &'a AtomicBool,
    news: Sender<News>,
}

/// How often a thread that waits looks whether the match has been stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

impl GameThread<'_> {
    /// Plays games until there are no more.
    fn serve(&self, place: usize, queue: &Receiver<Assignment>) {
        let cores = [0, 1].map(|seat| self.setup.cores.get(2 * place + seat).copied());
        let mut seats: [Option<(usize, EngineClient)>; 2] = [None, None];
        let mut earliest_start = Instant::now();
        while !self.stop.load(Relaxed) {
            match queue.recv_timeout(POLL_INTERVAL) {
                // waits only once there is another game: the last one ends the match at once
                Ok(game) => {
                    if self.wait_until(earliest_start) {
                        self.play(&game, cores, &mut seats);
                        earliest_start = Instant::now() + self.setup.pause;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        seats.iter_mut().flatten().for_each(|(_, player)| player.quit());
    }

    /// Sleeps until then; `false` if the match was stopped before.
    fn wait_until(&self, then: Instant) -> bool {
        loop {
            let left = then.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stop.load(Relaxed) {
                return left.is_zero();
            }
            thread::sleep(left.min(POLL_INTERVAL));
        }
    }

    fn play(
        &self,
        assignment: &Assignment,
        cores: [Option<CoreId>; 2],
        seats: &mut [Option<(usize, EngineClient)>; 2],
    ) {
        self.report(MatchEvent::Started { game: *assignment, host: None });
        let is_swapped = self.fill(assignment, cores, seats);
        let [Some((_, one)), Some((_, other))] = seats else { return };
        let players: [&mut dyn Player; 2] = if is_swapped { [other, one] } else { [one, other] };
        let opening = &self.openings[assignment.opening % self.openings.len()];
        let spectator = |game: &Game, played: &PlayedMove| {
            if self.setup.report_moves {
                let position = Box::new(game.position().clone());
                self.report(MatchEvent::Moved { game: *assignment, position, played: *played });
            }
        };
        let conditions = &self.plan.conditions;
        let played = play_game(assignment, opening, conditions, players, self.stop, &spectator);
        if let Some((record, overhead)) = played {
            self.report(MatchEvent::Finished(record, overhead));
        }
    }

    /// Has both engines of a game sit down; one that sits there already keeps
    /// its seat and its process. Returns whether Red sits in the second seat.
    fn fill(
        &self,
        game: &Assignment,
        cores: [Option<CoreId>; 2],
        seats: &mut [Option<(usize, EngineClient)>; 2],
    ) -> bool {
        let wanted = [game.red, game.black];
        let sits = |seat: &Option<(usize, EngineClient)>, engine| {
            seat.as_ref().is_some_and(|(other, _)| *other == engine)
        };
        let is_swapped = sits(&seats[0], game.black) || sits(&seats[1], game.red);
        for (index, seat) in seats.iter_mut().enumerate() {
            let engine = wanted[index ^ usize::from(is_swapped)];
            if sits(seat, engine) {
                continue;
            }
            if let Some((_, player)) = seat {
                player.quit();
            }
            let spec = self.plan.engines[engine].clone();
            let log = self.setup.traffic_log.clone();
            *seat = Some((engine, EngineClient::new(spec, cores[index], log)));
        }
        is_swapped
    }

    fn report(&self, event: MatchEvent) {
        // the scheduler listens until the last of its workers has gone
        let _ = self.news.send(Ok(event));
    }
}
