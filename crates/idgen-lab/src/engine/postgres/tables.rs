//! The tables of one run: several writers fill them, and a separate connection reads them back and checks them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_util::future::try_join_all;
use futures_util::{TryFutureExt, TryStreamExt};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::own;
use super::plan::Plan;
use super::writer::{Inserting, Writer};
use super::{Host, connect, counters, doing, keys, operate, others, pages, reach, run};
use crate::Result;
use crate::engine::clients::in_statements;
use crate::engine::latencies::Latencies;
use crate::engine::{
    Answer, Batch, Contents, Counters, Feed, Inserted, LOAD_ROWS, MakeKey, Seen, Statement, Step, Table,
    Tree, Turn,
};
use crate::key::Key;
use crate::own::Own;
use crate::strategy::Strategy;
use idgen_record::{Latency, Others, Role, Workload};

/// The tables of one run.
pub struct Tables {
    host: Rc<Host>,
    plan: Plan,
    /// The connection that reads; the writers have connections of their own.
    connection: PgConnection,
    writers: Vec<Writer>,
    log: counters::Log,
    /// Rows that the table of each statement held before the run, if the schema is the user's.
    at_first: Vec<u64>,
    at_start: Counters,
    /// The writes of other clients before the run; `None` on a server of the lab's own.
    others_at_start: Option<Others>,
    latencies: Latencies,
    /// The number of rows between two checkpoints, and the number inserted since the last one.
    checkpoint_rows: u64,
    rows: u64,
}

impl Tables {
    pub fn create(host: Rc<Host>, number: u32, strategy: &Strategy, workload: &Workload) -> Result<Self> {
        let latencies = Latencies::new()?;
        let mut plan = Plan::of(strategy, workload, number)?;
        let waits = Rc::clone(&host);
        waits.wait(async {
            let mut connection = connect(&host).await?;
            reach::read_by_index(&mut connection).await?;
            for (line, sql) in plan.create() {
                run(&mut connection, &sql).await.map_err(|error| match line {
                    Some(line) => Own::refused(line, error),
                    None => error,
                })?;
            }
            let at_first = own::begin(&mut connection, &mut plan).await?;
            let mut writers = Vec::new();
            for _ in 0..workload.writers {
                writers.push(Writer::connect(&host).await?);
            }
            if host.reach.checkpoints {
                run(&mut connection, "CHECKPOINT").await?;
            }
            let mut log = counters::Log::now(&mut connection, &host.reach).await?;
            let at_start = counters::read(&mut connection, &host.reach, &mut log, &mut writers).await?;
            let others_at_start = match host.is_own() {
                true => None,
                false => Some(others::now(&mut connection).await?),
            };
            let checkpoint_rows = workload.checkpoint_rows();
            Ok(Tables {
                host,
                plan,
                connection,
                writers,
                log,
                at_first,
                at_start,
                others_at_start,
                latencies,
                checkpoint_rows,
                rows: 0,
            })
        })
    }

    /// Makes a checkpoint if one is due.
    fn checkpoint(&mut self) -> Result<()> {
        if self.host.reach.checkpoints && self.rows >= self.checkpoint_rows {
            self.rows %= self.checkpoint_rows;
            return self.host.wait(run(&mut self.connection, "CHECKPOINT"));
        }
        Ok(())
    }

    /// Inserts rows by one writer with this many rows per statement.
    fn insert_with(
        &mut self,
        client: usize,
        statement_rows: usize,
        batch: &Batch<'_>,
    ) -> Result<Vec<Inserted>> {
        self.checkpoint()?;
        let Tables { host, plan, writers, latencies, .. } = self;
        let rows = match writers.get_mut(client) {
            Some(writer) => host.wait(in_statements(batch, statement_rows, latencies, async |part| {
                writer.statement(plan, part).await
            }))?,
            None => Vec::new(),
        };
        self.rows += rows.len() as u64;
        Ok(rows)
    }

    /// The first column of a row, as text.
    fn text(&mut self, sql: String) -> Result<String> {
        let failed = doing("read the tables' definition");
        let row = self.host.wait(self.connection.fetch_one(AssertSqlSafe(sql)).map_err(&failed))?;
        row.try_get(0).map_err(failed)
    }
}

