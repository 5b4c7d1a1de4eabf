//! Between the words of the protocols and the types of the engine.

use std::time::Duration;

use crate::board::{Move, Position, Square};
use crate::engine::{
    Answer, Audience, Candidate, Claim, Event, GoRequest, OptionInfo, OptionKind, win_draw_loss,
};
use crate::protocol::{
    self, BestMove, Go, HashBound, Info, MoveText, OptionDecl, PopHash, Protocol, Reply,
};
use crate::score::{Bound, Score, Verdict};
use crate::search::{Clock, Entry, Limits, Line, TimeLimit};

/// Where wins by rule and by table are shown: large centipawns, minus the
/// plies to them. Both lie below UCCI's mates.
const RULE_WIN: i32 = 9_500;
const TABLE_WIN: i32 = 9_000;

/// Who reads what is written.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The position that the search is about.
    pub position: &'a Position,
    /// Whether UCCI is spoken.
    pub ucci: bool,
    /// Whether chances to win, draw and lose are shown.
    pub show_wdl: bool,
    /// Whether several lines are shown.
    pub many_lines: bool,
}

/// A move as text; there is one for every move.
pub fn text_of(m: Move) -> Option<MoveText> {
    let place = |square: Square| (square.file(), square.rank());
    MoveText::new(place(m.from()), place(m.to()))
}

fn texts_of(moves: &[Move]) -> Vec<MoveText> {
    moves.iter().copied().filter_map(text_of).collect()
}

/// The moves of texts.
///
/// # Errors
/// The first text whose two squares are the same.
pub fn moves_of(texts: &[MoveText]) -> Result<Vec<Move>, String> {
    let square = |(file, rank)| Square::new(file, rank);
    let m = |text: &MoveText| Move::new(square(text.from())?, square(text.to())?);
    let fault = |text| format!("{text} goes nowhere; a move has two different squares");
    texts.iter().map(|text| m(text).ok_or_else(|| fault(text))).collect()
}

/// What a `go` asks for. `unit` is one unit of its clocks.
///
/// # Errors
/// A root move that is none.
pub fn request_of(go: &Go, red_to_move: bool, unit: Duration) -> Result<GoRequest, String> {
    let time = |number: u64| unit.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
    let (own, opponent) = go.clocks.map_or((None, None), |clocks| clocks.by_turn(red_to_move));
    let clock = own.map(|own| {
        TimeLimit::Clock(Clock {
            remaining: time(own.time),
            increment: time(own.increment),
            moves_to_go: own.moves_to_go,
            opponent: opponent.map(|opponent| time(opponent.time)),
        })
    });
    let limits = Limits {
        soft_nodes: None,
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        time: go.movetime.map(|number| TimeLimit::PerMove(time(number))).or(clock),
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: moves_of(&go.searchmoves)?,
        banned: Vec::new(),
    };
    Ok(GoRequest { limits, draw_offered: go.draw })
}

/// The declarations of an option for the programs of a protocol; `None` if
/// they are not told of it.
pub fn declaration(option: &OptionInfo, protocol: Protocol) -> Option<OptionDecl> {
    let ucci = protocol == Protocol::Ucci;
    let told = match option.audience {
        Audience::All => true,
        Audience::Uci => !ucci,
        Audience::Ucci => ucci,
        Audience::People => false,
    };
    let kind = match option.kind {
        OptionKind::Button => protocol::OptionKind::Button,
        OptionKind::Check { default } => protocol::OptionKind::Check { default },
        OptionKind::Spin { default, min, max } => protocol::OptionKind::Spin { default, min, max },
        OptionKind::Combo { default, choices } => protocol::OptionKind::Combo {
            default: default.into(),
            choices: choices.iter().map(|&choice| choice.into()).collect(),
        },
        OptionKind::Text => protocol::OptionKind::Text { default: String::new() },
    };
    let name = if ucci { option.ucci } else { option.uci };
    told.then(|| OptionDecl { name: name.into(), kind })
}

