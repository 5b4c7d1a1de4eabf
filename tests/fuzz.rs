//! Fuzzing of everything that reads external input: the conversation in both
//! protocols, protocol lines, FENs, notations, books.
//!
//! Lines of `tests/fuzz-seeds.txt` are cut, spliced and mutated by a seeded
//! generator. A normal test run takes a few seconds; more with
//!
//! ```text
//! HANXIN_FUZZ_SECONDS=1800 HANXIN_FUZZ_SEED=7 cargo test --release --test fuzz
//! ```
//!
//! A line that once failed belongs into the file of seeds, which every run tries
//! unmutated first.

use std::io::{Cursor, sink};
use std::time::{Duration, Instant};

use hanxin::board::Position;
use hanxin::book::ElephantEyeBook;
use hanxin::engine::Engine;
use hanxin::front::converse;
use hanxin::notation::{Notation, parse_any};
use hanxin::protocol::{Command, Dialect, Reply};
use hanxin::util::{Random, seeded};
use rand::RngExt;

const SEEDS: &[u8] = include_bytes!("fuzz-seeds.txt");

/// Tokens that are likely to break parsers.
const TOKENS: &[&[u8]] = &[
    b"\0",
    b"\r",
    b"\t",
    b" ",
    b"  ",
    b"\xff\xfe",
    b"\xb3\xb5",
    b"-1",
    b"0",
    b"99999999999999999999",
    b"18446744073709551616",
    b"e",
    b"/",
    b"9",
    b"moves",
    b"fen",
    b"startpos",
    b"name",
    b"value",
    "炮".as_bytes(),
    "二".as_bytes(),
    b"=",
    b"+",
    b"a0a0",
    b"i9i10",
    b"draw",
    b"ponder",
    b"score",
    b"pv",
    b"k",
    b"K",
    b"w",
    b"b",
];

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn budget() -> Duration {
    Duration::from_secs(variable("HANXIN_FUZZ_SECONDS", 4))
}

fn generator(stream: u64) -> Random {
    seeded(variable("HANXIN_FUZZ_SEED", 1), stream)
}

fn seeds() -> Vec<Vec<u8>> {
    SEEDS.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut line = seeds[random.random_range(0..seeds.len())].clone();
    for _ in 0..random.random_range(0..5) {
        let at = random.random_range(0..=line.len());
        match random.random_range(0..6) {
            0 => line.truncate(at),
            1 => drop(line.drain(at..(at + 3).min(line.len()))),
            2 => {
                let token = TOKENS[random.random_range(0..TOKENS.len())];
                line.splice(at..at, token.iter().copied());
            }
            3 => {
                let other = &seeds[random.random_range(0..seeds.len())];
                let from = random.random_range(0..=other.len());
                line.splice(at.., other[from..].iter().copied());
            }
            4 if at < line.len() => line[at] = random.random(),
            _ => line = line.repeat(random.random_range(1..4)),
        }
    }
    line.retain(|&byte| byte != b'\n');
    line
}

#[test]
fn parsers_never_panic() {
    let (seeds, mut random, began) = (seeds(), generator(1), Instant::now());
    let mut unmutated = seeds.clone();
    let mut count = 0u64;
    while began.elapsed() < budget() || !unmutated.is_empty() {
        let line = unmutated.pop().unwrap_or_else(|| mutate(&mut random, &seeds));
        let text = String::from_utf8_lossy(&line);
        for dialect in [Dialect::UCCI, Dialect::UCI] {
            let _ = Command::parse(&line, dialect);
            let _ = Reply::parse(&line, dialect);
        }
        let position = Position::from_fen(&text);
        if let Ok(position) = &position {
            assert_eq!(Position::from_fen(&position.to_fen()).as_ref(), Ok(position), "{text}");
        }
        let position = position.unwrap_or_default();
        if let Ok(m) = parse_any(&position, text.trim()) {
            assert!(position.is_legal(m), "{text}");
        }
        for notation in Notation::ALL {
            let _ = notation.parse(&position, &text);
        }
        let _ = ElephantEyeBook::from_bytes(&line);
        count += 1;
    }
    assert!(count > 1_000, "only {count} lines were tried");
}

/// Keeps a line from using too much of the machine: searches are short, no files
/// are written, and memory is limited.
fn limit_resources(line: Vec<u8>) -> Vec<u8> {
    let lower = line.to_ascii_lowercase();
    let has = |word: &[u8]| lower.windows(word.len()).any(|part| part == word);
    let digits = lower.iter().filter(|byte| byte.is_ascii_digit()).count();
    let wild = has(b"log")
        || has(b"bench")
        || has(b"perft")
        || (has(b"hash") || has(b"threads")) && digits > 1;
    if wild {
        return Vec::new();
    }
    match lower.windows(2).position(|part| part == b"go") {
        Some(at) => [&line[..at + 2], b" nodes 300 ", &line[at + 2..]].concat(),
        None => line,
    }
}

#[test]
fn conversations_end_without_panic_or_hang() {
    let (seeds, mut random, began) = (seeds(), generator(2), Instant::now());
    let mut talks = 0;
    while talks < 2 || began.elapsed() < budget() {
        let opener: &[u8] = [b"ucci" as &[u8], b"uci", b"d"][talks % 3];
        let mut script = opener.to_vec();
        for i in 0..300 {
            let line = if talks == 0 {
                seeds.get(i).cloned().unwrap_or_default()
            } else {
                mutate(&mut random, &seeds)
            };
            script.push(b'\n');
            script.extend(limit_resources(line));
        }
        let kept = script.clone();
        let (sender, ended) = std::sync::mpsc::channel();
        let talk = std::thread::spawn(move || {
            let outcome = converse(Engine::new().unwrap(), Cursor::new(script), sink(), false);
            let _ = sender.send(());
            outcome
        });
        let hung = ended.recv_timeout(Duration::from_secs(120)).is_err() && !talk.is_finished();
        assert!(!hung, "hung on\n{}", String::from_utf8_lossy(&kept));
        let outcome = talk.join();
        assert!(outcome.is_ok(), "panicked on\n{}", String::from_utf8_lossy(&kept));
        talks += 1;
    }
}
