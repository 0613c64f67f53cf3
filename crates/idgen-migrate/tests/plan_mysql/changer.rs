//! Clients that change their rows all the time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use idgen_migrate::plan::Target;
use idgen_mysql::UuidMap;
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::shop::{Acknowledged, Rows, execute, id, swapped, text};

/// The form of the ids.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Text,
    Bytes,
    /// Rows have their integer beside their text, and refer to others by it.
    Integers,
}

/// Changes the rows of one client until it is stopped.
pub struct Changer {
    connection: MySqlConnection,
    pub acknowledged: Acknowledged,
    random: fastrand::Rng,
    to: Target,
    written: Written,
    /// With integers: the map, and its answers.
    map: Option<UuidMap>,
    pub integers: HashMap<u128, u64>,
    /// True if the tables may have the new type.
    may_be_renamed: Arc<AtomicBool>,
    pub changes: u64,
    pub refused: BTreeMap<u16, u64>,
}

impl Changer {
    pub async fn open(
        url: &str,
        acknowledged: Acknowledged,
        seed: u64,
        to: Target,
        may_be_renamed: Arc<AtomicBool>,
        map: Option<UuidMap>,
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
                to,
                written: Written::Text,
                map,
                integers: HashMap::new(),
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

    fn integer(&self, id: u128) -> u64 {
        self.integers[&id]
    }

    /// In the type that the table has, as far as this client knows.
    fn id(&self, id: Option<u128>) -> String {
        match (id, self.written) {
            (None, _) => "NULL".to_owned(),
            (Some(id), Written::Text) => format!("'{}'", text(id)),
            (Some(id), Written::Bytes) if self.to == Target::Swapped => format!("x'{:032x}'", swapped(id)),
            (Some(id), Written::Bytes) => format!("x'{id:032x}'"),
            (Some(id), Written::Integers) => self.integer(id).to_string(),
        }
    }

    /// The key of a row: its columns, or their names.
    fn own(&self, id: u128) -> String {
        match self.written {
            Written::Integers => format!("'{}', {}", text(id), self.integer(id)),
            _ => self.id(Some(id)),
        }
    }

    fn columns(&self) -> &'static str {
        if self.written == Written::Integers { "id, id_int" } else { "id" }
    }

