//! Reads whose answer proves that it is complete.
//!
//! A row that was found shows what it is. That nothing was found, or nothing else, is shown by no row: an answer that lost
//! its rows looks the same. So where a call depends on what is not there, each row of the answer names the question and the
//! number of pairs, and there is a row if there are none. A lost, repeated or older row, or no row at all, contradicts that.

use uuid::Uuid;

use crate::call::retry::Retries;
use crate::claim::context::Context;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::Result;
use crate::error::failure::{Attempt, Failure};
use crate::installed::Index;
use crate::statement::caller::Connection;
use crate::statement::sql::{hash, literal};
use crate::statement::values::Values;

/// A question, by a number that no other one has.
struct Question(u64);

impl Question {
    fn new() -> Question {
        // Numbers of 62 bits are signed ones for every server and driver.
        Question(fastrand::u64(..1 << 62))
    }

    /// `pairs` is a statement that selects `id` and `uuid`.
    fn text(&self, pairs: &str) -> String {
        format!(
            "SELECT here.question, COUNT(pair.id) OVER () AS pairs, pair.id, pair.uuid \
             FROM (SELECT {} AS question) AS here LEFT JOIN ({pairs}) AS pair ON TRUE",
            self.0
        )
    }

    /// The pairs in the answer, in ascending order of ids.
    fn answer<R: Values>(&self, rows: &[R]) -> Attempt<Vec<(u64, Uuid)>> {
        const LOST: Failure = Failure::Contradicted("an answer had other rows than the server counted");
        let number = |row: &R, at| Ok::<_, Failure>(row.text(at)?.and_then(|text| text.parse::<u64>().ok()));
        let mut pairs = Vec::with_capacity(rows.len());
        let mut count = None;
        for row in rows {
            let (question, counted) = (number(row, 0)?, number(row, 1)?);
            if question != Some(self.0) || counted != *count.get_or_insert(counted) {
                return Err(LOST);
            }
            if let Some(id) = number(row, 2)? {
                pairs.push((id, row.uuid(3)?));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let complete = count.flatten() == Some(pairs.len() as u64);
        if complete && rows.len() == pairs.len().max(1) { Ok(pairs) } else { Err(LOST) }
    }
}

impl Context {
    /// The pairs that a statement selects, and no fewer, in ascending order of ids. `before` are statements without rows.
    pub(crate) async fn select_all<C: Connection>(
        &self,
        connection: &mut C,
        before: &[String],
        pairs: &str,
    ) -> Attempt<Vec<(u64, Uuid)>> {
        if self.tables.places.is_some() {
            // Vitess takes no such statement over several shards.
            let (_, rows) = connection.read_after(before, pairs.to_owned()).await?;
            let pair = |row: &C::Row| Ok((crate::statement::values::number_at(row, 0)?, row.uuid(1)?));
            return rows.iter().map(pair).collect();
        }
        let question = Question::new();
        let (_, rows) = connection.read_after(before, question.text(pairs)).await?;
        question.answer(&rows)
    }

    /// The pairs that a statement selects, and no fewer, as a call of its own. They are committed and on disk.
    pub(crate) async fn read_all(&self, action: &'static str, pairs: &str) -> Result<Vec<(u64, Uuid)>> {
        let read = async |connection: &mut PooledConnection| {
            let found = self.select_all(&mut **connection, &[], pairs).await?;
            if !found.is_empty() {
                self.settled(connection).await?;
            }
            Ok(found)
        };
        let attempt = || self.pool.attempt(Take::AtOnce, read);
        Retries::run(self.deadline, action, attempt).await
    }

    /// The statement that selects the pairs of these UUIDs, and perhaps others of the same hashes.
    pub(crate) fn pairs_of_uuids(&self, uuids: &[Uuid]) -> String {
        let map = &self.tables.map;
        let list = |item: &dyn Fn(Uuid) -> String| {
            uuids.iter().map(|uuid| item(*uuid)).collect::<Vec<_>>().join(",")
        };
        match self.installed.index {
            Index::Unique => format!("SELECT id, uuid FROM {map} WHERE uuid IN ({})", list(&literal)),
            Index::Dedup => {
                let hashes = list(&|uuid| hash(uuid).to_string());
                format!("SELECT id, uuid FROM {map} FORCE INDEX (hash) WHERE hash IN ({hashes})")
            }
        }
    }

    /// Fails if the map has an id for one of these UUIDs, which an earlier look-up has not found.
    pub(crate) async fn has_none_of<C: Connection>(&self, connection: &mut C, uuids: &[Uuid]) -> Attempt<()> {
        if uuids.is_empty() {
            return Ok(());
        }
        let found = self.select_all(connection, &[], &self.pairs_of_uuids(uuids)).await?;
        if found.iter().any(|(_, uuid)| uuids.contains(uuid)) {
            return Err(Failure::Contradicted("a pair was not found, although the map has it"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of a row as another driver gives them.
    struct Row(Vec<Option<Vec<u8>>>);

    impl Values for Row {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn has(&self, _: &str) -> bool {
            false
        }

        fn place(&self, name: &str) -> Attempt<usize> {
            Err(Failure::Unreadable(name.to_owned()))
        }

        fn number(&self, at: usize) -> Attempt<Option<u64>> {
            Ok(self.text(at)?.and_then(|text| text.parse().ok()))
        }

        fn bytes(&self, at: usize) -> Attempt<Option<Vec<u8>>> {
            Ok(self.0[at].clone())
        }

        fn uuid(&self, at: usize) -> Attempt<Uuid> {
            Ok(Uuid::from_slice(self.0[at].as_deref().unwrap_or_default()).unwrap_or_default())
        }
    }

    fn row(question: u64, count: u64, id: Option<u64>) -> Row {
        let text = |number: u64| Some(number.to_string().into_bytes());
        Row(vec![text(question), text(count), id.and_then(text), id.map(|id| vec![id as u8; 16])])
    }

    #[test]
    fn an_answer_is_complete_or_refused() {
        let question = Question(7);
        let ids = |rows: Vec<Row>| {
            question.answer(&rows).map(|pairs| pairs.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
        };
        assert_eq!(ids(vec![row(7, 0, None)]).unwrap(), []);
        assert_eq!(ids(vec![row(7, 2, Some(5)), row(7, 2, Some(4))]).unwrap(), [4, 5]);
        for wrong in [
            vec![],
            vec![row(7, 1, None)],
            vec![row(8, 0, None)],
            vec![row(7, 2, Some(4))],
            vec![row(7, 1, Some(4)), row(7, 1, Some(4))],
            vec![row(7, 0, None), row(7, 0, None)],
            vec![row(7, 2, Some(4)), row(7, 2, Some(4))],
            vec![row(7, 1, Some(4)), row(6, 1, Some(5))],
        ] {
            assert!(matches!(ids(wrong), Err(Failure::Contradicted(_))));
        }
    }
}
