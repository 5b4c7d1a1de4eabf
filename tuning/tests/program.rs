//! What the program does at its edges, seen from outside.

use std::process::Command;

/// The program with these arguments.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hanxin-tuning"));
    command.args(arguments);
    command
}

#[cfg(target_os = "linux")]
#[test]
fn a_fault_that_nobody_can_be_told_is_a_fault_still() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = program(&["thresholds", "--data", "none.hxg"]).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(1));
}
