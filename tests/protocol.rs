//! The program as a process: timing, pipes, exit, command line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_hanxin");

/// The program, spoken to line by line.
struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(opener: &str) -> Program {
        let mut child = Command::new(PROGRAM)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut program = Program { child, input, output };
        program.say(opener);
        program.expect(if opener == "ucci" { "ucciok" } else { "uciok" });
        program
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("the program listens");
    }

    /// The next line that begins like this.
    fn expect(&mut self, start: &str) -> String {
        loop {
            let mut line = String::new();
            let count = self.output.read_line(&mut line).expect("the output is text");
            assert!(count > 0, "the program ended before `{start}`");
            if line.starts_with(start) {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Checks that the program exits with success and in time, with nothing on
    /// standard error; returns the rest of its output.
    fn finish(mut self, within: Duration) -> String {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the program can be waited for") {
                break status;
            }
            assert!(began.elapsed() < within, "the program has not ended after {within:?}");
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(status.success(), "{status}");
        let mut errors = String::new();
        let stderr = self.child.stderr.as_mut().expect("stderr is piped");
        stderr.read_to_string(&mut errors).expect("stderr is text");
        assert_eq!(errors, "");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("the output is text");
        rest
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // ends what a failed test has left running
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tolerance for a busy machine.
const SLACK: Duration = Duration::from_millis(400);

fn time_of(action: impl FnOnce()) -> Duration {
    let began = Instant::now();
    action();
    began.elapsed()
}

/// The program with arguments and nothing to read.
fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::null()).output().expect("the program runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("the output is text")
}

#[test]
fn the_handshake_is_quick() {
    let time = time_of(|| drop(Program::start("ucci")));
    assert!(time < Duration::from_secs(1) + SLACK, "{time:?}");
}

#[test]
fn a_thinking_engine_answers_at_once() {
    let mut program = Program::start("ucci");
    program.say("go infinite");
    program.expect("info depth 5");
    let time = time_of(|| {
        program.say("isready");
        program.expect("readyok");
    });
    assert!(time < Duration::from_millis(50) + SLACK, "readyok after {time:?}");
    let time = time_of(|| {
        program.say("stop");
        program.expect("bestmove");
    });
    assert!(time < Duration::from_millis(50) + SLACK, "bestmove after {time:?}");
}

#[test]
fn quit_and_the_end_of_input_end_the_program() {
    for opener in ["ucci", "uci"] {
        let mut program = Program::start(opener);
        program.say("go infinite");
        program.expect("info depth 5");
        program.say("quit");
        let rest = program.finish(Duration::from_millis(100) + SLACK);
        assert_eq!(rest.ends_with("bye\n"), opener == "ucci", "{rest}");
        let mut program = Program::start(opener);
        program.say("go infinite");
        program.input = None;
        program.finish(Duration::from_millis(100) + SLACK);
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_waited_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let mut program = Program::start("uci");
    for file in [&*pipe.to_string_lossy(), "/dev/zero"] {
        for option in ["EvalFile", "BookFile"] {
            program.say(&format!("setoption name {option} value {file}"));
            assert!(program.expect("info string").contains("name a file"), "{option}");
        }
    }
    program.say(&format!("setoption name Debug Log File value {}", pipe.display()));
    assert!(program.expect("info string no log").contains("nobody reads"));
    // a reader who does not read misses lines, and holds nothing up
    let reader = std::fs::File::options().read(true).write(true).open(&pipe).expect("it opens");
    program.say("setoption name Debug Log File value");
    program.say(&format!("setoption name Debug Log File value {}", pipe.display()));
    for _ in 0..100 {
        program.say("uci");
        program.expect("uciok");
    }
    drop(reader);
    program.say("quit");
    program.finish(Duration::from_millis(100) + SLACK);
    let pipe = pipe.to_string_lossy();
    for arguments in [&["rules", "--json", "--file", &*pipe][..], &["bench", "--evalfile", &*pipe]]
    {
        let output = run(arguments);
        assert!(String::from_utf8_lossy(&output.stderr).contains("name a file"), "{arguments:?}");
    }
}

/// Under a limit of memory, in kilobytes, threads and table are refused, and
/// what there is goes on.
#[cfg(target_os = "linux")]
#[test]
fn short_memory_is_one_line() {
    for limit in [90_000, 150_000, 300_000, 600_000, 1_200_000] {
        let script = format!("ulimit -v {limit}; exec {PROGRAM}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("there is a shell");
        let lines = "uci\nsetoption name Threads value 128\nsetoption name Hash value 4000\n\
                     setoption name Batch value true\nisready\ngo depth 4\ngo perft 3\nquit\n";
        // a program that cannot even start reads nothing
        let _ = child.stdin.take().expect("it is piped").write_all(lines.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let (text, errors) = (stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(!errors.contains("panicked") && errors.lines().count() <= 1, "{limit}: {errors}");
        if output.status.success() {
            for told in ["those of before stay, try fewer", "hash", "bestmove ", "searched: 79666"]
            {
                assert!(text.contains(told), "{limit}: no '{told}' in {text}");
            }
        } else {
            assert!(output.status.code().is_some() && errors.starts_with("hanxin: "), "{errors}");
        }
    }
}

/// Clearing what has not been used would have the system provide it.
#[cfg(target_os = "linux")]
#[test]
fn threads_take_memory_when_they_search() {
    let mut program = Program::start("uci");
    program.say("setoption name Threads value 200");
    program.say("ucinewgame");
    program.say("isready");
    program.expect("readyok");
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.child.id()));
    let status = status.expect("there is /proc");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 500_000, "{kilobytes} kB for 200 threads that have done nothing");
}

#[test]
fn threads_are_checked_against_memory() {
    let memory = hanxin::util::Memory::ask().expect("the system says what it has");
    let mut program = Program::start("uci");
    program.say("setoption name Threads value 1024");
    program.say("isready");
    let answer = program.expect("");
    // about 7 MB each
    let is_refused = answer.contains("threads refused: there is memory for");
    let limit = 7 * 1024;
    assert!(is_refused || memory.available + 1000 > limit, "{memory:?}: {answer}");
    assert!(!is_refused || memory.available < limit + 1000, "{memory:?}: {answer}");
}

#[test]
fn a_lot_of_memory_is_given_back_in_time() {
    let mut program = Program::start("ucci");
    program.say("setoption hashsize 512");
    program.say("setoption threads 4");
    program.say("go infinite");
    program.expect("info depth 5");
    program.say("quit");
    program.finish(Duration::from_millis(300) + SLACK);
}

#[test]
fn tiny_clocks_are_kept() {
    let mut program = Program::start("ucci");
    for (go, limit) in [("go time 0", 20), ("go time 100", 100), ("go time 300 increment 10", 300)]
    {
        let time = time_of(|| {
            program.say(go);
            program.expect("bestmove");
        });
        assert!(time < Duration::from_millis(limit) + SLACK, "{go}: {time:?}");
    }
    let mut program = Program::start("uci");
    for _ in 0..5 {
        let time = time_of(|| {
            program.say("go movetime 10");
            program.expect("bestmove");
        });
        assert!(time < Duration::from_millis(10) + SLACK, "movetime 10: {time:?}");
    }
}

#[test]
fn a_ponder_hit_starts_the_clock() {
    let mut program = Program::start("uci");
    program.say("go ponder movetime 2000");
    // shorter than the move may take: what was pondered does not suffice
    std::thread::sleep(Duration::from_millis(1000));
    program.say("isready");
    program.expect("readyok");
    let time = time_of(|| {
        program.say("ponderhit");
        program.expect("bestmove");
    });
    // a clock that ran since `go` would leave one second
    let limits = Duration::from_millis(1400)..Duration::from_millis(2000) + SLACK;
    assert!(limits.contains(&time), "{time:?}");
}

#[test]
fn a_script_from_a_file_runs_to_its_end() {
    let mut script = tempfile::tempfile().expect("a temporary file");
    let lines = "ucci\nsetoption batch true\nposition startpos\ngo depth 5\n\
                 position startpos moves h2e2\ngo depth 5\nquit\nisready\n";
    script.write_all(lines.as_bytes()).expect("the file can be written");
    std::io::Seek::rewind(&mut script).expect("the file can be read");
    let output = Command::new(PROGRAM).stdin(script).output().expect("the program runs");
    let text = stdout(&output);
    assert_eq!(text.matches("\nbestmove ").count(), 2, "{text}");
    assert!(text.ends_with("bye\n") && !text.contains("readyok"), "{text}");
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn a_game_against_itself_is_legal_and_silent_on_stderr() {
    let mut players = [Program::start("ucci"), Program::start("uci")];
    let mut moves = String::new();
    let mut position = hanxin::board::Position::startpos();
    for ply in 0..60 {
        let player = &mut players[ply % 2];
        player.say(&format!("position startpos{moves}"));
        player.say("go depth 4");
        let line = player.expect("bestmove");
        let text = line.split(' ').nth(1).expect("a move follows");
        let m = text.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(position.is_legal(m), "{line} in {}", position.to_fen());
        position.make(m);
        if !position.has_legal_move() {
            break;
        }
        moves += if ply == 0 { " moves " } else { " " };
        moves += text;
    }
    for mut player in players {
        player.say("quit");
        player.finish(Duration::from_millis(100) + SLACK);
    }
}

#[test]
fn a_closed_output_is_not_an_error() {
    let mut child = Command::new(PROGRAM)
        .args(["bench", "--depth", "6"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn subcommands_say_what_they_count() {
    let output = run(&["perft", "3", "--divide", "--threads", "2"]);
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 45);
    assert!(text.lines().last().is_some_and(|line| line.starts_with("79666 nodes ")), "{text}");
    let output = run(&["perft", "2", "--json", "--fen", "4k4/9/9/9/9/9/9/9/4A4/4K4 w"]);
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert!(json["nodes"].as_u64().is_some_and(|nodes| nodes > 0), "{json}");
    let signature = |output: &Output| {
        let last = stdout(output).lines().last().expect("a last line").to_owned();
        let words: Vec<&str> = last.split(' ').collect();
        assert_eq!((words.len(), words[1], words[3]), (4, "nodes", "nps"), "{last}");
        words[0].to_owned()
    };
    let bench = ["bench", "--depth", "5"];
    assert_eq!(signature(&run(&bench)), signature(&run(&bench)));
    assert!(stdout(&run(&["options"])).contains("`hashsize`"));
    assert!(stdout(&run(&["--help"])).contains("hashsize"));
}

#[test]
fn faults_are_one_line_and_a_code() {
    let invalid = ["perft", "3", "--fen", "9/9"];
    let refused = ["bench", "--hash", "999999999999"];
    for (arguments, code) in [(&invalid[..], 2), (&refused, 1)] {
        let output = run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(errors.starts_with("hanxin: ") && errors.lines().count() == 1, "{errors}");
    }
    assert_eq!(run(&["no such command"]).status.code(), Some(2));
}
