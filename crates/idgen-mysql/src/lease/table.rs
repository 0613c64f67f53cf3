//! The table of leases, its keys, and its statements.

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{Executor, Row};
use uuid::Uuid;

use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::lease::row::{COLUMNS, Lease};
use crate::statement::sql::literal;
use crate::table::definition::{self, run};

const DEFINITION: &str = "number SMALLINT UNSIGNED NOT NULL PRIMARY KEY, device BINARY(16) NOT NULL, \
    term BIGINT UNSIGNED NOT NULL, first_sec INT UNSIGNED NOT NULL, last_sec INT UNSIGNED NOT NULL, \
    UNIQUE KEY device (device), KEY last_sec (last_sec)";

/// Parts that `SHOW CREATE TABLE` must show, because the uniqueness of leases depends on them.
const KEYS: [&str; 3] = ["PRIMARY KEY (`number`)", "UNIQUE KEY `device` (`device`)", "ENGINE=InnoDB"];

const INSTALL: &str = "install of DeviceLeases (idgen map lease install)";

/// Creates the table, or checks the existing one.
pub(super) async fn install(connection: &mut MySqlConnection, table: &str) -> Attempt<()> {
    run(connection, format!("CREATE TABLE IF NOT EXISTS {table} ({DEFINITION}) ENGINE=InnoDB")).await?;
    check(connection, table).await
}

/// Refuses a table without the keys that keep numbers and devices unique, and what only hides the table.
pub(super) async fn check(connection: &mut MySqlConnection, table: &str) -> Attempt<()> {
    definition::check(connection, table, &KEYS, INSTALL).await
}

/// The server's time in seconds. A session can stop it.
pub(super) async fn now(connection: &mut MySqlConnection) -> Attempt<u64> {
    run(connection, "SET SESSION timestamp = DEFAULT".to_owned()).await?;
    let statement = "SELECT CAST(UNIX_TIMESTAMP() AS UNSIGNED)";
    let row = connection.fetch_one(sqlx::raw_sql(statement)).await?;
    Ok(row.try_get_unchecked(0)?)
}

/// The lease of a device, locked until the transaction ends.
pub(super) async fn of_device(
    connection: &mut MySqlConnection,
    table: &str,
    device: Uuid,
) -> Attempt<Option<Lease>> {
    only(connection, table, &format!("device = {} FOR UPDATE", literal(device))).await
}

/// The lease of a number, locked until the transaction ends.
pub(super) async fn of_number(
    connection: &mut MySqlConnection,
    table: &str,
    number: u16,
) -> Attempt<Option<Lease>> {
    only(connection, table, &format!("number = {number} FOR UPDATE")).await
}

async fn only(connection: &mut MySqlConnection, table: &str, condition: &str) -> Attempt<Option<Lease>> {
    let leases = select(connection, table, &format!("WHERE {condition}")).await?;
    match leases.as_slice() {
        [] => Ok(None),
        [lease] => Ok(Some(*lease)),
        _ => Err(damaged(format!("{table} has several rows with {condition}: its unique keys are missing"))),
    }
}

/// Leases as the rest of a statement selects them.
pub(super) async fn select(connection: &mut MySqlConnection, table: &str, rest: &str) -> Attempt<Vec<Lease>> {
    let found = rows(connection, table, format!("SELECT {COLUMNS} FROM {table} {rest}")).await?;
    found.iter().map(Lease::of_row).collect()
}

/// Returns the numbers that have a row in the table, of `among` or of all, whatever the state of their leases is.
pub(super) async fn numbers(
    connection: &mut MySqlConnection,
    table: &str,
    among: Option<&[u16]>,
) -> Attempt<Vec<u16>> {
    let condition = among.map_or(String::new(), |among| {
        let list: Vec<String> = among.iter().map(u16::to_string).collect();
        format!(" WHERE number IN ({})", list.join(","))
    });
    let found = rows(connection, table, format!("SELECT number FROM {table}{condition}")).await?;
    found.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Adds the lease of a number that has none.
pub(super) async fn insert(connection: &mut MySqlConnection, table: &str, lease: &Lease) -> Attempt<()> {
    let statement = format!("INSERT INTO {table} ({COLUMNS}) VALUES ({})", lease.values());
    write(connection, table, lease, statement).await
}

/// Changes the lease of a number whose row is locked.
pub(super) async fn update(connection: &mut MySqlConnection, table: &str, lease: &Lease) -> Attempt<()> {
    let Lease { device, number, term, first, last } = lease;
    let statement = format!(
        "UPDATE {table} SET device = {}, term = {term}, first_sec = {first}, last_sec = {last} WHERE number = {number}",
        literal(*device)
    );
    write(connection, table, lease, statement).await
}

/// Writes a lease and reads it back, because a trigger may store something else.
async fn write(
    connection: &mut MySqlConnection,
    table: &str,
    lease: &Lease,
    statement: String,
) -> Attempt<()> {
    match run(connection, statement).await {
        // The number or the device has a lease since it was looked up.
        Err(failure) if failure.is_duplicate_key() => {
            return Err(Failure::Contradicted("another client leased the same number at the same time"));
        }
        done => done?,
    }
    let stored = of_number(connection, table, lease.number).await?;
    if stored.as_ref() == Some(lease) {
        return Ok(());
    }
    Err(damaged(format!(
        "a lease of the number {} was written to {table}, and then the row was another one or missing: a trigger or a \
         view changes what is stored there; remove it",
        lease.number
    )))
}

async fn rows(connection: &mut MySqlConnection, table: &str, statement: String) -> Attempt<Vec<MySqlRow>> {
    definition::rows(connection, table, statement, INSTALL).await
}
