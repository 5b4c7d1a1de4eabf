//! Relative notation, the common part of WXF and Chinese: a piece by kind and
//! file (or place among others on its file), then direction and number.

use super::Notation;
use super::error::NotationError;
use crate::board::{Bitboard, Color, Move, Piece, PieceKind, Position, Square};

/// A move in relative notation, from the mover's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RelativeMove {
    pub kind: PieceKind,
    pub selector: PieceSelector,
    pub movement: Movement,
}

/// The direction of a move, and the points moved or the file arrived on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Movement {
    pub direction: Direction,
    pub number: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
    Sideways,
}

/// Which piece of a kind is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceSelector {
    /// The one on this file.
    File(u8),
    /// The one in this place among those that share a file.
    Place(Place),
    /// The one in this place on this file.
    PlaceOnFile(Place, u8),
}

/// A place among pieces that share a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Front,
    /// Of three.
    Middle,
    Back,
    /// Counted from 1.
    Nth(u8),
}

/// What identifies a piece among others of its kind when writing a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disambiguation {
    /// The file is enough to name it.
    Alone { file: u8 },
    /// It shares its file.
    Tandem(Tandem),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tandem {
    pub file: u8,
    /// Its place on the file, 1 at the front.
    pub place: u8,
    /// How many share the file.
    pub count: u8,
    /// Its place among all that share files, by files from the right.
    pub overall: u8,
    /// How many files are shared.
    pub files: u8,
}

/// How a notation spells the parts of a relative move.
pub(super) struct Alphabet {
    pub notation: Notation,
    pub piece: fn(char) -> Option<PieceKind>,
    pub place: fn(char) -> Option<Place>,
    pub number: fn(char) -> Option<u8>,
    pub direction: fn(char) -> Option<Direction>,
}

impl Alphabet {
    /// Reads a move and finds it in the position.
    pub fn parse(&self, position: &Position, text: &str) -> Result<Move, NotationError> {
        self.read(text)
            .ok_or_else(|| NotationError::unreadable(text, Some(self.notation)))?
            .resolve(position, text)
    }

    /// Reads four characters: two for the piece, two for its movement.
    fn read(&self, text: &str) -> Option<RelativeMove> {
        let mut letters = text.chars().map(to_half_width);
        let mut next = || letters.next();
        let (first, second, third, fourth) = (next()?, next()?, next()?, next()?);
        if next().is_some() {
            return None;
        }
        let movement =
            Movement { direction: (self.direction)(third)?, number: (self.number)(fourth)? };
        let (kind, selector) = self.read_piece(first, second)?;
        Some(RelativeMove { kind, selector, movement })
    }

    fn read_piece(&self, first: char, second: char) -> Option<(PieceKind, PieceSelector)> {
        if let Some(file) = (self.number)(second) {
            return match (self.piece)(first) {
                Some(kind) => Some((kind, PieceSelector::File(file))),
                None => {
                    let place = self.place_or_number(first)?;
                    Some((PieceKind::Pawn, PieceSelector::PlaceOnFile(place, file)))
                }
            };
        }
        let ordered = |piece, place| {
            let (kind, place) = ((self.piece)(piece)?, self.place_or_number(place)?);
            // only pawns are numerous enough to be counted
            let counted = matches!(place, Place::Nth(_));
            (kind == PieceKind::Pawn || !counted).then_some((kind, PieceSelector::Place(place)))
        };
        ordered(first, second).or_else(|| ordered(second, first))
    }

    fn place_or_number(&self, letter: char) -> Option<Place> {
        (self.place)(letter).or_else(|| (self.number)(letter).map(Place::Nth))
    }
}

/// The ASCII character of a full-width one, the hyphen of a dash.
pub(super) fn to_half_width(letter: char) -> char {
    match letter {
        '\u{FF01}'..='\u{FF5E}' => char::from((letter as u32 - 0xFEE0) as u8),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    }
}

