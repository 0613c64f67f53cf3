//! Checks a map, and repairs what can be repaired with certainty.

use sqlx::Row;
use sqlx::mysql::MySqlRow;

use crate::call::retry::Retries;
use crate::claim::context::Context;
use crate::claim::purge;
use crate::claim::state_row::exchange;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::failure::Kind;
use crate::error::refusal::Concern;
use crate::error::{Error, Result};
use crate::installed::Index;
use crate::map::finding::{Finding, Severity};
use crate::map::inspect;
use crate::map::uuid_map::{Condition, UuidMap};
use crate::table::schema::{self, State};
use crate::table::tables::unquoted;

const ACTION: &str = "check the map";

/// Pairs whose hashes one statement compares.
const PAIRS_AT_ONCE: u64 = 50_000;
/// The most faulty pairs that findings name.
const NAMED: usize = 5;
/// From this many claims on, `check` reports that no client purges them.
const MANY_CLAIMS: u64 = 10_000;

impl UuidMap {
    /// Checks the map: the server's settings; the layout, engine, triggers and foreign keys of the tables; whether they
    /// were replaced by older copies; the state row, and the next id against the ids in use; how much of the id width
    /// is left; one id per UUID; and claims that no client purges. An empty list means that nothing is wrong.
    ///
    /// Triggers are found only if the user has the privilege TRIGGER on the tables.
    ///
    /// One id per UUID is a key of the table with the index [`Unique`](Index::Unique); with [`Dedup`](Index::Dedup) the
    /// whole hash index is read, in statements of some 50,000 pairs. Clients may continue to work meanwhile. Where the
    /// server's settings endanger the map, connect with [`accept_unsafe_server`](crate::Builder::accept_unsafe_server):
    /// they are findings then.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap) -> idgen_mysql::Result<()> {
    /// for finding in map.check().await? {
    ///     println!("{finding}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The map is not installed or cannot be read.
    pub async fn check(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let mut find = |severity, text: String| findings.push(Finding { severity, text });
        let tables = match self.check_tables().await {
            // One answer alone proves nothing about the tables: a real problem is found again.
            Err(error) if error.is_schema() || error.is_damaged() => self.check_tables().await,
            tables => tables,
        };
        let context = match tables {
            Ok((concerns, context)) => {
                for concern in concerns {
                    find(Severity::Broken, format!("the server's setting {concern}"));
                }
                context
            }
            Err(error) if error.is_schema() || error.is_damaged() => {
                find(Severity::Broken, error.to_string());
                return Ok(findings);
            }
            Err(error) => return Err(error),
        };
        crate::table::sharded::refuse(&context.tables, "a check", "check each shard's tables by SQL")?;
        for (severity, text) in inspect::tables(&context).await? {
            find(severity, text);
        }

        let (map, max) = (&context.tables.map, context.installed.width.max_id());
        let name = unquoted(map);
        // The ids are read before the next id, because ids are reserved before they are used.
        let ends = self.checked(&format!("SELECT MIN(id), MAX(id) FROM {map}")).await?;
        let (smallest, largest): (Option<u64>, Option<u64>) = (number(&ends, 0)?, number(&ends, 1)?);
        if smallest == Some(0) || largest.is_some_and(|largest| largest > max) {
            find(Severity::Broken, format!("{name} has ids outside of 1 to {max}"));
        }
        let stats = self.stats().await?;
        if let Some(largest) = largest.filter(|largest| *largest >= stats.next_id) {
            let next = stats.next_id;
            find(
                Severity::Repairable,
                format!(
                    "the next id is {next}, and {name} has ids up to {largest}: new UUIDs meet ids that are taken"
                ),
            );
        }
        let state = self.checked(&format!("SELECT * FROM {} WHERE one = 1", context.tables.state)).await?;
        let state = State::of_row(&state).map_err(Error::once(ACTION))?;
        if let Some(problem) = state.below_fence() {
            find(Severity::Repairable, problem);
        }
        let width = context.installed.width;
        if stats.next_id > max {
            let out = Kind::Exhausted { width, table: context.tables.state.clone() };
            find(Severity::Broken, Error::new(out).to_string());
        } else if stats.used_percent >= 80 {
            let used = stats.used_percent;
            find(Severity::Warning, format!("{used} % of the {width} ids are reserved"));
        }
        if context.installed.index == Index::Dedup {
            for (uuid, ids) in self.doubled(&context, stats.pairs_estimate).await? {
                find(Severity::Broken, format!("{uuid} has more than one id: {ids}"));
            }
            let claims = stats.claims.unwrap_or(0);
            if claims >= MANY_CLAIMS {
                let privilege = "clients need the privilege DELETE on that table to do so";
                let text =
                    format!("{claims} claims in {} are not cleared away; {privilege}", context.tables.claim);
                find(Severity::Repairable, text);
            }
        }
        Ok(findings)
    }