/// Counts the rows that were acknowledged since the last checkpoint.
struct Counted<'a> {
    feed: &'a mut dyn Feed,
    rows: &'a mut u64,
}

impl Feed for Counted<'_> {
    fn next(&mut self, client: usize) -> Result<Turn> {
        self.feed.next(client)
    }

    fn acknowledged(&mut self, client: usize, statement: &Statement, rows: &[Inserted]) -> Result<()> {
        *self.rows += rows.len() as u64;
        self.feed.acknowledged(client, statement, rows)
    }

    fn inserted_at(&mut self, client: usize, micros: &[i64]) {
        self.feed.inserted_at(client, micros);
    }
}

impl Table for Tables {
    fn settings(&mut self) -> Result<BTreeMap<String, String>> {
        let mut settings = self.host.settings.clone();
        let mut definitions = Vec::new();
        let tables: Vec<String> = self.plan.tables().map(str::to_owned).collect();
        for table in tables {
            let index = self.plan.index_of(&table);
            definitions.push(self.text(format!(
                "SELECT '{table} (' || string_agg(attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN \
                 collname = 'C' THEN ' COLLATE \"C\"' ELSE '' END, ', ' ORDER BY attnum) || '); ' || \
                 coalesce(pg_get_indexdef({index}), '') FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = \
                 attcollation WHERE attrelid = '{table}'::regclass AND attnum > 0"
            ))?);
        }
        settings.insert("table".into(), definitions.join("; "));
        if self.host.reach.checkpoints {
            settings.insert("checkpoint_rows".into(), self.checkpoint_rows.to_string());
        }
        Ok(settings)
    }

    fn insert(&mut self, client: usize, rows: &Batch<'_>) -> Result<Vec<Inserted>> {
        self.insert_with(client, self.plan.statement_rows, rows)
    }

    fn serve(&mut self, feed: &mut dyn Feed) -> Result<()> {
        let Tables { host, plan, writers, latencies, rows, .. } = self;
        let plan = &*plan;
        let mut counted = Counted { feed, rows };
        host.serve(writers.iter_mut().map(|writer| Inserting { writer, plan }), &mut counted, latencies)
    }

    fn rows_at_once(&self, workload: &Workload) -> u64 {
        workload.statement_rows.into()
    }

    fn rows_to_checkpoint(&mut self) -> Result<u64> {
        if !self.host.reach.checkpoints {
            return Ok(u64::MAX);
        }
        self.checkpoint()?;
        Ok(self.checkpoint_rows - self.rows)
    }

    fn load(&mut self, rows: &Batch<'_>) -> Result<Vec<Inserted>> {
        self.insert_with(0, LOAD_ROWS, rows)
    }

    fn begin(&mut self) -> Result<()> {
        self.latencies.clear();
        self.rows = self.checkpoint_rows;
        self.checkpoint()
    }

