//! Whether the promise held: the clients' records among themselves, then against the tables, by raw SQL.

use std::collections::HashMap;
use std::path::PathBuf;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use uuid::Uuid;

use crate::record::{self, Event, Record};

const PAGE: usize = 20_000;

/// The latest that is known of a UUID.
#[derive(Clone, Copy)]
struct Known {
    id: u64,
    event: Event,
}

/// What the clients were told, or the first contradiction in it.
#[derive(Default)]
struct History {
    by_uuid: HashMap<Uuid, Known>,
    /// Of all that were ever acknowledged.
    by_id: HashMap<u64, Uuid>,
    forgotten: u64,
    records: u64,
    problem: Option<String>,
}

impl History {
    fn add(&mut self, Record { event, uuid, id }: Record) {
        self.records += 1;
        let problem = match (event, self.by_uuid.get(&uuid).copied()) {
            (Event::Shared | Event::Own, known) => {
                let other = *self.by_id.entry(id).or_insert(uuid);
                match known {
                    _ if other != uuid => Some(format!("the id {id} was given to {other} and to {uuid}")),
                    Some(Known { id: before, event: Event::Shared | Event::Own }) if before != id => {
                        Some(format!("{uuid} was given the ids {before} and {id}"))
                    }
                    Some(Known { id: before, event: Event::Forgotten }) if before == id => {
                        Some(format!("{uuid} was forgotten, and its id {id} was given out again"))
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
        self.by_uuid.insert(uuid, Known { id, event });
    }

    /// The first acknowledged pair that is not in the table, or forgotten one that is.
    fn against(&self, stored: &HashMap<Uuid, u64>) -> Option<String> {
        self.by_uuid.iter().find_map(|(uuid, Known { id, event })| {
            let found = stored.get(uuid);
            match event {
                Event::Shared | Event::Own if found != Some(id) => {
                    Some(format!("{uuid} was given the id {id}, and the table has {found:?}"))
                }
                Event::Forgotten if found == Some(id) => {
                    Some(format!("{uuid} was forgotten, and the table has it with its id {id}"))
                }
                _ => None,
            }
        })
    }
}

/// Reads everything; says how much it was, or what is broken.
pub async fn check(url: &str, files: &[PathBuf]) -> Result<String, String> {
    let mut history = History::default();
    for file in files {
        record::read(file, |record| history.add(record));
    }
    if let Some(problem) = history.problem {
        return Err(problem);
    }
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    let mut stored: HashMap<Uuid, u64> = HashMap::new();
    let mut after = 0_u64;
    loop {
        let page = format!("SELECT id, uuid FROM uuid_map WHERE id > {after} ORDER BY id LIMIT {PAGE}");
        let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(page))).await.unwrap();
        for row in &rows {
            after = row.get(0);
            let uuid = Uuid::from_slice(&row.get::<Vec<u8>, _>(1)).unwrap();
            // An id is in one row, by the primary key.
            if let Some(other) = stored.insert(uuid, after) {
                return Err(format!("{uuid} has the ids {other} and {after} in the table"));
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
    if let Some(problem) = history.against(&stored) {
        return Err(problem);
    }
    let History { records, forgotten, by_uuid, .. } = history;
    Ok(format!("{records} records of {} UUIDs, {forgotten} forgotten", by_uuid.len()))
}

/// The check sees each fault: run before it is relied on.
pub fn self_test() {
    let event = |event, uuid, id| Record { event, uuid: Uuid::from_u128(uuid), id };
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
    let stored =
        |pairs: &[(u128, u64)]| pairs.iter().map(|(uuid, id)| (Uuid::from_u128(*uuid), *id)).collect();
    assert_eq!(of(&again).against(&stored(&[(1, 1), (2, 3)])), None);
    assert!(of(&again).against(&stored(&[(2, 3)])).is_some());
    assert!(of(&again).against(&stored(&[(1, 7), (2, 3)])).is_some());
    assert!(of(&forgotten).against(&stored(&[(1, 1), (2, 2)])).is_some());
}
