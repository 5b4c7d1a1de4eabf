//! The other processes that a launcher such as `mpirun` has started with this
//! one: rank 0 gives jobs out and writes the files, the others work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use hanxin::arena::HostEvent;
use hanxin::eval::EvalKind;
use hanxin::link::{self, Dispatcher, Event, Hello, Job, Order, Ranks, Timing};
use hanxin::rules::RuleSet;
use hanxin::util::host_name;

use crate::progress::{complain, print_line};

/// How often a flag is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Joins the other ranks; `None` if there are none. All must have the same
/// evaluation and the same plan; this one does `slots` jobs at a time.
///
/// # Errors
/// When there are other ranks but no way to them.
pub fn join(slots: u32, eval: &EvalKind, plan: &str) -> Result<Option<Ranks>> {
    let Some(link) = link::join()? else { return Ok(None) };
    let rules = RuleSet::default().name();
    let facts = [("rules", rules), ("net", &eval.identity()), ("plan", plan)];
    let hello = Hello::new(host_name(), slots as usize, &facts);
    Ok(Some(Ranks { link: link.into(), hello, timing: Timing::default() }))
}

/// Checks that no other ranks were started, of which a command could make no use.
///
/// # Errors
/// When there are.
pub fn check_alone() -> Result<()> {
    // a build without MPI knows of other ranks too, but not the way to them
    let is_alone = matches!(link::join(), Ok(None));
    ensure!(is_alone, "only datagen and spsa run on several ranks: start this command alone");
    Ok(())
}

/// Leaves the other ranks with a result. Where one does not answer all are
/// ended at once, for an orderly end would wait for it.
///
/// # Errors
/// That of the result.
pub fn leave(ranks: Ranks, result: Result<()>) -> Result<()> {
    if ranks.link.is_detached() {
        if let Err(error) = &result {
            complain(error);
        }
        ranks.link.abort(result.is_err().into());
    }
    result
}

/// Does what rank 0 gives out, a job at a time for each of the `players`,
/// until there is no more or `stop` is set.
///
/// # Errors
/// When rank 0 falls silent, or those of `work`.
pub fn serve<P: Send>(
    ranks: &Ranks,
    players: Vec<P>,
    stop: &AtomicBool,
    work: impl Fn(&mut P, &Job) -> Result<Vec<u8>> + Sync,
) -> Result<()> {
    let (jobs, queue) = channel::<Job>();
    let (results, finished) = channel();
    let (queue, work) = (&Mutex::new(queue), &work);
    thread::scope(|scope| {
        for mut player in players {
            let results: Sender<(u32, Result<Vec<u8>>)> = results.clone();
            scope.spawn(move || {
                // held for the wait alone
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok(job) = next() {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let result = work(&mut player, &job);
                    if results.send((job.number, result)).is_err() {
                        break;
                    }
                }
            });
        }
        // a local one, so that the players' queue ends with it
        let jobs = jobs;
        let mut worker = ranks.worker();
        let served = loop {
            if stop.load(Ordering::Relaxed) {
                worker.leave();
                break Ok(());
            }
            for (number, result) in finished.try_iter() {
                match result {
                    Ok(bytes) => worker.finish(number, bytes),
                    Err(error) => worker.refuse(&format!("{error:#}")),
                }
            }
            match worker.next(POLL_INTERVAL) {
                Some(Order::Job(job)) => {
                    // the players listen as long as there are jobs
                    let _ = jobs.send(job);
                }
                Some(Order::Stop) => break Ok(()),
                Some(Order::Orphaned) => break Err(anyhow::anyhow!("rank 0 does not answer")),
                None => {}
            }
        };
        stop.store(true, Ordering::Relaxed);
        served
    })
}

/// The next result of another rank, with its number; `None` after a while.
/// News of ranks are printed.
///
/// # Errors
/// When the work cannot go on.
pub fn next_result(dispatcher: &mut Dispatcher<'_>) -> Result<Option<(u32, Vec<u8>)>> {
    let Some(event) = dispatcher.next(4 * POLL_INTERVAL) else { return Ok(None) };
    if let Some(news) = HostEvent::of(&event, dispatcher) {
        print_line!("{news}");
    }
    match event {
        Event::Result { number, bytes, .. } => Ok(Some((number, bytes))),
        Event::Fault(text) => bail!(text),
        _ => Ok(None),
    }
}
