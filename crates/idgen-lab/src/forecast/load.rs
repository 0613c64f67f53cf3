//! A planned load: what it consists of, and what is refused.

use idgen_record::{Column, Skew};
use serde::Serialize;

use super::arrival::Arriving;
use super::keys::{Makers, TENANT_BYTES};
use super::{Clients, Settings};
use crate::strategy::Strategy;
use crate::{Error, Result};

/// A planned table and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// Rows that are inserted.
    pub rows: u64,
    /// Bytes of a row without its key: the columns with their length bytes and null bits; of PostgreSQL and
    /// SQLite, one column of this many bytes, whose length is stored besides.
    pub row_bytes: u32,
    /// Inserts per second by all writers together.
    pub rate: f64,
    /// Ids per second by their own clock, if that is not the clock of the inserts: a benchmark inserts as fast as the
    /// server goes, and may spread its ids over simulated minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_rate: Option<f64>,
    /// Clients that generate ids, each with a generator of its own. On SQLite, one connection inserts all rows.
    pub writers: u64,
    /// Rows in a transaction.
    pub commit_rows: u64,
    /// The settings of the server.
    pub server: Settings,
    /// Rows that are in the table before, with ids of this strategy from one writer.
    #[serde(serialize_with = "existing_rows", skip_serializing_if = "Option::is_none")]
    pub existing: Option<(&'static Strategy, u64)>,
    /// The differences between the clocks of the writers; `None` if they agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// The time of the first id, in seconds since 1970, if it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_unix_secs: Option<i64>,
    /// Tenants, if the primary key is (tenant, id): an `INT` comes before the id, and each row is of a tenant at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenants: Option<u32>,
    /// The statements and delays of the writers. Without them, rows arrive in the order in which their ids
    /// are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
}

pub(crate) fn existing_rows<S: serde::Serializer>(
    existing: &Option<(&'static Strategy, u64)>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    existing.map(|(strategy, rows)| (strategy.name, rows)).serialize(serializer)
}

impl Load {
    /// The fewest rows for which a prediction is useful: any key will do for a table of a few pages.
    pub const MIN_ROWS: u64 = 1_000;
    /// The largest number of rows with which the model was tried.
    pub const MAX_ROWS: u64 = 2_000_000_000;
    /// The largest number of rows of a planned table: advice follows a smaller one.
    pub const MAX_PLANNED_ROWS: u64 = 1_000_000_000_000;
    /// The largest number of writers: each has a generator of its own in memory.
    pub const MAX_WRITERS: u64 = 10_000;
    /// The largest number of inserts per second: more than any single server can handle.
    pub const MAX_RATE: f64 = 10_000_000.0;
    /// The lowest rate: an insert in a quarter of an hour, as on a device.
    pub const MIN_RATE: f64 = 0.001;

    /// The latest time of the first id, so that the last one has a time too.
    const LATEST_START: i64 = 7_258_118_400;

    /// A new table that one writer inserts this many rows into, with 100 bytes beside the key, 1,000 a second, in
    /// transactions that are usual for the database.
    pub fn new(rows: u64, server: impl Into<Settings>) -> Load {
        let server = server.into();
        Load {
            rows,
            row_bytes: 100,
            rate: 1_000.0,
            id_rate: None,
            writers: 1,
            commit_rows: server.modeled().commit_rows(),
            server,
            existing: None,
            skew: None,
            start_unix_secs: None,
            tenants: None,
            clients: None,
        }
    }

    /// The order in which its rows arrive.
    pub(super) fn arriving(&self) -> Arriving<'_> {
        Arriving {
            clients: self.clients,
            rows: self.rows,
            rate: self.rate,
            own_clock: self.id_rate.is_some(),
            skew: self.skew.as_ref(),
        }
    }

    /// Refuses a load that the model cannot follow for this strategy.
    pub(super) fn check(&self, strategy: &Strategy) -> Result<()> {
        let server = self.server.modeled();
        server.check(strategy)?;
        self.check_numbers()?;
        check_one_table(strategy)?;
        if self.tenants == Some(0) {
            return Err(Error::config("there are 0 tenants: give at least one".to_owned()));
        }
        if self.tenants.is_some() && (!server.has_tenants() || strategy.column == Column::Unkeyed16) {
            return Err(Error::config(format!(
                "the model of {} has no key (tenant, id) for {}: leave out the tenants",
                server.name(),
                strategy.name
            )));
        }
        check_existing(self.existing, strategy, |old| server.shares_a_table(old, strategy.column))?;
        self.check_rows(server.most_rows(self))
    }

    /// Refuses more rows in the end.
    pub(crate) fn check_rows(&self, most: u64) -> Result<()> {
        let all = self.all_rows();
        if all <= most {
            return Ok(());
        }
        let with = if self.existing.is_some() { ", with those that the table holds" } else { "" };
        let name = self.server.modeled().name();
        Err(Error::config(format!(
            "{all} rows are too many for the model of {name}{with}: give at most {most}"
        )))
    }

    /// Refuses numbers that no load can have.
    pub(crate) fn check_numbers(&self) -> Result<()> {
        within("rows", self.rows, Self::MIN_ROWS, Self::MAX_PLANNED_ROWS)?;
        within("writers", self.writers, 1, Self::MAX_WRITERS)?;
        if self.commit_rows == 0 {
            let text = "the number of rows in a transaction is 0: give at least one";
            return Err(Error::config(text.to_owned()));
        }
        self.clients.as_ref().map_or(Ok(()), Clients::check)?;
        check_skew(self.skew.as_ref())?;
        if let Some(secs) = self.start_unix_secs
            && !(0..=Self::LATEST_START).contains(&secs)
        {
            return Err(Error::config(format!(
                "the first id is made {secs} seconds after 1970: give a time from 1970 to 2200"
            )));
        }
        Self::check_rate("rate", self.rate)?;
        Self::check_rate("rate of the ids", self.id_rate())
    }

    pub(crate) fn check_rate(what: &str, rate: f64) -> Result<()> {
        // Also refuses a rate that is not a number.
        if !(Self::MIN_RATE..=Self::MAX_RATE).contains(&rate) {
            return Err(Error::config(format!(
                "the {what} is {rate}: give a number per second, from {} to {}",
                Self::MIN_RATE,
                Self::MAX_RATE
            )));
        }
        Ok(())
    }

    /// Ids per second by their own clock.
    fn id_rate(&self) -> f64 {
        self.id_rate.unwrap_or(self.rate)
    }

    /// The makers of the ids.
    pub(super) fn makers(&self) -> Makers {
        Makers {
            writers: self.writers,
            rate: self.id_rate(),
            start_unix_secs: self.start_unix_secs,
            tenants: self.tenants,
        }
    }

    /// Bytes of the primary key before the id.
    pub(super) fn tenant_bytes(&self) -> u32 {
        self.tenants.map_or(0, |_| TENANT_BYTES as u32)
    }

    /// Inserts per second, which are fewer than asked if the clients cannot keep the pace.
    pub(super) fn reached_rate(&self) -> f64 {
        self.clients.map_or(self.rate, |clients| clients.reached_rate(self.writers, self.rate))
    }

    /// The rows of the table at the end.
    pub(crate) fn all_rows(&self) -> u64 {
        self.rows.saturating_add(self.existing.map_or(0, |(_, rows)| rows))
    }
}

