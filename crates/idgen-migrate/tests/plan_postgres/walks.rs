//! Random walks: files and ways back in any order, sessions that end at any statement, changes by others, and a client that writes.
//! After each step the promises are checked by plain SQL.
//!
//! `IDGEN_WALKS` says how many walks there are, and `IDGEN_WALK` repeats one of them by its number.

use std::collections::BTreeMap;

use idgen_migrate::plan::{Plan, Statement};
use sqlx::{AssertSqlSafe, Executor, PgConnection, Row};
use uuid::Uuid;

use crate::psql::{SERVER, connect, text};
use crate::{planned, rows};

/// Changes by others: what makes one, and what takes it back. They must be there afterwards, unless they were taken back.
const OTHERS: [(&str, &str); 16] = [
    ("COMMENT ON COLUMN orders.id IS 'key'", "COMMENT ON COLUMN orders.id IS NULL"),
    ("ALTER TABLE orders ALTER id SET STATISTICS 77", "ALTER TABLE orders ALTER id SET STATISTICS -1"),
    ("ALTER TABLE lines CLUSTER ON lines_pkey", "ALTER TABLE lines SET WITHOUT CLUSTER"),
    (
        "ALTER TABLE lines REPLICA IDENTITY USING INDEX lines_pkey",
        "ALTER TABLE lines REPLICA IDENTITY DEFAULT",
    ),
    ("CREATE INDEX others_index ON lines (id, quantity)", "DROP INDEX others_index"),
    ("CREATE VIEW others_view AS SELECT id FROM orders", "DROP VIEW others_view"),
    (
        "ALTER TABLE lines ADD CONSTRAINT others_rule UNIQUE (id, quantity)",
        "ALTER TABLE lines DROP CONSTRAINT others_rule",
    ),
    (
        "ALTER TABLE lines ALTER CONSTRAINT lines_order_id_fkey DEFERRABLE",
        "ALTER TABLE lines ALTER CONSTRAINT lines_order_id_fkey NOT DEFERRABLE",
    ),
    ("GRANT SELECT (id) ON orders TO PUBLIC", "REVOKE SELECT (id) ON orders FROM PUBLIC"),
    ("COMMENT ON TABLE orders IS 'table'", "COMMENT ON TABLE orders IS NULL"),
    ("ALTER TABLE orders ADD COLUMN others_column text", "ALTER TABLE orders DROP COLUMN others_column"),
    ("CREATE INDEX others_other ON orders (n)", "DROP INDEX others_other"),
    ("VACUUM FULL lines", "SELECT 1"),
    ("CLUSTER orders USING orders_pkey; ALTER TABLE orders SET WITHOUT CLUSTER", "SELECT 1"),
    ("ALTER TABLE lines DISABLE TRIGGER USER", "ALTER TABLE lines ENABLE TRIGGER USER"),
    ("ALTER TABLE orders ALTER n TYPE numeric", "ALTER TABLE orders ALTER n TYPE bigint"),
];

/// What hangs on the tables beside the plan, with keys of either type. Lines of the plan's own objects are left out.
const ATTACHED: &str = "SELECT string_agg(DISTINCT what, E'\\n' ORDER BY what) FROM (
    SELECT 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conname !~ OWN
    UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid) || i.indisclustered || i.indisreplident || i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relname !~ OWN
    UNION ALL SELECT concat_ws(' ', 'column', attrelid::regclass, attname, attnotnull, attacl, attstattarget, col_description(attrelid, attnum), pg_get_expr(adbin, adrelid) <> '')
      FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum) WHERE attrelid IN ('orders'::regclass, 'lines'::regclass, 'payments'::regclass)
      AND attnum > 0 AND NOT attisdropped AND attname !~ OWN AND attname !~ '_text$'
    UNION ALL SELECT concat_ws(' ', 'relation', relname, relkind, relreplident, obj_description(oid, 'pg_class')) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname) FROM pg_trigger WHERE NOT tgisinternal AND tgname NOT LIKE 'zzz_idgen_%'
  ) AS a (what)";

struct Walk {
    seed: u64,
    random: fastrand::Rng,
    url: String,
    plan: Plan,
    connection: PgConnection,
    client: PgConnection,
    /// The rows that were acknowledged: `n` of each order, `quantity` of each line with its order.
    orders: BTreeMap<Uuid, i64>,
    lines: BTreeMap<Uuid, (Uuid, i64)>,
    /// What others have changed.
    changed: Vec<usize>,
    attached: String,
    done: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Done,
    Refused(String),
    Killed,
}

impl Walk {
    fn fails(&self, why: &str) -> ! {
        panic!("IDGEN_WALK={}: {why}\n{}", self.seed, self.done.join("\n"));
    }

    async fn attached(&mut self) -> String {
        let own = format!("'_{}_(new|old|same|not_null)$'", self.plan.id);
        text(&mut self.connection, &ATTACHED.replace("OWN", &own)).await
    }

