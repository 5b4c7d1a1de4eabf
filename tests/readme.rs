//! README's table of options equals the output of `hanxin options`.

use std::process::Command;

#[test]
fn the_table_of_options_is_current() {
    let output = Command::new(env!("CARGO_BIN_EXE_hanxin"))
        .arg("options")
        .output()
        .expect("the program runs");
    let table = String::from_utf8(output.stdout).expect("the table is UTF-8");
    let readme = include_str!("../README.md").replace("\r\n", "\n");
    assert!(table.lines().count() > 20);
    assert!(
        readme.contains(table.trim()),
        "README.md has another table than `hanxin options` prints"
    );
}
