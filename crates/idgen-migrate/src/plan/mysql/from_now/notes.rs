//! The facts that were read about the key, and the notes for the person who executes the plan.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{Held, Key};
use crate::plan::data::Engine;
use crate::plan::mysql::catalog::Catalog;
use crate::plan::mysql::form::Form;

/// The page with the measured effect of version 7 on tables of version 4.
const RECORDED: &str = "docs/results/2026-11-23/README.md#switch";

/// Fewer rows say nothing about page fill.
const LEAST_ROWS: u64 = 1_000;

impl Key<'_> {
    pub(super) fn facts(&self, is_exceeded: bool) -> Vec<String> {
        let (table, read) = (self.table, self.sample.len());
        let mut facts = vec![format!(
            "{} has about {} rows and {:.1} MiB of data and indexes, as the server estimates.",
            table.name,
            table.rows,
            table.bytes as f64 / f64::from(1 << 20)
        )];
        if read > 0 {
            facts.push(format!(
                "Of {read} rows that were read, {} have ids of version 4, {} of version 1 and {} of version 7.",
                self.count(12, b"4"),
                self.count(12, b"1"),
                self.count(12, b"7")
            ));
            facts.push(match is_exceeded {
                true => "The largest key sorts after an id of version 7 that is made now.".to_owned(),
                false => "The largest key sorts before an id of version 7 that is made now.".to_owned(),
            });
        }
        facts
    }

    pub(super) fn notes(&self, engine: Engine, catalog: &Catalog, has_default: bool) -> Vec<String> {
        let mut notes = vec![self.who_makes_ids(engine, has_default)];
        if self.count(12, b"4") * 2 > self.sample.len() {
            notes.push(among_random());
            notes.push(self.effect(engine));
        }
        notes.push("An id of version 7 shows to the millisecond when it was made.".to_owned());
        notes.push(self.how_made());
        if self.held == Held::In(Form::Bytes) {
            let seen = match self.sample.is_empty() {
                true => {
                    "The table is empty, so the plan could not see the order of its bytes. The new ids have"
                }
                false => "The new ids have, like those that were read,",
            };
            notes.push(format!(
                "{seen} their bytes in the order of the text, as UNHEX(REPLACE(id, '-', '')) and UUID_TO_BIN(id) write them. \
                 Programs must not read them with BIN_TO_UUID(id, 1), and must not write version 7 with UUID_TO_BIN(id, 1): \
                 in that order it does not sort by time."
            ));
        }
        if matches!(self.held, Held::In(Form::Text { .. })) {
            notes.push(
                "The keys stay texts, with more than twice the bytes of the id in the table, in each secondary index and in each \
                 column that refers to them. --to binary16, or --to uuid on MariaDB, changes that, before or after this plan."
                    .to_owned(),
            );
        }
        let of_table = catalog.triggers.iter().filter(|(table, _)| *table == self.table.name);
        let triggers: Vec<_> = of_table.map(|(_, trigger)| trigger.as_str()).collect();
        if !triggers.is_empty() {
            notes.push(format!(
                "The table has triggers ({}). One that sets {} replaces the id of the default: change it.",
                triggers.join(", "),
                self.column.name
            ));
        }
        notes
    }

    fn who_makes_ids(&self, engine: Engine, has_default: bool) -> String {
        let column = &self.column.name;
        let without = match has_default {
            true => "",
            false => {
                "The column has no default now, so the application makes its ids: change it there, too. "
            }
        };
        let read = match engine {
            Engine::MariaDb => format!("INSERT … RETURNING {column} gives the id of a new row."),
            _ => "MySQL does not tell the client which id the default made (LAST_INSERT_ID() is for AUTO_INCREMENT): where \
                  a program needs it, for example for rows that refer to it, the program must make the id."
                .to_owned(),
        };
        format!(
            "The default serves rows that are inserted without {column}. A program that sends ids of its own must make version 7 \
             itself, or keeps its old kind. {without}{read}"
        )
    }

    fn effect(&self, engine: Engine) -> String {
        let strategy = match self.held {
            Held::In(Form::Text { .. }) => "v4-text36",
            _ => "v4-binary",
        };
        let engine = if engine == Engine::MySql { "mysql" } else { "mariadb" };
        let rows = self.table.rows.max(LEAST_ROWS);
        format!(
            "InnoDB fills the pages at the place where the new rows arrive. In recorded tables of version 4 that doubled, version 7 \
             took 13 % fewer leaf pages than more version 4, and text of 36 characters 14 % fewer ({RECORDED}). To predict the \
             effect on this table: idgen lab advise --engine {engine} --rows {rows} --existing {strategy}:{rows} (set --rows to the \
             rows that you expect, --row-bytes, --pool and --rate to yours)."
        )
    }

    fn how_made(&self) -> String {
        let made = match self.has_function {
            true => "The default uses UUID_v7() of the server.",
            false => {
                "The default makes the id of UTC_TIMESTAMP(6) and RANDOM_BYTES(). All rows of one statement have the time at which \
                 it began, so their order among each other is random. If the clock is set back, new ids sort before earlier ones."
            }
        };
        format!(
            "{made} Such a default is not safe for a binary log of statements: it needs binlog_format ROW or MIXED."
        )
    }
}

/// Describes the place of ids of version 7 among random ones, by the clock of this computer.
fn among_random() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let behind = 1.0 - now as f64 / (1_u64 << 48) as f64;
    let first = format!("{now:012x}");
    format!(
        "Danger: the new ids sort before nearly all old ones. An id of version 7 that is made now begins with {}-{}, and {:.1} % \
         of all random ids sort after it (calculated from these 48 bits). Programs that page by id, or take the largest \
         id as the newest row, see new rows before old ones: order by a column of time instead.",
        &first[..8],
        &first[8..],
        behind * 100.0
    )
}
