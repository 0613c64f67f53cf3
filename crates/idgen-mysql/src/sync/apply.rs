//! Applies a batch in the caller's transaction.

use std::collections::{BTreeMap, HashMap, HashSet};

use uuid::Uuid;

use crate::call::observe;
use crate::error::failure::{Attempt, Kind};
use crate::error::{Error, Result};
use crate::statement::caller::Connection;
use crate::statement::transaction::CallerConnection;
use crate::sync::change::{Answer, Change, Outcome};
use crate::sync::log::{self, Newest};
use crate::sync::prepare::{Prepared, prepare};
use crate::sync::writer::{Row, Writer};
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
    pub async fn apply<C: CallerConnection>(&self, transaction: &mut C, batch: &[Change]) -> Result<Answer> {
        self.apply_on(transaction.on(), batch).await
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
            let claimed = self.map.claims_within(transaction, &uuids).await?;
            ids.extend(claimed.iter().map(|pair| (pair.uuid, pair.id)));
            let fresh = claimed.iter().filter(|pair| pair.new).map(|pair| pair.id).collect();
            let written = self.write(transaction, &prepared, &ids, &fresh).await;
            outcomes.extend(written.map_err(Error::once(ACTION))?);
        }
        let outcomes: Vec<Outcome> = (0..batch.len())
            .map(|at| outcomes.remove(&at).unwrap_or_else(|| Outcome::Waits("it was not reached".to_owned())))
            .collect();
        outcomes.iter().for_each(count);
        Ok(Answer { outcomes, ids })
    }

    /// Changes of one row are applied in the order of their numbers, each in a round of its own.
    async fn write<C: Connection>(
        &self,
        transaction: &mut C,
        prepared: &[Prepared<'_>],
        ids: &HashMap<Uuid, u64>,
        fresh: &HashSet<u64>,
    ) -> Attempt<HashMap<usize, Outcome>> {
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
        // Nobody else can have a row whose integer is new, so nothing is asked of it.
        let (new, known): (Vec<Key>, Vec<Key>) = by_row.keys().partition(|(_, id)| fresh.contains(id));
        let found = log::lock(transaction, &self.names, &self.named(&known)).await?;
        let mut newest: HashMap<Key, Newest> = known.iter().copied().zip(found).collect();
        newest.extend(new.iter().map(|key| (*key, Newest { number: 0, digest: [0; 32] })));
        let before = newest.clone();
        // The changes of a row that are left, the next one last.
        for changes in by_row.values_mut() {
            changes.sort_by_key(|row| std::cmp::Reverse((row.prepared.change.number, row.prepared.at)));
        }
        let mut outcomes = HashMap::new();
        let mut writer = Writer::new(&self.shapes, &self.names, fresh);
        while !by_row.is_empty() {
            let mut next: Vec<Row<'_>> = Vec::new();
            by_row.retain(|key, changes| {
                while let Some(row) = changes.pop() {
                    match decided(&newest[key], row.prepared.change) {
                        Some(outcome) => drop(outcomes.insert(row.prepared.at, outcome)),
                        None => {
                            next.push(row);
                            return true;
                        }
                    }
                }
                false
            });
            writer.round(transaction, &next).await?;
            for row in &next {
                let (key, change) = ((row.prepared.shape, row.id), row.prepared.change);
                match writer.outcomes.get(&row.prepared.at) {
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
        }
        outcomes.extend(writer.outcomes);
        observe::references(writer.opened, writer.resolved);
        for (keys, is_new) in [(&known, false), (&new, true)] {
            let changed = keys.iter().filter(|key| before[*key] != newest[*key]);
            let changed: Vec<(log::Key<'_>, Newest)> =
                changed.map(|key| (self.named(&[*key])[0], newest[key])).collect();
            if !changed.is_empty() {
                log::store(transaction, &self.names, &changed, is_new).await?;
            }
        }
        let unused: Vec<Key> = known.into_iter().filter(|key| newest[key].number == 0).collect();
        let mut unused = self.named(&unused);
        unused.extend(writer.locked);
        unused.sort_unstable();
        log::unlock(transaction, &self.names, &unused).await?;
        Ok(outcomes)
    }

    fn named(&self, keys: &[Key]) -> Vec<log::Key<'_>> {
        keys.iter().map(|(at, id)| (self.shapes[*at].name.as_str(), *id)).collect()
    }
}

/// What becomes of a change because of what was applied before it; `None` if it is to be applied.
fn decided(newest: &Newest, change: &Change) -> Option<Outcome> {
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

/// Counts a change that a device sent.
fn count(outcome: &Outcome) {
    let outcome = match outcome {
        Outcome::Applied { repeated: false } => "applied",
        Outcome::Applied { repeated: true } => "repeated",
        Outcome::Older { .. } => "older",
        Outcome::Waits(_) => "waits",
        Outcome::Refused(_) => "refused",
    };
    metrics::counter!("idgen_sync_changes_total", "outcome" => outcome).increment(1);
}
