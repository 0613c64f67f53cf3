//! Applies a batch in the caller's transaction.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::pin::Pin;

use idgen::Timestamp;
use uuid::Uuid;

use crate::call::observe;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::error::{Error, Result};
use crate::statement::caller::Connection;
use crate::statement::transaction::CallerConnection;
use crate::sync::altered::are_altered;
use crate::sync::change::{Answer, Change, Outcome};
use crate::sync::circle::refuse_circles;
use crate::sync::log::{self, Newest};
use crate::sync::mode::{GO_BACK, Guard, RELEASE, SAVE_AGAIN, lost, refuse_unsafe};
use crate::sync::packet::{packet, too_large};
use crate::sync::prepare::{Prepared, Unfit, prepare};
use crate::sync::shape::Shape;
use crate::sync::writer::{APPLIED, Key, Row, Writer};
use crate::sync::{Known, Sync, intake};

const ACTION: &str = "apply changes of rows";
const ALTERED: &str =
    "the tables were altered since they were read, or while the batch was applied: roll back and begin again";
/// The error of a column that is not there.
const NO_COLUMN: u16 = 1054;

/// A batch on its way.
struct Work<'a> {
    known: &'a Known,
    guard: Guard,
    packet: usize,
    /// The savepoint is set.
    is_ready: bool,
    ids: &'a HashMap<Uuid, u64>,
    fresh: &'a HashSet<u64>,
}

/// The outcomes of the changes, by their places in the batch, and what the batch learned.
struct Done {
    outcomes: HashMap<usize, Outcome>,
    /// True if the savepoint is set, and the server has refused a change: a table may have been altered since it was read.
    doubts_shapes: bool,
    /// The definitions of its tables are not those that were read.
    is_altered: bool,
    /// The numbers of references that were opened, and resolved.
    references: (u64, u64),
}

impl Sync {
    /// The most changes of a batch.
    pub const LARGEST_BATCH: usize = 5_000;

