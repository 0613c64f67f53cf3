//! Clients that change rows all the time, and know what the server acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{AssertSqlSafe, Executor, PgConnection};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::psql::connect;
use crate::rows::is_soak;

/// A row of `orders` as a client knows it, with its lines and payments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub n: i64,
    pub parent: Option<Uuid>,
    pub lines: BTreeMap<Uuid, i64>,
    pub payments: Vec<i64>,
}

/// All rows, and the payments whose order was deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub orders: BTreeMap<Uuid, Order>,
    pub loose: Vec<i64>,
    /// Orders whose old text is in upper case.
    pub upper: BTreeSet<Uuid>,
}

impl Rows {
    /// A key as its old text.
    fn shown(&self, id: Uuid) -> String {
        let text = id.to_string();
        if self.upper.contains(&id) { text.to_uppercase() } else { text }
    }
}

/// Eight clients at work.
pub struct Clients {
    stop: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<(Rows, u64)>>,
}

const CLIENTS: usize = 8;

impl Clients {
    /// Each client works on its own part of the rows.
    pub fn start(url: &str, rows: Rows) -> Clients {
        let stop = Arc::new(AtomicBool::new(false));
        let mut parts = vec![Rows::default(); CLIENTS];
        parts[0].loose = rows.loose;
        for (at, (id, order)) in rows.orders.into_iter().enumerate() {
            if rows.upper.contains(&id) {
                parts[at % CLIENTS].upper.insert(id);
            }
            parts[at % CLIENTS].orders.insert(id, order);
        }
        let tasks = parts.into_iter().enumerate().map(|(at, rows)| {
            let client =
                Client { url: url.to_owned(), rows, random: fastrand::Rng::with_seed(at as u64), at };
            tokio::spawn(client.work(stop.clone()))
        });
        let tasks = tasks.collect();
        Clients { stop, tasks }
    }

    /// Stops the clients; returns all rows as they must be.
    pub async fn stop(self) -> Rows {
        self.stop.store(true, Ordering::Relaxed);
        let (mut all, mut changes) = (Rows::default(), Vec::new());
        for task in self.tasks {
            let (rows, count) = task.await.unwrap();
            all.orders.extend(rows.orders);
            all.loose.extend(rows.loose);
            all.upper.extend(rows.upper);
            changes.push(count);
        }
        all.loose.sort_unstable();
        println!("acknowledged changes of each client: {changes:?}");
        assert!(changes.iter().all(|&count| count > 0), "a client made no change: {changes:?}");
        all
    }
}

struct Client {
    url: String,
    rows: Rows,
    random: fastrand::Rng,
    at: usize,
}

impl Client {
    async fn work(mut self, stop: Arc<AtomicBool>) -> (Rows, u64) {
        let mut connection = connect(&self.url).await;
        let mut count = 0;
        while !stop.load(Ordering::Relaxed) {
            let (sql, after) = self.change();
            acknowledged(&mut connection, &sql).await;
            if let Some(copied) = after(&mut self.rows) {
                copy(&mut connection, copied).await;
            }
            count += 1;
            // With less room between their transactions, a step that needs all tables at once tries again for a minute.
            tokio::time::sleep(std::time::Duration::from_millis(if is_soak() { 3 } else { 15 })).await;
        }
        (self.rows, count)
    }

