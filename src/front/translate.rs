//! Between the types of the protocols and those of the engine.

use std::time::Duration;

use crate::board::Position;
use crate::book::{BookMove, OpeningName};
use crate::engine::{
    Announcement, Answer, Audience, Event, OPTIONS, OptionInfo, OptionKind, win_draw_loss,
};
use crate::protocol::{
    self, BestMove, Go, HashBound, IdField, Info, OptionDecl, PopHash, Protocol, Ranks, Reply,
};
use crate::score::{Bound, Score};
use crate::search::{Clock, Entry, Limits, Line, TimeLimit};

#[derive(Clone, Copy, Debug)]
pub struct ReplyStyle<'a> {
    pub position: &'a Position,
    pub ucci: bool,
    pub show_wdl: bool,
    pub many_lines: bool,
    /// How moves in running text are numbered.
    pub ranks: Ranks,
}

const AUTHOR: &str = "the hanxin authors";

/// How long a search that nothing can end may take in batch mode.
const BATCH_TIME: Duration = Duration::from_secs(10);
/// How long a search takes whose limits are not understood.
const UNKNOWN_TIME: Duration = Duration::from_secs(1);

/// The limits of a `go`. `unit` is one unit of its clocks. Where none was
/// understood there is one all the same: somebody waits for a move.
pub fn limits_of(go: Go, red_to_move: bool, unit: Duration) -> Limits {
    let time = |number: u64| unit.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
    // the opponent's clock alone tells as little as none that is understood
    let has_clocks = go.clocks.is_some();
    let own = go.clocks.and_then(|clocks| clocks.own(red_to_move));
    let movetime = go.movetime.map(time);
    // some programs send no time where there is no clock
    let clock = own.filter(|own| own.time > 0 || movetime.is_none()).map(|own| {
        TimeLimit::Clock(Clock {
            remaining: time(own.time),
            increment: time(own.increment),
            moves_to_go: own.moves_to_go,
            most: movetime,
        })
    });
    let is_bounded = go.infinite || go.depth.or(go.mate).is_some() || go.nodes.is_some();
    let is_lost = !is_bounded && (!go.is_understood() || has_clocks);
    let fallback = is_lost.then_some(TimeLimit::PerMove(UNKNOWN_TIME));
    Limits {
        handicap: None,
        soft_nodes: None,
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        time: clock.or(movetime.map(TimeLimit::PerMove)).or(fallback),
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: go.searchmoves,
        banned: Vec::new(),
    }
}

/// Nothing can end a search in batch mode but its own limits.
pub fn limit_for_batch(limits: &mut Limits) {
    limits.ponder = false;
    limits.infinite = false;
    if limits.time.is_none() && limits.depth.is_none() && limits.nodes.is_none() {
        limits.time = Some(TimeLimit::PerMove(BATCH_TIME));
    }
}

/// What is said to whoever opens a protocol: who speaks, and the options.
pub fn introduction(protocol: Protocol) -> Vec<Reply> {
    let ucci = protocol == Protocol::Ucci;
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let id = |field, text: &str| Reply::Id { field, text: text.into() };
    let mut replies = if ucci {
        vec![id(IdField::Name, name), id(IdField::Version, version)]
    } else {
        vec![id(IdField::Name, &format!("{name} {version}"))]
    };
    replies.push(id(IdField::Author, AUTHOR));
    let declared = OPTIONS.iter().filter_map(|option| declaration(option, protocol));
    replies.extend(declared.map(Reply::Option));
    replies.push(if ucci { Reply::UcciOk } else { Reply::UciOk });
    replies
}

