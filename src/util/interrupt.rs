//! Interrupts, such as Ctrl-C at a terminal.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The code of a program that an interrupt has ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// A flag that an interrupt sets, for work that keeps what it has; a second
/// interrupt ends the program. The end of the terminal is one too, unless that was
/// ignored when the program was started, as `nohup` has it.
pub fn stop_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    // without a handler an interrupt just ends the program, as the second one does
    let _ = watch(&stop);
    stop
}

#[cfg(unix)]
fn watch(stop: &Arc<AtomicBool>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown};
    let hang_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    // scripts have SIGINT ignored by what they start with `&`, where it is all the
    // more meant when somebody sends it
    for signal in [SIGINT, SIGTERM].into_iter().chain(hang_up) {
        register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(stop))?;
        register(signal, Arc::clone(stop))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn watch(stop: &Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if stop.swap(true, std::sync::atomic::Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })
}

/// Whether this process ignores a signal; false where Linux cannot be asked.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    ignored.is_some_and(|set| set >> (signal - 1) & 1 != 0)
}
