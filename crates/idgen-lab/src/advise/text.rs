//! Prints advice for people.

use std::fmt;

use super::amounts::{bytes, per_1k, whole};
use super::interval::{PrefixAdvice, pages};
use super::{Advice, Candidate};
use crate::table::table;

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Take {}.", self.recommended)?;
        if let Some(name) = self.from_server {
            writeln!(f, "If the database makes the ids, use {name} (--ids-from says who does).")?;
        }
        match self.hiding {
            Some(hiding) if hiding == self.recommended => {
                writeln!(f, "Its ids do not reveal when they were made.\n")?;
            }
            Some(hiding) => writeln!(f, "If ids must not reveal when they were made, use {hiding}.\n")?,
            None => writeln!(f)?,
        }
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        writeln!(f, "\n{}\n", candidates(&self.candidates))?;
        for caveat in &self.caveats {
            writeln!(f, "- {caveat}")?;
        }
        if let Some(prefix) = &self.prefix {
            writeln!(f, "\n{prefix}")?;
        }
        write!(f, "\nPredicted by {}", self.model)?;
        if self.scale > 1 {
            write!(f, ", on a table {} times smaller", self.scale)?;
        }
        writeln!(f, "; {} measures it.", self.measured_by)
    }
}

/// The table of what each strategy costs: the pages that it reads and writes, and the log if there is one.
fn candidates(candidates: &[Candidate]) -> String {
    let row = |one: &Candidate| {
        [
            one.strategy.to_owned(),
            bytes(one.tree_bytes),
            format!("{:.0}", 100.0 * one.fill),
            per_1k(one.pages.reads_per_1k),
            per_1k(one.pages.writes_per_1k),
            whole(one.pages.device_pages_per_sec),
        ]
    };
    let [read, written, device] = ["pages read\nper 1k", "pages written\nper 1k", "device pages\nper second"];
    if candidates.iter().all(|one| one.log.is_none()) {
        let head = ["strategy", "table in\nthe end", "fill %", read, written, device];
        return table(head, 1, candidates.iter().map(row));
    }
    let head = [
        "strategy",
        "index in\nthe end",
        "fill %",
        read,
        written,
        device,
        "log bytes\nper row",
        "images\nper 1k",
    ];
    let rows = candidates.iter().map(|one| {
        let [strategy, size, fill, read, written, device] = row(one);
        let log = one.log.unwrap_or_default();
        let (logged, images) = (format!("{:.0}", log.log_bytes_per_row), format!("{:.1}", log.images_per_1k));
        [strategy, size, fill, read, written, device, logged, images]
    });
    table(head, 1, rows)
}

impl fmt::Display for PrefixAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "If ids must not reveal their date, use prefixed ids with a keyed prefix, interval {} and the {} tail: \
             pages will be {:.0} % full.\n",
            self.interval,
            self.tail,
            100.0 * self.fill
        )?;
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        if self.prefix_bits < 16 {
            writeln!(
                f,
                "- A keyed prefix always has 16 bits. A sequential prefix, which shows the interval, may have fewer: with \
                 {} bits each region holds 20 pages or more in the end.",
                self.prefix_bits
            )?;
        } else {
            writeln!(f, "- A keyed prefix always has 16 bits, and a sequential prefix needs no fewer.")?;
        }
        writeln!(
            f,
            "- This holds if all writers have the same key and no names. If each writer has a name, divide the pages in one \
             visit by the number of writers. The figures of minute-ascending and minute-random above are for one-minute \
             prefixes and a name for each writer."
        )?;
        let head = [
            "interval",
            "pages in\none visit",
            "visits of\na prefix",
            "fill %,\nascending tail",
            "fill %,\nrandom tail",
        ];
        let rows = self.intervals.iter().map(|one| {
            [
                one.interval.to_owned(),
                pages(one.pages_per_visit),
                format!("{:.1}", one.visits),
                format!("{:.0}", 100.0 * one.ascending_fill),
                format!("{:.0}", 100.0 * one.random_fill),
            ]
        });
        let table = table(head, 1, rows);
        write!(f, "\n{table}")
    }
}
