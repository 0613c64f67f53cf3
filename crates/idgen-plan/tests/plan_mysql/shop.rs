//! Three tables with foreign keys, clients that change their rows all the time, and the rows that must be there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::mysql::{MySqlConnection, MySqlDatabaseError};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

pub const TABLES: [&str; 3] = ["customers", "items", "orders"];

pub const SCHEMA: &str = "
    CREATE TABLE customers (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, name VARCHAR(40) NOT NULL,
      changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP);
    CREATE TABLE orders (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
      customer_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, busy INT NOT NULL,
      number BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE, KEY (customer_id, busy),
      FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE items (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
      order_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
      parent CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL, busy INT NULL, doubled INT AS (2 * busy) VIRTUAL,
      CONSTRAINT item_order FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE ON UPDATE CASCADE,
      CONSTRAINT item_parent FOREIGN KEY (parent) REFERENCES items (id) ON DELETE SET NULL);";

/// A row: its parents, and a number.
pub type Rows = BTreeMap<u128, (Option<u128>, Option<u128>, i64)>;

/// What one client has been told that is there.
#[derive(Clone, Default)]
pub struct Acknowledged {
    pub customers: Rows,
    pub orders: Rows,
    pub items: Rows,
}

pub fn text(id: u128) -> String {
    let digits = format!("{id:032x}");
    format!("{}-{}-{}-{}-{}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..])
}

pub async fn execute(connection: &mut MySqlConnection, sql: &str) -> Result<u64, u16> {
    let done = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await;
    done.map(|done| done.rows_affected()).map_err(|error| match error.as_database_error() {
        Some(error) => error.downcast_ref::<MySqlDatabaseError>().number(),
        None => panic!("{sql}: {error}"),
    })
}

/// Makes the tables, with rows that are divided among the clients.
pub async fn fill(url: &str, clients: usize, rows: usize) -> Vec<Acknowledged> {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    execute(&mut connection, SCHEMA).await.unwrap();
    let mut all = vec![Acknowledged::default(); clients];
    for (at, client) in all.iter_mut().enumerate() {
        let mut random = fastrand::Rng::with_seed(at as u64);
        let customers: Vec<u128> = (0..rows / clients / 10).map(|_| random.u128(..)).collect();
        let orders: Vec<u128> = (0..rows / clients * 4 / 10).map(|_| random.u128(..)).collect();
        let items: Vec<u128> = (0..rows / clients / 2).map(|_| random.u128(..)).collect();
        client.customers = customers.iter().map(|id| (*id, (None, None, 1))).collect();
        let customer = |random: &mut fastrand::Rng| random.choice(&customers).copied();
        client.orders = orders.iter().map(|id| (*id, (customer(&mut random), None, 2))).collect();
        for (place, id) in items.iter().enumerate() {
            let parent = random.choice(&items[..place]).copied().filter(|_| place % 40 == 0);
            client.items.insert(*id, (random.choice(&orders).copied(), parent, 3));
        }
        client.insert_all(&mut connection).await;
    }
    all
}

fn quoted(id: Option<u128>) -> String {
    id.map_or("NULL".to_owned(), |id| format!("'{}'", text(id)))
}

impl Acknowledged {
    async fn insert_all(&self, connection: &mut MySqlConnection) {
        execute(connection, "SET foreign_key_checks = 0").await.unwrap();
        let into =
            ["customers (id, name)", "orders (id, customer_id, busy)", "items (id, order_id, parent, busy)"];
        for (table, rows) in into.into_iter().zip([&self.customers, &self.orders, &self.items]) {
            let values: Vec<_> = rows
                .iter()
                .map(|(id, (first, second, number))| match table.as_bytes()[0] {
                    b'c' => format!("('{}', '{number}')", text(*id)),
                    b'o' => format!("('{}', {}, {number})", text(*id), quoted(*first)),
                    _ => format!("('{}', {}, {}, {number})", text(*id), quoted(*first), quoted(*second)),
                })
                .collect();
            for chunk in values.chunks(500) {
                execute(connection, &format!("INSERT INTO {table} VALUES {}", chunk.join(",")))
                    .await
                    .unwrap();
            }
        }
    }

    pub fn add(&mut self, other: Acknowledged) {
        self.customers.extend(other.customers);
        self.orders.extend(other.orders);
        self.items.extend(other.items);
    }

    /// The rows of tables with this ending of their names, in either type.
    pub async fn read(url: &str, ending: &str) -> Acknowledged {
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        let id = |column: &str| {
            format!(
                "CONVERT(IF(LENGTH({column}) = 16, HEX({column}), REPLACE({column}, '-', '')) USING ascii)"
            )
        };
        let mut read = Acknowledged::default();
        let tables = [
            ("customers", "NULL", "NULL", "name", &mut read.customers),
            ("orders", "customer_id", "NULL", "busy", &mut read.orders),
            ("items", "order_id", "parent", "busy", &mut read.items),
        ];
        for (table, first, second, number, rows) in tables {
            let sql = format!(
                "SELECT {}, {}, {}, CAST({number} AS CHAR) FROM {table}{ending}",
                id("id"),
                id(first),
                id(second)
            );
            for row in connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap() {
                let cell = |at: usize| {
                    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at).unwrap();
                    bytes.map(|bytes| String::from_utf8(bytes).unwrap())
                };
                let id = |at| cell(at).map(|text| u128::from_str_radix(&text, 16).unwrap());
                rows.insert(id(0).unwrap(), (id(1), id(2), cell(3).unwrap().parse().unwrap()));
            }
        }
        read
    }

    /// Fails with the first difference.
    pub fn assert_equal(&self, other: &Acknowledged, of: &str) {
        let pairs =
            [(&self.customers, &other.customers), (&self.orders, &other.orders), (&self.items, &other.items)];
        for (table, (expected, found)) in ["customers", "orders", "items"].into_iter().zip(pairs) {
            for (id, row) in expected {
                assert_eq!(found.get(id), Some(row), "{of}: {table} {}", text(*id));
            }
            assert_eq!(found.len(), expected.len(), "{of}: {table} has rows that nobody inserted");
        }
    }
}

/// Changes the rows of one client until it is told to stop.
pub struct Changer {
    connection: MySqlConnection,
    pub acknowledged: Acknowledged,
    random: fastrand::Rng,
    bytes: bool,
    /// Whether the tables may have the new type.
    may_be_renamed: Arc<AtomicBool>,
    pub changes: u64,
    pub refused: BTreeMap<u16, u64>,
}

impl Changer {
    pub async fn open(
        url: &str,
        acknowledged: Acknowledged,
        seed: u64,
        may_be_renamed: Arc<AtomicBool>,
    ) -> (Changer, u64) {
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        let id: u64 = sqlx::query_scalar("SELECT CONNECTION_ID()").fetch_one(&mut connection).await.unwrap();
        // Other numbers than those of the first rows.
        let random = fastrand::Rng::with_seed(1_000 + seed);
        (
            Changer {
                connection,
                acknowledged,
                random,
                bytes: false,
                may_be_renamed,
                changes: 0,
                refused: BTreeMap::new(),
            },
            id,
        )
    }

    pub async fn run(mut self, stop: &AtomicBool) -> Changer {
        while !stop.load(Ordering::Relaxed) {
            self.change().await;
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        self
    }

    /// In the type that the table has, as far as this client knows.
    fn id(&self, id: Option<u128>) -> String {
        match (id, self.bytes) {
            (None, _) => "NULL".to_owned(),
            (Some(id), false) => format!("'{}'", text(id)),
            (Some(id), true) => format!("x'{id:032x}'"),
        }
    }

    /// The table did not have the type that this client used, so it may have the other.
    fn turn(&mut self) {
        self.bytes = !self.bytes && self.may_be_renamed.load(Ordering::Relaxed);
    }

    fn pick(&mut self, rows: fn(&Acknowledged) -> &Rows) -> Option<u128> {
        let rows = rows(&self.acknowledged);
        let from = self.random.u128(..);
        rows.range(from..).chain(rows.iter()).next().map(|(id, _)| *id)
    }

    /// One change, perhaps in a transaction that is rolled back.
    async fn change(&mut self) {
        let rolls_back = self.random.u8(..) < 25;
        let mut after = Change(None);
        let Some(sql) = self.statement(&mut after) else { return };
        if rolls_back {
            execute(&mut self.connection, "BEGIN").await.unwrap();
        }
        let done = execute(&mut self.connection, &sql).await;
        if rolls_back {
            execute(&mut self.connection, "ROLLBACK").await.unwrap();
        }
        match done {
            Ok(0) => self.turn(),
            Ok(_) if !rolls_back => {
                after.apply(&mut self.acknowledged);
                self.changes += 1;
            }
            Ok(_) => {}
            Err(code) => {
                *self.refused.entry(code).or_default() += 1;
                // Deadlock and timeout: the statement may be repeated. Else the type of the table is another one.
                if !matches!(code, 1205 | 1213) {
                    self.turn();
                }
            }
        }
    }

    fn statement(&mut self, after: &mut Change) -> Option<String> {
        let new = self.random.u128(..);
        let number = self.random.i64(10..1_000_000);
        let customer = self.pick(|all| &all.customers);
        let order = self.pick(|all| &all.orders);
        let item = self.pick(|all| &all.items);
        let parent = item.filter(|_| self.random.u8(..) < 16);
        let (new_text, of_parent) = (self.id(Some(new)), self.id(parent));
        let (of_customer, of_order, of_item) = (self.id(customer), self.id(order), self.id(item));
        Some(match self.random.u8(0..16) {
            0 => after.set(format!("INSERT INTO customers (id, name) VALUES ({new_text}, '{number}')"), move |all| {
                all.customers.insert(new, (None, None, number));
            }),
            1 | 2 => after.set(
                format!("INSERT INTO orders (id, customer_id, busy) VALUES ({new_text}, {of_customer}, {number})"),
                move |all| {
                    all.orders.insert(new, (customer, None, number));
                },
            ),
            3..=5 => after.set(
                format!("INSERT INTO items (id, order_id, parent, busy) VALUES ({new_text}, {of_order}, {of_parent}, {number})"),
                move |all| {
                    all.items.insert(new, (order, parent, number));
                },
            ),
            6 => after.set(format!("UPDATE customers SET name = '{number}' WHERE id = {of_customer}"), move |all| {
                all.customers.entry(customer.unwrap()).and_modify(|row| row.2 = number);
            }),
            7 => after.set(format!("UPDATE orders SET busy = {number} WHERE id = {of_order}"), move |all| {
                all.orders.entry(order.unwrap()).and_modify(|row| row.2 = number);
            }),
            8 => after.set(
                format!("UPDATE items SET busy = {number}, parent = NULL WHERE id = {of_item}"),
                move |all| {
                    all.items.entry(item.unwrap()).and_modify(|row| (row.1, row.2) = (None, number));
                },
            ),
            9 => after.set(format!("UPDATE customers SET id = {new_text} WHERE id = {of_customer}"), move |all| {
                let row = all.customers.remove(&customer.unwrap()).unwrap();
                all.customers.insert(new, row);
                all.orders.values_mut().filter(|row| row.0 == customer).for_each(|row| row.0 = Some(new));
            }),
            10 => after.set(format!("UPDATE orders SET id = {new_text} WHERE id = {of_order}"), move |all| {
                let row = all.orders.remove(&order.unwrap()).unwrap();
                all.orders.insert(new, row);
                all.items.values_mut().filter(|row| row.0 == order).for_each(|row| row.0 = Some(new));
            }),
            11 => {
                // The key of an item with children cannot change.
                if self.acknowledged.items.values().any(|row| row.1 == item) {
                    return None;
                }
                after.set(format!("UPDATE items SET id = {new_text} WHERE id = {of_item}"), move |all| {
                    let row = all.items.remove(&item.unwrap()).unwrap();
                    all.items.insert(new, row);
                })
            }
            12 => after.set(format!("DELETE FROM items WHERE id = {of_item}"), move |all| all.delete_item(item.unwrap())),
            13 => after.set(format!("DELETE FROM orders WHERE id = {of_order}"), move |all| all.delete_order(order.unwrap())),
            14 if self.random.u8(..) < 60 => {
                after.set(format!("DELETE FROM customers WHERE id = {of_customer}"), move |all| {
                    let orders: Vec<_> = all.orders.iter().filter(|(_, row)| row.0 == customer).map(|(id, _)| *id).collect();
                    orders.into_iter().for_each(|order| all.delete_order(order));
                    all.customers.remove(&customer.unwrap());
                })
            }
            14 => after.set(
                format!(
                    "INSERT INTO orders (id, customer_id, busy) VALUES ({of_order}, {of_customer}, 0) \
                     ON DUPLICATE KEY UPDATE busy = {number}"
                ),
                move |all| {
                    all.orders.entry(order.unwrap()).and_modify(|row| row.2 = number);
                },
            ),
            _ => after.set(
                format!("REPLACE INTO items (id, order_id, parent, busy) VALUES ({of_item}, {of_order}, NULL, {number})"),
                move |all| {
                    all.delete_item(item.unwrap());
                    all.items.insert(item.unwrap(), (order, None, number));
                },
            ),
        })
    }
}

impl Acknowledged {
    fn delete_item(&mut self, item: u128) {
        self.items.remove(&item);
        self.items.values_mut().filter(|row| row.1 == Some(item)).for_each(|row| row.1 = None);
    }

    fn delete_order(&mut self, order: u128) {
        let items: Vec<_> =
            self.items.iter().filter(|(_, row)| row.0 == Some(order)).map(|(id, _)| *id).collect();
        items.into_iter().for_each(|item| self.delete_item(item));
        self.orders.remove(&order);
    }
}

type Apply = Box<dyn FnOnce(&mut Acknowledged) + Send>;

/// What a statement changes, once it is acknowledged.
struct Change(Option<Apply>);

impl Change {
    fn set(&mut self, sql: String, apply: impl FnOnce(&mut Acknowledged) + Send + 'static) -> String {
        self.0 = Some(Box::new(apply));
        sql
    }

    fn apply(self, to: &mut Acknowledged) {
        if let Some(apply) = self.0 {
            apply(to);
        }
    }
}
