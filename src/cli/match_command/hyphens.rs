//! The options of a match as users of other match runners write them.

use std::ffi::OsString;

use clap::{Args, Command};

use super::arguments::MatchArguments;

/// The words of the command line with the options of `match` in this program's
/// spelling: others write them with one hyphen (`-engine`).
pub fn with_two_hyphens(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let command = MatchArguments::augment_args(Command::new("match"));
    let is_option =
        |name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
    let mut words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_none_or(|word| word != "match") {
        return words;
    }
    for word in &mut words {
        let name = word.to_str().and_then(|word| word.strip_prefix('-'));
        if let Some(name) = name.filter(|name| is_option(name)) {
            *word = format!("--{name}").into();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hyphen_is_as_good_as_two() {
        let spelt = |text: &str| {
            let words = with_two_hyphens(text.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        let other = "hanxin match -engine cmd=a arg=-each -each nodes=1 --rounds 2 -x -1";
        let own = "hanxin match --engine cmd=a arg=-each --each nodes=1 --rounds 2 -x -1";
        assert_eq!(spelt(other), own);
        assert_eq!(spelt("hanxin perft -rounds"), "hanxin perft -rounds");
        assert_eq!(spelt("hanxin"), "hanxin");
    }
}