/// The replies to an event of a search.
pub fn replies_to(event: &Event, reader: Reader<'_>) -> Vec<Reply> {
    match event {
        Event::Line(line) => vec![Reply::Info(info_of(line, reader))],
        Event::CurrentMove { depth, current, number } => vec![Reply::Info(Info {
            depth: Some(*depth),
            currmove: text_of(*current),
            currmovenumber: u32::try_from(*number).ok(),
            ..Info::default()
        })],
        Event::Book(candidates) => {
            candidates.iter().map(|candidate| Reply::Info(book_info(candidate, reader))).collect()
        }
        Event::Done(answer) => end_of(answer, reader),
    }
}

fn info_of(line: &Line, reader: Reader<'_>) -> Info {
    let milliseconds = line.time.as_millis() as u64;
    let bound = match line.bound {
        Bound::Exact => None,
        Bound::Lower => Some(protocol::Bound::Lower),
        Bound::Upper => Some(protocol::Bound::Upper),
    };
    Info {
        depth: Some(line.depth),
        seldepth: Some(line.seldepth),
        multipv: u32::try_from(line.multipv).ok().filter(|_| reader.many_lines || !reader.ucci),
        score: Some(score_of(line.score)),
        bound,
        wdl: reader.show_wdl.then(|| win_draw_loss(reader.position, line.score)),
        nodes: Some(line.nodes),
        nps: Some((line.nodes as f64 / line.time.as_secs_f64().max(0.001)) as u64),
        hashfull: Some(line.hashfull),
        tbhits: Some(line.table_hits).filter(|_| !reader.ucci),
        time: Some(milliseconds),
        pv: texts_of(&line.pv),
        ..Info::default()
    }
}

/// Old readers of UCCI know book moves as lines of depth 0 with the weight for
/// a score. In UCI that would be taken for an evaluation.
fn book_info(candidate: &Candidate, reader: Reader<'_>) -> Info {
    if !reader.ucci {
        return Info::message(format!("book {} weight {}", candidate.m, candidate.weight));
    }
    Info {
        depth: Some(0),
        score: Some(protocol::Score::Centipawns(candidate.weight as i32)),
        pv: texts_of(&[candidate.m]),
        ..Info::default()
    }
}

/// A score as it is shown. A win by rule or table is no mate in so many moves.
pub fn score_of(score: Score) -> protocol::Score {
    use protocol::Score::{Centipawns, Mate};
    let sign = if score.is_win() { 1 } else { -1 };
    let large = |win: i32, plies: i32| Centipawns(sign * (win - plies.abs()));
    match score.verdict() {
        Verdict::Evaluation(centipawns) => Centipawns(centipawns),
        Verdict::Mate(plies) if plies > 0 => Mate((plies + 1) / 2),
        Verdict::Mate(plies) => Mate(-(1 - plies) / 2),
        Verdict::Rule(plies) => large(RULE_WIN, plies),
        Verdict::Table(plies) => large(TABLE_WIN, plies),
    }
}

fn end_of(answer: &Answer, reader: Reader<'_>) -> Vec<Reply> {
    let Some(best) = answer.best.and_then(text_of) else {
        let lost =
            Info { depth: Some(0), score: Some(protocol::Score::Mate(0)), ..Info::default() };
        return vec![Reply::Info(lost), Reply::NoBestMove];
    };
    let claim = answer.claim.filter(|_| reader.ucci).map(|claim| match claim {
        Claim::Draw => protocol::Claim::Draw,
        Claim::Resign => protocol::Claim::Resign,
    });
    vec![Reply::BestMove(BestMove { best, ponder: answer.ponder.and_then(text_of), claim })]
}

