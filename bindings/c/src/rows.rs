//! Ids for rows that exist, each with the time of its row.

use std::sync::Arc;

use idgen::generator::{AnyGenerator, Generate as _};
use idgen::source::{Csprng, FixedClock};
use idgen::{Kind, Timestamp, Uuid};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_CONFIG, IdgenError};
use crate::settings::{IdgenSettings, Settings, kinds_with};
use crate::{boundary, input};

/// Generates the ids of `count` rows that exist, such as those of a table that gets a key later: the id at each place has the time at
/// that place of `times`, in units of 100 ns since 1970. The times may be in any order, and ids of one time ascend in the order of their rows.
/// `ids` has space for 16 * count bytes.
///
/// `settings` says the kind, one that contains its time: not IDGEN_V4, and not IDGEN_SHORT, whose ids of two devices are only told apart by a node. A state
/// has no effect on times of the past, so it returns IDGEN_CONFIG for one; the policy of the clock has none, either. If it fails, all ids are
/// zero: IDGEN_TIME_OUT_OF_RANGE if the kind cannot hold one of the times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_ids_at(
    settings: *const IdgenSettings,
    times: *const i64,
    ids: *mut u8,
    count: usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a struct that idgen_settings_init has set, the times, and memory for the ids.
        unsafe {
            let times = input::slice("times", times, count)?;
            let ids = input::ids("ids", ids, count)?;
            fill(settings, times, ids).inspect_err(|_| ids.fill(Uuid::nil()))
        }
    })
}

unsafe fn fill(settings: *const IdgenSettings, times: &[i64], ids: &mut [Uuid]) -> Checked<()> {
    // SAFETY: the caller promises what the settings promise.
    let mut settings = unsafe { Settings::read(settings) }?;
    let kind = settings.check()?;
    if !kind.has_rows() {
        let message = format!("{kind} has no ids for times of rows: use {}", kinds_with(Kind::has_rows));
        return Err(Failure::Own(IDGEN_CONFIG, message));
    }
    if settings.has_state() {
        let message = "a state has no effect on ids for times of rows: leave it out";
        return Err(Failure::Own(IDGEN_CONFIG, message.into()));
    }
    settings.take_each_time();
    let mut places: Vec<usize> = (0..times.len()).collect();
    places.sort_by_key(|&place| times[place]);
    let first = places.first().map_or(0, |&place| times[place]);
    let clock = Arc::new(FixedClock::new(Timestamp::from_unix_ticks(first)));
    let generator = match settings.fixed()? {
        None => AnyGenerator::new(kind, Arc::clone(&clock), Csprng::new()?, &settings, &settings),
        Some(fixed) => AnyGenerator::new(kind, Arc::clone(&clock), fixed.entropy(), &settings, &settings),
    }?;
    if let AnyGenerator::Uuids(mut generator) = generator {
        for place in places {
            clock.set(Timestamp::from_unix_ticks(times[place]));
            ids[place] = generator.next_id()?;
        }
    }
    Ok(())
}
