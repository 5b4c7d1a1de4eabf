//! `hanxin lab compare`: all variants on the same positions.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::arena::text_table;
use crate::board::Position;
use crate::lab::{Measured, Settings, Variant, Xiangqi, minimal_leaves, variants};
use crate::score::Score;
use crate::util::open_regular;

use super::{Failure, find_variant};

const EXAMPLES: &str = "\
Examples:
  hanxin lab compare --depth 3
  hanxin lab compare --file positions.csv --depth 4 --variant fail-soft+all \\
      --variant mtd-two-bounds+all --json

Nodes grow by the number of moves with each ply of minimax: depth 4 takes minutes.
Repetitions do not count. Exit code 1: exact variants disagree.";

/// Compare nodes, time and score of the algorithms by depth.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The position; the start of a game if there is none.
    #[arg(long)]
    fen: Option<String>,
    /// All positions of a CSV file; column: fen. Nodes and times are added up.
    #[arg(long, value_name = "CSV", conflicts_with = "fen")]
    file: Option<PathBuf>,
    /// Plies.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Only this variant; may be given several times.
    #[arg(long = "variant", value_name = "NAME")]
    variants: Vec<String>,
    /// Resolve the leaves of all variants by captures.
    #[arg(long)]
    quiescence: bool,
    /// Extend checks and single replies in all variants.
    #[arg(long)]
    extensions: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let variants = self.chosen()?;
        let positions = self.positions()?;
        let compared: Vec<Compared> = variants
            .into_iter()
            .map(|variant| Compared::measure(variant, &positions, self.depth))
            .collect();
        if self.json {
            let variants: Vec<Value> = compared.iter().map(Compared::to_json).collect();
            writeln!(out, "{:#}", json!({ "depth": self.depth, "variants": variants }))?;
        } else {
            writeln!(out, "{}", self.table(&positions, &compared))?;
        }
        agree(&positions, &compared)
    }

    /// The variants asked for, or all.
    fn chosen(&self) -> Result<Vec<Variant>, Failure> {
        let all = variants(Settings {
            quiescence: self.quiescence,
            extend_checks: self.extensions,
            extend_single_replies: self.extensions,
            ..Settings::default()
        });
        if self.variants.is_empty() {
            return Ok(all);
        }
        self.variants.iter().map(|name| find_variant(&all, name)).collect()
    }

    fn positions(&self) -> Result<Vec<Position>, Failure> {
        if let Some(path) = &self.file {
            return read_positions(path);
        }
        let Some(fen) = &self.fen else { return Ok(vec![Position::startpos()]) };
        let position = Position::from_fen(fen);
        Ok(vec![position.map_err(|error| Failure::invalid(format!("bad FEN: {error}")))?])
    }

    /// A row for each variant: nodes by depth, then the deepest search, and at
    /// the end the minimal tree.
    fn table(&self, positions: &[Position], compared: &[Compared]) -> String {
        let depths = (1..=self.depth).map(|depth| format!("depth {depth}"));
        let mut titles = vec!["nodes".to_owned()];
        titles.extend(depths);
        titles.extend(["seconds", "score", "move"].map(str::to_owned));
        let mut minimal = vec!["minimal tree, leaves".to_owned()];
        minimal.extend((1..=self.depth).map(|depth| {
            let leaves = positions
                .iter()
                .map(|position| minimal_leaves(position.count_legal_moves() as f64, depth));
            format!("{:.0}", leaves.sum::<f64>())
        }));
        minimal.resize(titles.len(), String::new());
        let rows = compared.iter().map(|compared| compared.to_row(self.depth));
        text_table(std::iter::once(titles).chain(rows).chain([minimal]))
    }
}

/// Reads the column `fen` of a CSV file.
fn read_positions(path: &Path) -> Result<Vec<Position>, Failure> {
    let invalid = |reason: String| Failure::Invalid(format!("{}: {reason}", path.display()));
    let file = open_regular(path, File::options().read(true));
    let file = file.map_err(|error| invalid(error.to_string()))?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(file);
    let headers = reader.headers().map_err(|error| invalid(error.to_string()))?;
    let Some(column) = headers.iter().position(|header| header == "fen") else {
        return Err(invalid("no column 'fen'".to_owned()));
    };
    let positions = reader.records().enumerate().map(|(index, record)| {
        let record = record.map_err(|error| invalid(error.to_string()))?;
        let position = Position::from_fen(record.get(column).unwrap_or_default());
        position.map_err(|error| invalid(format!("record {}: {error}", index + 1)))
    });
    let positions: Vec<_> = positions.collect::<Result<_, _>>()?;
    if positions.is_empty() {
        return Err(invalid("no positions".to_owned()));
    }
    Ok(positions)
}

