//! An engine that behaves as its argument says, well or badly: what a match
//! runner has to survive. It plays a legal move that depends on the position
//! alone, at once and without thinking.

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use hanxin::board::Position;
use hanxin::protocol::{Command, Dialect, Protocol, Setup};

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "good".into());
    if mode == "silent" {
        sleep_for_ever();
    }
    if mode == "worn" && wears_out() {
        exit(1);
    }
    let mut engine = Engine {
        mode,
        position: Position::startpos(),
        moves: 0,
        banned: Vec::new(),
        searches: 0,
        is_pondering: false,
        out: Vec::new(),
    };
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        engine.answer(&line);
        engine.flush();
    }
    if engine.mode == "stubborn" {
        sleep_for_ever();
    }
}

/// Whether it was started twice before in this folder.
fn wears_out() -> bool {
    let starts = std::fs::read("starts").unwrap_or_default();
    std::fs::write("starts", [&starts[..], b"x"].concat()).expect("the folder can be written");
    starts.len() >= 2
}

fn sleep_for_ever() -> ! {
    loop {
        sleep(Duration::from_secs(3600));
    }
}

struct Engine {
    mode: String,
    position: Position,
    /// Moves that came with the position.
    moves: usize,
    banned: Vec<String>,
    searches: usize,
    is_pondering: bool,
    out: Vec<u8>,
}

impl Engine {
    fn answer(&mut self, line: &[u8]) {
        let Ok(command) = Command::parse(line, Dialect::UCCI) else { return };
        match command {
            Command::Hello(protocol) => self.introduce(protocol),
            Command::IsReady => self.say("readyok"),
            Command::Position(setup) => {
                self.position = position_of(&setup);
                self.moves = setup.moves.len();
                self.banned.clear();
            }
            Command::BanMoves { moves, .. } => {
                self.banned.extend(moves.iter().map(ToString::to_string));
            }
            Command::Go(go) if go.ponder => self.is_pondering = true,
            Command::Go(_) => self.think(),
            Command::PonderHit { .. } | Command::Stop if self.is_pondering => {
                self.is_pondering = false;
                if self.mode == "reluctant" {
                    sleep(Duration::from_millis(300));
                }
                self.think();
            }
            Command::Stop if self.mode == "elephanteye" => self.say("nobestmove"),
            Command::Quit if self.mode == "elephanteye" => {
                self.say("bye");
                self.flush();
                exit(0);
            }
            Command::Quit if self.mode != "stubborn" => exit(0),
            _ => {}
        }
    }

    fn introduce(&mut self, protocol: Protocol) {
        if self.mode == "elephanteye" {
            return self.introduce_elephanteye(protocol);
        }
        if self.mode == "bytes" {
            self.out.extend(b"id name \xc4\xe3\xff\0\xfe\n\x80\x81 rubbish \0\n\n");
        } else {
            self.say("id name misfit");
        }
        self.say("option usemillisec type check default true");
        self.say("option hashsize type spin min 1 max 64 default 16");
        self.say(if protocol == Protocol::Ucci { "ucciok" } else { "uciok" });
    }

    /// As ElephantEye does, which is older than most of its opponents: names
    /// in GBK, `default` at the end, and nothing said to other protocols.
    fn introduce_elephanteye(&mut self, protocol: Protocol) {
        if protocol != Protocol::Ucci {
            exit(0);
        }
        self.say("id name ElephantEye");
        self.say("id version 3.31");
        self.out.extend(b"id author \xbb\xc6\xb3\xbf\r\nid user \xce\xb4\xd6\xaa\r\n");
        self.say("option usemillisec type check default true");
        self.say("option batch type check default false");
        self.say("option usebook type check default true");
        self.say("option hashsize type spin min 0 max 1024 default 0");
        self.say("option idle type combo var none var small var medium var large default none");
        self.say("option newgame type button");
        self.say("ucciok");
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
            "pondering" | "guessing" | "reluctant" => {
                self.say("info depth 2 score 7 pv a0a1");
                let guess = self.guess(&m);
                self.say(&format!("bestmove {m} ponder {guess}"));
            }
            // it takes games for drawn that it has seen too much of
            "elephanteye" if self.moves > 1 => {
                sleep(Duration::from_millis(2));
                self.say("nobestmove");
            }
            "elephanteye" => {
                self.say("info time 3 nodes 900");
                self.say(&format!("info depth 6 score 5 pv {m}"));
                self.say(&format!("bestmove {m}"));
            }
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
        choose(&self.position, &self.banned, 0)
    }

    /// The reply that an engine like this one gives to a move, or another one.
    fn guess(&self, m: &str) -> String {
        let mut position = self.position.clone();
        position.make(m.parse().expect("it is one of its moves"));
        choose(&position, &[], usize::from(self.mode != "pondering"))
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

/// A move that depends on the position alone, or one so many further.
fn choose(position: &Position, banned: &[String], further: usize) -> String {
    let legal = position.legal_moves();
    let moves = legal.iter().map(ToString::to_string);
    let moves: Vec<String> = moves.filter(|m| !banned.contains(m)).collect();
    let key = position.key() ^ u64::from(position.quiet_plies());
    let count = moves.len().max(1);
    let place = (key % count as u64) as usize + further;
    moves.get(place % count).cloned().unwrap_or_else(|| "(none)".into())
}

fn position_of(setup: &Setup) -> Position {
    let start = setup.start.fen().map(Position::from_fen);
    let start = start.transpose().expect("the runner sends good positions");
    let mut position = start.unwrap_or_else(Position::startpos);
    for &m in &setup.moves {
        position.make(m);
    }
    position
}