    /// Applies changes of rows in the caller's transaction, in any order: parents are written before their children. Nothing
    /// is applied unless **the caller commits**, and the answer must not be sent before that.
    ///
    /// Each change has its [outcome](Outcome), and a change that is refused or has to wait leaves the others alone:
    /// - A change that was applied before does nothing, and has the same outcome. The same number with other values is
    ///   refused.
    /// - Only the newest change of a row counts. An older one does nothing, unless the newer ones of the batch fail.
    /// - A reference to a row that has not arrived gets its integer. If the schema has a foreign key for the column, it stays
    ///   NULL until the row arrives, and then it is set; if it cannot be NULL, the change waits. Such references are listed by
    ///   [`open_references`](Self::open_references). A change that refers to a row that was deleted is
    ///   [blocked](Outcome::Blocked) instead.
    /// - An error of the database, such as a text that is too long, a check or a trigger, refuses its change alone. Only errors
    ///   of the connection, the transaction and the server end the batch. The session must have a strict `sql_mode`,
    ///   `foreign_key_checks`, `unique_checks` and, on MariaDB, `check_constraint_checks`, because other sessions store values cut
    ///   off, orphans, duplicates, and what a check refuses.
    ///
    /// Changes of one batch may free each other's unique values, or exchange them. If the tables were altered since they were
    /// read, they are read again.
    ///
    /// Batches that contain the same row wait for each other. After an error, roll back; if it
    /// [`is_transient`](Error::is_transient), such as a deadlock of two batches, begin the transaction again.
    ///
    /// # Errors
    /// As for [`ids_of_within`](crate::UuidMap::ids_of_within); also if the batch has more than
    /// [`LARGEST_BATCH`](Self::LARGEST_BATCH) changes, or if the session stores what it should refuse.
    #[tracing::instrument(level = "debug", skip_all, fields(changes = batch.len()))]
    pub async fn apply<C: CallerConnection>(&self, transaction: &mut C, batch: &[Change]) -> Result<Answer> {
        let mut connection = self.map.one_by_one(transaction.on());
        // Large: as a part of each caller's future it would fill a thread's stack in a build without optimization. And deep: to find out
        // that a task with it may go to another thread, the compiler would reach its limit of recursion.
        let applied: Pin<Box<dyn Future<Output = Result<Answer>> + Send + '_>> =
            Box::pin(self.apply_on(&mut connection, batch));
        applied.await
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
        let (now, guard) = (intake::now(), Guard::of::<C>());
        if guard.is_set() && !batch.is_empty() {
            begin(transaction, guard).await.map_err(Error::once(ACTION))?;
        }
        let mut known = self.known();
        let (mut prepared, mut unfit) = self.prepare(&known.shapes, now, batch);
        if unfit.iter().any(|(_, unfit)| unfit.of_the_shape)
            && let Some(newer) = self.read_again(transaction, &known).await.map_err(Error::once(ACTION))?
        {
            known = newer;
            (prepared, unfit) = self.prepare(&known.shapes, now, batch);
        }
        let packet = packet(transaction, batch).await.map_err(Error::once(ACTION))?;
        let large = too_large(&prepared, packet);
        prepared.retain(|change| !large.contains_key(&change.at));
        let (mut ids, mut fresh, mut refused) = (HashMap::new(), HashSet::new(), large);
        self.admit(transaction, &mut prepared, &mut ids, &mut fresh, &mut refused).await?;
        let work = Work { known: &known, guard, packet, is_ready: guard.is_set(), ids: &ids, fresh: &fresh };
        let mut done = match self.write(transaction, &prepared, work).await {
            // A key or a reference has another name: the caller begins again.
            Err(failure) if failure.number() == Some(NO_COLUMN) => {
                let newer = self.read_again(transaction, &known).await.map_err(Error::once(ACTION))?;
                let failure = if newer.is_some() { Failure::Contradicted(ALTERED) } else { failure };
                return Err(Error::once(ACTION)(failure));
            }
            done => done.map_err(Error::once(ACTION))?,
        };
        if (done.doubts_shapes || done.is_altered)
            && let Some(newer) = self.read_again(transaction, &known).await.map_err(Error::once(ACTION))?
        {
            let again = [GO_BACK.to_owned(), SAVE_AGAIN.to_owned()];
            let back = transaction.execute_each(&again, &mut 0).await;
            back.map_err(lost).map_err(Error::once(ACTION))?;
            if guard.is_set() {
                // The savepoint is older than the pairs, which are undone.
                ids.clear();
                fresh.clear();
            }
            (prepared, unfit) = self.prepare(&newer.shapes, now, batch);
            prepared.retain(|change| !refused.contains_key(&change.at));
            self.admit(transaction, &mut prepared, &mut ids, &mut fresh, &mut refused).await?;
            let work = Work { known: &newer, guard, packet, is_ready: true, ids: &ids, fresh: &fresh };
            done = self.write(transaction, &prepared, work).await.map_err(Error::once(ACTION))?;
            if done.is_altered {
                return Err(Error::once(ACTION)(Failure::Contradicted(ALTERED)));
            }
        }
        if guard.is_set() && !batch.is_empty() {
            // Fails unless everything was done in one transaction.
            let released = transaction.run_one(RELEASE).await;
            released.map_err(lost).map_err(Error::once(ACTION))?;
        }
        observe::references(done.references.0, done.references.1);
        refused.extend(done.outcomes);
        refused.extend(unfit.into_iter().map(|(at, unfit)| (at, Outcome::Refused(unfit.reason))));
        let outcomes: Option<Vec<Outcome>> = (0..batch.len()).map(|at| refused.remove(&at)).collect();
        let missing = || Error::new(Kind::Damaged { problem: "a change has no outcome".to_owned() });
        let outcomes = outcomes.ok_or_else(missing)?;
        outcomes.iter().for_each(|outcome| observe::change(outcome.name()));
        Ok(Answer { outcomes, ids })
    }

