//! PGN to games.

use crate::arena::game::GameResult;
use crate::board::{FenError, Move, Position, excerpt};
use crate::notation::{NotationError, parse_any};
use crate::util::{decoded, without_mark};

use super::token::{Token, Tokens, result};

#[derive(Clone, PartialEq, Debug)]
pub struct PgnGame {
    pub tags: Vec<(String, String)>,
    pub start: Position,
    /// The moves of the main line, all of them legal.
    pub moves: Vec<Move>,
    /// Who won; `None` if the file does not say.
    pub result: Option<GameResult>,
}

impl PgnGame {
    /// The value of a tag; names are compared without regard to case.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        tag.map(|(_, value)| value.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, game {game}: {fault}")]
pub struct PgnError {
    /// The line of the fault, from 1.
    pub line: usize,
    /// The game, from 1.
    pub game: usize,
    pub fault: PgnFault,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PgnFault {
    #[error("move {number}: {fault}")]
    Move { number: usize, fault: NotationError },
    #[error("the tag FEN: {0}")]
    Fen(FenError),
    #[error("'{0}' is not a tag (want [Name \"value\"])")]
    BadTag(String),
    #[error("the comment that begins here with '{0}' does not end")]
    Endless(char),
}

/// The games of a file. A game with a fault is an error, and reading goes on
/// with the next one.
///
/// The bytes of a game are UTF-8 or else taken for GB18030, of which GBK is a
/// part. Moves are read in whichever notation they are in, whatever the tag
/// `Format` says. A game ends with its result or where tags follow its moves.
///
/// ```
/// use hanxin::arena::pgn;
///
/// let text = "[Red \"A\"]\n1. C2=5 {book} H8+7 2. 马二进三 (2. H2+1) r9=8 1-0";
/// let games = pgn::games(text.as_bytes());
/// let game = games[0].as_ref().unwrap();
/// assert_eq!((game.tag("Red"), game.moves.len()), (Some("A"), 4));
///
/// let games = pgn::games(b"1. C2=5 C2=5\n2. C2=6");
/// let error = games[0].as_ref().unwrap_err().to_string();
/// assert_eq!(error, "line 2, game 1: move 3: 'C2=6': there is no red cannon on file 2");
/// ```
pub fn games(bytes: &[u8]) -> Vec<Result<PgnGame, PgnError>> {
    let text = text(bytes);
    let mut games = Vec::new();
    let mut draft = Draft::new(1);
    for (line, token) in Tokens::new(&text) {
        if matches!(token, Token::Tag(..) | Token::BadTag(_)) && draft.has_begun {
            games.extend(draft.finish());
            draft = Draft::new(games.len() + 1);
        }
        let is_end = matches!(token, Token::Result(_));
        draft.take(line, token);
        if is_end {
            games.extend(draft.finish());
            draft = Draft::new(games.len() + 1);
        }
    }
    games.extend(draft.finish());
    games
}

/// The text of a file whose games may have encodings and byte order marks of
/// their own, having been joined from several.
fn text(bytes: &[u8]) -> String {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let games = lines.chunk_by(|line, next| is_tag(line) || !is_tag(next));
    games.map(|game| decoded(&game.concat()).into_owned()).collect()
}

/// Whether a line begins with a tag, `[Name "`; a comment may begin with a bracket,
/// too.
pub(crate) fn is_tag(line: &[u8]) -> bool {
    let Some(inside) = without_mark(line).trim_ascii_start().strip_prefix(b"[") else {
        return false;
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let value = &inside[inside.iter().take_while(|byte| is_name(byte)).count()..];
    value.trim_ascii_start().starts_with(b"\"")
}

struct Draft {
    number: usize,
    game: PgnGame,
    position: Position,
    /// Whether the tags are over.
    has_begun: bool,
    /// The first fault; what follows it is passed over.
    fault: Option<PgnError>,
}

impl Draft {
    fn new(number: usize) -> Draft {
        let start = Position::startpos();
        let game =
            PgnGame { tags: Vec::new(), start: start.clone(), moves: Vec::new(), result: None };
        Draft { number, game, position: start, has_begun: false, fault: None }
    }

    fn take(&mut self, line: usize, token: Token) {
        self.has_begun |= !matches!(token, Token::Tag(..) | Token::BadTag(_));
        let taken = match token {
            Token::Tag(name, value) => self.take_tag(name, value),
            Token::Move(name) if self.fault.is_none() => self.take_move(name),
            Token::Move(_) => Ok(()),
            Token::Result(text) => {
                // `*` takes back nothing that a tag has said
                self.game.result = result_of(text).or(self.game.result);
                Ok(())
            }
            Token::Endless(mark) => Err(PgnFault::Endless(mark)),
            Token::BadTag(text) => Err(PgnFault::BadTag(excerpt(text))),
        };
        if let (Err(fault), None) = (taken, &self.fault) {
            self.fault = Some(PgnError { line, game: self.number, fault });
        }
    }

    fn take_tag(&mut self, name: &str, value: String) -> Result<(), PgnFault> {
        if name.eq_ignore_ascii_case("FEN") {
            let start = Position::from_fen(&value).map_err(PgnFault::Fen)?;
            (self.game.start, self.position) = (start.clone(), start);
        } else if name.eq_ignore_ascii_case("Result") {
            self.game.result = result_of(&value);
        }
        self.game.tags.push((name.to_owned(), value));
        Ok(())
    }

    fn take_move(&mut self, name: &str) -> Result<(), PgnFault> {
        let number = self.game.moves.len() + 1;
        let m =
            parse_any(&self.position, name).map_err(|fault| PgnFault::Move { number, fault })?;
        self.position.make(m);
        self.game.moves.push(m);
        Ok(())
    }

    /// The game, if anything has been read.
    fn finish(self) -> Option<Result<PgnGame, PgnError>> {
        match self.fault {
            Some(fault) => Some(Err(fault)),
            None => (self.has_begun || !self.game.tags.is_empty()).then_some(Ok(self.game)),
        }
    }
}

fn result_of(text: &str) -> Option<GameResult> {
    let text = result(text)?;
    let results = [GameResult::RedWins, GameResult::Draw, GameResult::BlackWins];
    results.into_iter().find(|result| result.score_text() == text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arena::game::{GameRecord, PlayedMove, example as game};
    use crate::arena::pgn::{Event, write};
    use crate::notation::Notation;

    fn read(text: &str) -> Vec<PgnGame> {
        games(text.as_bytes()).into_iter().map(Result::unwrap).collect()
    }

    fn fault(text: &str) -> String {
        games(text.as_bytes())[0].as_ref().unwrap_err().to_string()
    }

    #[test]
    fn games_are_told_apart() {
        let text = "\u{feff}[Red \"a\"]\r\n[FEN \"4k4/9/9/9/9/9/9/9/4R4/3K5 b\"]\r\n\r\n1... K5=6 *\r\n\r\n\
                    [Red \"b\"]\n\n[Red \"twice\"]\n1. C2=5\n[Red \"c\"]\n1. c2=5 1/2-1/2 1. h2e2 0-1 [red \"d\"]";
        let games = read(text);
        assert_eq!(games.len(), 5);
        assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [1, 1, 1, 1, 0]);
        assert_eq!(games[0].start.king(crate::board::Color::Red).to_string(), "d0");
        let red: Vec<_> = games.iter().map(|game| game.tag("Red")).collect();
        assert_eq!(red, [Some("a"), Some("b"), Some("c"), None, Some("d")]);
        let results: Vec<_> = games.iter().map(|game| game.result).collect();
        let [draw, loss] = [Some(GameResult::Draw), Some(GameResult::BlackWins)];
        assert_eq!(results, [None, None, draw, loss, None]);
    }

    #[test]
    fn joined_files_may_each_begin_with_a_byte_order_mark() {
        let file = "\u{feff}[Red \"a\"]\n[Black \"b\"]\n\n1. h2e2 1-0\n";
        let games = read(&file.repeat(2));
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game.tag("Red") == Some("a") && game.moves.len() == 1));
    }

