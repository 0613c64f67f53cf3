//! Single-flight calls: if several callers miss the cache for one UUID, the first asks the server, and the others
//! wait for its answer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::call::deadline::Deadline;
use crate::error::Result;

/// The UUIDs that are being looked up or created.
#[derive(Debug)]
pub(crate) struct SingleFlight<T> {
    calls: Mutex<HashMap<Uuid, Call<T>>>,
}

/// Locked by the caller that does the work, and filled with its result.
type Answer<T> = tokio::sync::Mutex<Option<T>>;

/// The callers of one single-flight call.
#[derive(Debug)]
struct Call<T> {
    taken: usize,
    answer: Arc<Answer<T>>,
}

impl<T: Clone> SingleFlight<T> {
    pub(crate) fn new() -> Self {
        SingleFlight { calls: Mutex::new(HashMap::new()) }
    }

    /// Runs `work`, or waits for a call that is running already. If that call fails or is canceled, the next waiter
    /// does the work, within the rest of its own time limit. The result is true if this caller did the work.
    pub(crate) async fn run(
        &self,
        uuid: Uuid,
        deadline: Deadline,
        work: impl AsyncFnOnce() -> Result<T>,
    ) -> Result<(T, bool)> {
        let waiter = self.waiter(uuid);
        let mut answer = deadline.wait_for("map a UUID to an id", waiter.answer.lock()).await?;
        if let Some(value) = &*answer {
            return Ok((value.clone(), false));
        }
        let value = work().await?;
        *answer = Some(value.clone());
        Ok((value, true))
    }

    fn waiter(&self, uuid: Uuid) -> Waiter<'_, T> {
        let mut calls = self.calls();
        let call =
            calls.entry(uuid).or_insert_with(|| Call { taken: 0, answer: Arc::new(Answer::new(None)) });
        call.taken += 1;
        Waiter { single_flight: self, uuid, answer: call.answer.clone() }
    }
}

impl<T> SingleFlight<T> {
    fn calls(&self) -> MutexGuard<'_, HashMap<Uuid, Call<T>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A waiter of the call; the last one to leave removes the entry.
struct Waiter<'a, T> {
    single_flight: &'a SingleFlight<T>,
    uuid: Uuid,
    answer: Arc<Answer<T>>,
}

impl<T> Drop for Waiter<'_, T> {
    fn drop(&mut self) {
        let mut calls = self.single_flight.calls();
        // Counted under the lock: if two leave at the same time, one of them is the last.
        if let Entry::Occupied(mut call) = calls.entry(self.uuid) {
            call.get_mut().taken -= 1;
            if call.get().taken == 0 {
                call.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::error::failure::Kind;
    use std::future::pending;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn many_callers_make_one_call() {
        let single_flight = Arc::new(SingleFlight::new());
        let worked = Arc::new(AtomicU32::new(0));
        let callers: Vec<_> = (0..50)
            .map(|_| {
                let (single_flight, worked) = (single_flight.clone(), worked.clone());
                tokio::spawn(async move {
                    single_flight
                        .run(Uuid::from_u128(7), Deadline::never(), async || {
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
        assert!(single_flight.calls().is_empty());
    }

    #[tokio::test]
    async fn a_failed_or_canceled_call_leaves_no_entry() {
        let single_flight = SingleFlight::<u64>::new();
        let (uuid, deadline) = (Uuid::nil(), Deadline::never());
        let no = async || Err(Error::new(Kind::Config { problem: "no".to_owned() }));
        assert_eq!(single_flight.run(uuid, deadline, no).await.unwrap_err().to_string(), "no");
        assert!(single_flight.calls().is_empty());
        let never = single_flight.run(uuid, deadline, async || pending().await);
        assert!(tokio::time::timeout(Duration::from_millis(1), never).await.is_err());
        assert!(single_flight.calls().is_empty());
    }

    /// The last of a hundred waiters gets its answer within its own time limit, not a hundred times that.
    #[tokio::test(start_paused = true)]
    async fn waiting_for_another_call_counts_against_the_deadline() {
        let single_flight = SingleFlight::<u64>::new();
        let begin = tokio::time::Instant::now();
        let call = async || {
            let deadline = Deadline::after(30 * SECOND);
            let work = async || {
                deadline.bound(pending::<()>()).await;
                Err(Error::new(Kind::Config { problem: "no answer".to_owned() }))
            };
            single_flight.run(Uuid::nil(), deadline, work).await.unwrap_err()
        };
        let errors = futures_util::future::join_all((0..100).map(|_| call())).await;
        assert_eq!(begin.elapsed().as_secs(), 30);
        assert!(errors.iter().skip(1).any(Error::is_transient), "{:?}", errors[1]);
        assert!(single_flight.calls().is_empty());
    }

    /// If two waiters leave at the same time, one of them must remove the entry.
    #[test]
    fn waiters_that_leave_at_the_same_time_leave_no_entry() {
        let single_flight = SingleFlight::<u64>::new();
        let together = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for round in 0..20_000 {
                        let waiter = single_flight.waiter(Uuid::from_u128(round));
                        together.wait();
                        drop(waiter);
                    }
                });
            }
        });
        assert_eq!(single_flight.calls().len(), 0);
    }
}