impl RelativeMove {
    /// The move in this position.
    fn resolve(self, position: &Position, text: &str) -> Result<Move, NotationError> {
        let us = position.side_to_move();
        let candidates = self.selector.find(position, self.kind);
        if candidates.is_empty() {
            let piece = self.selector.describe(Piece::new(us, self.kind));
            return Err(NotationError::no_such_piece(text, piece));
        }
        let moves: Vec<Move> = position
            .pseudo_legal_moves()
            .iter()
            .copied()
            .filter(|m| {
                candidates.contains(m.from()) && Movement::of(us, self.kind, *m) == self.movement
            })
            .collect();
        select_legal(position, &moves, text).unwrap_or_else(|| {
            let squares: Vec<String> = candidates.map(|square| square.to_string()).collect();
            let name = piece_name(Piece::new(us, self.kind));
            Err(NotationError::no_such_move(text, format!("{name} on {}", squares.join(" or "))))
        })
    }
}

/// The only legal one of the pseudo-legal moves that match a text; `None` if
/// there are no moves at all.
pub(super) fn select_legal(
    position: &Position,
    moves: &[Move],
    text: &str,
) -> Option<Result<Move, NotationError>> {
    let mut legal = moves.iter().copied().filter(|&m| position.is_legal(m));
    match (legal.next(), legal.next()) {
        (Some(first), Some(second)) => Some(Err(NotationError::ambiguous(text, first, second))),
        (Some(m), None) => Some(Ok(m)),
        (None, _) => {
            let &m = moves.iter().find(|&&m| position.is_pseudo_legal(m))?;
            Some(Err(NotationError::leaves_king_in_check(text, m)))
        }
    }
}

impl Movement {
    /// The movement of a piece of this side and kind by this move.
    fn of(color: Color, kind: PieceKind, m: Move) -> Movement {
        let (from, to) = (m.from().rank_for(color), m.to().rank_for(color));
        let direction = match from.cmp(&to) {
            std::cmp::Ordering::Less => Direction::Forward,
            std::cmp::Ordering::Equal => Direction::Sideways,
            std::cmp::Ordering::Greater => Direction::Backward,
        };
        let goes_straight =
            !matches!(kind, PieceKind::Knight | PieceKind::Elephant | PieceKind::Advisor);
        let number = if goes_straight && direction != Direction::Sideways {
            from.abs_diff(to)
        } else {
            file_number(color, m.to())
        };
        Movement { direction, number }
    }
}

/// The number of a file as `color` counts them, 1 to 9 from its right.
fn file_number(color: Color, square: Square) -> u8 {
    match color {
        Color::Red => 9 - square.file(),
        Color::Black => square.file() + 1,
    }
}

/// The pieces of a kind that the side to move has on the file with this
/// number, the front one first.
fn on_file(position: &Position, kind: PieceKind, number: u8) -> Vec<Square> {
    let us = position.side_to_move();
    let pieces = position.pieces_of(us, kind);
    let mut squares: Vec<Square> =
        pieces.filter(|&square| file_number(us, square) == number).collect();
    squares.sort_unstable_by_key(|square| std::cmp::Reverse(square.rank_for(us)));
    squares
}

/// The files with two pieces of the kind and more, from the right.
fn shared_files(position: &Position, kind: PieceKind) -> Vec<Vec<Square>> {
    (1..=9).map(|number| on_file(position, kind, number)).filter(|file| file.len() > 1).collect()
}

impl PieceSelector {
    /// The pieces of the side to move that the selector can mean.
    fn find(self, position: &Position, kind: PieceKind) -> Bitboard {
        match self {
            PieceSelector::File(number) => on_file(position, kind, number).into_iter().collect(),
            PieceSelector::PlaceOnFile(place, number) => {
                place.pick(&on_file(position, kind, number)).into_iter().collect()
            }
            PieceSelector::Place(place @ Place::Nth(_)) => {
                place.pick(&shared_files(position, kind).concat()).into_iter().collect()
            }
            PieceSelector::Place(place) => {
                shared_files(position, kind).iter().filter_map(|file| place.pick(file)).collect()
            }
        }
    }

