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

#[test]
fn commands_that_cannot_share_their_work_refuse_to_be_ranks() {
    let mut command = program(&["thresholds", "--data", "none.hxg"]);
    // as a launcher says it; a build with MPI would look for that launcher
    let output = command.env("OMPI_COMM_WORLD_SIZE", "2").output().unwrap();
    let fault = String::from_utf8(output.stderr).unwrap();
    assert!(cfg!(feature = "mpi") || fault.ends_with("start this command alone\n"), "{fault}");
    assert!(!output.status.success() && output.stdout.is_empty());
}
