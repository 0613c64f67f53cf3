//! Three tables with foreign keys, and the rows that must be there.

use std::collections::BTreeMap;

use idgen_migrate::plan::Target;
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

/// The rows that were acknowledged to one client.
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

/// A new id, of which a plan can make the target.
pub fn id(random: &mut fastrand::Rng, to: Target) -> u128 {
    let of = |version: u128, id: u128| id & !(0xf << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62;
    let id = random.u128(..);
    match to {
        Target::Swapped => of(1, id),
        // MariaDB stores versions 1 to 5 with their last bytes first, and the others as they are.
        Target::Uuid => of(random.u128(1..8), id),
        _ => id,
    }
}

/// The order of the bytes after the change, as `UUID_TO_BIN(id, 1)` writes them: time high, time mid, time low.
pub fn swapped(id: u128) -> u128 {
    let (low, mid, high) = (id >> 96, id >> 80 & 0xffff, id >> 64 & 0xffff);
    high << 112 | mid << 96 | low << 64 | id & u128::from(u64::MAX)
}

fn swapped_back(id: u128) -> u128 {
    let (high, mid, low) = (id >> 112, id >> 96 & 0xffff, id >> 64 & 0xffff_ffff);
    low << 96 | mid << 80 | high << 64 | id & u128::from(u64::MAX)
}

pub async fn execute(connection: &mut MySqlConnection, sql: &str) -> Result<u64, u16> {
    let done = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await;
    done.map(|done| done.rows_affected()).map_err(|error| match error.as_database_error() {
        Some(error) => error.downcast_ref::<MySqlDatabaseError>().number(),
        None => panic!("{sql}: {error}"),
    })
}

/// The first column of each row.
pub async fn texts(connection: &mut MySqlConnection, sql: &str) -> Vec<String> {
    let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
    rows.iter().map(|row| String::from_utf8(row.get_unchecked(0)).unwrap()).collect()
}

/// Makes the tables, with rows that are divided among the clients.
pub async fn fill(url: &str, clients: usize, rows: usize, to: Target) -> Vec<Acknowledged> {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    execute(&mut connection, SCHEMA).await.unwrap();
    let mut all = vec![Acknowledged::default(); clients];
    for (at, client) in all.iter_mut().enumerate() {
        let mut random = fastrand::Rng::with_seed(at as u64);
        let customers: Vec<u128> = (0..rows / clients / 10).map(|_| id(&mut random, to)).collect();
        let orders: Vec<u128> = (0..rows / clients * 4 / 10).map(|_| id(&mut random, to)).collect();
        let items: Vec<u128> = (0..rows / clients / 2).map(|_| id(&mut random, to)).collect();
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

    /// The rows of tables with this ending of their names, in either type. With integers, the new tables refer to each other by
    /// those of the map.
    pub async fn read(url: &str, ending: &str, to: Target) -> Acknowledged {
        let integers = to == Target::Integer && ending.is_empty();
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        let id = |column: &str| {
            format!(
                "CONVERT(IF(LENGTH({column}) = 16, CONCAT('x', HEX({column})), REPLACE({column}, '-', '')) USING ascii)"
            )
        };
        let parent = |column: &str| match (integers, column) {
            (true, "customer_id" | "order_id" | "parent") => {
                format!("(SELECT HEX(m.uuid) FROM uuid_map AS m WHERE m.id = {column}_int)")
            }
            _ => id(column),
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
                parent(first),
                parent(second)
            );
            for row in connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap() {
                let cell = |at: usize| {
                    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at).unwrap();
                    bytes.map(|bytes| String::from_utf8(bytes).unwrap())
                };
                let id = |at| {
                    cell(at).map(|text| match text.strip_prefix('x') {
                        Some(bytes) if to == Target::Swapped => {
                            swapped_back(u128::from_str_radix(bytes, 16).unwrap())
                        }
                        Some(bytes) => u128::from_str_radix(bytes, 16).unwrap(),
                        None => u128::from_str_radix(&text, 16).unwrap(),
                    })
                };
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

impl Acknowledged {
    pub fn delete_item(&mut self, item: u128) {
        self.items.remove(&item);
        self.items.values_mut().filter(|row| row.1 == Some(item)).for_each(|row| row.1 = None);
    }

    pub fn delete_order(&mut self, order: u128) {
        let items: Vec<_> =
            self.items.iter().filter(|(_, row)| row.0 == Some(order)).map(|(id, _)| *id).collect();
        items.into_iter().for_each(|item| self.delete_item(item));
        self.orders.remove(&order);
    }
}
