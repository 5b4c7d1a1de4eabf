//! The side of rank 0: gives jobs out and gathers results.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use super::protocol::{Job, Timing, numbered, numbers, split, tag};
use super::{Hello, Link, Message};

/// What a dispatcher has to report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "`rank` is the rank that it is about")]
pub enum Event {
    /// A rank is ready to work.
    Joined { rank: usize },
    /// What a worker has said by [`Worker::note`](super::Worker::note).
    Note { rank: usize, bytes: Vec<u8> },
    /// The first result of a job.
    Result { rank: usize, number: u32, bytes: Vec<u8> },
    /// Nothing has been heard of a rank for long; so many of its jobs will be
    /// given to others.
    Silent { rank: usize, jobs: usize },
    /// A silent rank has been heard again.
    Back { rank: usize },
    /// A rank has been ended; so many of its jobs will be given to others.
    Left { rank: usize, jobs: usize },
    /// A rank cannot work, and why.
    Unable { rank: usize, reason: String },
    /// The work cannot go on, and why: a rank does not agree with this one, or
    /// no rank is left that works.
    Fault(String),
}

/// Gives jobs to the other ranks.
pub struct Dispatcher<'a> {
    link: &'a dyn Link,
    hello: Hello,
    timing: Timing,
    /// The ranks from 1.
    peers: Vec<Peer>,
    given: BTreeMap<u32, Given>,
    /// Jobs to be given again.
    returned: VecDeque<Job>,
    events: VecDeque<Event>,
    next_heartbeat: Instant,
    /// When silence was last looked for.
    looked: Instant,
    /// Why a rank cannot work.
    refusal: Option<String>,
}

struct Peer {
    state: State,
    has_joined: bool,
    hello: Hello,
    heard: Instant,
    /// Jobs that it holds without being meant to: they have been given again.
    surplus: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has not said anything yet.
    Starting,
    Working,
    Silent,
    Unable,
    /// It has left.
    Gone,
}

struct Given {
    job: Job,
    rank: usize,
    sent: Instant,
}

