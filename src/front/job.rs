//! Long work beside searching, on a thread of its own: counting moves and the
//! benchmark.

use std::fmt::Write;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use crossbeam::channel::Sender;

use crate::board::{Move, Position, divide};
use crate::engine::bench::Bench;
use crate::protocol::Ranks;

use super::session::Message;

pub enum Work {
    /// To a depth in plies.
    Perft { depth: u32 },
    /// To a depth in plies; `None`: as many as usual.
    Bench { depth: Option<u32> },
}

/// Begins work that ends early when `stop` is set; results go to `sender`,
/// [`Message::JobDone`] last.
///
/// # Errors
/// When there is no thread to work on.
pub fn begin(
    work: Work,
    position: Position,
    threads: usize,
    ranks: Ranks,
    stop: Arc<AtomicBool>,
    sender: Sender<Message>,
) -> io::Result<()> {
    let begun = thread::Builder::new().spawn(move || {
        let report = |text: String| {
            // the session may be over
            let _ = sender.send(Message::Text(text));
        };
        let result = match work {
            Work::Perft { depth } => {
                let counts = divide(&position, depth, threads, &stop);
                counts.map_or_else(called_off, |counts| table(&counts, depth, ranks))
            }
            Work::Bench { depth } => {
                let usual = Bench::default();
                let bench = Bench { depth: depth.unwrap_or(usual.depth), ..usual };
                match bench.run(&stop, |result| report(result.to_string())) {
                    Ok(Some(total)) => total.to_string(),
                    Ok(None) => called_off(),
                    Err(error) => error.to_string(),
                }
            }
        };
        let _ = sender.send(Message::JobDone(result));
    });
    begun.map(drop)
}

fn called_off() -> String {
    "info string stopped before the end".into()
}

fn table(counts: &[(Move, u64)], depth: u32, ranks: Ranks) -> String {
    let mut text = String::new();
    for &(m, nodes) in counts {
        // writing to a String cannot fail
        let _ = writeln!(text, "{}: {nodes}", ranks.spell(m));
    }
    let total = if depth == 0 { 1 } else { counts.iter().map(|(_, nodes)| nodes).sum::<u64>() };
    let _ = writeln!(text, "\nNodes searched: {total}");
    text
}
