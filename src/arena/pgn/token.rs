//! The text of a PGN file, cut into what matters.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// `[Name "value"]`, without escapes.
    Tag(&'a str, String),
    /// A move, or what should be one.
    Move(&'a str),
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'static str),
    /// A comment or variation that does not end, by its first character.
    Endless(char),
    BadTag(&'a str),
}

/// Cuts a text into tokens with their lines, from 1.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Tokens<'a> {
        Tokens { rest: text, line: 1 }
    }

    /// Takes so many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Takes all up to the first character that ends it, or everything.
    fn take_until(&mut self, is_end: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Passes over a variation with all that is nested in it; whether it ends.
    fn skip_variation(&mut self) -> bool {
        let mut depth = 0usize;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '{' if !self.skip_comment() => return false,
                '{' => continue,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.take(c.len_utf8());
            if depth == 0 {
                return true;
            }
        }
        false
    }

    /// Passes over a comment in braces; whether it ends.
    fn skip_comment(&mut self) -> bool {
        let length = self.rest.find('}').map_or(self.rest.len(), |end| end + 1);
        self.take(length).ends_with('}')
    }

    fn tag(&mut self) -> Token<'a> {
        let line = self.rest.split('\n').next().unwrap_or_default();
        let text = self.take(tag_length(line).unwrap_or(line.len())).trim_end();
        parse_tag(text).unwrap_or(Token::BadTag(text))
    }

    /// A word without what is not part of a move; `None` if nothing is left.
    fn word(&mut self) -> Option<Token<'a>> {
        let is_end = |c: char| is_space(c) || "{}();$".contains(c);
        let word = self.take_until(is_end);
        if let Some(result) = result(word) {
            return Some(Token::Result(result));
        }
        let name = without_number(word).trim_end_matches(['!', '?', '！', '？']);
        (!name.is_empty()).then_some(Token::Move(name))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            self.take_until(|c| !is_space(c));
            let line = self.line;
            let first = self.rest.chars().next()?;
            let token = match first {
                '[' => Some(self.tag()),
                '{' => (!self.skip_comment()).then_some(Token::Endless('{')),
                '(' => (!self.skip_variation()).then_some(Token::Endless('(')),
                ';' | '%' => {
                    self.take_until(|c| c == '\n');
                    None
                }
                '}' | ')' => {
                    self.take(1);
                    None
                }
                '$' => {
                    self.take(1);
                    self.take_until(|c| !c.is_ascii_digit());
                    None
                }
                _ => self.word(),
            };
            if let Some(token) = token {
                return Some((line, token));
            }
        }
    }
}

/// Whether it stands between words: some put commas between moves.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ",，。；".contains(c)
}

/// The ASCII character that a full-width one stands for; others are left.
fn half_width(c: char) -> char {
    let code = u32::from(c);
    let is_full = (0xFF01..=0xFF5E).contains(&code);
    is_full.then(|| char::from_u32(code - 0xFEE0)).flatten().unwrap_or(c)
}

/// The result that a word is, in figures or in Chinese, as PGN writes it.
pub(super) fn result(word: &str) -> Option<&'static str> {
    const SPELLINGS: [(&str, &[&str]); 4] = [
        ("1-0", &["1-0", "红胜", "红先胜", "红方胜", "紅勝"]),
        ("0-1", &["0-1", "黑胜", "黑方胜", "红先负", "黑勝"]),
        ("1/2-1/2", &["1/2-1/2", "1/2", "½-½", "½", "和", "和棋", "和局"]),
        ("*", &["*"]),
    ];
    let is_word = |spelling: &&str| spelling.chars().eq(word.trim().chars().map(half_width));
    let known = SPELLINGS.into_iter().find(|(_, spellings)| spellings.iter().any(is_word));
    known.map(|(result, _)| result)
}

/// A move without its number: `1.C2=5`, `12...`, `…`, `１．炮二平五`. A dot between
/// two digits is part of a move such as `15.4`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| half_width(c).is_ascii_digit());
    let name = rest.trim_start_matches(['.', '…', '．', '、']);
    let is_move = name.len() == rest.len() || name.chars().all(|c| c.is_ascii_digit());
    if is_move && !name.is_empty() { word } else { name }
}