    /// A change, and what it makes of the rows once the server has acknowledged it.
    #[allow(clippy::type_complexity, reason = "a pair that is used once")]
    fn change(&mut self) -> (String, Box<dyn FnOnce(&mut Rows) -> Option<Uuid> + Send>) {
        let (new, line) = (Uuid::new_v4(), Uuid::new_v4());
        let (n, payment) =
            (self.random.i64(0..1_000_000), self.random.i64(1..i64::MAX / 16) * 8 + self.at as i64);
        let Some(id) = self.random.choice(self.rows.orders.keys().copied().collect::<Vec<_>>()) else {
            return self.insert(new, line, n, payment, None);
        };
        let shown = self.rows.shown(id);
        match self.random.u8(0..10) {
            0..=2 => self.insert(new, line, n, payment, Some(id)),
            3 => (
                format!("UPDATE orders SET n = {n} WHERE id = '{shown}'"),
                Box::new(move |rows| {
                    rows.orders.get_mut(&id).unwrap().n = n;
                    None
                }),
            ),
            4 => (
                // The key of a row that others refer to.
                format!("UPDATE orders SET id = '{new}' WHERE id = '{shown}'"),
                Box::new(move |rows| {
                    let order = rows.orders.remove(&id).unwrap();
                    rows.upper.remove(&id);
                    rows.orders.insert(new, order);
                    rows.orders
                        .values_mut()
                        .filter(|o| o.parent == Some(id))
                        .for_each(|o| o.parent = Some(new));
                    None
                }),
            ),
            5 => (
                format!("DELETE FROM orders WHERE id = '{shown}'"),
                Box::new(move |rows| {
                    let order = rows.orders.remove(&id).unwrap();
                    rows.loose.extend(order.payments);
                    rows.orders.values_mut().filter(|o| o.parent == Some(id)).for_each(|o| o.parent = None);
                    None
                }),
            ),
            6 => (
                format!(
                    "INSERT INTO orders (id, n) VALUES ('{shown}', 0) ON CONFLICT (id) DO UPDATE SET n = {n}"
                ),
                Box::new(move |rows| {
                    rows.orders.get_mut(&id).unwrap().n = n;
                    None
                }),
            ),
            7 => (
                format!(
                    "INSERT INTO lines (id, order_id, quantity) VALUES ('{line}', '{shown}', {n}); UPDATE lines SET quantity = {n} + 1 WHERE id = '{line}'"
                ),
                Box::new(move |rows| {
                    rows.orders.get_mut(&id).unwrap().lines.insert(line, n + 1);
                    None
                }),
            ),
            8 => {
                let old = self.rows.orders[&id].lines.keys().next().copied().unwrap_or(line);
                (
                    format!("UPDATE lines SET id = '{new}', quantity = {n} WHERE id = '{old}'"),
                    Box::new(move |rows| {
                        let lines = &mut rows.orders.get_mut(&id).unwrap().lines;
                        if lines.remove(&old).is_some() {
                            lines.insert(new, n);
                        }
                        None
                    }),
                )
            }
            _ => (
                "SELECT 1".into(),
                Box::new(move |rows| {
                    rows.orders.insert(new, Order::default());
                    Some(new)
                }),
            ),
        }
    }

    #[allow(clippy::type_complexity, reason = "as of its caller")]
    fn insert(
        &mut self,
        new: Uuid,
        line: Uuid,
        n: i64,
        payment: i64,
        parent: Option<Uuid>,
    ) -> (String, Box<dyn FnOnce(&mut Rows) -> Option<Uuid> + Send>) {
        let shown = parent.map_or("NULL".to_owned(), |id| format!("'{}'", self.rows.shown(id)));
        let sql = format!(
            "INSERT INTO orders (id, n, parent_id) VALUES ('{new}', {n}, {shown}); \
             INSERT INTO lines (id, order_id, quantity) VALUES ('{line}', '{new}', {n}); INSERT INTO payments (order_id, amount) VALUES ('{new}', {payment})"
        );
        let order = Order { n, parent, lines: BTreeMap::from([(line, n)]), payments: vec![payment] };
        (
            sql,
            Box::new(move |rows| {
                rows.orders.insert(new, order);
                None
            }),
        )
    }
}

/// Executes statements as one transaction until the server has acknowledged them. Who loses a deadlock tries again.
async fn acknowledged(connection: &mut PgConnection, sql: &str) {
    loop {
        match connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await {
            Ok(_) => return,
            Err(error) if is_retried(&error) => println!("again: {error}"),
            Err(error) => panic!("{sql}: {error}"),
        }
    }
}

fn is_retried(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(code.as_ref(), "40001" | "40P01"))
}

/// Inserts a row by COPY.
async fn copy(connection: &mut PgConnection, id: Uuid) {
    let mut copy = connection.copy_in_raw("COPY orders (id, n) FROM STDIN").await.unwrap();
    copy.send(format!("{id}\t0\n").into_bytes()).await.unwrap();
    assert_eq!(copy.finish().await.unwrap(), 1);
}