impl<'a> Dispatcher<'a> {
    /// A dispatcher for the other ranks of a link, which must agree with the
    /// facts of `hello`.
    pub fn new(link: &'a dyn Link, hello: Hello, timing: Timing) -> Dispatcher<'a> {
        let now = Instant::now();
        let (state, hello_of) = (State::Starting, Hello::default);
        let peer = |_| Peer { state, has_joined: false, hello: hello_of(), heard: now, surplus: 0 };
        Dispatcher {
            link,
            hello,
            timing,
            peers: (1..link.size()).map(peer).collect(),
            given: BTreeMap::new(),
            returned: VecDeque::new(),
            events: VecDeque::new(),
            next_heartbeat: now,
            looked: now,
            refusal: None,
        }
    }

    /// The name of the host of a rank; empty before it has joined.
    pub fn host(&self, rank: usize) -> &str {
        &self.peers[rank - 1].hello.host
    }

    /// Jobs that a rank works on at the same time.
    pub fn slots(&self, rank: usize) -> usize {
        self.peers[rank - 1].hello.slots
    }

    /// Whether no job is given or waits to be given again, and every result has
    /// been reported.
    pub fn is_idle(&self) -> bool {
        self.given.is_empty() && self.returned.is_empty() && self.events.is_empty()
    }

    /// Gives jobs to ranks that have room, groups as a whole. `source` gives
    /// the next group, and `remaining` is how many jobs it still has, about.
    ///
    /// Workers get jobs ahead, so that none waits for a message, but not the
    /// last ones, which another rank may begin sooner.
    pub fn deal(&mut self, remaining: usize, mut source: impl FnMut() -> Option<Vec<Job>>) {
        let ahead: usize = self.working().map(|rank| ahead(self.slots(rank))).sum();
        let is_plenty = remaining > ahead;
        while let Some(rank) = self.roomiest(is_plenty) {
            let group = self.returned.pop_front().map(|job| vec![job]).or_else(&mut source);
            let Some(group) = group else { break };
            group.into_iter().for_each(|job| self.give(job, rank));
        }
    }

    /// The next event; waits for it. `None` after `wait`.
    pub fn next(&mut self, wait: Duration) -> Option<Event> {
        let deadline = Instant::now() + wait;
        loop {
            // what has come before anybody is called silent
            while let Some(message) = self.link.poll(Duration::ZERO) {
                self.handle(message, Instant::now());
            }
            self.tick(Instant::now());
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            if let Some(message) = self.link.poll(left.min(self.timing.heartbeat)) {
                self.handle(message, Instant::now());
            }
        }
    }

    /// Tells all ranks that there is nothing more to do, and waits a little for
    /// their answers. The link is detached if one does not answer.
    pub fn stop(mut self) {
        let deadline = Instant::now() + self.timing.parting;
        while self.is_accompanied() && Instant::now() < deadline {
            let open = self.peers.iter().enumerate().filter(|(_, peer)| peer.state != State::Gone);
            open.for_each(|(index, _)| self.link.send(index + 1, tag::STOP, &[]));
            let round = Instant::now() + self.timing.heartbeat;
            while self.is_accompanied() && Instant::now() < round {
                let left = round.saturating_duration_since(Instant::now());
                if let Some(message) = self.link.poll(left) {
                    self.handle(message, Instant::now());
                }
            }
        }
        if self.is_accompanied() {
            self.link.detach();
        }
    }

    /// Whether another rank has not left yet.
    fn is_accompanied(&self) -> bool {
        self.peers.iter().any(|peer| peer.state != State::Gone)
    }

    /// Takes a message in.
    fn handle(&mut self, message: Message, now: Instant) {
        let Message { from: rank, tag, bytes } = message;
        let Some(peer) = rank.checked_sub(1).and_then(|index| self.peers.get_mut(index)) else {
            return;
        };
        peer.heard = now;
        if peer.state == State::Silent {
            peer.state = if peer.has_joined { State::Working } else { State::Starting };
            self.events.push_back(Event::Back { rank });
        }
        match tag {
            tag::HELLO => self.greet(rank, &bytes),
            tag::HEARTBEAT => self.compare(rank, &numbers(&bytes).collect(), now),
            tag::RESULT => self.gather(rank, &bytes),
            tag::NOTE => self.events.push_back(Event::Note { rank, bytes }),
            tag::UNABLE => {
                let text = String::from_utf8_lossy(&bytes);
                let (host, reason) = text.split_once('\n').unwrap_or(("", &text));
                self.peers[rank - 1].hello.host = host.to_owned();
                let reason = reason.to_owned();
                self.refusal = Some(format!("rank {rank} on {host}: {reason}"));
                self.give_up(rank, State::Unable, |_| Event::Unable { rank, reason });
            }
            tag::LEAVE => {
                self.give_up(rank, State::Gone, |jobs| Event::Left { rank, jobs });
            }
            _ => {}
        }
    }

    fn greet(&mut self, rank: usize, bytes: &[u8]) {
        if self.peers[rank - 1].state != State::Starting {
            // the answer was lost, or is under way
            return self.link.send(rank, tag::HEARTBEAT, &[]);
        }
        match self.hello.admit(rank, bytes) {
            Ok(hello) => {
                let peer = &mut self.peers[rank - 1];
                (peer.hello, peer.has_joined, peer.state) = (hello, true, State::Working);
                self.link.send(rank, tag::HEARTBEAT, &[]);
                self.events.push_back(Event::Joined { rank });
            }
            Err(text) => self.events.push_back(Event::Fault(text)),
        }
    }

    /// Compares what a worker holds with what it was given: what it does not
    /// hold was lost on the way.
    fn compare(&mut self, rank: usize, held: &BTreeSet<u32>, now: Instant) {
        let is_given =
            |number: &&u32| self.given.get(number).is_some_and(|given| given.rank == rank);
        self.peers[rank - 1].surplus = held.len() - held.iter().filter(is_given).count();
        for (number, given) in &mut self.given {
            let is_old = now.saturating_duration_since(given.sent) > self.timing.resend;
            if given.rank == rank && is_old && !held.contains(number) {
                given.sent = now;
                self.link.send(rank, tag::JOB, &numbered(*number, &given.job.bytes));
            }
        }
    }

    fn gather(&mut self, rank: usize, bytes: &[u8]) {
        let Some((number, result)) = split(bytes) else { return };
        self.link.send(rank, tag::CONFIRM, &number.to_le_bytes());
        let was_given = self.given.remove(&number).is_some();
        let place = self.returned.iter().position(|job| job.number == number);
        if was_given || place.is_some() {
            place.and_then(|place| self.returned.remove(place));
            self.events.push_back(Event::Result { rank, number, bytes: result.to_vec() });
        }
    }

    /// Takes all jobs back from a rank.
    fn give_up(&mut self, rank: usize, state: State, event: impl FnOnce(usize) -> Event) {
        if self.peers[rank - 1].state == state {
            return;
        }
        self.peers[rank - 1].state = state;
        let lost = self.given.extract_if(.., |_, given| given.rank == rank);
        let lost: Vec<Job> = lost.map(|(_, given)| given.job).collect();
        self.events.push_back(event(lost.len()));
        self.returned.extend(lost);
        if self.peers.iter().all(|peer| !matches!(peer.state, State::Starting | State::Working)) {
            let silence = || "no rank answers any more".to_owned();
            self.events.push_back(Event::Fault(self.refusal.clone().unwrap_or_else(silence)));
        }
    }

    /// Does what is due: heartbeats, and the search for silent ranks.
    fn tick(&mut self, now: Instant) {
        // whoever has slept, with the whole machine perhaps, cannot have heard
        let gap = now.saturating_duration_since(self.looked);
        if gap > self.timing.silence / 2 {
            self.peers.iter_mut().for_each(|peer| peer.heard += gap);
        }
        self.looked = now;
        if now >= self.next_heartbeat {
            self.next_heartbeat = now + self.timing.heartbeat;
            self.working().for_each(|rank| self.link.send(rank, tag::HEARTBEAT, &[]));
        }
        for rank in 1..=self.peers.len() {
            let Peer { state, heard, .. } = self.peers[rank - 1];
            let limit = match state {
                State::Starting => self.timing.patience,
                State::Working => self.timing.silence,
                _ => continue,
            };
            if now.saturating_duration_since(heard) > limit {
                self.give_up(rank, State::Silent, |jobs| Event::Silent { rank, jobs });
            }
        }
    }

    fn working(&self) -> impl Iterator<Item = usize> + '_ {
        (1..=self.peers.len()).filter(|rank| self.peers[rank - 1].state == State::Working)
    }