    #[test]
    fn a_result_is_that_of_the_tag_if_the_end_of_the_moves_has_none() {
        let result = |text| read(text)[0].result;
        assert_eq!(result("[Result \"0-1\"] 1. h2e2 *"), Some(GameResult::BlackWins));
        assert_eq!(result("[Result \"0-1\"]\n1. h2e2 1-0"), Some(GameResult::RedWins));
        assert_eq!(result("[Result \"*\"]\n1. h2e2 *"), None);
    }

    #[test]
    fn gbk_is_read_like_utf_8() {
        let text = "[Event \"象棋\"]\r\n1. 炮二平五 马８进７\r\n2. 马二进三　车９平８ 1-0\r\n";
        let (bytes, _, had_errors) = encoding_rs::GBK.encode(text);
        assert!(!had_errors && std::str::from_utf8(&bytes).is_err());
        let games: Vec<_> = games(&bytes).into_iter().map(Result::unwrap).collect();
        assert_eq!(games, read(text));
        assert_eq!((games[0].moves.len(), games[0].tag("event")), (4, Some("象棋")));
    }

    #[test]
    fn each_game_of_a_joined_file_has_its_own_encoding() {
        let text = "[Event \"联通\"]\n[Red \"象棋\"]\n\n1. 炮二平五 马８进７\n";
        let gbk = encoding_rs::GBK.encode(text).0;
        let damaged = [text.as_bytes(), b"{\xFF} 1-0\n"].concat();
        let all = games(&[text.as_bytes(), &gbk, &damaged, text.as_bytes()].concat());
        let [first, second, _, last] = &all[..] else { panic!("{all:?}") };
        assert!(first.is_ok() && second == first && last == first, "{all:?}");
    }

