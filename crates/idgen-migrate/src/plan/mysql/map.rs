//! The map of idgen-mysql in the schema of the plan, from which `--to integer` takes the integers.

use serde::Serialize;

use super::catalog::Catalog;
use super::check::{Check, check};
use super::quote::{name, text};
use super::session::Session;
use idgen_database::{Error, Result};

/// The layout of the map's tables that this plan knows.
const VERSION: &str = "2";

/// The most ids that the plan reserves for triggers at once.
const BLOCK: u64 = 100_000_000;

/// The range of the markers that replace forgotten UUIDs in the map.
const MARKERS: &str = "x'FFFFFFFFFFFFFFFF0000000000000000' AND x'FFFFFFFFFFFFFFFF7FFFFFFFFFFFFFFF'";

/// The names and the choices of a map, for expressions and templates.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Map {
    /// The table of the pairs, the one with the state row, and the one of the claims.
    table: String,
    state: String,
    claims: String,
    /// True if the index is `dedup`. It is an index of hashes, which admits a UUID twice, so a UUID is claimed first.
    pub(super) is_dedup: bool,
    /// The type of its ids.
    pub(super) id_type: &'static str,
    /// The largest id, the one after it, and the most that are reserved at once.
    most: u64,
    end: u64,
    block: u64,
    /// The identity of the map, in hexadecimal digits.
    map_id: String,
    strategy: String,
    bits: u8,
    markers: &'static str,
}

impl Map {
    pub(super) async fn read(session: &mut Session, catalog: &Catalog, table: &str) -> Result<Map> {
        let state = format!("{table}_state");
        if !catalog.tables.contains_key(table) || !catalog.tables.contains_key(&state) {
            return Err(Error::new(format!(
                "--to integer takes the integers from a map of idgen-mysql, and the schema {} has none with the name \"{table}\" that \
                 this user can see: create it with `idgen map install`, or name another with --map",
                catalog.schema
            )));
        }
        let sql = format!(
            "SELECT CAST(version AS CHAR), strategy, CAST(id_bits AS CHAR), HEX(map_id) FROM {} WHERE one = 1",
            name(&state)
        );
        let rows = session.rows(&sql).await?;
        let Some([version, strategy, bits, map_id]) = rows.first().map(|row| &row[..]) else {
            return Err(Error::new(format!("{state} has no row: see what `idgen map check` says")));
        };
        let (id_type, most, bits) = match bits.as_str() {
            "32" => ("INT UNSIGNED", u64::from(u32::MAX), 32),
            _ => ("BIGINT UNSIGNED", i64::MAX as u64, 64),
        };
        if version != VERSION || !matches!(strategy.as_str(), "unique" | "dedup") {
            return Err(Error::new(format!(
                "the map {table} has version {version} and the index {strategy}; the plan knows version {VERSION} with the index \
                 unique or dedup. `idgen map install` brings an older map up to date"
            )));
        }
        Ok(Map {
            claims: format!("{table}_claim"),
            table: table.to_owned(),
            state,
            is_dedup: strategy == "dedup",
            id_type,
            most,
            end: most + 1,
            block: BLOCK,
            map_id: map_id.clone(),
            strategy: strategy.clone(),
            bits,
            markers: MARKERS,
        })
    }

    pub(super) fn table(&self) -> &str {
        &self.table
    }

    /// The integer of an id of 16 bytes. A clause of a locking read lets it see the newest pair.
    pub(super) fn integer_of(&self, bytes: &str, lock: &str) -> String {
        let integer = if self.is_dedup { "MIN(m.id)" } else { "m.id" };
        format!("(SELECT {integer} {}{lock})", self.pair_of(bytes))
    }

    /// A condition that the map has no integer for an id of 16 bytes.
    pub(super) fn without(&self, bytes: &str) -> String {
        format!("NOT EXISTS (SELECT 1 {})", self.pair_of(bytes))
    }

    fn pair_of(&self, bytes: &str) -> String {
        let (index, hash) = match self.is_dedup {
            false => ("uuid", String::new()),
            true => ("hash", format!("m.hash = CRC32({bytes}) AND ")),
        };
        format!("FROM {} AS m FORCE INDEX ({index}) WHERE {hash}m.uuid = {bytes}", name(&self.table))
    }

    /// The 16 bytes of an integer.
    pub(super) fn bytes_of(&self, integer: &str) -> String {
        format!("(SELECT m.uuid FROM {} AS m WHERE m.id = {integer})", name(&self.table))
    }

    /// Returns the conditions that the map must meet before anything is changed. The owners are columns that keep their
    /// ids while a column of integers is added beside them: table, column, and their 16 bytes in a row `t`.
    pub(super) fn checks(&self, owners: Vec<(String, String, String)>) -> Vec<Check> {
        let (table, state) = (name(&self.table), name(&self.state));
        let same = format!(
            "one = 1 AND version = {VERSION} AND strategy = {} AND id_bits = {} AND map_id = x'{}'",
            text(&self.strategy),
            self.bits,
            self.map_id
        );
        let mut checks = vec![
            check(
                "The map must be the one that the plan was made for.",
                format!(
                    "SELECT {} AS other_map FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM {state} WHERE {same})",
                    text(&self.table)
                ),
                format!("{} is not the map that the plan was made for: make the plan again", self.table),
            ),
            check(
                "The map must not hold an id that it has not assigned yet.",
                format!("SELECT id FROM {table} WHERE id >= (SELECT next_id FROM {state} WHERE one = 1)"),
                format!(
                    "{} holds the ids above, which are not below its next id: see idgen map check",
                    self.table
                ),
            ),
        ];
        let mut missing = Vec::new();
        for (place, column, bytes) in owners {
            checks.push(check(
                format!("The map marks the ids of forgotten UUIDs with some values, which {place}.{column} must not have."),
                format!("SELECT t.{0} FROM {1} AS t WHERE {bytes} BETWEEN {MARKERS}", name(&column), name(&place)),
                format!("{place}.{column}: the map cannot have the values above, since it marks forgotten UUIDs with them"),
            ));
            missing.push(format!(
                "(SELECT COUNT(*) FROM {} AS t WHERE t.{} IS NOT NULL AND {})",
                name(&place),
                name(&column),
                self.without(&bytes)
            ));
        }
        checks.push(check(
            "The map must have an integer for each id, and some for new rows.",
            format!(
                "SELECT s.next_id, n.needed FROM {state} AS s CROSS JOIN (SELECT {} AS needed) AS n \
                 WHERE s.one = 1 AND s.next_id + n.needed + n.needed DIV 10 + 100 > {}",
                missing.join(" + "),
                self.end
            ),
            format!(
                "{} has too few integers left for the ids that have none: they end at {}",
                self.table, self.most
            ),
        ));
        checks
    }
}
