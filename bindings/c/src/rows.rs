//! Ids for rows that exist, each with the time of its row.

use std::sync::Arc;

use idgen::source::{Csprng, FixedClock};
use idgen::{Setting, Timestamp, Uuid};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_CONFIG, IdgenError};
use crate::generator::{Width, build};
use crate::settings::{IDGEN_RESTART, IdgenSettings};
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
    let mut settings = unsafe { IdgenSettings::read(settings) }?;
    let kind = settings.check()?;
    if !kind.has(Setting::Clock) || kind.bits() != 128 {
        let message = format!(
            "{kind} has no ids for times of rows: use IDGEN_V7, IDGEN_ULID, IDGEN_V6, IDGEN_V1, IDGEN_FIXED_PREFIX or IDGEN_PREFIXED"
        );
        return Err(Failure::Own(IDGEN_CONFIG, message));
    }
    if !settings.state_path.is_null() || settings.fixed_state {
        let message = "a state has no effect on ids for times of rows: leave it out";
        return Err(Failure::Own(IDGEN_CONFIG, message.into()));
    }
    // Each id has its own time, also if the generator went ahead of it for a row before.
    (settings.tolerance_ms, settings.when_behind) = (0, IDGEN_RESTART);
    let mut places: Vec<usize> = (0..times.len()).collect();
    places.sort_by_key(|&place| times[place]);
    let first = places.first().map_or(0, |&place| times[place]);
    let clock = Arc::new(FixedClock::new(Timestamp::from_unix_ticks(first)));
    // SAFETY: as above.
    let width = unsafe {
        match settings.fixed.is_null() {
            true => build(kind, &settings, Arc::clone(&clock), Csprng::new()?),
            false => {
                let fixed = input::object("fixed", settings.fixed)?;
                build(kind, &settings, Arc::clone(&clock), fixed.entropy())
            }
        }
    }?;
    if let Width::Wide(mut generator) = width {
        for place in places {
            clock.set(Timestamp::from_unix_ticks(times[place]));
            ids[place] = generator.next_id()?;
        }
    }
    Ok(())
}
