//! Single-flight calls: if several callers miss the cache for one UUID, the first asks the server, and the others
//! wait for its answer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::error::Result;
use crate::patience::Patience;

/// The UUIDs that are being looked up or created.
#[derive(Debug)]
pub(crate) struct Flights<T> {
    rows: Mutex<HashMap<Uuid, Row<T>>>,
}

/// Locked by the caller that does the work, and filled with its result.
type Answer<T> = tokio::sync::Mutex<Option<T>>;

/// The callers of one single-flight call.
#[derive(Debug)]
struct Row<T> {
    taken: usize,
    answer: Arc<Answer<T>>,
}

impl<T: Clone> Flights<T> {
    pub(crate) fn new() -> Self {
        Flights { rows: Mutex::new(HashMap::new()) }
    }

    /// Runs `work`, or waits for a call that is running already. If that call fails or is canceled, the next waiter
    /// does the work, within the rest of its own time limit. The result is true if this caller did the work.
    pub(crate) async fn run(
        &self,
        uuid: Uuid,
        patience: Patience,
        work: impl AsyncFnOnce() -> Result<T>,
    ) -> Result<(T, bool)> {
        let seat = self.seat(uuid);
        let mut answer = patience.turn("map a UUID to an id", seat.answer.lock()).await?;
        if let Some(value) = &*answer {
            return Ok((value.clone(), false));
        }
        let value = work().await?;
        *answer = Some(value.clone());
        Ok((value, true))
    }

    fn seat(&self, uuid: Uuid) -> Seat<'_, T> {
        let mut rows = self.rows();
        let row = rows.entry(uuid).or_insert_with(|| Row { taken: 0, answer: Arc::new(Answer::new(None)) });
        row.taken += 1;
        Seat { flights: self, uuid, answer: row.answer.clone() }
    }
}

impl<T> Flights<T> {
    fn rows(&self) -> MutexGuard<'_, HashMap<Uuid, Row<T>>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A waiter of the call; the last one to leave removes the entry.
struct Seat<'a, T> {
    flights: &'a Flights<T>,
    uuid: Uuid,
    answer: Arc<Answer<T>>,
}

impl<T> Drop for Seat<'_, T> {
    fn drop(&mut self) {
        let mut rows = self.flights.rows();
        // Counted under the lock: if two leave at the same time, one of them is the last.
        if let Entry::Occupied(mut row) = rows.entry(self.uuid) {
            row.get_mut().taken -= 1;
            if row.get().taken == 0 {
                row.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Kind};
    use std::future::pending;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn many_callers_one_flight() {
        let flights = Arc::new(Flights::new());
        let worked = Arc::new(AtomicU32::new(0));
        let callers: Vec<_> = (0..50)
            .map(|_| {
                let (flights, worked) = (flights.clone(), worked.clone());
                tokio::spawn(async move {
                    flights
                        .run(Uuid::from_u128(7), Patience::endless(), async || {
                            tokio::task::yield_now().await;
                            worked.fetch_add(1, Ordering::Relaxed);
                            tokio::task::yield_now().await;
                            Ok(42)
                        })
                        .await
                })
            })
            .collect();
        let mut workers = 0;
        for caller in callers {
            let (value, worked) = caller.await.unwrap().unwrap();
            assert_eq!(value, 42);
            workers += u32::from(worked);
        }
        assert_eq!((workers, worked.load(Ordering::Relaxed)), (1, 1));
        assert!(flights.rows().is_empty());
    }

    #[tokio::test]
    async fn a_failed_or_cancelled_flight_leaves_nothing() {
        let flights = Flights::<u64>::new();
        let (uuid, patience) = (Uuid::nil(), Patience::endless());
        let no = async || Err(Error::new(Kind::Config { problem: "no".to_owned() }));
        assert_eq!(flights.run(uuid, patience, no).await.unwrap_err().to_string(), "no");
        assert!(flights.rows().is_empty());
        let never = flights.run(uuid, patience, async || pending().await);
        assert!(tokio::time::timeout(Duration::from_millis(1), never).await.is_err());
        assert!(flights.rows().is_empty());
    }

    /// The last of a hundred waiters gets its answer within its own time limit, not a hundred times that.
    #[tokio::test(start_paused = true)]
    async fn waiting_in_line_is_part_of_a_calls_patience() {
        let flights = Flights::<u64>::new();
        let begin = tokio::time::Instant::now();
        let call = async || {
            let patience = Patience::begin(30 * SECOND);
            let work = async || {
                patience.bound(pending::<()>()).await;
                Err(Error::new(Kind::Config { problem: "no answer".to_owned() }))
            };
            flights.run(Uuid::nil(), patience, work).await.unwrap_err()
        };
        let errors = futures_util::future::join_all((0..100).map(|_| call())).await;
        assert_eq!(begin.elapsed().as_secs(), 30);
        assert!(errors.iter().skip(1).any(Error::is_transient), "{:?}", errors[1]);
        assert!(flights.rows().is_empty());
    }

    /// If two waiters leave at the same time, one of them must remove the entry.
    #[test]
    fn seats_left_at_once_leave_nothing() {
        let flights = Flights::<u64>::new();
        let together = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for round in 0..20_000 {
                        let seat = flights.seat(Uuid::from_u128(round));
                        together.wait();
                        drop(seat);
                    }
                });
            }
        });
        assert_eq!(flights.rows().len(), 0);
    }
}