/// Refuses a number that is out of bounds.
pub(crate) fn within(what: &str, value: u64, least: u64, most: u64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::config(format!("{what} is {value}: give a number from {least} to {most}")))
}

/// Refuses a strategy with a map.
pub(crate) fn check_one_table(strategy: &Strategy) -> Result<()> {
    if !strategy.column.is_mapped() {
        return Ok(());
    }
    Err(Error::config(format!(
        "{} keeps two tables: predict auto-increment for the wide one and v4-binary for the map",
        strategy.name
    )))
}

/// Refuses a table whose old rows have another kind of column than the new ones.
pub(crate) fn check_existing(
    existing: Option<(&'static Strategy, u64)>,
    strategy: &Strategy,
    fits: impl FnOnce(Column) -> bool,
) -> Result<()> {
    match existing {
        Some((old, _)) if old.column.is_mapped() || !fits(old.column) => Err(Error::config(format!(
            "rows of {} and of {} do not fit one column: choose strategies of one type",
            old.name, strategy.name
        ))),
        _ => Ok(()),
    }
}

/// Refuses clocks that no host has.
pub(crate) fn check_skew(skew: Option<&Skew>) -> Result<()> {
    match skew.and_then(Skew::wrong) {
        None => Ok(()),
        Some(wrong) => Err(Error::config(format!(
            "a clock is off by {wrong} ms: give a number from {} to {}",
            -Skew::MOST_MS,
            Skew::MOST_MS
        ))),
    }
}

/// Bytes of the key column in a record, including its length byte if the column has one: `CHAR` in ASCII has none.
pub(crate) fn key_bytes(column: Column) -> u32 {
    match column {
        Column::Binary16 | Column::Swapped16 | Column::Uuid | Column::TwoIntegers => 16,
        Column::Bytea => 1 + 16,
        // InnoDB numbers the rows of a table without a key.
        Column::Unkeyed16 => 6,
        Column::Text36 => 36,
        Column::VarText36 | Column::VarBinary36 => 36 + 1,
        Column::Base64 => 22,
        Column::Base32 => 26,
        _ => 8,
    }
}
