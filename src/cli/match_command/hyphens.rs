//! The options of a match as users of other match runners write them.

use std::ffi::OsString;

use clap::{Args, Command};

use super::super::Failure;
use super::arguments::MatchArguments;

/// The words of the command line with the options of `match` in this program's
/// spelling: others write them with one hyphen (`-engine`).
///
/// # Errors
/// For the first word with one hyphen that is not an option: as it has several
/// letters, clap would take it for several options and name the first letter.
pub fn with_two_hyphens(
    words: impl IntoIterator<Item = OsString>,
) -> Result<Vec<OsString>, Failure> {
    let command = MatchArguments::augment_args(Command::new("match"));
    let is_option =
        |name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
    let mut words: Vec<OsString> = words.into_iter().collect();
    let is_word = |place, text| words.get(place).is_some_and(|word: &OsString| word == text);
    if !is_word(1, "match") || is_word(2, "merge") {
        return Ok(words);
    }
    let mut is_behind_option = false;
    for word in words.iter_mut().skip(2).take_while(|word| *word != "--") {
        let was_behind_option = is_behind_option;
        is_behind_option = word.to_str().is_some_and(|word| word.starts_with('-'));
        let name = word.to_str().and_then(|word| word.strip_prefix('-'));
        let Some(name) = name.filter(|name| name.chars().count() > 1 && !name.starts_with('-'))
        else {
            continue;
        };
        // clap names the option that wants another number
        if was_behind_option && name.parse::<f64>().is_ok() {
            continue;
        }
        if !is_option(name) {
            return Err(unknown(name));
        }
        *word = format!("--{name}").into();
    }
    Ok(words)
}

fn unknown(name: &str) -> Failure {
    let hint = match name {
        "outcomeinterval" => {
            "how games ended is shown after the last one, the standings by --ratinginterval N"
        }
        _ => "hanxin match --help lists all",
    };
    Failure::Invalid(format!("unknown argument '-{name}': {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(text: &str) -> Result<String, String> {
        let words = with_two_hyphens(text.split(' ').map(OsString::from));
        let words = words.map_err(|failure| failure.to_string())?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn one_hyphen_is_as_good_as_two() {
        let other = "hanxin match -engine cmd=a arg=-each -each nodes=1 --rounds 2 -x -1";
        let own = "hanxin match --engine cmd=a arg=-each --each nodes=1 --rounds 2 -x -1";
        assert_eq!(spelt(other).unwrap(), own);
        let other = "hanxin match -variant xiangqi -wait 5";
        assert_eq!(spelt(other).unwrap(), "hanxin match --variant xiangqi --wait 5");
        assert_eq!(spelt("hanxin perft -rounds").unwrap(), "hanxin perft -rounds");
        assert_eq!(spelt("hanxin").unwrap(), "hanxin");
    }

    #[test]
    fn what_is_no_option_is_named_whole() {
        let refused = |text: &str| spelt(text).unwrap_err();
        let error = refused("hanxin match -engine cmd=a -foo 3");
        assert!(error.starts_with("unknown argument '-foo': "), "{error}");
        assert!(refused("hanxin match -outcomeinterval 5").contains("--ratinginterval N"));
        assert!(refused("hanxin match -15").contains("'-15'"));
        // other commands, values and what clap itself knows
        for text in ["hanxin perft -foo", "hanxin match merge a -ob", "hanxin match -- -foo"] {
            assert_eq!(spelt(text).unwrap(), text);
        }
        assert_eq!(spelt("hanxin match -h --foo -").unwrap(), "hanxin match -h --foo -");
        assert_eq!(spelt("hanxin match -rounds -15").unwrap(), "hanxin match --rounds -15");
    }
}