/// The bytes of the tag at the start of a line: more may follow it. `None` if its
/// quotation marks are not in pairs; then the line is the best guess.
fn tag_length(line: &str) -> Option<usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (place, c) in line.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return Some(place + 1),
            _ => {}
        }
    }
    None
}

/// `[Name "value"]`.
fn parse_tag(line: &str) -> Option<Token<'_>> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let quoted = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => value.extend(characters.next()),
            c => value.push(c),
        }
    }
    Some(Token::Tag(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
        Tokens::new(text).collect()
    }

    fn moves(text: &str) -> Vec<&str> {
        let name = |(_, token)| match token {
            Token::Move(name) => name,
            other => panic!("{other:?}"),
        };
        Tokens::new(text).map(name).collect()
    }

    #[test]
    fn tags_have_their_escapes_taken_out() {
        let text = "[Event \"a \\\"b\\\" \\\\\"]\n  [FEN  \"x y\" ] \r\n[Bad]\n[Worse \"";
        assert_eq!(
            tokens(text),
            [
                (1, Token::Tag("Event", "a \"b\" \\".into())),
                (2, Token::Tag("FEN", "x y".into())),
                (3, Token::BadTag("[Bad]")),
                (4, Token::BadTag("[Worse \"")),
            ]
        );
    }

    #[test]
    fn a_line_may_have_several_tags_and_moves_after_them() {
        let text = "[A \"[1]\"] [B \"\"]C2=5 1-0\n[C \"no \"pair\"]";
        assert_eq!(
            tokens(text),
            [
                (1, Token::Tag("A", "[1]".into())),
                (1, Token::Tag("B", String::new())),
                (1, Token::Move("C2=5")),
                (1, Token::Result("1-0")),
                (2, Token::Tag("C", "no \"pair".into())),
            ]
        );
    }

    #[test]
    fn numbers_and_annotations_are_no_moves() {
        assert_eq!(
            moves("1.C2=5 2. H2+3! 3... R1=2?! $12 4…H8+7"),
            ["C2=5", "H2+3", "R1=2", "H8+7"]
        );
        assert_eq!(
            moves("1 . 15.4 3. 15=4 C2.5 1、炮二平五"),
            ["15.4", "15=4", "C2.5", "炮二平五"]
        );
    }

    #[test]
    fn comments_and_variations_are_passed_over() {
        let text = "a {b (c} (d {e)} (f) g) h ; i\n% j\nk{l}m(n)o } ) p";
        assert_eq!(moves(text), ["a", "h", "k", "m", "o", "p"]);
        assert_eq!(tokens("a\n\n{b"), [(1, Token::Move("a")), (3, Token::Endless('{'))]);
        assert_eq!(tokens("(b {c"), [(1, Token::Endless('('))]);
        assert_eq!(tokens("(b (c)"), [(1, Token::Endless('('))]);
    }

    #[test]
    fn moves_are_found_between_marks_of_all_kinds() {
        assert_eq!(moves("1. H0-G2$1 H9-G7!$12$3 2.C2=5?$"), ["H0-G2", "H9-G7", "C2=5"]);
        assert_eq!(
            moves("１．炮二平五， 马8进7！ ２．马二进三,车9平8。12．兵七进一"),
            ["炮二平五", "马8进7", "马二进三", "车9平8", "兵七进一"]
        );
    }

    #[test]
    fn results_are_found() {
        for result in ["1-0", "0-1", "1/2-1/2", "*"] {
            assert_eq!(tokens(result), [(1, Token::Result(result))]);
        }
        for (word, result) in [
            ("1/2", "1/2-1/2"),
            ("½-½", "1/2-1/2"),
            ("１／２－１／２", "1/2-1/2"),
            ("１－０", "1-0"),
            ("０－１", "0-1"),
            ("红胜", "1-0"),
            ("和棋", "1/2-1/2"),
        ] {
            assert_eq!(tokens(word), [(1, Token::Result(result))]);
        }
    }
}
