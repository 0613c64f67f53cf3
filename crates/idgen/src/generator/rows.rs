//! Ids for rows that exist, such as those of a table that gets a key later.

use std::sync::Arc;
use std::time::Duration;

use crate::Result;
use crate::generator::Generate;
use crate::source::{ClockPolicy, FixedClock};
use crate::timestamp::Timestamp;

/// Ids for rows that exist: the id at each place has the time at that place of `times`.
///
/// The times may be in any order, and ids of one time ascend in the order of their rows. `generator` makes the generator with the clock
/// and the policy that it gets: without a tolerance, so that each id has its own time. A fixed node of versions 1 and 6 does not run
/// out of clock sequences, because the times are taken in their order.
///
/// # Errors
/// What `generator` returns, and [`Error::is_time_out_of_range`](crate::Error::is_time_out_of_range) if the kind cannot hold one of the times.
///
/// ```
/// use idgen::generator::{V7, ids_for_rows};
/// use idgen::source::Csprng;
///
/// let created_at = ["2026-05-02T12:00:00.5Z", "2026-05-01T12:00:00Z"].map(|time| time.parse().unwrap());
/// let ids = ids_for_rows(&created_at, |clock, policy| Ok(V7::new(clock, Csprng::new()?).with_policy(policy)))?;
/// assert_eq!(idgen::inspect_uuid(ids[0]).timestamp, Some(created_at[0]));
/// assert!(ids[1] < ids[0]);
/// # Ok::<(), idgen::Error>(())
/// ```
pub fn ids_for_rows<G: Generate>(
    times: &[Timestamp],
    generator: impl FnOnce(Arc<FixedClock>, ClockPolicy) -> Result<G>,
) -> Result<Vec<G::Id>> {
    let mut places: Vec<usize> = (0..times.len()).collect();
    places.sort_by_key(|&place| times[place]);
    let Some(&first) = places.first() else { return Ok(Vec::new()) };
    let clock = Arc::new(FixedClock::new(times[first]));
    let mut generator = generator(Arc::clone(&clock), ClockPolicy::DEFAULT.with_tolerance(Duration::ZERO))?;
    let mut ids = Vec::with_capacity(times.len());
    for &place in &places {
        clock.set(times[place]);
        ids.push((place, generator.next_id()?));
    }
    ids.sort_by_key(|&(place, _)| place);
    Ok(ids.into_iter().map(|(_, id)| id).collect())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::Node;
    use crate::generator::{Ulid, V1, V6, V7};
    use crate::source::FixedEntropy;

    const START: i64 = 17_776_368_000_000_000;
    const ROWS: u64 = if cfg!(miri) { 60 } else { 3_000 };

    /// Times of a second in any order, with repetitions.
    fn times() -> Vec<Timestamp> {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % (ROWS / 3)
        };
        (0..ROWS).map(|_| Timestamp::from_unix_ticks(START + 10_000 * next() as i64)).collect()
    }

    fn check(ids: &[Uuid], is_ordered: bool) {
        let times = times();
        // A counter that is full continues in the next unit of the kind's time, which is below a millisecond.
        let millis = |time: Timestamp| time.unix_ticks() / 10_000;
        let read = |id: &Uuid| crate::inspect_uuid(*id).timestamp.map(millis);
        assert!(ids.iter().zip(&times).all(|(id, time)| read(id) == Some(millis(*time))));
        let mut places: Vec<usize> = (0..ids.len()).collect();
        places.sort_by_key(|&place| (times[place], place));
        assert!(!is_ordered || places.windows(2).all(|two| ids[two[0]] < ids[two[1]]));
        let mut all = ids.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), times.len());
    }

    #[test]
    fn each_id_has_the_time_of_its_row() {
        let entropy = || FixedEntropy::new(1);
        let v7 = ids_for_rows(&times(), |clock, policy| Ok(V7::new(clock, entropy()).with_policy(policy)));
        check(&v7.unwrap(), true);
        let v6 = ids_for_rows(&times(), |clock, policy| Ok(V6::new(clock, entropy()).with_policy(policy)));
        check(&v6.unwrap(), true);
        // A fixed node has 16,384 clock sequences, one for each time that the clock is set back.
        let node: Node = "02:00:00:00:00:01".parse().unwrap();
        let v1 = ids_for_rows(&times(), |clock, policy| {
            Ok(V1::new(clock, entropy()).with_node(node).with_policy(policy))
        });
        check(&v1.unwrap(), false);
        // Its times are not read as those of UUIDs are.
        let ulid =
            ids_for_rows(&times(), |clock, policy| Ok(Ulid::new(clock, entropy()).with_policy(policy)));
        let times = times();
        let millis = |id: &Uuid| (id.as_u128() >> 80) as i64 * 10_000;
        assert!(ulid.unwrap().iter().zip(&times).all(|(id, time)| millis(id) == time.unix_ticks()));
    }

    #[test]
    fn no_rows_have_no_ids_and_a_time_that_the_kind_cannot_hold_is_an_error() {
        let v7 = |times: &[Timestamp]| {
            ids_for_rows(times, |clock, policy| Ok(V7::new(clock, FixedEntropy::new(1)).with_policy(policy)))
        };
        assert!(v7(&[]).unwrap().is_empty());
        let before = Timestamp::from_unix_ticks(-1);
        assert!(v7(&[Timestamp::from_unix_ticks(START), before]).unwrap_err().is_time_out_of_range());
    }
}
