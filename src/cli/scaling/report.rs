//! What was measured: as a table for people, CSV, JSON and a plot.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::util::text_table;
use crate::util::{Machine, write_whole};

use super::super::cannot_write;
use super::Failure;
use super::measure::{Plan, Row, Sample, summarise};
use super::plot;
use super::statistics::Spread;

/// The files of a comparison in a folder: CSV, JSON and the plot.
pub fn files(folder: &Path) -> [PathBuf; 3] {
    ["csv", "json", "svg"].map(|extension| folder.join("bench-threads").with_extension(extension))
}

/// A comparison: what was measured, on which machine.
pub struct Report {
    machine: Machine,
    /// How busy the machine was before, see [`load`](crate::util::load).
    load: Option<f64>,
    plan: Plan,
    samples: Vec<Sample>,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(machine: Machine, load: Option<f64>, plan: Plan, samples: Vec<Sample>) -> Report {
        let rows = summarise(&plan.threads, &samples);
        Report { machine, load, plan, samples, rows }
    }

    /// Writes the [`files`] into a folder.
    pub fn save(&self, folder: &Path) -> Result<(), Failure> {
        let json = format!("{:#}\n", self.to_json());
        let svg = plot::draw(&self.rows, self.plan.depth, &self.headings());
        let svg =
            svg.map_err(|error| Failure::refused(format!("cannot draw the plot: {error}")))?;
        for (path, bytes) in files(folder).iter().zip([self.to_csv()?, json.into(), svg.into()]) {
            write_whole(path, &bytes).map_err(|error| cannot_write(path, error))?;
        }
        Ok(())
    }

    /// The machine and what was done on it, a line each.
    fn headings(&self) -> [String; 2] {
        let Plan { positions, repetitions, hash, move_time, depth, .. } = &self.plan;
        let (positions, time) = (positions.len(), move_time.as_millis());
        let load = self.load.map_or(String::new(), |load| format!(", load before {load:.1}"));
        [
            format!("{} on {}, build {}{load}", engine(), self.machine, build()),
            format!(
                "{positions} positions, repeated {repetitions} times, hash {hash} MB, \
                 {time} ms a position for nodes per second, depth {depth}"
            ),
        ]
    }

    pub fn to_json(&self) -> Value {
        json!({
            "engine": engine(),
            "machine": {
                "processor": self.machine.processor,
                "cores": self.machine.cores,
                "memory_mb": self.machine.memory.map(|memory| memory.total),
                "system": self.machine.system,
                "load_before": self.load,
                "build": build(),
            },
            "settings": {
                "threads": self.plan.threads,
                "positions": self.plan.positions.iter().map(|p| p.to_fen()).collect::<Vec<_>>(),
                "repetitions": self.plan.repetitions,
                "hash_mb": self.plan.hash,
                "move_time_ms": self.plan.move_time.as_millis() as u64,
                "depth": self.plan.depth,
            },
            "summary": self.rows,
            "samples": self.samples.iter().map(sample_to_json).collect::<Vec<_>>(),
        })
    }

    /// A line for each number of threads; the settings and the machine stand
    /// in each, so that the lines of several machines can be put together.
    fn to_csv(&self) -> Result<Vec<u8>, Failure> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = vec!["threads".to_owned()];
        for figure in ["nps", "nps_speedup", "seconds_to_depth", "depth_speedup"] {
            header.extend(["min", "median", "max"].map(|which| format!("{figure}_{which}")));
        }
        let settings = ["depth", "positions", "repetitions", "hash_mb", "move_time_ms"];
        header.extend(settings.map(str::to_owned));
        header.extend(["engine", "machine", "build", "load_before"].map(str::to_owned));
        writer.write_record(&header).map_err(Failure::refused)?;
        for row in &self.rows {
            writer.write_record(self.csv_record(row)).map_err(Failure::refused)?;
        }
        writer.into_inner().map_err(Failure::refused)
    }

    fn csv_record(&self, row: &Row) -> Vec<String> {
        let mut record = vec![row.threads.to_string()];
        for spread in [row.nps, row.nps_speedup, row.seconds, row.depth_speedup] {
            record.extend([spread.min, spread.median, spread.max].map(|v| format!("{v:.6}")));
        }
        let Plan { positions, repetitions, hash, move_time, depth, .. } = &self.plan;
        record.extend([depth.to_string(), positions.len().to_string(), repetitions.to_string()]);
        record.extend([hash.to_string(), move_time.as_millis().to_string()]);
        let load = self.load.map_or(String::new(), |load| format!("{load:.2}"));
        record.extend([engine(), self.machine.to_string(), build(), load]);
        record
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for heading in self.headings() {
            writeln!(f, "{heading}")?;
        }
        let titles = ["threads", "1000 nodes/s", "speed-up", "s to depth", "speed-up"];
        let rows = self.rows.iter().map(|row| cells(row).to_vec());
        let rows = std::iter::once(titles.map(str::to_owned).to_vec()).chain(rows);
        write!(f, "\n{}", text_table(rows))?;
        let base = self.plan.threads[0];
        write!(
            f,
            "\n\nMedian (smallest to largest) of the repetitions; speed-ups over {base} thread{}; \
             times are geometric means of the positions.",
            if base == 1 { "" } else { "s" },
        )
    }
}

