//! Properties of the whole room: what is written is read back, and nothing ever panics.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::*;
use crate::board::{Move, Square};
use crate::score::{Bound, Score};

fn dialects() -> impl Strategy<Value = Dialect> {
    let protocols =
        prop_oneof![Just(Protocol::Ucci), Just(Protocol::Uci), Just(Protocol::UciCyclone)];
    let ranks = prop_oneof![Just(Ranks::Zero), Just(Ranks::One)];
    let mates = prop_oneof![Just(Mates::Number), Just(Mates::Keyword)];
    (protocols, ranks, mates).prop_map(|(protocol, ranks, mates)| Dialect {
        protocol,
        ranks,
        mates,
    })
}

fn moves() -> impl Strategy<Value = Move> {
    (0..Square::COUNT, 1..Square::COUNT).prop_map(|(from, distance)| {
        let square = |index| Square::from_index(index % Square::COUNT).expect("it is on the board");
        Move::new(square(from), square(from + distance)).expect("the squares differ")
    })
}

/// Free text as a line can carry it: no controls, no blanks at the ends, not empty.
fn texts() -> impl Strategy<Value = String> {
    "[!-~帅车]([ -~炮]{0,30}[!-~馬])?"
        .prop_filter("stands for the empty string", |text| text != "<empty>")
}

/// A word that is not a keyword of the option grammars.
fn words() -> impl Strategy<Value = String> {
    "[a-zA-Z_]{1,12}".prop_filter("a keyword", |word| {
        let keywords = ["name", "type", "value", "var", "default", "min", "max", "newgame"];
        !keywords.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
    })
}

/// Option names: one lower-case word, as both protocols can say them.
fn names() -> impl Strategy<Value = String> {
    words().prop_map(|word| word.to_lowercase())
}

fn setups() -> impl Strategy<Value = Setup> {
    let fen = "[1-9a-zA-Z]{1,9}(/[1-9a-zA-Z]{1,9}){1,10}( [wbr])?( - - [0-9]{1,3} [0-9]{1,3})?";
    let start = prop_oneof![Just(Start::Startpos), fen.prop_map(Start::Fen)];
    (start, vec(moves(), 0..40)).prop_map(|(start, moves)| Setup { start, moves, fault: None })
}

fn clocks() -> impl Strategy<Value = Clocks> {
    let clock = (0..=MAX_TIME, 0..=MAX_TIME, of(1..=MAX_MOVES_TO_GO))
        .prop_map(|(time, increment, moves_to_go)| Clock { time, increment, moves_to_go });
    let by_turn = (clock.clone(), of(clock.clone()))
        .prop_map(|(own, opponent)| Clocks::ByTurn { own, opponent });
    // One `movestogo` serves both sides.
    let by_side = (clock, 0..=MAX_TIME, 0..3usize).prop_map(|(one, time, sides)| {
        let other = Clock { time, ..one };
        let (red, black) = [(Some(one), Some(other)), (Some(one), None), (None, Some(one))][sides];
        Clocks::BySide { red, black }
    });
    prop_oneof![by_turn, by_side]
}

fn gos() -> impl Strategy<Value = Go> {
    let modes = (any::<bool>(), any::<bool>(), any::<bool>(), of(clocks()));
    let limits = (of(0..=MAX_TIME), of(any::<u32>()), of(any::<u64>()), of(any::<u32>()));
    (modes, limits, of(any::<u32>()), vec(moves(), 0..5)).prop_map(
        |((ponder, draw, infinite, clocks), (movetime, depth, nodes, mate), perft, searchmoves)| {
            Go {
                ponder,
                draw,
                infinite,
                clocks,
                movetime,
                depth,
                nodes,
                mate,
                perft,
                searchmoves,
                ..Go::default()
            }
        },
    )
}

fn commands() -> impl Strategy<Value = Command> {
    let protocols =
        prop_oneof![Just(Protocol::Ucci), Just(Protocol::Uci), Just(Protocol::UciCyclone)];
    let value = texts().prop_filter("a keyword", |text| {
        !text.split(' ').any(|word| word.eq_ignore_ascii_case("value"))
    });
    let fixed = prop::sample::select(vec![
        Command::Blank,
        Command::IsReady,
        Command::NewGame,
        Command::Stop,
        Command::Quit,
        Command::Display,
        Command::Eval,
        Command::Tables,
        Command::Book,
        Command::Moves,
        Command::Flip,
        Command::Help,
        Command::Unknown("xboard 2".into()),
    ]);
    prop_oneof![
        fixed,
        protocols.prop_map(Command::Hello),
        (names(), of(value)).prop_map(|(name, value)| Command::SetOption { name, value }),
        setups().prop_map(Command::Position),
        setups().prop_map(Command::Probe),
        vec(moves(), 0..5).prop_map(|moves| Command::BanMoves { moves, fault: None }),
        gos().prop_map(Command::Go),
        any::<bool>().prop_map(|draw| Command::PonderHit { draw }),
        any::<bool>().prop_map(Command::Debug),
        prop_oneof![Just(String::new()), texts()].prop_map(Command::Bench),
    ]
}

