//! Concurrent misses of one UUID make one round trip: the first asks the server, the others wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use uuid::Uuid;

/// The UUIDs being looked up or made at this moment.
#[derive(Debug)]
pub(crate) struct Flights<T> {
    cells: Mutex<HashMap<Uuid, Arc<OnceCell<T>>>>,
}

impl<T: Clone> Flights<T> {
    pub(crate) fn new() -> Self {
        Flights { cells: Mutex::new(HashMap::new()) }
    }

    /// Runs `work`, or waits for one that runs already. Where that fails or is cancelled, the next one in
    /// line works itself. True in the result where this caller did the work.
    pub(crate) async fn run<E>(
        &self,
        uuid: Uuid,
        work: impl AsyncFnOnce() -> Result<T, E>,
    ) -> Result<(T, bool), E> {
        let seat = self.seat(uuid);
        let mut worked = false;
        let value = seat
            .cell
            .get_or_try_init(async || {
                worked = true;
                work().await
            })
            .await?
            .clone();
        Ok((value, worked))
    }

    fn seat(&self, uuid: Uuid) -> Seat<'_, T> {
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        Seat { flights: self, uuid, cell: cells.entry(uuid).or_default().clone() }
    }
}

/// A place in the flight; the last to leave, for whatever reason, clears it away.
struct Seat<'a, T> {
    flights: &'a Flights<T>,
    uuid: Uuid,
    cell: Arc<OnceCell<T>>,
}

impl<T> Drop for Seat<'_, T> {
    fn drop(&mut self) {
        let mut cells = self.flights.cells.lock().unwrap_or_else(PoisonError::into_inner);
        // One count is the map's, one is ours.
        if Arc::strong_count(&self.cell) <= 2 {
            cells.remove(&self.uuid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[tokio::test]
    async fn many_callers_one_flight() {
        let flights = Arc::new(Flights::new());
        let worked = Arc::new(AtomicU32::new(0));
        let callers: Vec<_> = (0..50)
            .map(|_| {
                let (flights, worked) = (flights.clone(), worked.clone());
                tokio::spawn(async move {
                    flights
                        .run(Uuid::from_u128(7), async || {
                            tokio::task::yield_now().await;
                            worked.fetch_add(1, Ordering::Relaxed);
                            tokio::task::yield_now().await;
                            Ok::<u64, ()>(42)
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
        assert!(flights.cells.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_failed_or_cancelled_flight_leaves_nothing() {
        let flights = Flights::<u64>::new();
        assert_eq!(flights.run(Uuid::nil(), async || Err::<u64, _>("no")).await, Err("no"));
        assert!(flights.cells.lock().unwrap().is_empty());
        let never = flights.run(Uuid::nil(), async || std::future::pending::<Result<u64, ()>>().await);
        let soon = std::time::Duration::from_millis(1);
        assert!(tokio::time::timeout(soon, never).await.is_err());
        assert!(flights.cells.lock().unwrap().is_empty());
    }
}
