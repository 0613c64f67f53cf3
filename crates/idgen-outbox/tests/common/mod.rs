//! An outbox in memory, and its changes.

use idgen_outbox::{Change, Outbox};
use rusqlite::Connection;
use serde_json::Value;
use uuid::Uuid;

pub fn new() -> (Connection, Outbox) {
    let database = Connection::open_in_memory().unwrap();
    Outbox::open(&database).unwrap();
    let outbox = Outbox::open(&database).unwrap();
    (database, outbox)
}

pub fn put(
    database: &mut Connection,
    outbox: Outbox,
    table: &str,
    row: Uuid,
    columns: &[(&str, Value)],
) -> u64 {
    let transaction = database.transaction().unwrap();
    let number = outbox.put(&transaction, table, row, columns.iter().cloned()).unwrap();
    transaction.commit().unwrap();
    number
}

pub fn numbers(batch: &[Change]) -> Vec<(Uuid, u64)> {
    batch.iter().map(|change| (change.row, change.number)).collect()
}