/// Scores that both protocols can write without loss: the winner of a mate moves last.
fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![
        (-8_000..=8_000).prop_map(Score::from_centipawns),
        (1..=100usize).prop_map(|moves| Score::mate_in(2 * moves - 1)),
        (0..100usize).prop_map(|moves| Score::mated_in(2 * moves)),
    ]
}

fn infos() -> impl Strategy<Value = Info> {
    let small = || of(any::<u32>());
    let large = || of(any::<u64>());
    let bound = prop_oneof![Just(Bound::Lower), Just(Bound::Upper), Just(Bound::Exact)];
    (
        (small(), small(), small(), small(), small()),
        (large(), large(), large(), large()),
        (of((scores(), bound)), of(any::<[u32; 3]>())),
        (of(moves()), vec(moves(), 0..60), of(texts())),
    )
        .prop_map(|(small, large, (score, wdl), (currmove, pv, text))| {
            let (depth, seldepth, multipv, hashfull, currmovenumber) = small;
            let (nodes, nps, tbhits, time) = large;
            Info {
                depth,
                seldepth,
                multipv,
                score,
                wdl,
                nodes,
                nps,
                hashfull,
                tbhits,
                time,
                currmove,
                currmovenumber,
                pv,
                text,
            }
        })
}

fn options() -> impl Strategy<Value = OptionDecl> {
    let spin =
        any::<[i64; 3]>().prop_map(|[default, min, max]| OptionKind::Spin { default, min, max });
    let combo = (words(), vec(words(), 1..5))
        .prop_map(|(default, choices)| OptionKind::Combo { default, choices });
    let text = prop_oneof![Just(String::new()), texts()]
        .prop_filter("a keyword", |text| !text.to_lowercase().starts_with("default"))
        .prop_map(|default| OptionKind::Text { default });
    let kind = prop_oneof![
        Just(OptionKind::Label),
        Just(OptionKind::Button),
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        spin,
        combo,
        text,
    ];
    (names(), kind).prop_map(|(name, kind)| OptionDecl { name, kind })
}

fn replies() -> impl Strategy<Value = Reply> {
    let field = prop::sample::select(vec![
        IdField::Name,
        IdField::Version,
        IdField::Copyright,
        IdField::Author,
        IdField::User,
    ]);
    let claim = of(prop_oneof![Just(Claim::Draw), Just(Claim::Resign)]);
    let best = (moves(), of(moves()), claim).prop_map(|(best, ponder, claim)| BestMove {
        best,
        ponder,
        claim,
    });
    let bound =
        || of((scores(), any::<u32>()).prop_map(|(score, depth)| HashBound { score, depth }));
    let hash = (of(moves()), bound(), bound()).prop_map(|(best, lower, upper)| PopHash {
        best,
        lower,
        upper,
    });
    let fixed = prop::sample::select(vec![
        Reply::UcciOk,
        Reply::UciOk,
        Reply::ReadyOk,
        Reply::NoBestMove,
        Reply::Bye,
        Reply::GarbledMove("xyz draw".into()),
        Reply::Other("Pikafish by someone".into()),
    ]);
    prop_oneof![
        fixed,
        (field, texts()).prop_map(|(field, text)| Reply::Id { field, text }),
        options().prop_map(Reply::Option),
        infos().prop_map(Reply::Info),
        best.prop_map(Reply::BestMove),
        hash.prop_map(Reply::PopHash),
    ]
}

/// Lines that look almost like the protocol: its words, moves and numbers in any order.
fn nonsense() -> impl Strategy<Value = Vec<u8>> {
    let plain = "ucci uci position fen startpos moves go time movestogo increment opptime wtime binc \
        depth nodes searchmoves perft setoption name value option type spin combo var default min \
        info score cp mate pv currmove wdl string bestmove ponder draw pophash lowerbound probe \
        banmoves id bench h2e2 b10c8 a0a0 z9z9 -1 1.5 99999999999999999999999999 # <empty> 9/9";
    let odd = ["\0", "\r", "\t", "帅", "\u{feff}"];
    let vocabulary = prop::sample::select(plain.split(' ').chain(odd).collect::<Vec<_>>());
    let raw = vec(any::<u8>(), 0..6);
    let word = prop_oneof![9 => vocabulary.prop_map(|word| word.as_bytes().to_vec()), 1 => raw];
    vec(word, 0..30).prop_map(|words| words.join(&b' '))
}

