//! The tables of one run: several writers fill them, and a separate connection reads them back and checks them.

mod keys;
mod made;
mod operate;
mod own;
mod plan;
mod reference;
mod writer;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use futures_util::future::try_join_all;
use futures_util::{TryFutureExt, TryStreamExt};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{Host, connect, counters, doing, files, flush, myrocks, others, reach, run};
use crate::Result;
use crate::engine::clients::in_statements;
use crate::engine::latencies::Latencies;
use crate::engine::{
    Answer, Batch, Contents, Counters, Feed, Inserted, LOAD_ROWS, MakeKey, Seen, Step, Table, Tree,
};
use crate::key::Key;
use crate::own::Own;
use crate::strategy::Strategy;
use idgen_record::{Database, Latency, Others, Role, Workload};
use plan::{MapBy, Place, Plan};
use writer::{Inserting, Writer};

/// The tables of one run.
pub struct Tables {
    host: Rc<Host>,
    plan: Plan,
    /// The connection that reads; the writers have connections of their own.
    connection: MySqlConnection,
    writers: Vec<Writer>,
    /// Rows that the table of each statement held before the run, if the schema is the user's.
    at_first: Vec<u64>,
    at_start: Counters,
    /// The writes of other clients before the run; `None` on a server of the lab's own, and if the clients of
    /// a map write too.
    others_at_start: Option<Others>,
    /// An id that the server made before the first row, if the server makes the ids.
    made_before: Option<Key>,
    latencies: Latencies,
}

impl Tables {
    pub fn create(host: Rc<Host>, number: u32, strategy: &Strategy, workload: &Workload) -> Result<Self> {
        let latencies = Latencies::new()?;
        let mut plan = Plan::of(strategy, workload, host.server.database(), number)?;
        let waits = Rc::clone(&host);
        waits.wait(async {
            let mut connection = connect(&host).await?;
            reach::forget_sizes(&mut connection, host.server.database() == Database::MySql).await?;
            for (line, sql) in plan.create(host.reach.engine()) {
                run(&mut connection, &sql).await.map_err(|error| match line {
                    Some(line) => Own::refused(line, error),
                    None => error,
                })?;
            }
            let at_first = own::begin(&mut connection, &mut plan).await?;
            let mut writers = Vec::new();
            for _ in 0..workload.writers {
                writers.push(Writer::connect(&host, &plan).await?);
            }
            let made_before = made::now(&mut connection, plan.ids, plan.column, plan.database).await?;
            let at_start = counters::read(&mut connection, &host).await?;
            let alone = host.is_own() || matches!(plan.map, Some((MapBy::Library(_), _)));
            let others_at_start = match alone {
                true => None,
                false => Some(others::now(&mut connection, &mut sessions(&mut writers)).await?),
            };
            Ok(Tables {
                host,
                plan,
                connection,
                writers,
                at_first,
                at_start,
                others_at_start,
                made_before,
                latencies,
            })
        })
    }

    /// Inserts rows by one writer with this many rows per statement.
    fn insert_with(
        &mut self,
        client: usize,
        statement_rows: usize,
        batch: &Batch<'_>,
    ) -> Result<Vec<Inserted>> {
        let Tables { host, plan, writers, latencies, .. } = self;
        match writers.get_mut(client) {
            Some(writer) => host.wait(in_statements(batch, statement_rows, latencies, async |part| {
                writer.statement(plan, part).await
            })),
            None => Ok(Vec::new()),
        }
    }
}

fn sessions(writers: &mut [Writer]) -> Vec<&mut MySqlConnection> {
    writers.iter_mut().map(Writer::connection).collect()
}

