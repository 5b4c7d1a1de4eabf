//! The `hanxin` program: a conversation in UCCI or UCI, or a subcommand.
use hanxin::board::Position;
use hanxin::search::*;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ms: u64 = args[1].parse().unwrap();
    let threads = args[2].parse().unwrap();
    let fen = args.get(3).cloned().unwrap_or(Position::startpos().to_fen());
    let mut pool = Pool::new(threads, 64).unwrap();
    let limits = Limits {
        time: Some(TimeLimit::PerMove(std::time::Duration::from_millis(ms))),
        ..Default::default()
    };
    pool.start(
        Task::new(Position::from_fen(&fen).unwrap(), limits),
        Arc::new(|e| {
            if let Event::Line(l) = &e {
                println!(
                    "d {} sd {} {} {:?} n {} t {:?} nps {} hf {} {:?}",
                    l.depth,
                    l.seldepth,
                    l.score,
                    l.bound,
                    l.nodes,
                    l.time,
                    l.nodes as f64 / l.time.as_secs_f64(),
                    l.hashfull,
                    l.pv
                )
            } else if let Event::Done(o) = &e {
                println!("{:?} {:?}", o.best, o.ponder)
            }
        }),
    );
    pool.wait();
}