/// The answer to `probe`.
pub fn pop_hash(entry: Option<Entry>) -> PopHash {
    let Some(entry) = entry else { return PopHash::default() };
    let bound = |bounds: [Bound; 2]| {
        let known = entry.bound.is_some_and(|bound| bounds.contains(&bound));
        let depth = entry.depth.unsigned_abs();
        known.then(|| HashBound { score: score_of(entry.score), depth })
    };
    PopHash {
        best: entry.best.and_then(text_of),
        lower: bound([Bound::Exact, Bound::Lower]),
        upper: bound([Bound::Exact, Bound::Upper]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Command, Dialect};

    fn go(line: &str, dialect: Dialect) -> Go {
        match Command::parse(line.as_bytes(), dialect) {
            Ok(Command::Go(go)) => go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn only_mates_are_shown_as_mates() {
        use protocol::Score::{Centipawns, Mate};
        for (score, shown) in [
            (Score::from_centipawns(-35), Centipawns(-35)),
            (Score::mate_in(1), Mate(1)),
            (Score::mate_in(3), Mate(2)),
            (Score::mated_in(0), Mate(0)),
            (Score::mated_in(2), Mate(-1)),
            (Score::mated_in(4), Mate(-2)),
            (Score::rule_loss_in(4), Centipawns(4 - RULE_WIN)),
            (-Score::rule_loss_in(3), Centipawns(RULE_WIN - 3)),
            (Score::rule_loss_in(0), Centipawns(-RULE_WIN)),
            (Score::from_raw(23_990), Centipawns(TABLE_WIN - 10)),
        ] {
            assert_eq!(score_of(score), shown, "{score}");
        }
        let rule = score_of(-Score::rule_loss_in(1)).ucci_number();
        assert_eq!(protocol::Score::from_ucci_number(rule), Centipawns(rule), "no mate in UCCI");
    }

    #[test]
    fn clocks_have_their_unit_and_their_side() {
        let second = Duration::from_secs(1);
        let ucci = go("go time 180 increment 2 opptime 170", Dialect::UCCI);
        let request = request_of(&ucci, false, second).unwrap();
        let expected = Clock {
            remaining: 180 * second,
            increment: 2 * second,
            moves_to_go: None,
            opponent: Some(170 * second),
        };
        assert_eq!(request.limits.time, Some(TimeLimit::Clock(expected)));
        let uci = go("go wtime 1000 btime 2000 movestogo 7", Dialect::UCI);
        let request = request_of(&uci, false, Duration::from_millis(1)).unwrap();
        let expected = Clock {
            remaining: 2 * second,
            increment: Duration::ZERO,
            moves_to_go: Some(7),
            opponent: Some(second),
        };
        assert_eq!(request.limits.time, Some(TimeLimit::Clock(expected)));
        let huge = go("go movetime 999999999999999999", Dialect::UCI);
        let request = request_of(&huge, true, second).unwrap();
        assert!(matches!(request.limits.time, Some(TimeLimit::PerMove(time)) if time > second));
    }

    #[test]
    fn every_move_has_a_text_and_comes_back() {
        let moves: Vec<Move> = ["h2e2", "a0a9", "i9i8"].map(|text| text.parse().unwrap()).to_vec();
        assert_eq!(moves_of(&texts_of(&moves)).as_deref(), Ok(&moves[..]));
        let nowhere: MoveText = "h2h2".parse().unwrap();
        assert!(moves_of(&[nowhere]).unwrap_err().contains("h2h2"));
    }

    #[test]
    fn hash_entries_show_what_they_prove() {
        let entry = |bound| Entry {
            best: "h2e2".parse().ok(),
            score: Score::from_centipawns(7),
            eval: None,
            depth: 9,
            bound,
            was_pv: false,
        };
        let shape = |bound| {
            let found = pop_hash(Some(entry(bound)));
            (found.best.is_some(), found.lower.is_some(), found.upper.is_some())
        };
        assert_eq!(shape(None), (true, false, false));
        assert_eq!(shape(Some(Bound::Lower)), (true, true, false));
        assert_eq!(shape(Some(Bound::Upper)), (true, false, true));
        assert_eq!(shape(Some(Bound::Exact)), (true, true, true));
        assert_eq!(pop_hash(None), PopHash::default());
    }
}