    #[test]
    fn faults_name_line_game_and_move() {
        let text = "1. h2e2 *\n\n1. h2e2 h9g7\n2. e2e9 h0g2 *\n1. h2e2 *";
        let all = games(text.as_bytes());
        assert_eq!(all.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
        let error = all[1].as_ref().unwrap_err().to_string();
        assert_eq!(error, "line 4, game 2: move 3: 'e2e9': the red cannon on e2 has no such move");
        for (text, message) in [
            (
                "[FEN \"x\"]",
                "line 1, game 1: the tag FEN: the board has 1 ranks (want 10, separated by '/')",
            ),
            ("\n[Red]", "line 2, game 1: '[Red]' is not a tag (want [Name \"value\"])"),
            ("h2e2 {", "line 1, game 1: the comment that begins here with '{' does not end"),
            (
                "e4",
                "line 1, game 1: move 1: 'e4' is not a move in any notation (want h2e2, C2=5 or 炮二平五)",
            ),
        ] {
            assert_eq!(fault(text), message);
        }
        assert!(read(" \n ; nothing\n").is_empty());
    }

    #[test]
    fn real_games_come_back_in_every_notation() {
        let suite = include_str!("../../../openings/balanced.epd");
        for fen in suite.lines().step_by(10).map(|line| line.split(" - - ").next().unwrap()) {
            let record = GameRecord { start_fen: fen.into(), moves: Vec::new(), ..game() };
            let start = Position::from_fen(fen).unwrap();
            for m in start.legal_moves().iter().take(5).map(|&m| PlayedMove::bare(m)) {
                let record = GameRecord { moves: vec![m], ..record.clone() };
                for notation in Notation::ALL {
                    let text = write(&record, &Event::default(), notation).unwrap();
                    let game = &read(&text)[0];
                    assert_eq!((&game.start, &game.moves[..]), (&start, &[m.m][..]), "{text}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn written_games_are_read_back(
            choices in prop::collection::vec(0..1000usize, 0..150), reason: String, name: String,
        ) {
            let mut position = Position::startpos();
            let mut record = GameRecord { moves: Vec::new(), reason, red: name, ..game() };
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[choice % moves.len()];
                record.moves.push(PlayedMove { m, ..game().moves[0] });
                position.make(m);
            }
            let mut text = String::new();
            for notation in Notation::ALL {
                text += &write(&record, &Event::default(), notation).unwrap();
            }
            let games = read(&text);
            prop_assert_eq!(games.len(), 3);
            for game in games {
                let moves: Vec<Move> = record.moves.iter().map(|played| played.m).collect();
                prop_assert_eq!(&game.moves, &moves);
                prop_assert_eq!(game.result, Some(GameResult::RedWins));
                let plain: String =
                    record.red.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                prop_assert_eq!(game.tag("Red"), Some(plain.as_str()));
            }
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for error in games(&bytes).into_iter().filter_map(Result::err) {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }

        #[test]
        fn any_text_is_read_without_harm(text in "([\\[\\](){};%$.\\\\\" \n0-9a-iCHR炮二=+…]|1-0|h2e2){0,60}") {
            for error in games(text.as_bytes()).into_iter().filter_map(Result::err) {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
