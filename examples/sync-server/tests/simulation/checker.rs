//! Compares the tables with what the devices wrote down. It knows nothing about how either came about.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use futures_util::TryStreamExt;
use idgen_outbox::{Change, Operation};
use idgen_sync_server::wire::{Answer, Outcome};
use sqlx::{AssertSqlSafe, MySqlConnection, Row};
use uuid::Uuid;

use crate::fleet::Person;

/// A change that was sent at least once.
struct Sent {
    number: u64,
    /// A digest of its values without the reference; `None` if it deletes the row.
    values: Option<u64>,
    /// The row that it refers to.
    target: Option<Uuid>,
    /// Whether a device was told that it is applied.
    told: bool,
}

/// What all devices wrote down: each change that they sent, and what they were told.
#[derive(Default)]
pub struct Journal(Mutex<Log>);

/// What a journal has in the end.
#[derive(Default)]
pub struct Log {
    rows: HashMap<(u8, Uuid), Vec<Sent>>,
    ids: HashMap<Uuid, u64>,
    /// Devices that were told two integers for one UUID.
    differ: Vec<String>,
    /// How many changes were sent, each as often as it was.
    pub changes: usize,
    /// How many changes were refused, or older than others.
    pub refused: usize,
}

const TABLES: [&str; 3] = ["lists", "items", "notes"];

fn table(name: &str) -> u8 {
    TABLES.iter().position(|table| *table == name).unwrap() as u8
}

fn digest(values: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.hash(&mut hasher);
    hasher.finish()
}

fn read(change: &Change) -> Sent {
    let text = |column: &str| change.columns.get(column).and_then(|value| value.as_str()).unwrap_or_default();
    let done = change.columns.get("done").and_then(serde_json::Value::as_bool).unwrap_or_default();
    let values = (change.operation != Operation::Delete)
        .then(|| digest((text("title").to_owned(), text("code").to_owned(), done)));
    let target = [text("list_id"), text("item_id")].iter().find_map(|text| text.parse().ok());
    Sent { number: change.number, values, target, told: false }
}

impl Journal {
    pub fn sends(&self, batch: &[Change]) {
        let mut log = self.0.lock().unwrap();
        log.changes += batch.len();
        for change in batch {
            let sent = read(change);
            let before = log.rows.entry((table(&change.table), change.row)).or_default();
            // A restored device uses numbers again, for other changes.
            if !before.iter().any(|before| (before.number, before.values) == (sent.number, sent.values)) {
                before.push(sent);
            }
        }
    }

    pub fn answers(&self, batch: &[Change], answer: &Answer) {
        let log = &mut *self.0.lock().unwrap();
        for (change, outcome) in batch.iter().zip(&answer.outcomes) {
            if matches!(outcome, Outcome::Applied) {
                let sent = read(change);
                let before = log.rows.get_mut(&(table(&change.table), change.row)).unwrap();
                let same = before
                    .iter_mut()
                    .find(|before| (before.number, before.values) == (sent.number, sent.values));
                same.unwrap().told = true;
            }
            log.refused += usize::from(matches!(outcome, Outcome::Refused { .. } | Outcome::Older { .. }));
        }
        for (uuid, id) in &answer.ids {
            let (uuid, id): (Uuid, u64) = (uuid.parse().unwrap(), id.parse().unwrap());
            if *log.ids.entry(uuid).or_insert(id) != id {
                log.differ.push(format!("devices were told two integers for {uuid}"));
            }
        }
    }

    /// What was written down, when all devices are ready.
    pub fn into_log(self) -> Log {
        self.0.into_inner().unwrap()
    }
}

impl Log {
    /// How many rows were made and sent.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Whether a device was told that a row is there.
    fn is_told(&self, key: &(u8, Uuid)) -> bool {
        self.rows.get(key).is_some_and(|sent| sent.iter().any(|sent| sent.told))
    }
}

/// What the checker has found.
pub struct Report {
    pub rows: usize,
    pub wrong: Vec<String>,
}

/// A row as it is in the database: by the place of its table and its UUID.
struct Found {
    number: u64,
    values: Option<u64>,
    target: Option<Uuid>,
}

