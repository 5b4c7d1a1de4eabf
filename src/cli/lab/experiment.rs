//! Experiments that take hours: many steps, each on the disk as soon as it is
//! done, so that an interrupted experiment goes on where it was.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arena::journal::{Journal, Record};
use crate::util::crc32;

use super::Failure;
use crate::cli::progress::Progress;

/// One step of an experiment, as the journal keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step<T> {
    number: u32,
    /// How long it took.
    seconds: f64,
    /// What came out.
    result: T,
}

impl<T: Serialize + DeserializeOwned> Record for Step<T> {
    type Header = Value;
    const MAGIC: &'static str = "hanxin-lab 1\n";
    const WHOLE: &'static str = "experiment";
    const PART: &'static str = "step";

    fn number(&self) -> u32 {
        self.number
    }
}

/// The results of an experiment, as far as it has come.
pub struct Results<T> {
    /// Those of all steps in their order; none for one that is not done.
    pub steps: Vec<Option<T>>,
    /// What all steps together took, in this run and in earlier ones.
    pub time: Duration,
    /// Whether it was interrupted.
    pub is_interrupted: bool,
    path: PathBuf,
}

impl<T> Results<T> {
    /// The failure of an experiment that is not over.
    pub fn check_end(&self) -> Result<(), Failure> {
        let path = self.path.display();
        match self.is_interrupted {
            false => Ok(()),
            true => Err(Failure::Refused(format!(
                "interrupted; the same command takes the experiment up again ({path})"
            ))),
        }
    }
}

/// Does the steps of an experiment that its journal does not have yet. `plan` is
/// all that decides their results. `perform` returns `None` if `stop` was set
/// before the step was done.
pub fn run<S: ToString, T: Serialize + DeserializeOwned>(
    path: &Path,
    plan: &Value,
    steps: &[S],
    stop: &AtomicBool,
    mut perform: impl FnMut(&S) -> Result<Option<T>, Failure>,
) -> Result<Results<T>, Failure> {
    let mut results: Vec<Option<T>> = steps.iter().map(|_| None).collect();
    let mut seconds = 0.0;
    let journal = Journal::open(path, plan, |step: Step<T>| {
        if let Some(result) = results.get_mut(step.number as usize) {
            *result = Some(step.result);
            seconds += step.seconds;
        }
    });
    let mut journal = journal.map_err(Failure::refused)?;
    let mut progress = Progress::new(steps.len(), results.iter().flatten().count());
    for (number, step) in (0..).zip(steps) {
        let result = &mut results[number as usize];
        if stop.load(Relaxed) || result.is_some() {
            continue;
        }
        progress.begin(number as usize, &step.to_string());
        let began = Instant::now();
        if let Some(found) = perform(step)? {
            let record = Step { number, seconds: began.elapsed().as_secs_f64(), result: found };
            journal.append(&record).map_err(Failure::refused)?;
            seconds += record.seconds;
            *result = Some(record.result);
        }
    }
    drop(progress);
    let is_interrupted = stop.load(Relaxed);
    let (time, path) = (Duration::from_secs_f64(seconds), path.to_owned());
    Ok(Results { steps: results, time, is_interrupted, path })
}

/// The program that runs, for plans: another build may search otherwise.
pub fn program() -> Option<String> {
    let bytes = std::env::current_exe().and_then(std::fs::read).ok()?;
    Some(format!("{:08x}", crc32(&bytes)))
}

/// The journal if none is named: the same experiment has it every time, and no
/// other one.
pub fn default_path(name: &str, plan: &Value) -> PathBuf {
    format!("lab-{name}-{:08x}.journal", crc32(plan.to_string().as_bytes())).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Runs steps that give their own numbers, and returns those performed.
    fn performed(path: &Path, stop_at: Option<u32>) -> (Vec<u32>, Results<u32>) {
        let (mut performed, stop) = (Vec::new(), AtomicBool::new(false));
        let results = run(path, &json!({"size": 4}), &[0, 1, 2, 3], &stop, |&step| {
            if stop_at == Some(step) {
                stop.store(true, Relaxed);
                return Ok(None);
            }
            performed.push(step);
            Ok(Some(step))
        });
        (performed, results.unwrap())
    }

    #[test]
    fn an_interrupted_experiment_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let (first, results) = performed(&path, Some(2));
        assert_eq!((first, &results.steps[..]), (vec![0, 1], &[Some(0), Some(1), None, None][..]));
        let error = results.check_end().unwrap_err().to_string();
        assert!(error.contains("takes the experiment up again") && error.contains("a.journal"));
        let (second, results) = performed(&path, None);
        assert_eq!((second, &results.steps[..]), (vec![2, 3], &[0, 1, 2, 3].map(Some)[..]));
        assert!(results.check_end().is_ok());
        assert!(performed(&path, None).0.is_empty());
    }

    #[test]
    fn the_journal_of_another_experiment_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        performed(&path, None);
        let (other, stop) = (json!({"size": 5}), AtomicBool::new(false));
        let result = run(&path, &other, &[0], &stop, |&step: &u32| Ok(Some(step)));
        let error = result.err().unwrap().to_string();
        assert!(error.contains("another experiment (size: 4 there, 5 here)"), "{error}");
        // whatever its steps are
        let other = json!({"size": [1, 2]});
        let result = run(&path, &other, &[0], &stop, |_: &u32| Ok(Some("text".to_owned())));
        let error = result.err().unwrap().to_string();
        assert!(error.contains("another experiment (size: 4 there, [1,2] here)"), "{error}");
    }

    #[test]
    fn a_step_that_fails_ends_the_experiment_and_the_others_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let stop = AtomicBool::new(false);
        let result = run(&path, &json!({"size": 4}), &[0, 1, 2, 3], &stop, |&step| {
            if step == 1 { Err(Failure::refused("no engine")) } else { Ok(Some(step)) }
        });
        assert!(result.is_err());
        assert_eq!(performed(&path, None).0, [1, 2, 3]);
    }
}