    fn key(&self) -> &'static str {
        if self.written == Written::Integers { "id_int" } else { "id" }
    }

    fn set_key(&self, id: u128) -> String {
        match self.written {
            Written::Integers => format!("id = '{}', id_int = {}", text(id), self.integer(id)),
            _ => format!("id = {}", self.id(Some(id))),
        }
    }

    /// A column that refers to another row.
    fn to(&self, column: &str) -> String {
        if self.written == Written::Integers { format!("{column}_int") } else { column.to_owned() }
    }

    /// The table did not have the type that this client used, so it may have the other.
    fn turn(&mut self) {
        let may = self.may_be_renamed.load(Ordering::Relaxed);
        self.written = match (self.written, &self.map) {
            // The type UUID takes the same texts.
            (Written::Text, None) if may && self.to != Target::Uuid => Written::Bytes,
            (Written::Text, Some(_)) if may => Written::Integers,
            _ => Written::Text,
        };
    }

    /// Asks the map for the integers of these ids, which it must never change. False if it does not answer.
    async fn learn(&mut self, ids: &[u128]) -> bool {
        let Some(map) = self.map.clone() else { return true };
        if self.written == Written::Text && self.random.u8(..) > 32 {
            return true;
        }
        for id in ids {
            let known = self.integers.get(id).copied();
            if known.is_some() && self.random.u8(..) > 16 {
                continue;
            }
            // Its connections are killed, too.
            let Ok(integer) = map.id_of(Uuid::from_u128(*id)).await else { return false };
            assert!(known.is_none_or(|known| known == integer), "{}: {known:?} and {integer}", text(*id));
            self.integers.insert(*id, integer);
        }
        true
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
        let picked = self.choose();
        let ids: Vec<_> =
            [Some(picked.new), picked.customer, picked.order, picked.item].into_iter().flatten().collect();
        if !self.learn(&ids).await {
            return;
        }
        let Some(sql) = self.statement(&picked, &mut after) else { return };
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

    fn choose(&mut self) -> Picked {
        Picked {
            new: id(&mut self.random, self.to),
            customer: self.pick(|all| &all.customers),
            order: self.pick(|all| &all.orders),
            item: self.pick(|all| &all.items),
        }
    }

    fn statement(&mut self, picked: &Picked, after: &mut Change) -> Option<String> {
        let Picked { new, customer, order, item } = *picked;
        let number = self.random.i64(10..1_000_000);
        let parent = item.filter(|_| self.random.u8(..) < 16);
        let of_parent = self.id(parent);
        let (of_customer, of_order, of_item) = (self.id(customer), self.id(order), self.id(item));
        let (columns, key) = (self.columns(), self.key());
        let (new_row, set_new) = (self.own(new), self.set_key(new));
        let own = |id: Option<u128>| id.map_or("NULL".to_owned(), |id| self.own(id));
        let (own_order, own_item) = (own(order), own(item));
        let [to_customer, to_order, to_parent] = ["customer_id", "order_id", "parent"].map(|to| self.to(to));
        Some(match self.random.u8(0..16) {
            0 => after.set(format!("INSERT INTO customers ({columns}, name) VALUES ({new_row}, '{number}')"), move |all| {
                all.customers.insert(new, (None, None, number));
            }),
            1 | 2 => after.set(
                format!("INSERT INTO orders ({columns}, {to_customer}, busy) VALUES ({new_row}, {of_customer}, {number})"),
                move |all| {
                    all.orders.insert(new, (customer, None, number));
                },
            ),
            3..=5 => after.set(
                format!("INSERT INTO items ({columns}, {to_order}, {to_parent}, busy) VALUES ({new_row}, {of_order}, {of_parent}, {number})"),
                move |all| {
                    all.items.insert(new, (order, parent, number));
                },
            ),
            6 => after.set(format!("UPDATE customers SET name = '{number}' WHERE {key} = {of_customer}"), move |all| {
                all.customers.entry(customer.unwrap()).and_modify(|row| row.2 = number);
            }),
            7 => after.set(format!("UPDATE orders SET busy = {number} WHERE {key} = {of_order}"), move |all| {
                all.orders.entry(order.unwrap()).and_modify(|row| row.2 = number);
            }),
            8 => after.set(
                format!("UPDATE items SET busy = {number}, {to_parent} = NULL WHERE {key} = {of_item}"),
                move |all| {
                    all.items.entry(item.unwrap()).and_modify(|row| (row.1, row.2) = (None, number));
                },
            ),
            9 => after.set(format!("UPDATE customers SET {set_new} WHERE {key} = {of_customer}"), move |all| {
                let row = all.customers.remove(&customer.unwrap()).unwrap();
                all.customers.insert(new, row);
                all.orders.values_mut().filter(|row| row.0 == customer).for_each(|row| row.0 = Some(new));
            }),
            10 => after.set(format!("UPDATE orders SET {set_new} WHERE {key} = {of_order}"), move |all| {
                let row = all.orders.remove(&order.unwrap()).unwrap();
                all.orders.insert(new, row);
                all.items.values_mut().filter(|row| row.0 == order).for_each(|row| row.0 = Some(new));
            }),
            11 => {
                // The key of an item with children cannot change.
                if self.acknowledged.items.values().any(|row| row.1 == item) {
                    return None;
                }
                after.set(format!("UPDATE items SET {set_new} WHERE {key} = {of_item}"), move |all| {
                    let row = all.items.remove(&item.unwrap()).unwrap();
                    all.items.insert(new, row);
                })
            }
            12 => after.set(format!("DELETE FROM items WHERE {key} = {of_item}"), move |all| all.delete_item(item.unwrap())),
            13 => after.set(format!("DELETE FROM orders WHERE {key} = {of_order}"), move |all| all.delete_order(order.unwrap())),
            14 if self.random.u8(..) < 60 => {
                after.set(format!("DELETE FROM customers WHERE {key} = {of_customer}"), move |all| {
                    let orders: Vec<_> = all.orders.iter().filter(|(_, row)| row.0 == customer).map(|(id, _)| *id).collect();
                    orders.into_iter().for_each(|order| all.delete_order(order));
                    all.customers.remove(&customer.unwrap());
                })
            }
            14 => after.set(
                format!(
                    "INSERT INTO orders ({columns}, {to_customer}, busy) VALUES ({own_order}, {of_customer}, 0) \
                     ON DUPLICATE KEY UPDATE busy = {number}"
                ),
                move |all| {
                    all.orders.entry(order.unwrap()).and_modify(|row| row.2 = number);
                },
            ),
            _ => after.set(
                format!("REPLACE INTO items ({columns}, {to_order}, {to_parent}, busy) VALUES ({own_item}, {of_order}, NULL, {number})"),
                move |all| {
                    all.delete_item(item.unwrap());
                    all.items.insert(item.unwrap(), (order, None, number));
                },
            ),
        })
    }
}

type Apply = Box<dyn FnOnce(&mut Acknowledged) + Send>;

/// A new id, and rows of this client.
struct Picked {
    new: u128,
    customer: Option<u128>,
    order: Option<u128>,
    item: Option<u128>,
}

/// The change that a statement makes, applied once the statement is acknowledged.
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
