//! What only Linux shows: the processes of a match and their cores.

use super::*;

/// The processes whose command line has this word, with their parents.
fn processes(word: &str) -> Vec<(u32, String)> {
    let folders = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let numbers = folders.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let of = |number: u32| {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).ok()?;
        let status = std::fs::read_to_string(format!("/proc/{number}/status")).ok()?;
        String::from_utf8_lossy(&line).contains(word).then_some((number, status))
    };
    numbers.filter_map(of).collect()
}

fn field(status: &str, name: &str) -> String {
    let line = status.lines().find(|line| line.starts_with(name)).expect("it has the field");
    line[name.len()..].trim_matches([':', '\t', ' ']).to_owned()
}

#[test]
fn engines_share_no_core() {
    let folder = folder();
    let arguments: Vec<String> = ["mute", "slow"].iter().flat_map(|mode| engine(mode)).collect();
    let more = "--each st=2 --games 1 --pin --journal x.journal";
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let many = run(folder.path(), &with(&arguments, &format!("{more} --concurrency 4000")));
    assert!(text(&many.stderr).contains("8000 engines at a time, but only"), "{many:?}");
    if cores < 2 {
        return;
    }
    let mut program = start(folder.path(), &with(&arguments, more));
    let parent = program.id().to_string();
    let until = Instant::now() + Duration::from_secs(20);
    let engines = loop {
        let engines = processes("misfit").into_iter().map(|(_, status)| status);
        let own: Vec<String> = engines.filter(|s| field(s, "PPid") == parent).collect();
        let allowed: Vec<String> = own.iter().map(|s| field(s, "Cpus_allowed_list")).collect();
        if allowed.len() == 2 || Instant::now() > until {
            break allowed;
        }
        sleep(Duration::from_millis(5));
    };
    program.kill().expect("it can be killed");
    program.wait().expect("it has ended");
    let numbers: Vec<u32> = engines.iter().map(|list| list.parse().expect("one core")).collect();
    assert!(numbers.len() == 2 && numbers[0] != numbers[1], "{engines:?}");
}

/// An engine that does not end, behind a script that waits for it.
#[test]
fn what_is_killed_leaves_nothing_behind() {
    let folder = folder();
    let script = folder.path().join("engine.sh");
    let name = folder.path().join("hidden-engine");
    std::fs::copy(misfit(), &name).expect("it can be copied");
    let text = format!("#!/bin/sh\n'{}' stubborn\nexit 0\n", name.display());
    std::fs::write(&script, text).expect("it can be written");
    let hidden = format!("--engine cmd=sh arg={} name=hidden", script.display());
    let arguments = with(&engine("good"), &hidden);
    let more = "--each nodes=1 --maxmoves 2 --games 1 --journal x.journal";
    let output = run(folder.path(), &with(&arguments, more));
    assert!(output.status.success(), "{}", super::text(&output.stderr));
    let left = || processes(&name.to_string_lossy());
    let deadline = Instant::now() + Duration::from_secs(10);
    // on a busy machine a killed process takes its time to be gone
    while !left().is_empty() && Instant::now() < deadline {
        sleep(Duration::from_millis(10));
    }
    assert!(left().is_empty(), "{:?}", left());
}

#[test]
fn a_log_that_cannot_be_written_is_told_once() {
    let folder = folder();
    let more = "--journal x.journal --debug /dev/full";
    let output = run(folder.path(), &with(&quick_match(folder.path(), 1), more));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("cannot write '/dev/full'").count(), 1);
    assert_eq!(games(&folder.path().join("x.journal")).len(), 2);
}

/// Sends the signal that `nohup` has had ignored, and one that nobody ignores.
#[test]
fn what_nohup_has_started_outlives_its_terminal() {
    for (signal, goes_on) in [("-HUP", true), ("-TERM", false)] {
        let folder = folder();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" match \"$@\"", PROGRAM]);
        command.args(with(&quick_match(folder.path(), 100), "--journal x.journal"));
        command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = command.spawn().expect("the program starts");
        let has_ended = |program: &mut Child| matches!(program.try_wait(), Ok(Some(_)));
        while !folder.path().join("x.journal").exists() && !has_ended(&mut program) {
            sleep(Duration::from_millis(1));
        }
        let killed = Command::new("kill").args([signal, &program.id().to_string()]).status();
        assert!(killed.expect("there is `kill`").success());
        assert_eq!(program.wait().expect("it has ended").success(), goes_on, "{signal}");
    }
}
