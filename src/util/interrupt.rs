//! Interrupts, such as Ctrl-C at a terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The code of a program that an interrupt has ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// A flag that an interrupt sets, for work that keeps what it has; a second
/// interrupt ends the program.
pub fn stop_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // without a handler an interrupt just ends the program, as the second one does
    let _ = ctrlc::set_handler(move || {
        if handler.swap(true, Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
    stop
}