    /// The piece in words, for messages.
    fn describe(self, piece: Piece) -> String {
        let name = piece_name(piece);
        match self {
            PieceSelector::File(number) => format!("{name} on file {number}"),
            PieceSelector::Place(place) => format!("{place} {name} among those that share a file"),
            PieceSelector::PlaceOnFile(place, number) => format!("{place} {name} on file {number}"),
        }
    }
}

impl Place {
    /// The square in this place of a list, which goes from front to back.
    fn pick(self, squares: &[Square]) -> Option<Square> {
        match self {
            Place::Front => squares.first(),
            Place::Middle => squares.get(1).filter(|_| squares.len() == 3),
            Place::Back => squares.last(),
            Place::Nth(number) => squares.get(usize::from(number) - 1),
        }
        .copied()
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Front => f.write_str("front"),
            Place::Middle => f.write_str("middle"),
            Place::Back => f.write_str("back"),
            Place::Nth(number) => write!(f, "number {number}"),
        }
    }
}

/// Kind, disambiguation and movement of a move; `None` if it is illegal.
pub(super) fn describe(
    position: &Position,
    m: Move,
) -> Option<(PieceKind, Disambiguation, Movement)> {
    if !position.is_legal(m) {
        return None;
    }
    let kind = position.piece_at(m.from())?.kind();
    Some((kind, standing(position, kind, m.from()), Movement::of(position.side_to_move(), kind, m)))
}

fn standing(position: &Position, kind: PieceKind, square: Square) -> Disambiguation {
    let file = file_number(position.side_to_move(), square);
    if matches!(kind, PieceKind::Advisor | PieceKind::Elephant) {
        // of two on a file one can only advance and the other only retreat
        return Disambiguation::Alone { file };
    }
    let files = shared_files(position, kind);
    let mut before = 0;
    for squares in &files {
        if let Some(place) = squares.iter().position(|&other| other == square) {
            return Disambiguation::Tandem(Tandem {
                file,
                place: place as u8 + 1,
                count: squares.len() as u8,
                overall: (before + place) as u8 + 1,
                files: files.len() as u8,
            });
        }
        before += squares.len();
    }
    Disambiguation::Alone { file }
}

/// A piece in words: `red cannon`.
pub(super) fn piece_name(piece: Piece) -> String {
    format!("{} {}", piece.color().name(), piece.kind().name())
}

