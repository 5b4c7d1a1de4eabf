//! The arguments of `hanxin match`, in the words of other match runners.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as, skip_serializing_none};

use super::config::{engines, repeat, words};
use crate::arena::{Shard, Tournament};

/// What is to be played, how, and what is to be written about it. What is not
/// given is `None`, so that the command line can be laid over a file.
#[serde_as]
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[group(skip)]
pub struct MatchArguments {
    #[command(flatten)]
    #[serde(rename = "engine", deserialize_with = "engines")]
    pub engines: Engines,
    /// Settings of all engines; those of --engine outrank them.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Append)]
    #[serde(deserialize_with = "words")]
    pub each: Option<Vec<String>>,
    /// Read arguments from a TOML file: the long options as keys, with
    /// [[engine]] for every engine (example: --help). Those of the command line
    /// outrank them.
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// A match that is ready but for the opponent: elephanteye.
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub preset: Option<String>,

    /// Who meets whom: gauntlet (the first engine against each other one),
    /// round-robin, knockout or swiss [default: gauntlet].
    #[arg(long, value_name = "KIND", help_heading = "Match")]
    pub tournament: Option<Tournament>,
    /// The game; others than xiangqi are refused.
    #[arg(long, value_name = "NAME", help_heading = "Match")]
    pub variant: Option<String>,
    /// How often everything is played; in a Swiss system the number of rounds
    /// [default: 1].
    #[arg(long, value_name = "N", help_heading = "Match")]
    pub rounds: Option<NonZeroU32>,
    /// Games of each encounter in a round [default: 2].
    #[arg(long, value_name = "N", help_heading = "Match")]
    pub games: Option<NonZeroU32>,
    /// Play every opening twice with colours exchanged (or once, with 1); so
    /// it is unless --norepeat is given.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "2")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=2))]
    #[arg(overrides_with = "norepeat", help_heading = "Match")]
    #[serde(deserialize_with = "repeat")]
    pub repeat: Option<u32>,
    /// Play every opening only once.
    #[arg(long, overrides_with = "repeat", help_heading = "Match")]
    pub norepeat: bool,
    /// Openings: file= (builtin: 1,000 balanced ones), format=fen|epd|pgn|book,
    /// order=random|sequential, plies=N, start=N (from 1).
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Match")]
    #[serde(deserialize_with = "words")]
    pub openings: Option<Vec<String>>,
    /// Seed of all random choices [default: 1].
    #[arg(long, value_name = "SEED", help_heading = "Match")]
    pub srand: Option<u64>,
    /// End the match when a test decides: elo0=, elo1=, alpha=0.05,
    /// beta=0.05, model=logistic|normalised.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Match")]
    #[serde(deserialize_with = "words")]
    pub sprt: Option<Vec<String>>,

    /// How repetitions are judged: axf, cxa or league; engines that have an option
    /// for it get it set. fold=N, natural=N and checks=N set the occurrence that is
    /// judged, the plies without a capture, and how many checks of each side count.
    #[arg(long, value_name = "RULES", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Rules")]
    #[serde(deserialize_with = "words")]
    pub rules: Option<Vec<String>>,
    /// An engine loses that has seen itself lost: movecount=, score=
    /// (centipawns), twosided=true.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Rules")]
    #[serde(deserialize_with = "words")]
    pub resign: Option<Vec<String>>,
    /// A game is drawn that both have seen even: movenumber=, movecount=,
    /// score= (centipawns).
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Rules")]
    #[serde(deserialize_with = "words")]
    pub draw: Option<Vec<String>>,
    /// Games are drawn after so many moves of each side.
    #[arg(long, value_name = "N", help_heading = "Rules")]
    pub maxmoves: Option<NonZeroU32>,
    /// Engines think on the opponent's time.
    #[arg(long, help_heading = "Rules")]
    pub ponder: bool,

    /// Games at the same time, at most 4096 [default: 1; on each rank of a match
    /// started by mpirun: as many as it has cores].
    #[arg(long, value_name = "N", help_heading = "Running")]
    pub concurrency: Option<NonZeroU32>,
    /// Milliseconds between a game and the next one in its place [default: 0].
    #[arg(long, value_name = "MS", help_heading = "Running")]
    pub wait: Option<u32>,
    /// Keep each running engine on a processor core of its own.
    #[arg(long, help_heading = "Running")]
    pub pin: bool,
    /// Go on when an engine does not start any more; it loses those games.
    #[arg(long, help_heading = "Running")]
    pub recover: bool,
    /// Where the match is kept, so that the same command takes it up again
    /// [default: a name made from the arguments].
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    pub journal: Option<PathBuf>,
    /// Play one part of several, such as 1/4; put them together with
    /// `hanxin match merge`.
    #[arg(long, value_name = "K/N", help_heading = "Running")]
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub shard: Option<Shard>,
    /// Check an engine against the list of its protocol instead of playing.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Running")]
    #[serde(deserialize_with = "words")]
    pub check: Option<Vec<String>>,

    /// Write the games: file=, notation=iccs|wxf|chinese. A file with games of
    /// another match is refused.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = ArgAction::Set)]
    #[arg(help_heading = "Output")]
    #[serde(deserialize_with = "words")]
    pub pgnout: Option<Vec<String>>,
    /// Write the last position of each game. A file with those of another match
    /// is refused.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub epdout: Option<PathBuf>,
    /// Write a report as a web page when the match ends.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Name of the event [default: hanxin match].
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub event: Option<String>,
    /// Where it takes place [default: ?].
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub site: Option<String>,
    /// Show the standings after so many games; 0: only at the end [default: 10].
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub ratinginterval: Option<u64>,
    /// Write a line of JSON for every event instead of text.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Show the board of a game that is going on.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub board: bool,
    /// Write all that engines are sent and say to a file, after what it has.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub debug: Option<PathBuf>,
}

impl MatchArguments {
    pub fn event_name(&self) -> &str {
        self.event.as_deref().unwrap_or("hanxin match")
    }
}

/// The settings of each `--engine`, kept apart from one another.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Engines(pub Vec<Vec<String>>);

const ENGINE: &str = "engine";

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Engines, Error> {
        let groups = matches.get_occurrences::<String>(ENGINE);
        Ok(Engines(groups.into_iter().flatten().map(|group| group.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Engines::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Engines {
    fn augment_args(command: Command) -> Command {
        let help = "An engine: cmd=PROGRAM name= dir= arg= proto=ucci|uci rank=0|1 variant= \
                    option.NAME= init= tc=10+0.1 st= depth= nodes= timemargin= restart= ponder= \
                    history=full|capture nomove=lose|ask startup= patience=";
        command.arg(
            Arg::new(ENGINE)
                .long(ENGINE)
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help(help),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Engines::augment_args(command)
    }
}