/// The declarations of an option for the programs of a protocol; `None` if
/// it is not offered to them.
fn declaration(option: &OptionInfo, protocol: Protocol) -> Option<OptionDecl> {
    let ucci = protocol == Protocol::Ucci;
    let is_offered = match option.audience {
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
    is_offered.then(|| OptionDecl { name: name.into(), kind })
}

pub fn replies_to(event: &Event, style: ReplyStyle<'_>) -> Vec<Reply> {
    match event {
        Event::Line(line) => vec![Reply::Info(info_of(line, style))],
        Event::CurrentMove { depth, current, number } => vec![Reply::Info(Info {
            depth: Some(*depth),
            currmove: Some(*current),
            currmovenumber: u32::try_from(*number).ok(),
            ..Info::default()
        })],
        Event::Book { name, moves } => {
            let name = name.iter().map(|name| opening_info(*name, style));
            name.chain(moves.iter().map(|found| book_info(found, style))).map(Reply::Info).collect()
        }
        Event::Done(answer) => end_of(answer, style),
    }
}

fn info_of(line: &Line, style: ReplyStyle<'_>) -> Info {
    let milliseconds = line.time.as_millis() as u64;
    Info {
        depth: Some(line.depth),
        seldepth: Some(line.seldepth),
        multipv: u32::try_from(line.multipv).ok().filter(|_| style.many_lines || !style.ucci),
        score: Some((line.score, line.bound)),
        wdl: style.show_wdl.then(|| win_draw_loss(style.position, line.score)),
        nodes: Some(line.nodes),
        nps: Some((line.nodes as f64 / line.time.as_secs_f64().max(0.001)) as u64),
        hashfull: Some(line.hashfull),
        tbhits: Some(line.table_hits).filter(|_| !style.ucci),
        time: Some(milliseconds),
        pv: line.pv.clone(),
        ..Info::default()
    }
}

/// UCI is UTF-8; readers of UCCI may take it for GBK, so that they get ASCII.
fn opening_info(name: OpeningName, style: ReplyStyle<'_>) -> Info {
    let OpeningName { english, chinese } = name;
    Info::message(match style.ucci {
        true => format!("opening: {english}"),
        false => format!("opening: {english} {chinese}"),
    })
}

/// Old readers of UCCI know book moves as lines of depth 0 with the weight for
/// a score. In UCI that would be taken for an evaluation.
fn book_info(candidate: &BookMove, style: ReplyStyle<'_>) -> Info {
    if !style.ucci {
        let score =
            candidate.facts.score.map(|score| format!(" score {:+.2}", f64::from(score) / 100.0));
        let score = score.unwrap_or_default();
        let m = style.ranks.spell(candidate.mv);
        return Info::message(format!("book {m} weight {}{score}", candidate.weight));
    }
    let weight = i32::try_from(candidate.weight).unwrap_or(i32::MAX);
    Info {
        depth: Some(0),
        score: Some((Score::from_centipawns(weight), Bound::Exact)),
        pv: vec![candidate.mv],
        ..Info::default()
    }
}

fn end_of(answer: &Answer, style: ReplyStyle<'_>) -> Vec<Reply> {
    let Some(best) = answer.best else {
        let score = Some((Score::mated_in(0), Bound::Exact));
        let lost = Info { depth: Some(0), score, ..Info::default() };
        return vec![Reply::Info(lost), Reply::NoBestMove];
    };
    let claim = answer.announcement.filter(|_| style.ucci).map(|announcement| match announcement {
        Announcement::DrawOffer => protocol::Claim::Draw,
        Announcement::Resignation => protocol::Claim::Resign,
    });
    vec![Reply::BestMove(BestMove { best, ponder: answer.ponder, claim })]
}

pub fn pop_hash(entry: Option<Entry>) -> PopHash {
    let Some(entry) = entry else { return PopHash::default() };
    let bound = |bounds: [Bound; 2]| {
        let known = entry.bound.is_some_and(|bound| bounds.contains(&bound));
        let depth = entry.depth.unsigned_abs();
        known.then_some(HashBound { score: entry.score, depth })
    };
    PopHash {
        best: entry.best,
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
    fn clocks_have_their_unit_and_their_side() {
        let second = Duration::from_secs(1);
        let ucci = go("go time 180 increment 2 opptime 170", Dialect::UCCI);
        let limits = limits_of(ucci, false, second);
        let expected =
            Clock { remaining: 180 * second, increment: 2 * second, moves_to_go: None, most: None };
        assert_eq!(limits.time, Some(TimeLimit::Clock(expected)));
        let uci = go("go wtime 1000 btime 2000 movestogo 7", Dialect::UCI);
        let limits = limits_of(uci, false, Duration::from_millis(1));
        let expected = Clock {
            remaining: 2 * second,
            increment: Duration::ZERO,
            moves_to_go: Some(7),
            most: None,
        };
        assert_eq!(limits.time, Some(TimeLimit::Clock(expected)));
        let both = |line| limits_of(go(line, Dialect::UCI), true, Duration::from_millis(1)).time;
        let capped = Clock { remaining: 2 * second, most: Some(second), ..Clock::default() };
        assert_eq!(both("go wtime 2000 btime 0 movetime 1000"), Some(TimeLimit::Clock(capped)));
        let second_alone = Some(TimeLimit::PerMove(second));
        assert_eq!(both("go wtime 0 btime 0 movetime 1000"), second_alone);
        for line in ["go btime 60000", "go opptime 5000"] {
            assert_eq!(both(line), second_alone, "{line}");
        }
        let huge = go("go movetime 999999999999999999", Dialect::UCI);
        let limits = limits_of(huge, true, second);
        assert!(matches!(limits.time, Some(TimeLimit::PerMove(time)) if time > second));
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
