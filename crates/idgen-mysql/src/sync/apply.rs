//! Applies a batch in the caller's transaction.

use std::collections::{BTreeMap, HashMap};

use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::caller::{Connection, Values};
use crate::driver::DriverConnection;
use crate::error::{Error, Result};
use crate::failure::{Attempt, Kind};
use crate::observe;
use crate::sync::change::{Answer, Change, Outcome};
use crate::sync::log::{self, Newest};
use crate::sync::prepare::{Prepared, prepare};
use crate::sync::write::{Round, Row};
use crate::sync::{Sync, intake};

const ACTION: &str = "apply changes of rows";

/// What is known of a row: its table's place and its integer.
type Key = (usize, u64);

impl Sync {
    /// The most changes of a batch.
    pub const LARGEST_BATCH: usize = 5_000;

    /// Applies changes of rows in the caller's transaction, in any order: parents are written before their children. Nothing
    /// is applied unless **the caller commits**, and the answer must not be sent before that.
    ///
    /// Each change has its [outcome](Outcome), and a change that is refused or has to wait leaves the others alone:
    /// - A change that was applied before does nothing, and has the same outcome. The same number with other values is
    ///   refused.
    /// - A change that is older than an applied one of its row does nothing.
    /// - A reference to a row that has not arrived gets its integer. If the schema has a foreign key for the column, it stays
    ///   NULL until the row arrives, and then it is set; if it cannot be NULL, the change waits. Such references are listed by
    ///   [`open_references`](Self::open_references).
    /// - Values that the database refuses, such as a text that is too long, refuse their change alone. The session must have a
    ///   strict `sql_mode`, because other sessions store such values cut off.
    ///
    /// Batches that contain the same row wait for each other. After an error, roll back; if it
    /// [`is_transient`](Error::is_transient), such as a deadlock of two batches, begin the transaction again.
    ///
    /// # Errors
    /// As for [`ids_of_within`](crate::UuidMap::ids_of_within); also if the batch has more than
    /// [`LARGEST_BATCH`](Self::LARGEST_BATCH) changes, or if `sql_mode` is not strict.
    #[tracing::instrument(level = "debug", skip_all, fields(changes = batch.len()))]
    pub async fn apply(&self, transaction: &mut MySqlConnection, batch: &[Change]) -> Result<Answer> {
        self.apply_on(transaction, batch).await
    }

    /// [`apply`](Self::apply) on a connection of another driver than sqlx.
    ///
    /// # Errors
    /// As for [`apply`](Self::apply).
    pub async fn apply_driver<C: DriverConnection>(
        &self,
        transaction: &mut C,
        batch: &[Change],
    ) -> Result<Answer> {
        self.apply_on(transaction, batch).await
    }

    async fn apply_on<C: Connection>(&self, transaction: &mut C, batch: &[Change]) -> Result<Answer> {
        if batch.len() > Self::LARGEST_BATCH {
            let problem = format!(
                "a batch of {} changes is too large: send at most {} at a time",
                batch.len(),
                Self::LARGEST_BATCH
            );
            return Err(Error::new(Kind::Config { problem }));
        }
        let (now, mut outcomes) = (intake::now(), HashMap::new());
        let mut prepared = Vec::with_capacity(batch.len());
        for (at, change) in batch.iter().enumerate() {
            match prepare(&self.shapes, &self.intake, now, at, change) {
                Ok(change) => prepared.push(change),
                Err(reason) => drop(outcomes.insert(at, Outcome::Refused(reason))),
            }
        }
        let mut uuids: Vec<Uuid> = prepared.iter().flat_map(Prepared::uuids).collect();
        uuids.sort_unstable();
        uuids.dedup();
        let mut ids = HashMap::new();
        if !uuids.is_empty() {
            let found = self.map.ids_within(transaction, &uuids).await?;
            ids.extend(uuids.into_iter().zip(found));
            let written = self.write(transaction, &prepared, &ids).await.map_err(Error::once(ACTION))?;
            outcomes.extend(written);
        }
        let outcomes: Vec<Outcome> = (0..batch.len())
            .map(|at| outcomes.remove(&at).unwrap_or_else(|| Outcome::Waits("it was not reached".to_owned())))
            .collect();
        outcomes.iter().for_each(observe::synced);
        Ok(Answer { outcomes, ids })
    }