    /// Reads the changes against the tables; those that are refused are beside their places.
    fn prepare<'a>(
        &self,
        shapes: &[Shape],
        now: Timestamp,
        batch: &'a [Change],
    ) -> (Vec<Prepared<'a>>, Vec<(usize, Unfit)>) {
        let (mut prepared, mut unfit) = (Vec::with_capacity(batch.len()), Vec::new());
        for (at, change) in batch.iter().enumerate() {
            match prepare(shapes, &self.intake, now, at, change) {
                Ok(change) => prepared.push(change),
                Err(reason) => unfit.push((at, reason)),
            }
        }
        (prepared, unfit)
    }

    /// Adds the integers of all UUIDs, and takes out the changes that name a forgotten UUID, if the rules refuse those.
    async fn admit<C: Connection>(
        &self,
        transaction: &mut C,
        prepared: &mut Vec<Prepared<'_>>,
        ids: &mut HashMap<Uuid, u64>,
        fresh: &mut HashSet<u64>,
        refused: &mut HashMap<usize, Outcome>,
    ) -> Result<()> {
        let refuses = self.intake.refuses_forgotten();
        // Before the claim: a forgotten UUID must not get an integer, by which it would be known from then on.
        if refuses {
            let named: HashSet<Uuid> = prepared.iter().flat_map(Prepared::uuids).collect();
            self.refuse_forgotten(transaction, prepared, named, refused)
                .await
                .map_err(Error::once(ACTION))?;
        }
        self.claim(transaction, prepared, ids, fresh).await?;
        // It may have been erased in between. It had no integer any more, so it has a new one here.
        if refuses {
            let new = ids.iter().filter(|(_, id)| fresh.contains(id)).map(|(uuid, _)| *uuid).collect();
            self.refuse_forgotten(transaction, prepared, new, refused).await.map_err(Error::once(ACTION))?;
        }
        Ok(())
    }

    /// Adds the integers of all UUIDs, and notes which of them are new.
    async fn claim<C: Connection>(
        &self,
        transaction: &mut C,
        prepared: &[Prepared<'_>],
        ids: &mut HashMap<Uuid, u64>,
        fresh: &mut HashSet<u64>,
    ) -> Result<()> {
        let mut uuids: Vec<Uuid> = prepared.iter().flat_map(Prepared::uuids).collect();
        uuids.retain(|uuid| !ids.contains_key(uuid));
        if uuids.is_empty() {
            return Ok(());
        }
        let claimed = self.map.claims_within(transaction, &uuids).await?;
        ids.extend(claimed.iter().map(|pair| (pair.uuid, pair.id)));
        fresh.extend(claimed.iter().filter(|pair| pair.new).map(|pair| pair.id));
        Ok(())
    }

    /// Takes out the changes that name one of these UUIDs, if it was forgotten.
    async fn refuse_forgotten<C: Connection>(
        &self,
        transaction: &mut C,
        prepared: &mut Vec<Prepared<'_>>,
        uuids: HashSet<Uuid>,
        refused: &mut HashMap<usize, Outcome>,
    ) -> Attempt<()> {
        let uuids: Vec<Uuid> = uuids.into_iter().collect();
        let forgotten = log::forgotten(transaction, &self.names, &uuids).await?;
        prepared.retain(|change| {
            let Some(uuid) = change.uuids().find(|uuid| forgotten.contains(uuid)) else { return true };
            let reason = format!("{uuid} was erased, and is not taken in again");
            refused.insert(change.at, Outcome::Refused(reason));
            false
        });
        Ok(())
    }

    /// The newest change of each row is applied; if it fails, the one before it.
    async fn write<C: Connection>(
        &self,
        transaction: &mut C,
        prepared: &[Prepared<'_>],
        work: Work<'_>,
    ) -> Attempt<Done> {
        let Work { known: tables, guard, packet, is_ready, ids, fresh } = work;
        let shapes = &tables.shapes;
        let mut rows: Vec<Row<'_>> = Vec::with_capacity(prepared.len());
        for change in prepared {
            let targets = change
                .references
                .iter()
                .map(|(column, uuid)| (*column, uuid.map(|uuid| ids[&uuid])))
                .collect();
            rows.push(Row { prepared: change, id: ids[&change.row], targets });
        }
        let mut by_row: BTreeMap<Key, Vec<&Row<'_>>> = BTreeMap::new();
        for row in &rows {
            by_row.entry((row.prepared.shape, row.id)).or_default().push(row);
        }
        // Nobody else can have a row whose integer is new, so only the known rows are looked up and locked.
        let (new, known): (Vec<Key>, Vec<Key>) = by_row.keys().partition(|(_, id)| fresh.contains(id));
        let found = log::lock(transaction, &self.names, &named(shapes, &known)).await?;
        let mut newest: HashMap<Key, Newest> = known.iter().copied().zip(found).collect();
        newest.extend(new.iter().map(|key| (*key, Newest::NONE)));
        let before = newest.clone();
        let mut writer = Writer::new(shapes, &self.names, guard, packet, fresh);
        writer.is_ready = is_ready;
        let deleted = newest.iter().filter(|(_, newest)| newest.is_deletion());
        writer.deleted.extend(deleted.map(|(key, newest)| (*key, newest.number)));
        // The next one of each row last: the highest number, and of equal ones the first in the batch.
        for changes in by_row.values_mut() {
            changes.sort_by_key(|row| (row.prepared.change.number, std::cmp::Reverse(row.prepared.at)));
        }
        let (mut outcomes, mut failed) = (HashMap::new(), Vec::new());
        let mut rounds = 0;
        loop {
            let mut next: Vec<&Row<'_>> = Vec::new();
            for (key, changes) in &mut by_row {
                while let Some(row) = changes.pop() {
                    match decided(&newest[key], row.prepared.change) {
                        Some(outcome) => drop(outcomes.insert(row.prepared.at, outcome)),
                        None => {
                            next.push(row);
                            break;
                        }
                    }
                }
            }
            // A change that failed may have waited for the older change of another row.
            let is_last = next.is_empty();
            if is_last {
                next = std::mem::take(&mut failed);
            }
            if next.is_empty() || is_last && rounds < 2 {
                failed.append(&mut next);
                break;
            }
            rounds += 1;
            next.sort_by_key(|row| row.prepared.at);
            writer.round(transaction, &next).await?;
            for row in next {
                if writer.outcomes.get(&row.prepared.at) == Some(&APPLIED) {
                    let change = row.prepared.change;
                    let key = (row.prepared.shape, row.id);
                    let mark = change.known.as_ref().and_then(|known| known.mark(change.number));
                    newest.insert(key, Newest::of(change.number, change.digest(), mark.unwrap_or_default()));
                } else {
                    failed.push(row);
                }
            }
            if is_last {
                break;
            }
        }
        if known.iter().any(|key| before[key] != newest[key]) {
            writer.set_freed(transaction).await?;
        }
        let map = self.map.context().await?.tables.map.clone();
        writer.name_blockers(transaction, &map, &newest, &failed).await?;
        refuse_circles(&failed, &mut writer.outcomes);
        outcomes.extend(writer.outcomes);
        let references = (writer.opened, writer.resolved);
        let doubts_shapes = writer.is_ready && (writer.is_stale || !writer.refusals.is_empty());
        let is_altered = writer.is_ready && are_altered(transaction, &self.names, tables, &rows).await?;
        for (keys, is_new) in [(&known, false), (&new, true)] {
            let changed = keys.iter().filter(|key| before[*key] != newest[*key]);
            let changed: Vec<(log::Key<'_>, Newest)> =
                changed.map(|key| (named(shapes, &[*key])[0], newest[key])).collect();
            if !changed.is_empty() {
                log::store(transaction, &self.names, guard, &changed, is_new).await?;
            }
        }
        let unused: Vec<Key> = known.into_iter().filter(|key| newest[key].number == 0).collect();
        let mut unused = named(shapes, &unused);
        unused.extend(writer.locked);
        unused.sort_unstable();
        log::unlock(transaction, &self.names, &unused).await?;
        Ok(Done { outcomes, doubts_shapes, is_altered, references })
    }

    /// The tables as they are now, if they were altered since they were read.
    async fn read_again<C: Connection>(&self, transaction: &mut C, known: &Known) -> Attempt<Option<Known>> {
        let newer = crate::sync::read(transaction, &self.wanted, self.width).await?;
        self.keep(newer.clone());
        Ok((newer.shapes != known.shapes).then_some(newer))
    }
}

fn named<'a>(shapes: &'a [Shape], keys: &[Key]) -> Vec<log::Key<'a>> {
    keys.iter().map(|(at, id)| (shapes[*at].name.as_str(), *id)).collect()
}