fn cells(row: &Row) -> [String; 5] {
    let cell = |Spread { min, median, max }: Spread, digits: usize| {
        format!("{median:.digits$} ({min:.digits$} to {max:.digits$})")
    };
    [
        row.threads.to_string(),
        cell(row.nps.scaled(1e-3), 0),
        cell(row.nps_speedup, 2),
        cell(row.seconds, 3),
        cell(row.depth_speedup, 2),
    ]
}

fn sample_to_json(Sample { step, timed, to_depth }: &Sample) -> Value {
    json!({
        "repetition": step.repetition + 1,
        "position": step.position + 1,
        "threads": step.threads,
        "timed": timed,
        "to_depth": to_depth,
    })
}

fn engine() -> String {
    format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// What this program was built for, and the instructions that the compiler
/// was allowed to use everywhere.
fn build() -> String {
    use std::env::consts::{ARCH, OS};
    let features = [
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let mut text = format!("{ARCH}-{OS}");
    for (name, _) in features.iter().filter(|(_, is_on)| *is_on) {
        text += &format!("+{name}");
    }
    if cfg!(debug_assertions) {
        text += " with debug assertions: not for figures";
    }
    text
}

#[cfg(test)]
pub mod tests {
    use std::time::Duration;

    use super::super::measure;
    use super::*;
    use crate::board::Position;

    pub fn report() -> Report {
        let machine = Machine {
            processor: "Test, \"processor\"".into(),
            cores: 4,
            memory: None,
            system: "none".into(),
        };
        let plan = Plan {
            threads: vec![1, 2, 4],
            positions: vec![Position::startpos(); 2],
            repetitions: 2,
            hash: 16,
            move_time: Duration::from_millis(100),
            depth: 9,
        };
        Report::new(machine, Some(0.25), plan, measure::tests::samples())
    }

    #[test]
    fn the_table_has_a_line_for_each_number_of_threads() {
        let text = report().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("Test, \"processor\", 4 cores") && lines[0].contains("build "));
        assert!(lines[0].ends_with("load before 0.2"), "{text}");
        assert!(lines[1].contains("2 positions") && lines[1].contains("depth 9"), "{text}");
        assert!(lines[6].trim().starts_with("4  ") && lines[6].contains("4.00 (4.00 to 4.00)"));
        assert_eq!(lines[3].len(), lines[6].len());
    }

    #[test]
    fn csv_can_be_read_back() {
        let bytes = report().to_csv().unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().unwrap().clone();
        let column = |name: &str| header.iter().position(|title| title == name).unwrap();
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 3);
        assert_eq!(&records[2][column("threads")], "4");
        assert_eq!(&records[2][column("nps_median")], "3000.000000");
        assert_eq!(&records[2][column("depth_speedup_median")], "2.000000");
        assert_eq!(&records[2][column("hash_mb")], "16");
        assert!(records[2][column("machine")].starts_with("Test, \"processor\""));
    }

    #[test]
    fn json_keeps_every_sample() {
        let json = report().to_json();
        assert_eq!(json["samples"].as_array().unwrap().len(), 12);
        assert_eq!(json["summary"][1]["threads"], 2);
        assert_eq!(json["summary"][1]["nps"]["max"], 2000.0);
        assert_eq!(json["settings"]["move_time_ms"], 100);
        assert_eq!(json["samples"][3]["position"], 2);
    }

    #[test]
    fn three_files_are_saved() {
        let folder = tempfile::tempdir().unwrap();
        report().save(folder.path()).unwrap();
        for extension in ["csv", "json", "svg"] {
            let path = folder.path().join(format!("bench-threads.{extension}"));
            assert!(std::fs::metadata(path).unwrap().len() > 100);
        }
        assert!(report().save(&folder.path().join("none")).is_err());
    }
}