proptest! {
    #[test]
    fn commands_round_trip(command in commands(), dialect in dialects()) {
        let line = command.to_line(dialect);
        prop_assert_eq!(Command::parse(line.as_bytes(), dialect), Ok(command), "{}", line);
    }

    #[test]
    fn replies_round_trip(reply in replies(), dialect in dialects()) {
        let line = reply.to_line(dialect);
        prop_assert_eq!(Reply::parse(line.as_bytes(), dialect), reply, "{}", line);
    }

    #[test]
    fn arbitrary_bytes_are_harmless(line in vec(any::<u8>(), 0..300), dialect in dialects()) {
        let _ = Command::parse(&line, dialect);
        let _ = Reply::parse(&line, dialect);
    }

    /// Whatever was understood is understood again in the same way once it was written. Options
    /// are left out: their free texts may begin with the other protocol's keywords.
    #[test]
    fn nonsense_settles(line in nonsense(), dialect in dialects()) {
        match Command::parse(&line, dialect) {
            Err(_) | Ok(Command::SetOption { .. }) => {}
            Ok(command) => {
                let once = command.to_line(dialect);
                prop_assert!(!once.contains(|c: char| c.is_ascii_control()));
                let twice = Command::parse(once.as_bytes(), dialect).map(|command| command.to_line(dialect));
                prop_assert_eq!(twice, Ok(once));
            }
        }
        let reply = Reply::parse(&line, dialect);
        if !matches!(reply, Reply::Option(_)) {
            let once = reply.to_line(dialect);
            prop_assert_eq!(Reply::parse(once.as_bytes(), dialect).to_line(dialect), once);
        }
    }
}

/// A long line of each word takes milliseconds if the time is linear, minutes if it is quadratic.
#[test]
fn long_lines_take_linear_time() {
    let started = std::time::Instant::now();
    for head in [
        "",
        "position fen",
        "position startpos moves",
        "go",
        "setoption name",
        "setoption x",
        "banmoves",
        "info",
        "info pv",
        "option name",
        "option x type combo",
        "bestmove h2e2",
        "id name",
        "pophash",
    ] {
        for word in [
            " a",
            " h2e2",
            " moves",
            " searchmoves",
            " pv",
            " var",
            " type",
            " 9",
            "9",
            " value",
            "\0",
            "\u{feff}",
            " 帅",
            " depth 1",
        ] {
            let line = [head, &word.repeat(100_000 / word.len())].concat();
            for dialect in [Dialect::UCCI, Dialect::UCI] {
                let _ = Command::parse(line.as_bytes(), dialect);
                let _ = Reply::parse(line.as_bytes(), dialect).to_line(dialect);
            }
        }
    }
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

/// The transcripts of the two specifications, command by command.
#[test]
fn transcripts() {
    let ucci = "ucci\nsetoption usemillisec true\nsetoption hashsize 128\nsetoption newgame\nisready\n\
        position startpos moves h2e2\ngo time 180000 increment 2000 opptime 181500 oppincrement 2000\n\
        go ponder time 178070 increment 2000\nponderhit\nstop\n\
        position fen 3ak4/9/4b4/9/9/9/9/9/4A4/3RK4 b - - 0 1 moves e9e8 d0d7 e8e9 d7d0\n\
        banmoves e9e8\ngo draw depth 12\ngo depth 0\nprobe startpos\nquit";
    let uci = "uci\nsetoption name MultiPV value 2\nucinewgame\nisready\n\
        position startpos moves h2e2 h9g7\ngo depth 8\ngo movetime 100\n\
        position fen 4k4/9/9/9/9/9/9/9/9/9 w\ngo perft 5\nstop\nponderhit\nquit";
    for (script, dialect) in [(ucci, Dialect::UCCI), (uci, Dialect::UCI)] {
        for line in script.lines() {
            let command = Command::parse(line.as_bytes(), dialect).unwrap();
            assert!(!matches!(command, Command::Unknown(_)), "{line}");
            assert_eq!(command.to_line(dialect), line);
        }
    }
    let ucci = "id name OurEngine\nid version 1.0\noption usemillisec type check default true\n\
        option hashsize type spin min 0 max 65536 default 64\noption newgame type button\n\
        option bookfiles type string default book.dat\nucciok\nreadyok\n\
        info depth 14 seldepth 21 score -18 time 1930 nodes 3810022 nps 1974000 pv h9g7 h0g2 i9h9 i0h0\n\
        bestmove h9g7 ponder h0g2\nnobestmove\ninfo depth 0 score 4\n\
        pophash bestmove h2e2 lowerbound 3 depth 9 upperbound 3 depth 9\n\
        bestmove e2g4 ponder e7g5 draw\nbye";
    let uci = "id name OurEngine 1.0\nid author The Team\n\
        option name Threads type spin default 1 min 1 max 256\n\
        option name UCI_Variant type combo default xiangqi var xiangqi\nuciok\nreadyok\n\
        info depth 8 seldepth 13 multipv 1 score cp 21 nodes 60120 nps 1503000 hashfull 3 tbhits 0 time 40 pv h0g2 i9h9 i0h0\n\
        info depth 0 score mate 0\nbestmove (none)\nbestmove h0g2 ponder i9h9\n\
        info string position rejected: red king missing (previous position kept)";
    for (script, dialect) in [(ucci, Dialect::UCCI), (uci, Dialect::UCI)] {
        for line in script.lines() {
            let reply = Reply::parse(line.as_bytes(), dialect);
            assert!(!matches!(reply, Reply::Other(_) | Reply::GarbledMove(_)), "{line}");
            assert_eq!(reply.to_line(dialect), line);
        }
    }
}