    /// Executes a file in a session of its own, which ends before the statement of this number.
    async fn execute(&mut self, at: usize, back: bool, last: usize) -> Outcome {
        let step = &self.plan.steps[at];
        let statements = if back { &step.undo } else { &step.statements };
        let mut session = connect(&self.url).await;
        for (number, statement) in self.plan.session.iter().chain(statements).enumerate() {
            if number >= last {
                return Outcome::Killed;
            }
            if let Err(error) = one(&mut session, statement).await {
                return Outcome::Refused(error.to_string());
            }
        }
        Outcome::Done
    }

    async fn step(&mut self) {
        let at = self.random.usize(0..self.plan.steps.len());
        let back = self.random.u8(0..4) == 0;
        let count = if back { self.plan.steps[at].undo.len() } else { self.plan.steps[at].statements.len() };
        let last = if self.random.u8(0..5) == 0 { self.random.usize(0..count + 2) } else { usize::MAX };
        let name = self.plan.steps[at].name.clone();
        let before = self.attached().await;
        let outcome = self.execute(at, back, last).await;
        self.done.push(format!("{}{name} (until {last}): {outcome:?}", if back { "undo/" } else { "" }));
        let after = self.attached().await;
        if let Outcome::Refused(why) = &outcome {
            let known = [
                "the next file is ",
                "this plan is finished",
                "would be lost",
                "changed since the plan",
                "hangs on the columns",
                "there is no way back",
                "undo/09-switch.sql goes back",
            ];
            if !known.iter().any(|part| why.contains(part)) {
                self.fails(&format!("{name} failed with: {why}"));
            }
            if before != after {
                self.fails(&format!("{name} was refused and changed something:\n{before}\n--\n{after}"));
            }
        }
    }

    /// Executes the file that the ledger names, so that walks come to the end.
    async fn follow(&mut self) {
        let id = &self.plan.id;
        let begun = text(
            &mut self.connection,
            &format!("SELECT to_regprocedure('idgen_{id}.next_file()') IS NOT NULL"),
        )
        .await
            == "true";
        let next = match begun {
            true => text(&mut self.connection, &format!("SELECT idgen_{id}.next_file()")).await,
            false => "02-prepare.sql".to_owned(),
        };
        let Some(at) = self.plan.steps.iter().position(|step| next.ends_with(&format!("-{}.sql", step.name)))
        else {
            self.fails(&format!("the next file is {next}"));
        };
        let outcome = self.execute(at, false, usize::MAX).await;
        self.done.push(format!("followed to {next}: {outcome:?}"));
    }

    async fn other(&mut self) {
        if !self.changed.is_empty() && self.random.bool() {
            let at = self.changed.swap_remove(self.random.usize(0..self.changed.len()));
            self.change(at, true).await;
            return;
        }
        let at = self.random.usize(0..OTHERS.len());
        if !self.changed.contains(&at) && self.change(at, false).await {
            self.changed.push(at);
        }
    }

    /// Makes a change, or takes it back. The server may refuse it, as it may refuse a view on a column whose type changes.
    async fn change(&mut self, at: usize, back: bool) -> bool {
        let sql = if back { OTHERS[at].1 } else { OTHERS[at].0 };
        let result = self.connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.map(drop);
        self.done.push(format!("others: {sql}: {result:?}"));
        result.is_ok()
    }

    /// A client changes rows. It is refused only while somebody has switched the triggers off.
    async fn write(&mut self) {
        let (new, n) = (Uuid::new_v4(), self.random.i64(0..1_000_000));
        let any = |random: &mut fastrand::Rng, ids: Vec<Uuid>| random.choice(ids);
        let order = any(&mut self.random, self.orders.keys().copied().collect());
        let line = any(&mut self.random, self.lines.keys().copied().collect());
        let (Some(order), Some(line)) = (order, line) else { return };
        let kind = self.random.u8(0..5);
        let sql = match kind {
            0 => format!("INSERT INTO orders (id, n) VALUES ('{new}', {n})"),
            1 => format!(
                "INSERT INTO lines (id, order_id, quantity) SELECT '{new}', id, {n} FROM orders WHERE id::text::uuid = '{order}'"
            ),
            2 => format!("UPDATE lines SET id = '{new}', quantity = {n} WHERE id::text::uuid = '{line}'"),
            3 => format!("UPDATE orders SET id = '{new}', n = {n} WHERE id::text::uuid = '{order}'"),
            _ => format!("DELETE FROM lines WHERE id::text::uuid = '{line}'"),
        };
        match self.client.execute(sqlx::raw_sql(AssertSqlSafe(sql.clone()))).await {
            Err(_) if self.changed.contains(&14) => return,
            Err(error) => self.fails(&format!("a client was refused: {sql}: {error}")),
            Ok(result) if result.rows_affected() != 1 => {
                self.fails(&format!("{} rows: {sql}", result.rows_affected()))
            }
            Ok(_) => {}
        }
        self.done.push(sql);
        match kind {
            0 => drop(self.orders.insert(new, n)),
            1 => drop(self.lines.insert(new, (order, n))),
            2 => {
                if let Some((of, _)) = self.lines.remove(&line) {
                    self.lines.insert(new, (of, n));
                }
            }
            3 => {
                self.orders.remove(&order);
                self.orders.insert(new, n);
                self.lines.values_mut().filter(|(of, _)| *of == order).for_each(|(of, _)| *of = new);
            }
            _ => drop(self.lines.remove(&line)),
        }
    }

