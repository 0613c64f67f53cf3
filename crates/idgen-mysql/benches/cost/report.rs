//! The tables, on the terminal and in the guide.

use std::fmt::Write;
use std::path::Path;

use idgen_server::Server;

use crate::design::Design;
use crate::machine::Machine;
use crate::pages::{Footprint, REPEATS};
use crate::speed::{Floor, OF_FLOOR, Row, Spread};
use crate::{BATCH, CLIENTS, Effort, Failure};

const BEGIN: &str = "<!-- begin cost -->";
const END: &str = "<!-- end cost -->";

/// All of one server.
pub struct Measured {
    server: String,
    settings: String,
    pub speeds: Vec<Row>,
    pub footprints: Vec<Footprint>,
}

impl Measured {
    pub fn new(server: &Server) -> Result<Measured, Failure> {
        let mut settings = Vec::new();
        for name in ["innodb_flush_log_at_trx_commit", "log_bin", "sync_binlog", "innodb_buffer_pool_size"] {
            let value = server.variable(name)?.unwrap_or_else(|| "unknown".to_owned());
            settings.push(format!("`{name}={value}`"));
        }
        let (speeds, footprints) = (Vec::new(), Vec::new());
        let name = format!("{} {}", server.database(), server.version());
        Ok(Measured { server: name, settings: settings.join(", "), speeds, footprints })
    }
}

impl Row {
    pub fn name(&self) -> String {
        let size = if self.batch == 1 { "single".to_owned() } else { format!("batch of {}", self.batch) };
        format!("{}, {size}, {}", self.design.name(), self.order.name())
    }

    /// Where the target was missed.
    fn verdict(&self) -> String {
        let Some(target) = self.target else { return String::new() };
        verdict(target, self.cells.iter().map(|cell| &cell.of_plain))
    }

    /// The lines of the table, each with its first cell and its verdict.
    fn lines(&self) -> Vec<(String, Vec<&Spread>, String)> {
        let of_plain = self.cells.iter().map(|cell| &cell.of_plain).collect();
        let mut lines = vec![(self.design.name(), of_plain, self.verdict())];
        let floors: Option<Vec<&Floor>> = self.cells.iter().map(|cell| cell.floor.as_ref()).collect();
        if let Some(floors) = floors {
            let floor = floors.iter().map(|floor| &floor.of_plain).collect();
            let reached: Vec<&Spread> = floors.iter().map(|floor| &floor.reached).collect();
            let judged = self.target.map_or(String::new(), |_| verdict(OF_FLOOR, reached.iter().copied()));
            lines.push((format!("{}, floor", self.design.name()), floor, String::new()));
            lines.push((format!("{} / floor", self.design.name()), reached, judged));
        }
        lines
    }
}

fn verdict<'a>(target: f64, reached: impl Iterator<Item = &'a Spread>) -> String {
    let missed: Vec<String> = CLIENTS
        .iter()
        .zip(reached)
        // As the table shows it: 0.896 is 0.90.
        .filter(|(_, reached)| (reached.median * 100.0).round() / 100.0 < target)
        .map(|(clients, _)| clients.to_string())
        .collect();
    match missed.len() {
        0 => format!("{target}: met"),
        _ => format!("{target}: missed with {}", missed.join(", ")),
    }
}

/// Everything, for a reader.
pub fn markdown(all: &[Measured], effort: &Effort) -> String {
    let machine = Machine::this();
    let mut text = format!(
        "Written by `make bench-map`. {}, {} processors, {}{}. Medians of {} rounds of \
         {} s, with the lowest and the highest; client and server share the machine.\n",
        machine.processor,
        machine.processors,
        machine.system,
        effort.load.map_or(String::new(), |load| format!("; load {load:.2} before the run")),
        effort.rounds,
        effort.span.as_secs_f64(),
    );
    for measured in all {
        let _ = writeln!(text, "\n### {}\n\nWith {}.", measured.server, measured.settings);
        for batch in [1, BATCH] {
            let rows = || measured.speeds.iter().filter(|row| row.batch == batch);
            let Some(first) = rows().next() else { continue };
            let what = if batch == 1 { "Single calls".to_owned() } else { format!("Batches of {batch}") };
            let _ = writeln!(
                text,
                "\n| {what} | UUIDs | 1 client | 4 clients | 16 clients | target |\n|---|---|---|---|---|---|"
            );
            let plain: Vec<String> =
                first.cells.iter().map(|cell| format!("{:.0} rows/s", cell.plain_per_sec)).collect();
            let _ = writeln!(text, "| plain insert | – | {} | |", plain.join(" | "));
            for row in rows() {
                for (what, spreads, verdict) in row.lines() {
                    let cells: Vec<String> = spreads.into_iter().map(cell).collect();
                    let _ = writeln!(
                        text,
                        "| {what} | {} | {} | {verdict} |",
                        row.order.name(),
                        cells.join(" | ")
                    );
                }
            }
        }
        text.push_str(&footprints(&measured.footprints));
    }
    text
}

fn cell(spread: &Spread) -> String {
    format!("{:.2} ({:.2}–{:.2})", spread.median, spread.lowest, spread.highest)
}

fn footprints(all: &[Footprint]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let mut text = format!(
        "\n| {} pairs | UUIDs | bytes per pair | bytes of an index entry | leaves changed by 1,000 new pairs | \
         all pages changed | pages requested per pair | ids used up by {REPEATS} repeats of 1,000 |\n\
         |---|---|---|---|---|---|---|---|\n",
        first.pairs
    );
    for row in all {
        let mut leaves = format!("{:.1}", row.leaves_per_1k);
        if let Some(target) = row.target(all) {
            let verdict = if row.leaves_per_1k <= target { "met" } else { "missed" };
            let _ = write!(leaves, " (at most {target:.1}: {verdict})");
        }
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {} | {leaves} | {:.1} | {:.1} | {} |",
            row.design.name(),
            if row.design == Design::Plain { "–" } else { row.order.name() },
            row.bytes_per_pair,
            row.entry_bytes.map_or("–".to_owned(), |bytes| format!("{bytes:.1}")),
            row.pages_per_1k,
            row.reads_per_pair,
            row.burned.map_or("–".to_owned(), |burned| burned.to_string()),
        );
    }
    text
}

/// Fails where a file has no place for the tables.
pub fn check_marks(path: &Path) -> Result<(), Failure> {
    place(path, "").map(drop)
}

/// Puts the tables between the marks, in place of what is there.
pub fn write(path: &Path, tables: &str) -> Result<(), Failure> {
    std::fs::write(path, place(path, tables)?).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn place(path: &Path, tables: &str) -> Result<String, Failure> {
    let old = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let marked = old.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) =
        marked.ok_or_else(|| format!("{} has no {BEGIN} ... {END} for the tables", path.display()))?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", tables.trim_end()))
}