impl Table for Tables {
    fn settings(&mut self) -> Result<BTreeMap<String, String>> {
        let mut settings = self.host.settings.clone();
        let mut text = Vec::new();
        for table in self.plan.tables() {
            let sql = AssertSqlSafe(format!("SHOW CREATE TABLE {table}"));
            let failed = doing("read the tables' definition");
            let row = self.host.wait(self.connection.fetch_one(sql).map_err(&failed))?;
            let shown: String = row.try_get_unchecked(1).map_err(&failed)?;
            text.push(shown.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        settings.insert("table".into(), text.join("; "));
        Ok(settings)
    }

    fn insert(&mut self, client: usize, rows: &Batch<'_>) -> Result<Vec<Inserted>> {
        self.insert_with(client, self.plan.statement_rows, rows)
    }

    fn serve(&mut self, feed: &mut dyn Feed) -> Result<()> {
        let Tables { host, plan, writers, latencies, .. } = self;
        let plan = &*plan;
        host.serve(writers.iter_mut().map(|writer| Inserting { writer, plan }), feed, latencies)
    }

    fn rows_at_once(&self, workload: &Workload) -> u64 {
        workload.statement_rows.into()
    }

    fn load(&mut self, rows: &Batch<'_>) -> Result<Vec<Inserted>> {
        self.insert_with(0, LOAD_ROWS, rows)
    }

    fn begin(&mut self) -> Result<()> {
        self.latencies.clear();
        Ok(())
    }

    fn operate(&mut self, clients: &[Vec<Step<'_>>], make: &mut MakeKey<'_>) -> Result<Vec<Vec<Answer>>> {
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

    /// Deleted rows stay on their pages until the purge removes them.
    fn settle(&mut self, rows: u64) -> Result<()> {
        if !self.host.reach.files {
            return Ok(());
        }
        let began = Instant::now();
        while self.trees()?.first().is_some_and(|tree| tree.rows() > rows) {
            // If rows are left then, the check of the pages finds them.
            if began.elapsed() > operate::PURGE_LIMIT {
                break;
            }
            self.host.wait(async {
                tokio::time::sleep(operate::PURGE_STEP).await;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn clock_ahead(&mut self) -> Result<i64> {
        self.host.clock_ahead()
    }

    fn counters(&mut self) -> Result<Counters> {
        let now = self.host.wait(counters::read(&mut self.connection, &self.host))?;
        Ok(now.since(&self.at_start))
    }

    fn others(&mut self) -> Result<Option<Others>> {
        let Some(before) = self.others_at_start else { return Ok(None) };
        let (connection, mut ours) = (&mut self.connection, sessions(&mut self.writers));
        let now = self.host.wait(others::now(connection, &mut ours))?;
        Ok(Some(Others { writes: now.writes.saturating_sub(before.writes), ..now }))
    }

    fn flush(&mut self) -> Result<Option<Counters>> {
        let is_myrocks = self.host.reach.is_myrocks;
        if !self.host.is_own() && !is_myrocks {
            return Ok(None);
        }
        let (host, connection) = (&self.host, &mut self.connection);
        host.wait(async {
            let before = counters::read(connection, host).await?;
            match is_myrocks {
                true => myrocks::until_compacted(connection).await?,
                false => flush::all(connection, host).await?,
            }
            Ok(Some(counters::read(connection, host).await?.since(&before)))
        })
    }

    fn lap(&mut self) -> Option<Latency> {
        Some(self.latencies.lap())
    }

    fn latency(&self) -> Option<Latency> {
        Some(self.latencies.laps())
    }

    fn seen(&mut self) -> Result<Option<Seen>> {
        let (host, plan, connection) = (&self.host, &self.plan, &mut self.connection);
        if host.reach.files {
            return Ok(None);
        }
        let roles = plan.trees().iter().map(|place| place.role).collect();
        let mut seen = Seen { roles, fills: Vec::new(), mean_fill: None, bytes: None, map_bytes: None };
        if host.reach.is_myrocks {
            return Ok(Some(seen));
        }
        let page_bytes = reach::number(&host.settings, "innodb_page_size")?;
        host.wait(async {
            for table in plan.tables() {
                if host.reach.pool_pages {
                    let fills = reach::fills(connection, host.scratch.name(), table, page_bytes).await?;
                    seen.fills.extend(fills);
                }
            }
            Ok(Some(seen))
        })
    }

    fn allocated_bytes(&mut self) -> Result<Option<u64>> {
        let (host, plan, connection) = (&self.host, &self.plan, &mut self.connection);
        host.wait(async {
            let mut bytes = 0;
            for table in plan.tables() {
                bytes += reach::table_bytes(connection, table).await?;
            }
            Ok(Some(bytes))
        })
    }

    fn trees(&mut self) -> Result<Vec<Tree>> {
        let (host, connection) = (&self.host, &mut self.connection);
        let mut files = BTreeMap::new();
        for table in self.plan.tables() {
            files.insert(table, host.wait(files::of(host, connection, table))?);
        }
        let read = |place: Place<'_>| files::index(&files[place.table], place.role, place.index);
        self.plan.trees().into_iter().map(read).collect()
    }

    fn sorted_by_key(&self) -> bool {
        self.plan.own.as_ref().is_none_or(Own::sorted_by_key)
    }

    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
        let (sql, column) = self.plan.keys(role)?;
        let failed = doing("read the keys back");
        let (connection, plan, before) = (&mut self.connection, &self.plan, self.made_before);
        self.host.wait(async {
            let after = made::now(connection, plan.ids, plan.column, plan.database).await?;
            let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(connection);
            while let Some(row) = rows.try_next().await.map_err(&failed)? {
                let key = keys::read_key(&row, column)?;
                if let (Some(before), Some(after)) = (before, after) {
                    made::check(key, before, after)?;
                }
                visit(key)?;
            }
            Ok(())
        })
    }

    fn other_bytes(&mut self) -> Result<Option<u64>> {
        let (host, plan, connection) = (&self.host, &self.plan, &mut self.connection);
        if plan.own.is_none() || !host.reach.files {
            return Ok(None);
        }
        let mut bytes = 0;
        for table in plan.tables() {
            let pages = host.wait(files::of(host, connection, table))?;
            let trees = if *table == *plan.rows { 1 } else { 0 };
            bytes += files::index_bytes(&pages, trees);
        }
        Ok(Some(bytes))
    }

    fn contents(&mut self) -> Result<Contents> {
        if let Some(own) = &self.plan.own {
            let now = self.host.wait(own::counts(&mut self.connection, own))?;
            return Contents::of_own(own, &self.at_first, &now);
        }
        let failed = doing("count the rows");
        let rows = sqlx::query(AssertSqlSafe(self.plan.contents()));
        let row = self.host.wait(rows.fetch_one(&mut self.connection).map_err(&failed))?;
        let at = |column: usize| row.try_get::<u64, _>(column).map_err(&failed);
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
        // Makes room for the next strategy. The schema is dropped with the engine in any case.
        for sql in self.plan.remove() {
            let _ = self.host.runtime.block_on(run(&mut self.connection, &sql));
        }
    }
}
