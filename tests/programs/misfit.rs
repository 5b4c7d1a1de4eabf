//! An engine that behaves as its argument says, well or badly: what a match
//! runner has to survive. It plays a legal move that depends on the position
//! alone, at once and without thinking.

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use hanxin::board::Position;
use hanxin::protocol::{Command, Dialect, Protocol, Setup, Start};

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "good".into());
    if mode == "silent" {
        sleep_for_ever();
    }
    let mut engine = Engine { mode, position: Position::startpos(), searches: 0, out: Vec::new() };
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        engine.answer(&line);
        engine.flush();
    }
    if engine.mode == "stubborn" {
        sleep_for_ever();
    }
}

fn sleep_for_ever() -> ! {
    loop {
        sleep(Duration::from_secs(3600));
    }
}

struct Engine {
    mode: String,
    position: Position,
    searches: usize,
    out: Vec<u8>,
}

impl Engine {
    fn answer(&mut self, line: &[u8]) {
        let Ok(command) = Command::parse(line, Dialect::UCCI) else { return };
        match command {
            Command::Hello(protocol) => self.introduce(protocol),
            Command::IsReady => self.say("readyok"),
            Command::Position(setup) => self.position = position_of(&setup),
            Command::Go(_) => self.think(),
            Command::Quit if self.mode != "stubborn" => exit(0),
            _ => {}
        }
    }

    fn introduce(&mut self, protocol: Protocol) {
        if self.mode == "bytes" {
            self.out.extend(b"id name \xc4\xe3\xff\0\xfe\n\x80\x81 rubbish \0\n\n");
        } else {
            self.say("id name misfit");
        }
        self.say("option usemillisec type check default true");
        self.say("option hashsize type spin min 1 max 64 default 16");
        self.say(if protocol == Protocol::Ucci { "ucciok" } else { "uciok" });
    }

    fn think(&mut self) {
        self.searches += 1;
        let m = self.choose();
        match self.mode.as_str() {
            "mute" => {}
            "slow" => {
                sleep(Duration::from_millis(700));
                self.say(&format!("bestmove {m}"));
            }
            "crashing" if self.searches == 2 => {
                eprintln!("the hash table is on fire");
                exit(3);
            }
            "illegal" => self.say("bestmove e0e5"),
            "garbled" => self.say("bestmove \x07banana"),
            "moveless" => self.say("nobestmove"),
            "resigning" => self.say(&format!("bestmove {m} resign")),
            "drawing" => self.say(&format!("bestmove {m} draw")),
            "chatty" => self.chat(&m),
            "bytes" => {
                self.out.extend(b"info depth 3 score 5 pv \xff\xfe\0 \xb3\xb5\ninfo message \0\n");
                self.say(&format!("bestmove {m}"));
            }
            _ => {
                self.say("info depth 1 score 12 nodes 20 pv a0a1");
                self.say(&format!("bestmove {m}"));
            }
        }
    }

    /// A megabyte without a line end, and a lot of lines around it.
    fn chat(&mut self, m: &str) {
        self.out.extend(vec![b'x'; 1 << 20]);
        self.out.push(b'\n');
        for depth in 0..3000 {
            self.say(&format!("info depth {depth} score {depth} nodes {depth} string blah blah"));
        }
        self.say(&format!("bestmove {m}"));
        for _ in 0..2000 {
            self.say("readyok");
        }
    }

    /// The same move in the same position every time.
    fn choose(&self) -> String {
        let moves = self.position.legal_moves();
        if moves.is_empty() {
            return "(none)".into();
        }
        let key = self.position.key() ^ u64::from(self.position.quiet_plies());
        moves[(key % moves.len() as u64) as usize].to_string()
    }

    fn say(&mut self, line: &str) {
        self.out.extend(line.as_bytes());
        self.out.extend(if self.mode == "crlf" { &b"\r\n"[..] } else { b"\n" });
    }

    fn flush(&mut self) {
        let mut out = io::stdout().lock();
        if out.write_all(&self.out).and_then(|()| out.flush()).is_err() && self.mode != "stubborn" {
            exit(0);
        }
        self.out.clear();
    }
}

fn position_of(setup: &Setup) -> Position {
    let mut position = match &setup.start {
        Start::Startpos => Position::startpos(),
        Start::Fen(fen) => Position::from_fen(fen).expect("the runner sends good positions"),
    };
    for text in &setup.moves {
        position.make(text.to_string().parse().expect("the runner sends good moves"));
    }
    position
}