/// Begins a batch on a driver that may connect again by itself.
async fn begin<C: Connection>(transaction: &mut C, guard: Guard) -> Attempt<()> {
    let mut done = 0;
    match transaction.execute_each(&guard.begin(), &mut done).await {
        Err(failure) if done == 1 => {
            refuse_unsafe(transaction, &failure).await?;
            Err(failure)
        }
        Err(failure) if failure.number() == Some(1305) => Err(Error::new(Kind::NotInTransaction).into()),
        done => done,
    }
}

/// The outcome of a change because of what was applied before it; `None` if it is to be applied.
fn decided(newest: &Newest, change: &Change) -> Option<Outcome> {
    let is_known = change.known.as_ref().is_none_or(|known| known.includes(newest.number, newest.mark()));
    let older = Outcome::Older { newest: newest.number };
    match change.number.cmp(&newest.number) {
        Ordering::Greater if is_known => None,
        Ordering::Equal if newest.has(change.digest()) => Some(Outcome::Applied { repeated: true }),
        Ordering::Equal if is_known => Some(Outcome::Refused(format!(
            "the row {} of {} has another change with the number {}: was the device restored from a backup, or copied? give \
             the change a higher number",
            change.row, change.table, change.number
        ))),
        // Also where another one has used the number, or a lower one that the sender does not know.
        Ordering::Less | Ordering::Equal | Ordering::Greater => Some(older),
    }
}