    /// The acknowledged rows are in the tables, and nothing else is.
    async fn check(&mut self) {
        let found =
            self.connection.fetch_all(sqlx::raw_sql("SELECT id::text, n::bigint FROM orders")).await.unwrap();
        let orders: BTreeMap<Uuid, i64> = found.iter().map(|row| (id(row, 0), number(row, 1))).collect();
        let found = self
            .connection
            .fetch_all(sqlx::raw_sql("SELECT id::text, quantity, order_id::text FROM lines"))
            .await
            .unwrap();
        let lines: BTreeMap<Uuid, (Uuid, i64)> =
            found.iter().map(|row| (id(row, 0), (id(row, 2), number(row, 1)))).collect();
        if orders != self.orders || lines != self.lines || found.len() != lines.len() {
            self.fails("rows are lost, doubled or different");
        }
    }
}

fn id(row: &sqlx::postgres::PgRow, at: usize) -> Uuid {
    row.get::<String, _>(at).parse().unwrap()
}

fn number(row: &sqlx::postgres::PgRow, at: usize) -> i64 {
    row.get(at)
}

async fn one(session: &mut PgConnection, statement: &Statement) -> Result<(), sqlx::Error> {
    if let Some(query) = &statement.only_if {
        let row = session.fetch_one(sqlx::raw_sql(AssertSqlSafe(format!("SELECT ({query})")))).await?;
        if !row.get::<bool, _>(0) {
            return Ok(());
        }
    }
    session.execute(sqlx::raw_sql(AssertSqlSafe(statement.sql.clone()))).await.map(drop)
}

async fn walk(seed: u64) -> usize {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    rows::fill(&mut connection, 40).await;
    let plan = planned(scratch.url()).await;
    let rows = rows::read(&mut connection).await;
    let client = connect(scratch.url()).await;
    let lines =
        rows.orders.iter().flat_map(|(id, order)| order.lines.iter().map(|(line, n)| (*line, (*id, *n))));
    let mut walk = Walk {
        seed,
        random: fastrand::Rng::with_seed(seed),
        url: scratch.url().to_owned(),
        plan,
        connection,
        client,
        lines: lines.collect(),
        orders: rows.orders.iter().map(|(id, order)| (*id, order.n)).collect(),
        changed: Vec::new(),
        attached: String::new(),
        done: Vec::new(),
    };
    walk.attached = walk.attached().await;
    for _ in 0..60 {
        match walk.random.u8(0..10) {
            0..=2 => walk.step().await,
            3..=5 => walk.follow().await,
            6 => walk.other().await,
            _ => walk.write().await,
        }
        walk.check().await;
    }
    // Others take back what they changed; then the files that the ledger names lead to the end.
    for at in std::mem::take(&mut walk.changed) {
        if !walk.change(at, true).await {
            walk.fails("what others changed is gone");
        }
    }
    let finished = format!(
        "SELECT to_regnamespace('idgen_{}') IS NULL AND atttypid = 'uuid'::regtype FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'",
        walk.plan.id
    );
    for _ in 0..20 {
        if text(&mut walk.connection, &finished).await == "true" {
            break;
        }
        walk.follow().await;
        walk.write().await;
        walk.check().await;
    }
    if text(&mut walk.connection, &finished).await != "true" {
        walk.fails("the files do not lead to the end");
    }
    let attached = walk.attached().await;
    if attached != walk.attached {
        walk.fails(&format!("what was attached has changed:\n{}\n--\n{attached}", walk.attached));
    }
    walk.done.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walks_lose_nothing() {
    if let Some(seed) = std::env::var("IDGEN_WALK").ok().and_then(|text| text.parse().ok()) {
        walk(seed).await;
        return;
    }
    let of_soak = if rows::is_soak() { 300 } else { 2 };
    let count = std::env::var("IDGEN_WALKS").ok().and_then(|text| text.parse().ok()).unwrap_or(of_soak);
    let mut steps = 0;
    for seed in 0..count {
        steps += walk(seed).await;
    }
    println!("{count} walks with {steps} steps");
}
