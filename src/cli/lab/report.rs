//! What an experiment has found, as a report: text for a terminal, Markdown with
//! its plots in files beside it, or a web page that needs nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::arena::report::STYLE;
use crate::cli::cannot_write;
use crate::util::text_table;
use crate::util::{Machine, check_output, write_whole};

use super::Failure;

/// Rows of cells; the first row has the titles.
pub type Table = Vec<Vec<String>>;

/// A report in the making.
pub struct Report {
    title: String,
    parts: Vec<Part>,
}

enum Part {
    Heading(String),
    Text(String),
    Command(String),
    Table(Table),
    Plot { name: String, title: String, svg: String },
}

impl Report {
    /// A report that begins with the command that made it, the machine, and how
    /// long the experiment took there.
    pub fn new(title: &str, time: Duration) -> Report {
        let mut report = Report { title: title.to_owned(), parts: Vec::new() };
        // names of files need not be text
        let arguments = std::env::args_os().skip(1);
        let arguments = arguments.map(|argument| quoted(&argument.to_string_lossy()));
        report
            .parts
            .push(Part::Command(format!("hanxin {}", arguments.collect::<Vec<_>>().join(" "))));
        let (version, machine) = (env!("CARGO_PKG_VERSION"), Machine::describe());
        report.text(&format!("hanxin {version} on {machine}; {} of searching.", spoken(time)));
        report
    }

    pub fn heading(&mut self, text: &str) {
        self.parts.push(Part::Heading(text.to_owned()));
    }

    pub fn text(&mut self, text: &str) {
        self.parts.push(Part::Text(text.to_owned()));
    }

    pub fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }

    /// A plot; its name becomes part of the name of its file.
    pub fn plot(&mut self, name: &str, title: &str, svg: String) {
        let (name, title) = (name.to_owned(), title.to_owned());
        self.parts.push(Part::Plot { name, title, svg });
    }

    /// Whether [`Report::save`] can write a file of this name, which none of the
    /// `inputs` has.
    pub fn check(path: &Path, inputs: impl IntoIterator<Item: AsRef<Path>>) -> Result<(), Failure> {
        match extension(path) {
            "html" | "md" => Ok(check_output("--report", path, inputs)?),
            _ => Err(Failure::Invalid(format!("--report {}: want .html or .md", path.display()))),
        }
    }

    /// Writes the report as its name says: `.html`, one page with everything, or
    /// `.md`, with the plots as SVG files beside it.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        if extension(path) == "html" {
            return write(path, &self.to_html());
        }
        for part in &self.parts {
            if let Part::Plot { name, svg, .. } = part {
                write(&path.with_file_name(plot_name(path, name)), svg)?;
            }
        }
        write(path, &self.to_markdown(path))
    }

    /// The tables for a terminal.
    pub fn to_text(&self) -> String {
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Heading(text) | Part::Text(text) => Some(text.clone()),
            Part::Table(table) => Some(text_table(table.clone())),
            Part::Command(_) | Part::Plot { .. } => None,
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    fn to_markdown(&self, path: &Path) -> String {
        let mut text = format!("# {}\n", self.title);
        for part in &self.parts {
            let part = match part {
                Part::Heading(heading) => format!("## {heading}"),
                Part::Text(words) => words.clone(),
                Part::Command(command) => format!("```sh\n{command}\n```"),
                Part::Table(table) => markdown_table(table),
                Part::Plot { name, title, .. } => {
                    format!("## {title}\n\n![{title}]({})", plot_name(path, name))
                }
            };
            // writing to a String cannot fail
            let _ = writeln!(text, "\n{part}");
        }
        text
    }

    fn to_html(&self) -> String {
        let title = escaped(&self.title);
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        for part in &self.parts {
            let part = match part {
                Part::Heading(heading) => format!("<h2>{}</h2>", escaped(heading)),
                Part::Text(words) => format!("<p>{}</p>", escaped(words)),
                Part::Command(command) => format!("<pre>{}</pre>", escaped(command)),
                Part::Table(table) => html_table(table),
                Part::Plot { title, svg, .. } => {
                    format!("<h2>{}</h2>\n<div class=\"wide\">{svg}</div>", escaped(title))
                }
            };
            let _ = writeln!(text, "{part}");
        }
        text + "</body>\n</html>\n"
    }
}

/// A whole number with its digits in groups.
pub fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number);
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An argument as a shell wants it.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

fn spoken(time: Duration) -> String {
    match time.as_secs() {
        0..100 => format!("{:.1} seconds", time.as_secs_f64()),
        100..6000 => format!("{:.1} minutes", time.as_secs_f64() / 60.0),
        _ => format!("{:.1} hours", time.as_secs_f64() / 3600.0),
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn plot_name(path: &Path, name: &str) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    format!("{stem}-{name}.svg")
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole(path, text.as_bytes()).map_err(|error| cannot_write(path, error))
}

fn markdown_table(table: &Table) -> String {
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let mut lines: Vec<String> = table.iter().map(line).collect();
    let columns = table.first().map_or(0, Vec::len);
    lines.insert(1.min(lines.len()), format!("|---{}|", "|--:".repeat(columns.saturating_sub(1))));
    lines.join("\n")
}

fn html_table(table: &Table) -> String {
    let row = |(number, cells): (usize, &Vec<String>)| {
        let tag = if number == 0 { "th" } else { "td" };
        let cell = |(place, cell): (usize, &String)| {
            let class = if place == 0 { " class=\"text\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escaped(cell))
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let rows: String = table.iter().enumerate().map(row).collect();
    format!("<div class=\"wide\"><table>\n{rows}</table></div>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::printable;

    fn report() -> Report {
        let mut report = Report::new("a <title>", Duration::from_secs(150));
        report.heading("nodes & leaves");
        report.table(vec![vec!["a|b".into(), "x".into()], vec!["1".into(), "<2>".into()]]);
        report.plot("nodes", "Growth", "<svg></svg>".into());
        report
    }

    #[test]
    fn markdown_has_its_plots_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.md");
        report().save(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# a <title>\n\n```sh\nhanxin "), "{text}");
        assert!(text.contains("2.5 minutes of searching"), "{text}");
        assert!(text.contains("| a\\|b | x |\n|---|--:|\n| 1 | <2> |"), "{text}");
        assert!(text.contains("## Growth\n\n![Growth](figures-nodes.svg)"), "{text}");
        let svg = std::fs::read_to_string(folder.path().join("figures-nodes.svg")).unwrap();
        assert_eq!(svg, "<svg></svg>");
    }

    #[test]
    fn a_page_is_one_file_and_what_it_quotes_is_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.html");
        report().save(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("<h1>a &lt;title&gt;</h1>") && text.contains("<svg></svg>"));
        assert!(text.contains("<td>&lt;2&gt;</td>") && text.contains("nodes &amp; leaves"));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn other_names_and_places_are_refused() {
        let check = |name| Report::check(Path::new(name), None::<&Path>);
        let error = check("figures.txt").unwrap_err().to_string();
        assert!(error.contains("figures.txt: want .html or .md"), "{error}");
        let error = check("no/such/place.md").unwrap_err().to_string();
        assert!(error.contains("cannot write 'no/such/place.md'"), "{error}");
        let error = report().save(Path::new("no/such/place.md")).unwrap_err().to_string();
        let plot = Path::new("no/such").join("place-nodes.svg");
        assert!(error.contains(&format!("cannot write {}", printable(&plot))), "{error}");
    }

    #[test]
    fn digits_come_in_groups() {
        let texts = [0.0, 999.0, 1000.0, 1_234_567.4].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }
}
