//! Files that grow with the games of a match.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::Failure;
use super::arguments::MatchArguments;
use super::pairs::Pairs;
use crate::arena::{GameRecord, Plan, pgn};
use crate::notation::Notation;

/// What is written of each game besides the journal. Both files are begun
/// anew by every run with its first game, which is one of an earlier run if
/// there are any.
pub struct Files {
    pgn: Option<(Out, Notation)>,
    epd: Option<Out>,
    event: pgn::Event,
}

struct Out {
    path: PathBuf,
    /// None before the first game.
    file: Option<File>,
}

impl Files {
    pub fn new(arguments: &MatchArguments, plan: &Plan) -> Result<Files, Failure> {
        let pgn = match &arguments.pgnout {
            None => None,
            Some(words) => {
                let mut pairs = Pairs::new("--pgnout", "file", words);
                let file: String = pairs.need("file")?;
                let notation = match pairs.text("notation") {
                    None => Notation::Iccs,
                    Some(name) => notation(name)?,
                };
                pairs.finish()?;
                Some((Out::new(Path::new(&file)), notation))
            }
        };
        let epd = arguments.epdout.as_deref().map(Out::new);
        let limits = plan.engines.iter().map(|engine| engine.limits);
        let first = plan.engines.first().map(|engine| engine.limits);
        let is_same = limits.into_iter().all(|limits| Some(limits) == first);
        let event = pgn::Event {
            name: arguments.event_name().into(),
            site: arguments.site.clone().unwrap_or_else(|| "?".into()),
            time_control: first.filter(|_| is_same).map(|limits| limits.to_string()),
        };
        Ok(Files { pgn, epd, event })
    }

    pub fn add(&mut self, record: &GameRecord) -> Result<(), Failure> {
        if let Some((out, notation)) = &mut self.pgn {
            let text = pgn::write(record, &self.event, *notation).map_err(Failure::refused)?;
            out.write(&text)?;
        }
        if let Some(out) = &mut self.epd {
            let game = record.replay().map_err(Failure::refused)?;
            out.write(&format!("{}\n", game.position().to_fen()))?;
        }
        Ok(())
    }
}

fn notation(name: &str) -> Result<Notation, Failure> {
    let found = Notation::ALL.into_iter().find(|notation| notation.to_string() == name);
    found.ok_or_else(|| {
        Failure::Invalid(format!("--pgnout notation={name}: want iccs, wxf or chinese"))
    })
}

impl Out {
    fn new(path: &Path) -> Out {
        Out { path: path.into(), file: None }
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        let written = self.open().and_then(|file| file.write_all(text.as_bytes()));
        let path = self.path.display();
        written.map_err(|error| Failure::refused(format!("cannot write {path}: {error}")))
    }

    fn open(&mut self) -> io::Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(File::create(&self.path)?)),
        }
    }
}
