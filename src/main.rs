//! The `hanxin` program: a conversation in UCCI or UCI, or a subcommand.

fn main() {}
