//! The tables of the tests, and what is in them.

use idgen_server::Scratch;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::clients::{Order, Rows};
use crate::psql::{SERVER, connect, execute};

/// Three tables and three foreign keys, one of them to the table itself.
pub const TABLES: &str = "
    CREATE TABLE orders (id char(36) PRIMARY KEY DEFAULT gen_random_uuid()::text, n bigint NOT NULL DEFAULT 0,
      parent_id char(36) REFERENCES orders ON UPDATE CASCADE ON DELETE SET NULL);
    CREATE INDEX orders_parent ON orders (parent_id DESC, n) WHERE parent_id IS NOT NULL;
    CREATE TABLE lines (id varchar(36) PRIMARY KEY, order_id char(36) NOT NULL REFERENCES orders ON UPDATE CASCADE ON DELETE CASCADE,
      quantity bigint NOT NULL, CONSTRAINT lines_once UNIQUE (order_id, id));
    CREATE TABLE payments (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      order_id char(36) REFERENCES orders ON UPDATE CASCADE ON DELETE SET NULL, amount bigint NOT NULL);
    CREATE INDEX ON payments (order_id)";

/// Rows of the test; many more where the long tests run.
pub fn count(of_a_test: usize) -> usize {
    if is_soak() { 200_000 } else { of_a_test }
}

pub fn is_soak() -> bool {
    std::env::var_os("IDGEN_SOAK_OPERATIONS").is_some()
}

/// Makes the tables with rows. Some ids are in upper case.
pub async fn fill(connection: &mut PgConnection, count: usize) {
    execute(connection, TABLES).await;
    let orders = count / 4;
    let sql = format!(
        "INSERT INTO orders (id, n) SELECT CASE WHEN i % 10 = 0 THEN upper(gen_random_uuid()::text) ELSE gen_random_uuid()::text END, i
           FROM generate_series(1, {orders}) AS i;
         UPDATE orders SET parent_id = id WHERE n % 50 = 0;
         INSERT INTO lines SELECT gen_random_uuid(), id, i FROM orders, generate_series(1, 2) AS i;
         INSERT INTO payments (order_id, amount) SELECT id, n * 8 FROM orders;
         ANALYZE"
    );
    execute(connection, sql).await;
}

/// A database with such tables, and a connection to it.
pub async fn filled(count: usize) -> (Scratch, PgConnection) {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    fill(&mut connection, count).await;
    (scratch, connection)
}

/// Reads all rows of the tables.
pub async fn read(connection: &mut PgConnection) -> Rows {
    let mut rows = Rows::default();
    let orders: Vec<(String, i64, Option<String>)> =
        all(connection, "SELECT id::text, n, parent_id::text FROM orders").await;
    for (key, n, parent) in orders {
        if key.contains(|c: char| c.is_ascii_uppercase()) {
            rows.upper.insert(id(&key));
        }
        let order = Order { n, parent: parent.as_deref().map(id), ..Order::default() };
        assert!(rows.orders.insert(id(&key), order).is_none(), "{key} is there twice");
    }
    let lines: Vec<(String, String, i64)> =
        all(connection, "SELECT id::text, order_id::text, quantity FROM lines").await;
    for (line, order, quantity) in lines {
        let order = rows.orders.get_mut(&id(&order)).expect("the order of a line");
        assert!(order.lines.insert(id(&line), quantity).is_none(), "{line} is there twice");
    }
    let payments: Vec<(Option<String>, i64)> =
        all(connection, "SELECT order_id::text, amount FROM payments ORDER BY number").await;
    for (order, amount) in payments {
        match order {
            Some(order) => {
                rows.orders.get_mut(&id(&order)).expect("the order of a payment").payments.push(amount)
            }
            None => rows.loose.push(amount),
        }
    }
    rows.loose.sort_unstable();
    rows
}

async fn all<T>(connection: &mut PgConnection, sql: &str) -> Vec<T>
where
    T: for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    sqlx::query_as(AssertSqlSafe(sql.to_owned())).persistent(false).fetch_all(connection).await.unwrap()
}

fn id(text: &str) -> Uuid {
    text.parse().unwrap()
}

/// The server has what was acknowledged, and nothing else.
pub async fn check(connection: &mut PgConnection, expected: &Rows) {
    let found = read(connection).await;
    assert_eq!(found.orders.len(), expected.orders.len());
    for (id, order) in &expected.orders {
        assert_eq!(found.orders.get(id), Some(order), "{id}");
    }
    assert_eq!(found.loose, expected.loose);
}

/// The actions of the foreign keys fire after those of newer ones. Triggers fire in the order of their names, which end with
/// their object identifiers as text: 99999 comes after 100000.
pub async fn let_the_old_keys_act_last(connection: &mut PgConnection) {
    let sql = "SET allow_system_table_mods = on;
        UPDATE pg_trigger SET tgname = replace(tgname, 'Trigger_a_', 'Trigger_a_9999') WHERE tgname LIKE 'RI\\_ConstraintTrigger\\_a\\_%';
        RESET allow_system_table_mods";
    execute(connection, sql).await;
}