#[cfg(test)]
mod tests {
    use super::super::Notation::{Chinese, Wxf};
    use super::super::parse_any;
    use crate::board::{Move, Position};

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
    }

    /// Checks what is written, and that all spellings are read.
    fn check(fen: &str, m: &str, wxf: &str, chinese: &str, others: &[&str]) {
        let position = position(fen);
        let m: Move = m.parse().unwrap();
        assert_eq!(Wxf.write(&position, m), wxf, "{fen}");
        assert_eq!(Chinese.write(&position, m), chinese, "{fen}");
        for text in others.iter().chain([&wxf, &chinese]) {
            assert_eq!(parse_any(&position, text), Ok(m), "{text} in {fen}");
        }
    }

    fn refuse(fen: &str, cases: &[(&str, &str)]) {
        for (text, message) in cases {
            let error = parse_any(&position(fen), text).unwrap_err();
            assert_eq!(error.to_string(), *message, "{fen}");
        }
    }

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

    #[test]
    fn both_sides_count_files_from_their_right() {
        check(
            START,
            "h2e2",
            "C2=5",
            "炮二平五",
            &["c2.5", "Ｃ２＝５", "砲二平五", "包2平5", " C2=5\n"],
        );
        check(START, "h0g2", "H2+3", "马二进三", &["N2+3", "n2+3", "傌２進３", "馬二进3"]);
        check(START, "c0e2", "E7+5", "相七进五", &["B7+5", "象七進五"]);
        check(START, "d0e1", "A6+5", "仕六进五", &["士6进5"]);
        check(START, "a0a2", "R9+2", "车九进二", &["俥九進二", "車9进2"]);
        check(START, "e3e4", "P5+1", "兵五进一", &["卒五进一"]);
        check(START, "e0e1", "K5+1", "帅五进一", &["帥五進一", "將五进一"]);
        let black = START.replace('w', "b");
        check(&black, "h7e7", "C8=5", "炮８平５", &["炮八平五", "砲8平5"]);
        check(&black, "b9c7", "H2+3", "马２进３", &["馬二進三"]);
        check(&black, "a9a8", "R1+1", "车１进１", &[]);
        check(&black, "f9e8", "A6+5", "士６进５", &["仕６進５"]);
        check(&black, "g9e7", "E7+5", "象７进５", &["相７进５"]);
        check(&black, "c6c5", "P3+1", "卒３进１", &["兵三进一"]);
        check(&black, "e9e8", "K5+1", "将５进１", &["帅５进１"]);
    }

    #[test]
    fn two_on_a_file_are_front_and_back() {
        let fen = "3k5/9/9/9/4N4/4C4/4N4/4C4/5R3/4KR3 w";
        check(fen, "e4a4", "C+=9", "前炮平九", &["+C=9", "+c.9", "炮前平9"]);
        check(fen, "e2e1", "C--1", "后炮退一", &["-C-1", "後炮退一", "C-–1", "炮后退一"]);
        check(fen, "e5d7", "H++6", "前马进六", &["+N+6", "N++6"]);
        check(fen, "e3c2", "H--7", "后马退七", &["-H-7", "-N-7"]);
        check(fen, "f1f9", "R++8", "前车进八", &["+R+8"]);
        check(fen, "f0g0", "R-=3", "后车平三", &["-R=3"]);
        let black = "3k5/9/1c7/1c7/9/9/9/9/9/4K4 b";
        check(black, "b6b0", "C++6", "前炮进６", &["前砲进六"]);
        check(black, "b7e7", "C-=5", "后炮平５", &[]);
    }

    #[test]
    fn the_file_is_enough_where_only_one_of_a_tandem_may_go_so() {
        // the front rook bars the way of the back one
        let rooks = "3k5/9/9/9/4R4/4R4/9/9/9/5K3 w";
        check(rooks, "e5e8", "R++3", "前车进三", &["R5+3", "车五进三"]);
        refuse(rooks, &[("R5=1", "'R5=1' fits e4i4 and e5i5; write the move in coordinates")]);
        // the back knight shields its king
        let knights = "3k5/9/9/9/3N5/9/9/9/9/r2NK4 w";
        check(knights, "d5e7", "H++5", "前马进五", &["H6+5"]);
        refuse(knights, &[("H-+5", "'H-+5': d0e2 leaves its own king in check")]);
    }

    #[test]
    fn guards_on_a_file_are_distinguished_by_direction() {
        let fen = "3k5/9/9/9/9/2B6/9/3A5/9/2BAK4 w";
        check(fen, "d2e1", "A6-5", "仕六退五", &["A+-5", "前仕退五"]);
        check(fen, "d0e1", "A6+5", "仕六进五", &["-A+5", "后士进五"]);
        check(fen, "c4e2", "E7-5", "相七退五", &["E+-5", "前相退五"]);
        check(fen, "c0e2", "E7+5", "相七进五", &["B-+5", "后象进五"]);
    }

    #[test]
    fn pawns_on_one_file() {
        let two = "3k5/9/4P4/4P4/9/9/2P6/9/9/5K3 w";
        check(two, "e7d7", "P+=6", "前兵平六", &["+P=6", "15=6", "一兵平六", "Pa=6", "前五平六"]);
        check(two, "e6d6", "P-=6", "后兵平六", &["-P=6", "25=6", "二兵平六", "-5=6"]);
        check(two, "c3c4", "P7+1", "兵七进一", &[]);
        let three = "3k5/4P4/4P4/4P4/9/9/2P6/9/9/5K3 w";
        check(three, "e8d8", "15=6", "前兵平六", &["P+=6", "Pa=6", "aP=6", "一五平六"]);
        check(three, "e7d7", "25=6", "中兵平六", &["P.=6", ".P=6", "Pb=6", "二兵平六"]);
        check(three, "e6d6", "35=6", "后兵平六", &["P-=6", "-5=6", "三兵平六", "后五平六"]);
        let five = "5k3/9/9/9/4p4/4p4/4p4/4p4/4p4/3K5 b";
        check(five, "e1d1", "15=4", "一卒平４", &["前卒平四", "1卒平4", "1P=4"]);
        check(five, "e3d3", "35=4", "三卒平４", &["Pc=4"]);
    }

    #[test]
    fn pawns_on_two_files_are_counted_from_the_right() {
        let fen = "3k5/4P1P2/4P1P2/9/9/8P/9/9/9/4K4 w";
        check(fen, "g8h8", "13=2", "一兵平二", &["Pa=2", "前三平二", "+3=2", "前兵平二"]);
        check(fen, "g7f7", "23=4", "二兵平四", &["Pb=4", "后三平四"]);
        check(fen, "e8e9", "15+1", "三兵进一", &["Pc+1", "前五进一", "一五进一"]);
        check(fen, "e7d7", "25=6", "四兵平六", &["Pd=6", "后兵平六"]);
        check(fen, "i4i5", "P1+1", "兵一进一", &[]);
        refuse(
            fen,
            &[
                ("前兵平四", "'前兵平四' fits e8f8 and g8f8; write the move in coordinates"),
                (
                    "中兵平四",
                    "'中兵平四': there is no middle red pawn among those that share a file",
                ),
                (
                    "五兵平四",
                    "'五兵平四': there is no number 5 red pawn among those that share a file",
                ),
                ("35=4", "'35=4': there is no number 3 red pawn on file 5"),
                ("P5=6", "'P5=6' fits e7d7 and e8d8; write the move in coordinates"),
                ("P4+1", "'P4+1': there is no red pawn on file 4"),
            ],
        );
        let black = "5k3/9/9/9/9/9/2p1p4/2p1p4/9/4K4 b";
        check(black, "c2b2", "13=2", "一卒平２", &["前三平２"]);
        check(black, "e2e1", "15+1", "三卒进１", &["前五进１"]);
    }

    #[test]
    fn errors_are_distinguished() {
        let fen = "3k5/9/9/4r4/9/4C4/9/9/1N7/4K4 w";
        refuse(
            fen,
            &[
                ("C2=5", "'C2=5': there is no red cannon on file 2"),
                ("C+=5", "'C+=5': there is no front red cannon among those that share a file"),
                (
                    "后炮平五",
                    "'后炮平五': there is no back red cannon among those that share a file",
                ),
                ("C5=5", "'C5=5': the red cannon on e4 has no such move"),
                ("C5+4", "'C5+4': the red cannon on e4 has no such move"),
                ("马八平五", "'马八平五': the red knight on b1 has no such move"),
                ("C5=4", "'C5=4': e4f4 leaves its own king in check"),
                ("K5=6", "'K5=6': e0d0 leaves its own king in check"),
                ("1R=5", "'1R=5' is not a move in any notation (want h2e2, C2=5 or 炮二平五)"),
                ("炮2=5", "'炮2=5' is not a move in any notation (want h2e2, C2=5 or 炮二平五)"),
            ],
        );
    }
}
