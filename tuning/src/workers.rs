//! Jobs that several threads share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread::ScopedJoinHandle;

use anyhow::{Result, anyhow};

/// Does all jobs, each worker in a thread of its own that takes the next job
/// when it is free; no job begins once `stop` is set.
///
/// # Errors
/// The first error of a worker; the others end after their jobs.
pub fn share<W: Send, J: Send>(
    workers: &mut [W],
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    stop: &AtomicBool,
    work: impl Fn(&mut W, J) -> Result<()> + Sync,
) -> Result<()> {
    let jobs = Mutex::new(jobs.into_iter());
    // a fault is reported at once, not after hours of other jobs
    let has_failed = AtomicBool::new(false);
    let is_over = || [stop, &has_failed].into_iter().any(|flag| flag.load(Ordering::Relaxed));
    let take = || jobs.lock().ok()?.next().filter(|_| !is_over());
    let work_on = |worker: &mut W| {
        while let Some(job) = take() {
            work(worker, job).inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    };
    let join = |thread: ScopedJoinHandle<'_, Result<()>>| {
        thread.join().map_err(|_| anyhow!("a worker has panicked"))?
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            workers.iter_mut().map(|worker| scope.spawn(|| work_on(worker))).collect();
        threads.into_iter().try_for_each(join)
    })
}

/// What a mutex guards.
///
/// # Errors
/// When a worker has panicked while it held it.
pub fn lock<T>(mutex: &Mutex<T>) -> Result<MutexGuard<'_, T>> {
    mutex.lock().map_err(|_| anyhow!("a worker has panicked"))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use anyhow::bail;

    use super::*;

    #[test]
    fn every_job_is_done_once_until_a_stop_or_an_error() {
        let (sum, stop) = (AtomicU32::new(0), AtomicBool::new(false));
        let mut workers = [0u32; 3];
        let add = |done: &mut u32, job: u32| {
            *done += 1;
            sum.fetch_add(job, Ordering::Relaxed);
            Ok(())
        };
        share(&mut workers, 1..=100, &stop, add).unwrap();
        assert_eq!((sum.load(Ordering::Relaxed), workers.iter().sum::<u32>()), (5050, 100));

        let fail = |done: &mut u32, job| {
            *done += 1;
            if job == 7 { bail!("seven") } else { Ok(()) }
        };
        assert!(share(&mut workers, 1..=100_000_000, &stop, fail).is_err());
        assert!(workers.iter().all(|&done| done < 30_000_000), "{workers:?}");
        stop.store(true, Ordering::Relaxed);
        share(&mut workers, 1..=100, &stop, add).unwrap();
        assert_eq!(sum.load(Ordering::Relaxed), 5050);
    }
}
