//! A clock, random bytes and a state that tests provide.

use std::sync::{Arc, Mutex, PoisonError};

use idgen::source::{Clock, Entropy, FixedClock, Saved, State};
use idgen::{Result, Timestamp};

use crate::error::{Failure, IDGEN_ARGUMENT, IdgenError};
use crate::{boundary, input};

/// Sources for tests, so that generators return known ids: a clock that stands still, bytes in place of random ones, and a state in
/// memory. Never use it for real ids: they would be repeated.
pub struct IdgenFixed(Arc<Sources>);

struct Sources {
    clock: FixedClock,
    bytes: Mutex<Bytes>,
    state: Mutex<Kept>,
}

struct Bytes {
    content: Vec<u8>,
    at: usize,
}

#[derive(Default)]
struct Kept {
    saved: Option<Saved>,
    /// Counts the crashes, so that a generator from before a crash saves nothing.
    crashes: u64,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl IdgenFixed {
    pub(crate) fn clock(&self) -> TestClock {
        TestClock(self.0.clone())
    }

    pub(crate) fn entropy(&self) -> TestBytes {
        TestBytes(self.0.clone())
    }

    pub(crate) fn state(&self) -> TestState {
        TestState { sources: self.0.clone(), crashes: locked(&self.0.state).crashes }
    }
}

pub(crate) struct TestClock(Arc<Sources>);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn sleep(&self, span: std::time::Duration) {
        self.0.clock.sleep(span);
    }
}

pub(crate) struct TestBytes(Arc<Sources>);

impl Entropy for TestBytes {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let Bytes { content, at } = &mut *locked(&self.0.bytes);
        for byte in bytes {
            *byte = content[*at];
            *at = if *at + 1 == content.len() { 0 } else { *at + 1 };
        }
        Ok(())
    }
}

pub(crate) struct TestState {
    sources: Arc<Sources>,
    crashes: u64,
}

impl State for TestState {
    fn load(&mut self) -> Result<Option<Saved>> {
        Ok(locked(&self.sources.state).saved)
    }

    fn save(&mut self, saved: &Saved) -> Result<()> {
        let mut kept = locked(&self.sources.state);
        if kept.crashes == self.crashes {
            kept.saved = Some(*saved);
        }
        Ok(())
    }
}

/// Creates sources for tests, with the clock at 1970. Generators draw these bytes in order; after the last one, the first one follows.
/// The bytes are copied. Returns NULL if there are none. Free it with idgen_fixed_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_fixed_new(
    bytes: *const u8,
    count: usize,
    error: *mut IdgenError,
) -> *mut IdgenFixed {
    boundary::object(error, || {
        // SAFETY: the caller promises `count` bytes.
        let content = unsafe { input::slice("bytes", bytes, count) }?.to_vec();
        if content.is_empty() {
            return Err(Failure::argument("there are no bytes: pass at least one"));
        }
        Ok(IdgenFixed(Arc::new(Sources {
            clock: FixedClock::new(Timestamp::UNIX_EPOCH),
            bytes: Mutex::new(Bytes { content, at: 0 }),
            state: Mutex::default(),
        })))
    })
}

/// Frees the sources; NULL is allowed. Generators that use them keep what they need.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_fixed_free(fixed: *mut IdgenFixed) {
    // SAFETY: the caller promises that this is the last use.
    unsafe { boundary::free(fixed) }
}

/// Sets the clock to `ticks` units of 100 ns since 1970.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_fixed_set_time(fixed: *const IdgenFixed, ticks: i64) -> i32 {
    boundary::status(std::ptr::null_mut(), || {
        // SAFETY: the caller promises a living object.
        let fixed = unsafe { input::object("fixed", fixed) }?;
        fixed.0.clock.set(Timestamp::from_unix_ticks(ticks));
        Ok(())
    })
}

/// Returns the time of the clock in units of 100 ns since 1970; 0 if `fixed` is NULL. A generator that waits moves the clock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_fixed_time(fixed: *const IdgenFixed) -> i64 {
    // SAFETY: the caller promises a living object.
    unsafe { input::object("fixed", fixed) }.map_or(0, |fixed| fixed.0.clock.now().unix_ticks())
}

/// Behaves as if the process was killed: generators that exist now save nothing any more, not even when they are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_fixed_crash(fixed: *const IdgenFixed) -> i32 {
    boundary::status(std::ptr::null_mut(), || {
        // SAFETY: the caller promises a living object.
        let fixed = unsafe { input::object("fixed", fixed) }?;
        locked(&fixed.0.state).crashes += 1;
        Ok(())
    })
}

/// Reads the state in memory. Writes the position, a number of 128 bits, as its upper and lower 64 bits, and the 6 bytes of
/// the node. Returns 0 if nothing is saved, 1 if a position without a node is saved, 2 with a node, and -IDGEN_ARGUMENT if a
/// pointer is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_fixed_saved(
    fixed: *const IdgenFixed,
    high: *mut u64,
    low: *mut u64,
    node: *mut u8,
) -> i32 {
    let read = || {
        // SAFETY: the caller promises a living object, and memory for the results.
        let fixed = unsafe { input::object("fixed", fixed) }?;
        let saved = locked(&fixed.0.state).saved;
        let Some(saved) = saved else { return Ok(0) };
        // SAFETY: as above.
        unsafe {
            input::put("high", high, (saved.position >> 64) as u64)?;
            input::put("low", low, saved.position as u64)?;
            let Some(bytes) = saved.node else { return Ok(1) };
            input::put("node", node.cast::<[u8; 6]>(), bytes.bytes())?;
        }
        Ok::<i32, Failure>(2)
    };
    read().unwrap_or(-IDGEN_ARGUMENT)
}