    /// Changes of one row are applied in the order of their numbers, each in a round of its own.
    async fn write<C: Connection>(
        &self,
        transaction: &mut C,
        prepared: &[Prepared<'_>],
        ids: &HashMap<Uuid, u64>,
    ) -> Attempt<HashMap<usize, Outcome>> {
        refuse_lax_mode(transaction).await?;
        let mut by_row: BTreeMap<Key, Vec<Row<'_>>> = BTreeMap::new();
        for change in prepared {
            let targets = change
                .references
                .iter()
                .map(|(column, uuid)| (*column, uuid.map(|uuid| ids[&uuid])))
                .collect();
            let row = Row { prepared: change, id: ids[&change.row], targets };
            by_row.entry((change.shape, row.id)).or_default().push(row);
        }
        let mut newest: HashMap<Key, Newest> = HashMap::new();
        for (at, shape) in self.shapes.iter().enumerate() {
            let keys: Vec<u64> = by_row.range((at, 0)..=(at, u64::MAX)).map(|((_, id), _)| *id).collect();
            if !keys.is_empty() {
                let found = log::lock(transaction, &self.names, &shape.name, &keys).await?;
                newest.extend(found.into_iter().map(|(id, newest)| ((at, id), newest)));
            }
        }
        let before = newest.clone();
        // The changes of a row that are left, the next one last.
        for changes in by_row.values_mut() {
            changes.sort_by_key(|row| std::cmp::Reverse((row.prepared.change.number, row.prepared.at)));
        }
        let mut outcomes = HashMap::new();
        while !by_row.is_empty() {
            let mut next: Vec<Row<'_>> = Vec::new();
            by_row.retain(|key, changes| {
                while let Some(row) = changes.pop() {
                    match known(&newest[key], row.prepared.change) {
                        Some(outcome) => drop(outcomes.insert(row.prepared.at, outcome)),
                        None => {
                            next.push(row);
                            return true;
                        }
                    }
                }
                false
            });
            let mut round = Round::new(&self.shapes, &self.names);
            round.run(transaction, &next).await?;
            observe::references(round.opened, round.resolved);
            for row in &next {
                let (key, change) = ((row.prepared.shape, row.id), row.prepared.change);
                match round.outcomes.get(&row.prepared.at) {
                    Some(Outcome::Applied { .. }) => {
                        newest.insert(key, Newest { number: change.number, digest: change.digest() });
                    }
                    // A newer change would make this one older, and it could not be sent again.
                    Some(Outcome::Waits(_)) => {
                        for later in by_row.remove(&key).into_iter().flatten() {
                            let waits = format!("the change {} of the row waits", change.number);
                            outcomes.insert(later.prepared.at, Outcome::Waits(waits));
                        }
                    }
                    _ => {}
                }
            }
            outcomes.extend(round.outcomes);
        }
        self.store(transaction, &before, &newest).await?;
        Ok(outcomes)
    }

    /// Stores what has changed in the log of rows.
    async fn store<C: Connection>(
        &self,
        transaction: &mut C,
        before: &HashMap<Key, Newest>,
        newest: &HashMap<Key, Newest>,
    ) -> Attempt<()> {
        for (at, shape) in self.shapes.iter().enumerate() {
            let of_table = || newest.iter().filter(|((table, _), _)| *table == at);
            let changed: Vec<(u64, Newest)> = of_table()
                .filter(|(key, newest)| before[*key] != **newest)
                .map(|((_, id), newest)| (*id, *newest))
                .collect();
            if !changed.is_empty() {
                log::store(transaction, &self.names, &shape.name, &changed).await?;
            }
            let unused: Vec<u64> =
                of_table().filter(|(_, newest)| newest.number == 0).map(|((_, id), _)| *id).collect();
            if !unused.is_empty() {
                log::unlock(transaction, &self.names, &shape.name, &unused).await?;
            }
        }
        Ok(())
    }
}

/// What becomes of a change because of what was applied before it; `None` if it is to be applied.
fn known(newest: &Newest, change: &Change) -> Option<Outcome> {
    if change.number > newest.number {
        return None;
    }
    if change.number < newest.number {
        return Some(Outcome::Older { newest: newest.number });
    }
    Some(if change.digest() == newest.digest {
        Outcome::Applied { repeated: true }
    } else {
        Outcome::Refused(format!(
            "the row {} of {} has another change with the number {}: was the device restored from a backup, or copied? give \
             the change a higher number",
            change.row, change.table, change.number
        ))
    })
}

/// Sessions without a strict mode cut values off instead of refusing them.
async fn refuse_lax_mode<C: Connection>(transaction: &mut C) -> Attempt<()> {
    let rows = transaction.read("SELECT @@SESSION.sql_mode".to_owned()).await?;
    let mode = rows.first().map(|row| row.text(0)).transpose()?.flatten().unwrap_or_default();
    if mode.contains("STRICT_ALL_TABLES") || mode.contains("STRICT_TRANS_TABLES") {
        return Ok(());
    }
    let problem = format!(
        "the session's sql_mode is {mode:?}, in which values that do not fit are cut off: add STRICT_ALL_TABLES to it"
    );
    Err(Error::new(Kind::Config { problem }).into())
}