    /// Repairs what can be repaired with certainty: raises the next id above the ids in use, and clears claims away. Returns a
    /// list of what it did. Findings that [`check`](UuidMap::check) calls broken are not changed.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap) -> idgen_mysql::Result<()> {
    /// for done in map.repair().await? {
    ///     println!("{done}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The map is not installed, or the server fails.
    pub async fn repair(&self) -> Result<Vec<String>> {
        let context = self.context().await?;
        context.writable("nothing can be repaired")?;
        crate::table::sharded::refuse(&context.tables, "a repair", "repair each shard's tables by SQL")?;
        let mut done = Vec::new();
        let (map, max) = (&context.tables.map, context.installed.width.max_id());
        let ends = self.checked(&format!("SELECT MAX(id) FROM {map}")).await?;
        let largest: Option<u64> = number(&ends, 0)?;
        let above = largest.filter(|largest| *largest <= max).map_or(1, |largest| largest + 1);
        let least = |state: &State| above.max(state.fenced_at(context.installed.width));
        let decide = |state: &State| {
            let next = least(state);
            Ok((state.next_id < next).then(|| state.with(next, state.epoch)))
        };
        let raise = || exchange(&context.pool, &context.tables.state, None, &decide);
        if let Some(before) = Retries::run(context.deadline, "raise the next id", raise).await? {
            done.push(format!("raised the next id to {}", least(&before)));
        }
        if context.installed.index == Index::Dedup {
            let cleared = purge::purge_all(&context.pool, context.deadline, &context.tables.claim).await?;
            if cleared > 0 {
                done.push(format!("cleared {cleared} claims away"));
            }
        }
        Ok(done)
    }

    /// Reads now, and not only once a second, what must hold.
    async fn check_tables(&self) -> Result<(Vec<Concern>, Context)> {
        let (deadline, nodes) = self.begin();
        let look = async |connection: &mut PooledConnection| {
            connection.look_again().await?;
            Ok(connection.report().concerns().to_vec())
        };
        let concerns = Retries::run(deadline, ACTION, || nodes.attempt(Take::Queued, look)).await?;
        // A map that lacks stored pairs is a finding here, not an error.
        let context = self.context_if(Condition::Any).await?;
        let read = async |connection: &mut PooledConnection| schema::read(connection, &context.tables).await;
        let attempt = || context.pool.attempt(Take::Queued, read);
        Retries::run(deadline, ACTION, attempt).await?;
        Ok((concerns, context))
    }

    /// The single row of a statement about the whole map.
    async fn checked(&self, statement: &str) -> Result<MySqlRow> {
        let mut rows = self.context().await?.read_rows(ACTION, statement).await?;
        rows.pop().ok_or_else(|| Error::once(ACTION)(sqlx::Error::RowNotFound))
    }

    /// UUIDs with more than one id, which no key of the index `dedup` rules out.
    async fn doubled(&self, context: &Context, pairs: u64) -> Result<Vec<(uuid::Uuid, String)>> {
        let map = &context.tables.map;
        let mut found = Vec::new();
        // Hashes are spread evenly: ranges of them hold about as many pairs each.
        let ranges = (pairs / PAIRS_AT_ONCE + 1).min(1 << 20);
        let edge = |at: u64| (u128::from(at) << 32) / u128::from(ranges);
        for at in 0..ranges {
            let (from, to) = (edge(at), edge(at + 1) - 1);
            let twice = format!(
                "SELECT MIN(pair.id) AS id, pair.uuid FROM \
                 (SELECT hash FROM {map} FORCE INDEX (hash) WHERE hash BETWEEN {from} AND {to} \
                 GROUP BY hash HAVING COUNT(*) > 1) AS twice \
                 JOIN {map} AS pair FORCE INDEX (hash) ON pair.hash = twice.hash \
                 GROUP BY pair.uuid HAVING COUNT(*) > 1 LIMIT {NAMED}"
            );
            for (_, uuid) in self.context().await?.read_all(ACTION, &twice).await? {
                let all = context.read_all(ACTION, &context.pairs_of_uuids(&[uuid])).await?;
                let ids = all.iter().filter(|(_, other)| *other == uuid).map(|(id, _)| id.to_string());
                found.push((uuid, ids.collect::<Vec<_>>().join(",")));
            }
            if found.len() >= NAMED {
                break;
            }
        }
        Ok(found)
    }
}

fn number(row: &MySqlRow, at: usize) -> Result<Option<u64>> {
    row.try_get_unchecked(at).map_err(Error::once(ACTION))
}