/// What is wrong in the tables.
pub async fn check(connection: &mut MySqlConnection, log: &Log, people: &[Person]) -> Report {
    let mut wrong = log.differ.clone();
    let mut uuids: HashMap<u64, Uuid> = HashMap::new();
    {
        let mut rows = sqlx::query("SELECT id, uuid FROM uuid_map").fetch(&mut *connection);
        while let Some(row) = rows.try_next().await.unwrap() {
            let uuid = Uuid::from_slice(row.get(1)).unwrap();
            uuids.insert(row.get(0), uuid);
        }
    }
    for (uuid, id) in &log.ids {
        if uuids.get(id) != Some(uuid) {
            wrong.push(format!("a device was told {id} for {uuid}, which the map does not have"));
        }
    }
    let mut found: HashMap<(u8, Uuid), Found> = HashMap::new();
    let mut count = 0;
    for (at, columns) in
        ["title, '', 0, NULL", "title, '', done, list_id", "'', CAST(code AS CHAR), 0, item_id"]
            .iter()
            .enumerate()
    {
        let name = TABLES[at];
        let statement = format!(
            "SELECT t.id, {columns}, r.number FROM {name} t LEFT JOIN uuid_map_row r ON r.tbl = '{name}' AND r.id = t.id"
        );
        let mut rows = sqlx::query(AssertSqlSafe(statement)).fetch(&mut *connection);
        while let Some(row) = rows.try_next().await.unwrap() {
            let (id, title, code): (u64, String, String) = (row.get(0), row.get(1), row.get(2));
            let (done, target): (i64, Option<u64>) = (row.get_unchecked(3), row.get(4));
            let number = row.get::<Option<u64>, _>(5).unwrap_or_default();
            count += 1;
            let Some(uuid) = uuids.get(&id) else {
                wrong.push(format!("{name} has the row {id}, which no device has"));
                continue;
            };
            let target = target.map(|id| uuids.get(&id).copied().unwrap_or_default());
            let values = Some(digest((title, code, done != 0)));
            found.insert((at as u8, *uuid), Found { number, values, target });
        }
    }
    for (key, found) in &found {
        if !log.rows.contains_key(key) {
            wrong.push(format!(
                "{} has {} with the number {}, which no device has",
                name(key),
                key.1,
                found.number
            ));
        }
    }
    for (key, sent) in &log.rows {
        wrong.extend(of_row(log, key, sent, found.get(key)));
    }
    let of_devices = people.iter().flat_map(|person| own_rows(person, log, &found));
    wrong.extend(of_devices);
    wrong.extend(leases(connection, people).await);
    Report { rows: count, wrong }
}

fn name(key: &(u8, Uuid)) -> &'static str {
    TABLES[usize::from(key.0)]
}

/// What is wrong with a row of which these changes were sent.
fn of_row(log: &Log, key: &(u8, Uuid), sent: &[Sent], found: Option<&Found>) -> Option<String> {
    let name = name(key);
    // At least the newest one that a device was told about. A newer one may have been sent by a device that was restored
    // from a backup, and forgot it, before it had the answer.
    let told = sent.iter().filter(|sent| sent.told).map(|sent| sent.number).max();
    let possible = |sent: &&Sent| match told {
        Some(told) => sent.number > told || sent.number == told && sent.told,
        None => true,
    };
    let Some(found) = found else {
        let may_be_gone = told.is_none() || sent.iter().filter(possible).any(|sent| sent.values.is_none());
        return (!may_be_gone).then(|| format!("{} of {name} is not there", key.1));
    };
    let same: Vec<&Sent> = sent.iter().filter(possible).filter(|sent| sent.values == found.values).collect();
    if same.is_empty() {
        return Some(format!("{name} has other values of {} than were sent", key.1));
    }
    let Some(same) = same.iter().find(|sent| sent.number == found.number) else {
        return Some(format!("the number {} of {} of {name} is that of another change", found.number, key.1));
    };
    if same.target == found.target {
        return None;
    }
    // A reference stays open to a row that a restored device has forgotten, or that is deleted.
    let open = found.target.is_none() && same.target.is_some_and(|target| !log.is_told(&(1, target)));
    (!open).then(|| {
        format!("{} of {name} refers elsewhere: {:?}, and not {:?}", key.1, found.target, same.target)
    })
}

/// A device that was never restored has sent everything, and what it has is what is there.
fn own_rows(person: &Person, log: &Log, found: &HashMap<(u8, Uuid), Found>) -> Vec<String> {
    let mut wrong = Vec::new();
    assert_eq!(person.device().left().unwrap(), (0, Vec::new()));
    if person.restored {
        return wrong;
    }
    for (at, table) in TABLES.iter().enumerate() {
        let statement =
            format!("SELECT o.row, o.number, o.operation FROM idgen_outbox o WHERE tbl = '{table}'");
        let mut statement = person.device().database().prepare(&statement).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let (uuid, number, operation): (String, i64, String) =
                (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
            let key = (at as u8, uuid.parse().unwrap());
            let there = found.get(&key).map(|found| found.number);
            if there != (operation == "put").then_some(number.unsigned_abs()) || !log.is_told(&key) {
                wrong.push(format!(
                    "{uuid} of {table} is not there with the number {number}, but with {there:?}"
                ));
            }
        }
    }
    wrong
}

/// No number is leased twice, and each device has the one that it was told.
async fn leases(connection: &mut MySqlConnection, people: &[Person]) -> Vec<String> {
    let rows = sqlx::query("SELECT number, device FROM uuid_map_lease").fetch_all(connection).await.unwrap();
    let leased: HashMap<Uuid, u16> =
        rows.iter().map(|row| (Uuid::from_slice(row.get(1)).unwrap(), row.get(0))).collect();
    let mut holders: HashMap<u16, Uuid> = HashMap::new();
    let mut wrong = Vec::new();
    for person in people {
        let number = person.lease.number();
        if let Some(other) = holders.insert(number, person.uuid) {
            wrong.push(format!("the lease {number} is of {other} and of {}", person.uuid));
        }
        if leased.get(&person.uuid) != Some(&number) {
            wrong.push(format!("the lease {number} of {} is not stored", person.uuid));
        }
    }
    wrong
}
