//! The `hanxin` program: a conversation in UCCI or UCI, or a subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    hanxin::cli::run()
}