    fn operate(&mut self, clients: &[Vec<Step<'_>>], make: &mut MakeKey<'_>) -> Result<Vec<Vec<Answer>>> {
        self.checkpoint()?;
        let inserts = clients.iter().flatten().filter(|step| matches!(step, Step::Insert { .. }));
        self.rows += inserts.count() as u64;
        let Tables { host, plan, writers, .. } = self;
        let make = RefCell::new(make);
        let work = writers.iter_mut().zip(clients).enumerate().map(|(client, (writer, steps))| {
            operate::all(writer.connection(), plan, steps, {
                let make = &make;
                move || (make.borrow_mut())(client)
            })
        });
        host.wait(try_join_all(work))
    }

    /// Old versions of rows that were updated or deleted stay in heap and index until a vacuum removes them.
    fn settle(&mut self, _: u64) -> Result<()> {
        let sql = format!("VACUUM {}", self.plan.rows);
        self.host.wait(run(&mut self.connection, &sql))
    }

    fn clock_ahead(&mut self) -> Result<i64> {
        self.host.clock_ahead()
    }

    fn counters(&mut self) -> Result<Counters> {
        let Tables { host, connection, log, writers, .. } = self;
        let now = host.wait(counters::read(connection, &host.reach, log, writers))?;
        let failures = self.writers.iter().map(Writer::failures).sum();
        let serialization_failures = self.plan.serializable.then_some(failures);
        Ok(Counters { serialization_failures, ..now.since(&self.at_start) })
    }

    fn others(&mut self) -> Result<Option<Others>> {
        let Some(before) = self.others_at_start else { return Ok(None) };
        let now = self.host.wait(others::now(&mut self.connection))?;
        Ok(Some(Others { writes: now.writes.saturating_sub(before.writes), ..now }))
    }

    fn lap(&mut self) -> Option<Latency> {
        Some(self.latencies.lap())
    }

    fn latency(&self) -> Option<Latency> {
        Some(self.latencies.laps())
    }

    fn seen(&mut self) -> Result<Option<Seen>> {
        let (host, connection) = (&self.host, &mut self.connection);
        if host.reach.pages {
            return Ok(None);
        }
        let trees = self.plan.trees();
        let roles = trees.iter().map(|(role, _)| *role).collect();
        let mut seen = Seen { roles, fills: Vec::new(), mean_fill: None, bytes: None, map_bytes: None };
        host.wait(async {
            let (mut all, mut used) = (0, 0.0);
            for (role, index) in &trees {
                let bytes = pages::bytes(connection, index).await?;
                all += bytes;
                if *role == Role::Map {
                    seen.map_bytes = Some(bytes);
                }
                if host.reach.density {
                    used += bytes as f64 * pages::density(connection, index).await?;
                }
            }
            seen.mean_fill = host.reach.density.then(|| used / all.max(1) as f64);
            seen.bytes = Some(all);
            Ok(Some(seen))
        })
    }

    fn heap_bytes(&mut self) -> Result<Option<u64>> {
        let (host, connection) = (&self.host, &mut self.connection);
        host.wait(async {
            let mut bytes = 0;
            for table in self.plan.tables() {
                bytes += pages::bytes(connection, table).await?;
            }
            Ok(Some(bytes))
        })
    }

    fn trees(&mut self) -> Result<Vec<Tree>> {
        let (host, connection) = (&self.host, &mut self.connection);
        host.wait(async {
            let mut trees = Vec::new();
            for (role, index) in self.plan.trees() {
                trees.push(pages::tree(connection, role, &index, &host.reach).await?);
            }
            Ok(trees)
        })
    }

    fn sorted_by_key(&self) -> bool {
        self.plan.own.as_ref().is_none_or(|(own, _)| own.sorted_by_key())
    }

    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
        let (sql, column) = self.plan.keys(role)?;
        let failed = doing("read the keys back");
        let connection = &mut self.connection;
        self.host.wait(async {
            let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(connection);
            while let Some(row) = rows.try_next().await.map_err(&failed)? {
                visit(keys::read_key(&row, column)?)?;
            }
            Ok(())
        })
    }

    fn other_bytes(&mut self) -> Result<Option<u64>> {
        let Some((own, index)) = &self.plan.own else { return Ok(None) };
        let connection = &mut self.connection;
        self.host.wait(own::other_bytes(connection, own, index)).map(Some)
    }

    fn contents(&mut self) -> Result<Contents> {
        if let Some((own, _)) = &self.plan.own {
            let now = self.host.wait(own::counts(&mut self.connection, own))?;
            return Contents::of_own(own, &self.at_first, &now);
        }
        let failed = doing("count the rows");
        let rows = sqlx::query(AssertSqlSafe(self.plan.contents()));
        let row = self.host.wait(rows.fetch_one(&mut self.connection).map_err(&failed))?;
        let at = |column: usize| -> Result<u64> {
            let count = row.try_get::<i64, _>(column).map_err(&failed)?;
            Ok(u64::try_from(count).unwrap_or(0))
        };
        Ok(Contents { rows: at(0)?, payload_bytes: at(1)?, unmapped: at(2)? })
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        // The writers' connections have to be closed while the runtime still exists.
        let _inside = self.host.runtime.enter();
        self.writers.clear();
        // A connection that was abandoned in the middle of a statement would wait for the statement to end.
        if self.host.cancel.borrow().is_cancelled() {
            return;
        }
        // Makes room for the next strategy. The database is dropped with the engine in any case.
        let _ = self.host.runtime.block_on(run(&mut self.connection, &self.plan.remove()));
    }
}