/// One variant: its searches by position, then by depth.
struct Compared {
    variant: Variant,
    searches: Vec<Vec<Measured>>,
}

impl Compared {
    fn measure(variant: Variant, positions: &[Position], depth: u32) -> Compared {
        let games = positions.iter().cloned().map(Xiangqi::new);
        let searches = games.map(|game| variant.measure(&game, depth)).collect();
        Compared { variant, searches }
    }

    /// The searches to this depth, by position.
    fn at(&self, depth: u32) -> impl Iterator<Item = &Measured> {
        self.searches.iter().filter_map(move |searches| searches.get(depth as usize - 1))
    }

    /// The deepest search of each position.
    fn deepest(&self) -> impl Iterator<Item = &Measured> {
        self.searches.iter().filter_map(|searches| searches.last())
    }

    fn nodes(&self, depth: u32) -> u64 {
        self.at(depth).map(|search| search.nodes).sum()
    }

    fn seconds(&self) -> f64 {
        self.deepest().map(|search| search.time.as_secs_f64()).sum()
    }

    fn to_row(&self, depth: u32) -> Vec<String> {
        let mut row = vec![self.variant.name.clone()];
        row.extend((1..=depth).map(|depth| self.nodes(depth).to_string()));
        row.push(format!("{:.3}", self.seconds()));
        match &self.searches[..] {
            [_] => row.extend(self.deepest().flat_map(|s| [s.score.to_string(), s.best.clone()])),
            _ => row.extend([String::new(), String::new()]),
        }
        row
    }

    /// `value` and `best` are those of the first position; `positions` has all.
    fn to_json(&self) -> Value {
        let to_json = |search: &Measured| {
            json!({
                "depth": search.depth,
                "value": search.score.raw(),
                "best": search.best,
                "nodes": search.nodes,
                "seconds": search.time.as_secs_f64(),
            })
        };
        let by_depth = |searches: &Vec<Measured>| searches.iter().map(to_json).collect::<Value>();
        let first = self.deepest().next();
        json!({
            "name": self.variant.name,
            "exact": self.variant.settings.is_exact(),
            "value": first.map(|search| search.score.raw()),
            "best": first.map(|search| search.best.clone()),
            "nodes": self.deepest().map(|search| search.nodes).sum::<u64>(),
            "seconds": self.seconds(),
            "positions": self.searches.iter().map(by_depth).collect::<Value>(),
        })
    }
}

/// Fails if two exact variants found different scores.
fn agree(positions: &[Position], compared: &[Compared]) -> Result<(), Failure> {
    let exact: Vec<_> = compared.iter().filter(|c| c.variant.settings.is_exact()).collect();
    let Some((first, others)) = exact.split_first() else { return Ok(()) };
    for (index, position) in positions.iter().enumerate() {
        let scores = |compared: &Compared| -> Vec<Score> {
            compared.searches[index].iter().map(|search| search.score).collect()
        };
        if let Some(other) = others.iter().find(|other| scores(other) != scores(first)) {
            return Err(Failure::refused(format!(
                "{} and {} are exact but differ on {}",
                first.variant.name,
                other.variant.name,
                position.to_fen()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(depth: u32) -> (Vec<Position>, Vec<Compared>) {
        let positions = vec![Position::startpos()];
        let chosen = variants(Settings::default()).into_iter().filter(|variant| {
            ["fail-soft+all", "mtd-two-bounds+all"].contains(&variant.name.as_str())
        });
        let compared = chosen.map(|variant| Compared::measure(variant, &positions, depth));
        let compared = compared.collect();
        (positions, compared)
    }

    #[test]
    fn one_different_score_of_an_exact_variant_is_a_failure() {
        let (positions, mut compared) = compared(2);
        assert!(agree(&positions, &compared).is_ok());
        let search = &mut compared[1].searches[0][0];
        search.score = search.score + 1;
        let failure = agree(&positions, &compared).unwrap_err().to_string();
        assert!(failure.starts_with("fail-soft+all and mtd-two-bounds+all"), "{failure}");
        compared[1].variant.settings.margin = 1;
        assert!(agree(&positions, &compared).is_ok(), "it is no longer exact");
    }

    #[test]
    fn json_has_the_deepest_search_and_all_others() {
        let (_, compared) = compared(2);
        let json = compared[0].to_json();
        assert_eq!(json["name"], "fail-soft+all");
        assert_eq!(json["exact"], true);
        assert_eq!(json["nodes"], json["positions"][0][1]["nodes"]);
        assert_eq!(json["value"], json["positions"][0][1]["value"]);
        assert_eq!(json["positions"][0].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn a_file_without_positions_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.csv");
        for (text, reason) in [
            ("id\n1\n", "no column 'fen'"),
            ("fen\n", "no positions"),
            ("fen\nnonsense\n", "record 1"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read_positions(&path).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
