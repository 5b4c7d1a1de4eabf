//! Conversations with rank 0 of several that search together, over networks
//! that delay, lose and double messages.

use crate::board::{Move, Position};
use crate::engine::{FollowError, follow};
use crate::link::{Hello, Link, Local, Network, Ranks, Timing};

use super::*;

/// Ranks in this process.
struct Party {
    talk: Talk,
    links: Vec<Arc<Local>>,
    followers: Vec<JoinHandle<Result<(), FollowError>>>,
}

impl Party {
    fn new(size: usize, network: Network, timing: Timing) -> Party {
        let links: Vec<_> = Local::group(size, network).into_iter().map(Arc::new).collect();
        let ranks = |link: &Arc<Local>| {
            let hello = Hello::new("here".into(), 1, &[]);
            Ranks { link: Arc::clone(link) as _, hello, timing }
        };
        let follower = |link| {
            let ranks = ranks(link);
            thread::spawn(move || follow(ranks))
        };
        let followers = links[1..].iter().map(follower).collect();
        let engine = Engine::leading(ranks(&links[0])).unwrap();
        let mut talk = Talk::with(engine, false).opened("uci");
        talk.say("setoption name Hash value 2");
        talk.say("setoption name OwnBook value false");
        talk.say("isready");
        talk.expect("readyok");
        Party { talk, links, followers }
    }

    /// The lines of a search from the starting position, which ends with a
    /// legal move.
    fn search(&mut self, go: &str) -> Vec<String> {
        self.talk.say("position startpos");
        self.talk.say(go);
        self.answer()
    }

    fn answer(&mut self) -> Vec<String> {
        let lines = self.talk.until("bestmove ");
        let best: Move = lines[lines.len() - 1].split(' ').nth(1).unwrap().parse().unwrap();
        assert!(Position::startpos().is_legal(best), "{best}");
        lines
    }

    /// Ends the conversation; all ranks leave, but for these.
    fn quit(mut self, lost: &[usize]) {
        self.talk.say("quit");
        self.finish(lost);
    }

    /// What follows on `quit`.
    fn finish(self, lost: &[usize]) {
        self.talk.finish();
        for (rank, follower) in (1..).zip(self.followers) {
            let left = follower.join().unwrap();
            assert_eq!(left.is_ok(), !lost.contains(&rank), "rank {rank}: {left:?}");
        }
        assert_eq!(self.links[0].is_detached(), !lost.is_empty());
    }
}

/// Lines that say something in words.
fn remarks(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info string")).collect()
}

#[test]
fn ranks_search_together_whatever_the_distance() {
    for delay in [0, 20, 100].map(Duration::from_millis) {
        let mut party = Party::new(3, Network { delay, ..Network::default() }, Timing::LOCAL);
        let lines = party.search("go depth 7");
        assert_eq!(remarks(&lines), [""; 0]);
        party.search("go movetime 120");
        party.talk.say("go infinite");
        party.talk.expect("info depth 3");
        party.talk.say("stop");
        party.answer();
        party.talk.say("go ponder wtime 3000 btime 3000");
        party.talk.expect("info depth 3");
        party.talk.say("ponderhit");
        party.answer();
        party.talk.say("setoption name MultiPV value 2");
        let lines = party.search("go depth 6");
        for line in ["info depth 6 ", " multipv 2 "] {
            assert!(lines.iter().any(|shown| shown.contains(line)), "{line}: {lines:#?}");
        }
        party.talk.say("ucinewgame");
        party.search("go nodes 20000");
        party.quit(&[]);
    }
}

#[test]
fn a_search_that_ends_late_is_waited_for() {
    let network = Network { delay: Duration::from_millis(100), ..Network::default() };
    let mut party = Party::new(2, network, Timing::LOCAL);
    party.talk.say("go infinite");
    party.talk.expect("info depth 3");
    party.talk.say("quit");
    party.answer();
    party.finish(&[]);
}

#[test]
fn messages_may_be_lost_or_come_twice() {
    let network = Network { loss: 20, doubled: 20, seed: 7, ..Network::default() };
    let mut party = Party::new(3, network, Timing::LOCAL);
    for go in ["go depth 6", "go nodes 20000", "go movetime 50"].repeat(3) {
        party.search(go);
    }
    party.talk.say("quit");
    party.talk.finish();
    // the word that one leaves may be lost as well
    for follower in party.followers {
        let left = follower.join().unwrap();
        assert!(left.is_ok(), "{left:?}");
    }
}

#[test]
fn a_rank_that_dies_is_named_once() {
    let timing = Timing {
        silence: Duration::from_millis(700),
        patience: Duration::from_secs(2),
        ..Timing::LOCAL
    };
    let mut party = Party::new(3, Network::default(), timing);
    party.talk.say("go infinite");
    party.talk.expect("info depth 3");
    party.links[1].kill();
    party.talk.say("stop");
    let mut lines = party.answer();
    let is_named = |lines: &[String]| {
        lines.iter().filter(|line| line.contains("rank 1 on here does not answer")).count()
    };
    let deadline = Instant::now() + PATIENCE;
    while is_named(&lines) == 0 {
        assert!(Instant::now() < deadline, "nobody misses it");
        lines.extend(party.search("go movetime 50"));
    }
    (0..3).for_each(|_| lines.extend(party.search("go depth 6")));
    assert_eq!(is_named(&lines), 1, "{lines:#?}");
    party.quit(&[1]);
}
