//! Finds out whether the map kept its promise: compares the clients' records with each other, then with the tables, by
//! raw SQL.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use uuid::Uuid;

use crate::record::{self, Event, Record};

const PAGE: usize = 20_000;

/// The latest known state of a UUID.
#[derive(Clone, Copy)]
struct Known {
    id: u64,
    event: Event,
    at: u64,
    /// The UUID is in the table, with this id or with another one.
    stored: bool,
}

/// The pairs that were acknowledged to the clients, or the first contradiction among them.
#[derive(Default)]
struct History {
    by_uuid: HashMap<Uuid, Known>,
    /// All UUIDs and ids that were ever acknowledged.
    by_id: HashMap<u64, Uuid>,
    /// Stored, but not acknowledged to any client.
    others: HashSet<Uuid>,
    forgotten: u64,
    records: u64,
    problem: Option<String>,
}

impl History {
    fn add(&mut self, Record { event, uuid, id, at }: Record) {
        self.records += 1;
        let problem = match (event, self.by_uuid.get(&uuid).copied()) {
            (Event::Shared | Event::Own, known) => {
                let other = *self.by_id.entry(id).or_insert(uuid);
                match known {
                    _ if other != uuid => Some(format!("the id {id} was given to {other} and to {uuid}")),
                    Some(Known { id: before, event: Event::Shared | Event::Own, at: then, .. })
                        if before != id =>
                    {
                        Some(format!("{uuid} was given the ids {before} (at {then}) and {id} (at {at})"))
                    }
                    Some(Known { id: before, event: Event::Forgotten, .. }) if before == id => {
                        Some(format!("{uuid} was forgotten, and its id {id} was assigned again"))
                    }
                    _ => None,
                }
            }
            (Event::Forgotten, known) => {
                self.forgotten += 1;
                let agrees = known.is_some_and(|known| known.id == id);
                (!agrees).then(|| format!("{uuid} was forgotten with the id {id}, which it did not have"))
            }
            (Event::Forgetting, _) => None,
        };
        self.problem = self.problem.take().or(problem);
        self.by_uuid.insert(uuid, Known { id, event, at, stored: false });
    }

    /// Takes a row of the table; returns an error if it contradicts the records.
    fn row(&mut self, uuid: Uuid, id: u64) -> Option<String> {
        // Each id has one row, because it is the primary key.
        let twice = || Some(format!("{uuid} is twice in the table, the second time with the id {id}"));
        let Some(known) = self.by_uuid.get_mut(&uuid) else {
            return if self.others.insert(uuid) { None } else { twice() };
        };
        if std::mem::replace(&mut known.stored, true) {
            return twice();
        }
        match known.event {
            Event::Shared | Event::Own if known.id != id => {
                Some(format!("{uuid} was given the id {}, and the table has {id}", known.id))
            }
            Event::Forgotten if known.id == id => {
                Some(format!("{uuid} was forgotten, and the table has it with its id {id}"))
            }
            _ => None,
        }
    }

    /// The first acknowledged pair that is not in the table.
    fn lost(&self) -> Option<String> {
        let lost = |known: &Known| matches!(known.event, Event::Shared | Event::Own) && !known.stored;
        let (uuid, Known { id, .. }) = self.by_uuid.iter().find(|(_, known)| lost(known))?;
        Some(format!("{uuid} was given the id {id}, and the table does not have it"))
    }
}

/// Reads everything; returns how much there was, or what is broken.
pub async fn check(url: &str, files: &[PathBuf]) -> Result<String, String> {
    let mut history = History::default();
    for file in files {
        record::read(file, |record| history.add(record));
    }
    if let Some(problem) = history.problem {
        return Err(problem);
    }
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    let mut after = 0_u64;
    loop {
        let page = format!("SELECT id, uuid FROM uuid_map WHERE id > {after} ORDER BY id LIMIT {PAGE}");
        let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(page))).await.unwrap();
        for row in &rows {
            after = row.get(0);
            let uuid = Uuid::from_slice(&row.get::<Vec<u8>, _>(1)).unwrap();
            if let Some(problem) = history.row(uuid, after) {
                return Err(problem);
            }
        }
        if rows.len() < PAGE {
            break;
        }
    }
    let next: u64 = connection.fetch_one("SELECT next_id FROM uuid_map_state").await.unwrap().get(0);
    if after >= next {
        return Err(format!("the next id is {next}, and the table has ids up to {after}"));
    }
    if let Some(problem) = history.lost() {
        return Err(problem);
    }
    let calls: u64 = files.iter().map(|file| record::calls(file)).sum();
    let History { records, forgotten, by_uuid, others, .. } = history;
    let (uuids, others) = (by_uuid.len(), others.len());
    Ok(format!(
        "{records} records of {calls} calls about {uuids} UUIDs, {forgotten} forgotten, {others} stored and not acknowledged"
    ))
}

/// Makes sure that the check finds each kind of fault, before it is relied on.
pub fn self_test() {
    let event = |event, uuid, id| Record { event, uuid: Uuid::from_u128(uuid), id, at: 0 };
    let of = |records: &[Record]| {
        let mut history = History::default();
        records.iter().for_each(|record| history.add(*record));
        history
    };
    use Event::{Forgetting, Forgotten, Own, Shared};
    let sound = [event(Shared, 1, 1), event(Shared, 1, 1), event(Own, 2, 2), event(Forgetting, 2, 2)];
    let forgotten = [&sound[..], &[event(Forgotten, 2, 2)]].concat();
    let again = [&forgotten[..], &[event(Own, 2, 3)]].concat();
    assert!([&sound[..], &forgotten, &again].iter().all(|records| of(records).problem.is_none()));
    for fault in [
        vec![event(Shared, 1, 1), event(Shared, 2, 1)],
        vec![event(Shared, 1, 1), event(Shared, 1, 2)],
        [&forgotten[..], &[event(Own, 2, 2)]].concat(),
        [&forgotten[..], &[event(Shared, 3, 2)]].concat(),
        vec![event(Own, 2, 2), event(Forgotten, 2, 5)],
    ] {
        assert!(of(&fault).problem.is_some(), "{fault:?}");
    }
    let against = |records: &[Record], table: &[(u128, u64)]| {
        let mut history = of(records);
        let row = table.iter().find_map(|(uuid, id)| history.row(Uuid::from_u128(*uuid), *id));
        row.or_else(|| history.lost())
    };
    assert_eq!(against(&again, &[(1, 1), (2, 3), (4, 4)]), None);
    assert_eq!(against(&forgotten, &[(1, 1)]), None);
    for (records, table) in [
        (&again, &[(2, 3)][..]),
        (&again, &[(1, 7), (2, 3)]),
        (&again, &[(1, 1), (2, 3), (1, 5)]),
        (&again, &[(1, 1), (2, 3), (4, 4), (4, 5)]),
        (&forgotten, &[(1, 1), (2, 2)]),
    ] {
        assert!(against(records, table).is_some(), "{table:?}");
    }
}
