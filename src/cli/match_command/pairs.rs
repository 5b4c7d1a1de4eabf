//! Values that are lists of `key=value`.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::super::Failure;

/// The `key=value` words of one option of the command line.
pub struct Pairs<'a> {
    option: &'static str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Pairs<'a> {
    /// Splits the words; if the first has no `=` it is the value of `first`.
    fn new(option: &'static str, first: &'static str, words: &'a [String]) -> Pairs<'a> {
        let pair = |(place, word): (usize, &'a String)| {
            word.split_once('=').unwrap_or(if place == 0 { (first, word) } else { (word, "") })
        };
        Pairs { option, pairs: words.iter().enumerate().map(pair).collect() }
    }

    /// Reads what an option says, all of it; `None` if it is not given.
    pub fn read<T>(
        option: &'static str,
        first: &'static str,
        words: Option<&'a Vec<String>>,
        read: impl FnOnce(&mut Pairs<'a>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let Some(words) = words else { return Ok(None) };
        let mut pairs = Pairs::new(option, first, words);
        let value = read(&mut pairs)?;
        pairs.finish()?;
        Ok(Some(value))
    }

    pub fn fault(&self, text: impl Display) -> Failure {
        Failure::Invalid(format!("{}{text}", self.option))
    }

    /// Takes a value out; of one given twice the last counts.
    pub fn text(&mut self, key: &str) -> Option<&'a str> {
        let found = self.pairs.iter().rev().find(|(other, _)| *other == key).map(|(_, v)| *v);
        self.pairs.retain(|(other, _)| *other != key);
        found
    }

    pub fn get<T: FromStr<Err: Display>>(&mut self, key: &str) -> Result<Option<T>, Failure> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|error| self.fault(format!(" {key}={text}: {error}")))
    }

    /// Takes a whole number out that must lie in a range.
    pub fn whole(
        &mut self,
        key: &str,
        range: RangeInclusive<usize>,
    ) -> Result<Option<usize>, Failure> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| {
            let (least, most) = range.into_inner();
            self.fault(format!(" {key}={text}: want a whole number from {least} to {most}"))
        })
    }

    /// Takes a value out that must be there.
    pub fn need<T: FromStr<Err: Display>>(&mut self, key: &str) -> Result<T, Failure> {
        self.get(key)?.ok_or_else(|| self.fault(format!(" needs {key}=VALUE")))
    }

    /// Checks that nothing is left.
    fn finish(&self) -> Result<(), Failure> {
        match self.pairs.first() {
            None => Ok(()),
            Some((key, value)) => {
                let sign = if value.is_empty() { "" } else { "=" };
                Err(self.fault(format!(" does not know {key}{sign}{value}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_and_the_rest_is_told() {
        let words = ["games.pgn", "notation=wxf", "count=3", "x=y"].map(str::to_owned);
        let mut pairs = Pairs::new("--pgnout", "file", &words);
        assert_eq!(pairs.text("file"), Some("games.pgn"));
        assert_eq!(pairs.need::<u32>("count").unwrap(), 3);
        assert_eq!(pairs.get::<u32>("count").unwrap(), None);
        let fault = |failure: Failure| failure.to_string();
        assert_eq!(fault(pairs.need::<u32>("z").unwrap_err()), "--pgnout needs z=VALUE");
        let error = pairs.get::<u32>("notation").unwrap_err();
        assert!(fault(error).starts_with("--pgnout notation=wxf: invalid digit"));
        assert_eq!(fault(pairs.finish().unwrap_err()), "--pgnout does not know x=y");
        let words = ["games.pgn", "min"].map(str::to_owned);
        let mut pairs = Pairs::new("--pgnout", "file", &words);
        assert_eq!(pairs.text("file"), Some("games.pgn"));
        assert_eq!(fault(pairs.finish().unwrap_err()), "--pgnout does not know min");
    }
}
