//! What a session does on each command.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::board::{Color, MAX_PERFT_DEPTH, excerpt};
use crate::engine::{EngineError, OptionId};
use crate::protocol::{
    Command, Dialect, Go, Info, Mates, ParseError, Protocol, Ranks, Reply, Setup,
};
use crate::rules::PlayError;
use crate::score::{Bound, Score};
use crate::search::Limits;

use super::super::job::{self, Work};
use super::super::{console, translate};
use super::{Message, Search, Session, State};

impl Session {
    /// Commands that are understood at any time; the others only while idle.
    pub(super) fn handle_command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Blank | Command::Quit => Ok(()),
            Command::IsReady => {
                self.engine.prepare();
                self.output.reply(&Reply::ReadyOk)
            }
            Command::Stop => self.stop_on_demand(),
            Command::PonderHit { draw } => {
                self.engine.ponder_hit(draw);
                Ok(())
            }
            Command::Probe(setup) => self.probe(&setup),
            Command::Unknown(text) => {
                self.report_unknown(&format!("unknown command `{}`", excerpt(&text)))
            }
            command if self.is_idle() => self.handle_idle_command(command),
            command => self.refuse(&command),
        }
    }

    fn handle_idle_command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Hello(protocol) => self.handshake(protocol)?,
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Debug(on) => self.set_option("debug", Some(if on { "on" } else { "off" }))?,
            Command::BanMoves { moves, fault } => {
                self.engine.ban_moves(&moves);
                self.report_left_out(fault)?;
            }
            Command::Go(go) => self.go(go)?,
            Command::Bench(depth) => self.work(Work::Bench { depth: depth.trim().parse().ok() })?,
            Command::Flip => self.engine.flip(),
            Command::Display => self.output.text(&console::display(&self.engine))?,
            Command::Tables => self.output.text(&console::tables(&self.engine, self.ranks()))?,
            Command::Book => self.output.text(&console::book(&self.engine, self.ranks()))?,
            Command::Eval => self.output.text(&console::evaluation(&self.engine))?,
            Command::Moves => {
                let position = self.engine.game().position();
                self.output.text(&console::moves(position, self.ranks()))?;
            }
            Command::Help => self.output.text(&console::help())?,
            // dealt with by `handle_line` and `handle_command`
            _ => {}
        }
        Ok(())
    }

    /// A command that has to wait for the end of the search, which the
    /// protocols want to be ignored.
    fn refuse(&mut self, command: &Command) -> io::Result<()> {
        let line = command.to_line(self.output.dialect);
        let is_reported = matches!(command, Command::Go(_)) || !self.is_ucci();
        if is_reported || self.engine.settings().is_on(OptionId::Debug) {
            self.output
                .message(format!("`{}` ignored while thinking; `stop` first", excerpt(&line)))?;
        }
        Ok(())
    }

    /// Reports what means nothing, to a person or in debug mode.
    fn report_unknown(&mut self, what: &str) -> io::Result<()> {
        if self.person || self.engine.settings().is_on(OptionId::Debug) {
            self.output.message(format!("{what} ignored; `help` lists what there is"))?;
        }
        Ok(())
    }

    /// Reports a word that was passed over, the others being taken.
    fn report_left_out(&mut self, fault: Option<ParseError>) -> io::Result<()> {
        fault.map_or(Ok(()), |fault| self.output.message(format!("{fault} (left out)")))
    }

    fn handshake(&mut self, protocol: Protocol) -> io::Result<()> {
        self.opened = Some(protocol);
        self.output.dialect = Dialect { protocol, ..Dialect::UCI };
        self.set_mates();
        translate::introduction(protocol).iter().try_for_each(|reply| self.output.reply(reply))
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let log_file = self.engine.settings().text(OptionId::LogFile).to_owned();
        match self.engine.set_option(name, value) {
            Err(error) if error.is_unknown_option() => {
                return self.report_unknown(&format!("unknown option `{}`", excerpt(name)));
            }
            Err(error) => self.output.message(error.to_string())?,
            Ok(()) => {
                self.set_mates();
                self.pass_remarks()?;
            }
        }
        let new_file = self.engine.settings().text(OptionId::LogFile);
        if new_file != log_file
            && let Err(error) = self.output.log_to(new_file)
        {
            let text = format!("no log: '{}' cannot be written ({error})", excerpt(new_file));
            self.output.message(text)?;
            // the same line may be sent again; the old name was accepted before
            let _ = self.engine.set_option(name, Some(&log_file));
        }
        Ok(())
    }

    /// Names the tables that cannot be used, and the ranks that take no part.
    pub(super) fn pass_remarks(&mut self) -> io::Result<()> {
        self.engine.take_remarks().into_iter().try_for_each(|text| self.output.message(text))
    }

    fn set_mates(&mut self) {
        let keyword = self.engine.settings().is_on(OptionId::MateScores);
        self.output.dialect.mates = if keyword { Mates::Keyword } else { Mates::Number };
    }

    /// Sets the position of a line. The line itself is wanted if its moves
    /// make no sense with ranks from 0 and the program is of the kind that
    /// counts them from 1. The numbering that made sense is spoken from now on.
    pub(super) fn set_position(
        &mut self,
        setup: &Setup,
        line: &[u8],
        dialect: Dialect,
    ) -> io::Result<()> {
        let Err(error) = self.try_position(setup) else {
            self.output.dialect = dialect;
            // UCCI: the position that the moves before it lead to counts
            return setup.fault.as_ref().map_or(Ok(()), |fault| {
                self.output.message(format!("{fault} (position before it kept)"))
            });
        };
        let one = dialect.with_ranks(Ranks::One);
        if !self.is_ucci()
            && self.engine.settings().was_set(OptionId::Variant)
            && self.engine.settings().lowest_rank().is_none()
            && let Ok(Command::Position(setup)) = Command::parse(line, one)
            && self.try_position(&setup).is_ok()
        {
            self.output.dialect = one;
            return Ok(());
        }
        if self.is_ucci()
            && let EngineError::Play(fault @ PlayError::Illegal { number, .. }) = &error
            && self.engine.set_position(setup.start.fen(), &setup.moves[..number - 1]).is_ok()
        {
            self.output.dialect = dialect;
            let text = fault_text(fault, dialect.ranks);
            return self.output.message(format!("{text} (position before it kept)"));
        }
        self.output.message(message_of(&error, dialect.ranks))
    }

    fn try_position(&mut self, setup: &Setup) -> Result<(), EngineError> {
        self.engine.set_position(setup.start.fen(), &setup.moves)
    }

    fn probe(&mut self, setup: &Setup) -> io::Result<()> {
        if let Some(fault) = &setup.fault {
            return self.output.message(fault.to_string());
        }
        match self.engine.probe(setup.start.fen(), &setup.moves) {
            Ok(entry) => self.output.reply(&Reply::PopHash(translate::pop_hash(entry))),
            Err(error) => self.output.message(message_of(&error, self.ranks())),
        }
    }

    fn go(&mut self, mut go: Go) -> io::Result<()> {
        if let Some(word) = &go.skipped {
            self.report_unknown(&format!("`{word}` after `go`"))?;
        }
        self.report_left_out(go.fault.clone())?;
        let position = self.engine.game().position();
        if let Some(&illegal) = go.searchmoves.iter().find(|&&m| !position.is_legal(m)) {
            go.searchmoves.retain(|&m| position.is_legal(m));
            let word = self.ranks().spell(illegal);
            self.output.message(format!("searchmoves: {word} is not legal here (left out)"))?;
        }
        if let Some(depth) = go.perft {
            if depth > MAX_PERFT_DEPTH {
                return self.output.message(format!(
                    "perft {depth} would never end; the depth is at most {MAX_PERFT_DEPTH}"
                ));
            }
            return self.work(Work::Perft { depth });
        }
        if self.is_ucci() && go.depth == Some(0) {
            return self.report_static_value();
        }
        let settings = self.engine.settings();
        let seconds = self.is_ucci() && !settings.is_on(OptionId::UseMilliseconds);
        let unit = if seconds { Duration::from_secs(1) } else { Duration::from_millis(1) };
        let red_to_move = self.engine.game().position().side_to_move() == Color::Red;
        let draw_offered = go.draw;
        self.search(translate::limits_of(go, red_to_move, unit), draw_offered)
    }

    fn search(&mut self, mut limits: Limits, draw_offered: bool) -> io::Result<()> {
        if self.is_batch() {
            translate::limit_for_batch(&mut limits);
        }
        let sender = self.sender.clone();
        let observer = Arc::new(move |event| {
            // the session may be over
            let _ = sender.send(Message::Search(event));
        });
        self.pass_remarks()?;
        match self.engine.go(limits, draw_offered, observer) {
            Ok(()) => self.state = State::Searching(Search::default()),
            Err(error) => self.output.message(error.to_string())?,
        }
        Ok(())
    }

    /// UCCI's `go depth 0`.
    fn report_static_value(&mut self) -> io::Result<()> {
        let score = Some((Score::from_centipawns(self.engine.evaluate()), Bound::Exact));
        self.output.reply(&Reply::Info(Info { depth: Some(0), score, ..Info::default() }))?;
        self.output.reply(&Reply::NoBestMove)
    }

    fn work(&mut self, work: Work) -> io::Result<()> {
        let stop = Arc::new(AtomicBool::new(false));
        let position = self.engine.game().position().clone();
        let threads = self.engine.threads();
        let ranks = self.ranks();
        let sender = self.sender.clone();
        if let Err(error) = job::begin(work, position, threads, ranks, Arc::clone(&stop), sender) {
            return self.output.message(format!("the system gives no thread for it ({error})"));
        }
        self.state = State::Working { stop, began: Instant::now() };
        Ok(())
    }
}

/// What an error says, with the move of a list as its line spells it.
fn message_of(error: &EngineError, ranks: Ranks) -> String {
    match error {
        EngineError::Play(fault) => {
            error.to_string().replacen(&fault.to_string(), &fault_text(fault, ranks), 1)
        }
        _ => error.to_string(),
    }
}

/// What is wrong with a move of a list.
fn fault_text(fault: &PlayError, ranks: Ranks) -> String {
    let (PlayError::Illegal { m, .. } | PlayError::AlreadyOver { m, .. }) = fault;
    fault.to_string().replacen(&m.to_string(), &ranks.spell(*m).to_string(), 1)
}