    /// The working rank with the most room, if one has any.
    fn roomiest(&self, is_plenty: bool) -> Option<usize> {
        let mut load = vec![0; self.peers.len() + 1];
        self.given.values().for_each(|given| load[given.rank] += 1);
        let room = |rank: usize| {
            let slots = self.slots(rank);
            let most = slots + if is_plenty { ahead(slots) } else { 0 };
            most.saturating_sub(load[rank] + self.peers[rank - 1].surplus)
        };
        let rooms = self.working().map(|rank| (room(rank), rank)).filter(|(room, _)| *room > 0);
        // of equals the one with the lower number
        rooms.max_by_key(|&(room, rank)| (room, usize::MAX - rank)).map(|(_, rank)| rank)
    }

    fn give(&mut self, job: Job, rank: usize) {
        self.link.send(rank, tag::JOB, &numbered(job.number, &job.bytes));
        self.given.insert(job.number, Given { job, rank, sent: Instant::now() });
    }
}

/// Jobs that wait at a worker while its slots are busy: a pair of games, or
/// more where many may end at once.
fn ahead(slots: usize) -> usize {
    (slots / 4).max(2)
}

#[cfg(test)]
mod tests {
    use super::super::{Local, Network};
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A dispatcher that is told what time it is and what has been said; what
    /// it says itself arrives at once.
    struct Scene<'a> {
        dispatcher: Dispatcher<'a>,
        ranks: &'a [Local],
        now: Instant,
        next: u32,
        end: u32,
    }

    fn hello(slots: usize) -> Hello {
        Hello { host: "ha".into(), slots, facts: vec![("plan".into(), "1".into())] }
    }

    impl<'a> Scene<'a> {
        /// All ranks have joined, with a slot each.
        fn new(ranks: &'a [Local], end: u32) -> Scene<'a> {
            let dispatcher = Dispatcher::new(&ranks[0], hello(0), Timing::default());
            let now = Instant::now();
            let mut scene = Scene { dispatcher, ranks, now, next: 0, end };
            for rank in 1..ranks.len() {
                scene.says(rank, tag::HELLO, &hello(1).encode());
                assert_eq!(scene.event(), Some(Event::Joined { rank }));
            }
            scene
        }

        fn says(&mut self, rank: usize, tag: u8, bytes: &[u8]) {
            let bytes = bytes.to_vec();
            self.dispatcher.handle(Message { from: rank, tag, bytes }, self.now);
        }

        fn holds(&mut self, rank: usize, numbers: &[u32]) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            self.says(rank, tag::HEARTBEAT, &bytes);
        }

        fn event(&mut self) -> Option<Event> {
            self.dispatcher.events.pop_front()
        }

        /// Deals jobs in groups of two.
        fn deal(&mut self) {
            let remaining = (self.end - self.next) as usize;
            let source = || {
                let first = self.next;
                self.next = self.end.min(first + 2);
                let job = |number| Job { number, bytes: vec![7] };
                (first < self.next).then(|| (first..self.next).map(job).collect())
            };
            self.dispatcher.deal(remaining, source);
        }

        /// The numbers of the jobs that have arrived at a rank.
        fn jobs(&self, rank: usize) -> Vec<u32> {
            let messages = std::iter::from_fn(|| self.ranks[rank].poll(Duration::ZERO));
            let jobs = messages.filter(|message| message.tag == tag::JOB);
            jobs.filter_map(|message| split(&message.bytes).map(|(number, _)| number)).collect()
        }

        fn pass(&mut self, time: Duration) {
            self.now += time;
            self.dispatcher.tick(self.now);
        }
    }

    fn ranks(size: usize) -> Vec<Local> {
        Local::group(size, Network::default())
    }

    #[test]
    fn results_that_arrive_together_are_all_reported_before_the_end() {
        let ranks = ranks(3);
        let mut scene = Scene::new(&ranks, 2);
        scene.deal();
        for (rank, other) in [(1, 2), (2, 1)] {
            for number in scene.jobs(rank) {
                scene.says(other, tag::RESULT, &numbered(number, &[9]));
            }
        }
        let mut reported = 0;
        while !scene.dispatcher.is_idle() {
            assert!(matches!(scene.event(), Some(Event::Result { .. })));
            reported += 1;
        }
        assert_eq!(reported, 2);
    }

    #[test]
    fn groups_stay_together_and_keep_ahead_until_the_last_ones() {
        let ranks = ranks(3);
        let mut scene = Scene::new(&ranks, 12);
        scene.deal();
        assert_eq!((scene.jobs(1), scene.jobs(2)), (vec![0, 1, 4, 5], vec![2, 3, 6, 7]));
        for number in [0, 1] {
            scene.says(1, tag::RESULT, &numbered(number, b"result"));
        }
        let result = |number| Event::Result { rank: 1, number, bytes: b"result".to_vec() };
        assert_eq!((scene.event(), scene.event()), (Some(result(0)), Some(result(1))));
        scene.deal();
        assert_eq!((scene.jobs(1), scene.jobs(2)), (vec![], vec![]), "the last ones wait");
        for number in [4, 5] {
            scene.says(1, tag::RESULT, &numbered(number, &[]));
        }
        scene.deal();
        assert_eq!((scene.jobs(1), scene.jobs(2)), (vec![8, 9], vec![]));
    }

    #[test]
    fn a_result_counts_once() {
        let ranks = ranks(2);
        let mut scene = Scene::new(&ranks, 2);
        scene.deal();
        for _ in 0..2 {
            scene.says(1, tag::RESULT, &numbered(1, &[]));
        }
        assert!(matches!(scene.event(), Some(Event::Result { number: 1, .. })));
        assert_eq!(scene.event(), None);
        scene.says(1, tag::RESULT, &numbered(99, &[]));
        scene.says(1, tag::RESULT, &[1, 2]);
        assert_eq!((scene.event(), scene.dispatcher.is_idle()), (None, false));
        scene.says(1, tag::RESULT, &numbered(0, &[]));
        assert!(matches!(scene.event(), Some(Event::Result { number: 0, .. })));
        assert!(scene.dispatcher.is_idle());
    }

    #[test]
    fn jobs_of_a_silent_rank_are_given_again() {
        let ranks = ranks(3);
        let mut scene = Scene::new(&ranks, 4);
        scene.deal();
        assert_eq!((scene.jobs(1), scene.jobs(2)), (vec![0, 1], vec![2, 3]));
        for _ in 0..4 {
            scene.pass(3 * SECOND);
            scene.holds(2, &[2, 3]);
        }
        assert_eq!(scene.event(), Some(Event::Silent { rank: 1, jobs: 2 }));
        scene.says(2, tag::RESULT, &numbered(2, &[]));
        scene.says(2, tag::RESULT, &numbered(3, &[]));
        scene.deal();
        assert_eq!(scene.jobs(2), [0]);
        // it was only slow: its result counts, and the other one's does not
        let _ = (scene.event(), scene.event());
        scene.says(1, tag::RESULT, &numbered(0, b"late"));
        assert_eq!(scene.event(), Some(Event::Back { rank: 1 }));
        assert!(matches!(scene.event(), Some(Event::Result { rank: 1, number: 0, .. })));
        scene.says(2, tag::RESULT, &numbered(0, b"second"));
        assert_eq!(scene.event(), None);
        // a job that waits to be given again counts as well
        scene.says(1, tag::RESULT, &numbered(1, b"late"));
        assert!(matches!(scene.event(), Some(Event::Result { rank: 1, number: 1, .. })));
        assert!(scene.dispatcher.is_idle());
    }

    #[test]
    fn what_was_lost_on_the_way_is_sent_again() {
        let ranks = ranks(2);
        let mut scene = Scene::new(&ranks, 2);
        scene.deal();
        assert_eq!(scene.jobs(1), [0, 1]);
        scene.holds(1, &[1]);
        assert!(scene.jobs(1).is_empty(), "it may be on its way");
        scene.pass(4 * SECOND);
        scene.holds(1, &[1]);
        assert_eq!(scene.jobs(1), [0]);
    }

    #[test]
    fn without_ranks_nothing_goes_on() {
        let ranks = ranks(3);
        let mut scene = Scene::new(&ranks, 2);
        scene.deal();
        scene.says(1, tag::UNABLE, b"hb\nno engine");
        let reason = "no engine".into();
        assert_eq!(scene.event(), Some(Event::Unable { rank: 1, reason }));
        assert_eq!(scene.dispatcher.host(1), "hb");
        (0..4).for_each(|_| scene.pass(3 * SECOND));
        assert_eq!(scene.event(), Some(Event::Silent { rank: 2, jobs: 0 }));
        assert_eq!(scene.event(), Some(Event::Fault("rank 1 on hb: no engine".into())));
    }

    #[test]
    fn a_rank_may_come_late() {
        let ranks = ranks(2);
        let mut dispatcher = Dispatcher::new(&ranks[0], hello(0), Timing::default());
        let begin = Instant::now();
        (1..30).for_each(|step| dispatcher.tick(begin + step * 3 * SECOND));
        let (bytes, later) = (hello(1).encode(), begin + 90 * SECOND);
        dispatcher.handle(Message { from: 1, tag: tag::HELLO, bytes }, later);
        let events: Vec<Event> = dispatcher.events.drain(..).collect();
        let silent = Event::Silent { rank: 1, jobs: 0 };
        let (back, joined) = (Event::Back { rank: 1 }, Event::Joined { rank: 1 });
        let fault = Event::Fault("no rank answers any more".into());
        assert_eq!(events, [silent, fault, back, joined]);
        assert_eq!(dispatcher.slots(1), 1);
    }

    #[test]
    fn jobs_of_a_rank_that_leaves_are_given_again() {
        let ranks = ranks(3);
        let mut scene = Scene::new(&ranks, 2);
        scene.deal();
        assert_eq!(scene.jobs(1), [0, 1]);
        scene.says(1, tag::LEAVE, &[]);
        assert_eq!(scene.event(), Some(Event::Left { rank: 1, jobs: 2 }));
        scene.deal();
        assert_eq!(scene.jobs(2), [0], "one at a time, as they are the last ones");
    }

    #[test]
    fn a_pause_of_the_whole_machine_is_not_silence() {
        let ranks = ranks(2);
        let mut scene = Scene::new(&ranks, 2);
        scene.pass(3600 * SECOND);
        assert_eq!(scene.event(), None);
    }

    #[test]
    fn ranks_that_differ_are_refused_in_one_line() {
        let ranks = ranks(2);
        let mut dispatcher = Dispatcher::new(&ranks[0], hello(0), Timing::default());
        let facts = vec![("plan".into(), "2".into())];
        let other = Hello { host: "hb".into(), slots: 1, facts };
        let message = |bytes| Message { from: 1, tag: tag::HELLO, bytes };
        dispatcher.handle(message(other.encode()), Instant::now());
        let Some(Event::Fault(text)) = dispatcher.events.pop_front() else { panic!() };
        assert!(text.starts_with("rank 1 on hb has plan 2, rank 0 on ha has plan 1;"), "{text}");
        dispatcher.handle(message(b"GET /".to_vec()), Instant::now());
        let Some(Event::Fault(text)) = dispatcher.events.pop_front() else { panic!() };
        assert!(text.contains("rank 1 is another program") && !text.contains('\n'), "{text}");
    }
}
