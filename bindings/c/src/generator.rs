//! Generators of ids.

use std::sync::Mutex;

use idgen::ShortId;
use idgen::generator::{AnyGenerator, Generate};
use idgen::source::{Csprng, SystemClock};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_BUG, IdgenError};
use crate::settings::{IdgenSettings, Settings};
use crate::{boundary, input};

/// Generates ids: see idgen_generator_new.
pub struct IdgenGenerator(Mutex<AnyGenerator>);

/// Creates a generator from settings, which are only read during the call. It opens and locks the state file, if there is one.
/// Free it with idgen_generator_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_new(
    settings: *const IdgenSettings,
    error: *mut IdgenError,
) -> *mut IdgenGenerator {
    boundary::object(error, || {
        // SAFETY: the caller promises a struct that idgen_settings_init has set.
        let settings = &unsafe { Settings::read(settings) }?;
        let kind = settings.check()?;
        let generator = match settings.fixed()? {
            None => AnyGenerator::new(kind, SystemClock, Csprng::new()?, settings, settings),
            Some(fixed) => AnyGenerator::new(kind, fixed.clock(), fixed.entropy(), settings, settings),
        };
        Ok(IdgenGenerator(Mutex::new(generator?)))
    })
}

/// Ends a generator; NULL is allowed. With a state, it saves the exact position, and then releases the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_free(generator: *mut IdgenGenerator) {
    // SAFETY: the caller promises that this is the last use.
    unsafe { boundary::free(generator) }
}

/// For the hook that runs after a virtual machine or the image of a process was restored, before any thread generates ids: an image that is
/// restored twice continues twice with the same keys in memory, and both copies would generate the same ids. After this call, all
/// generators take new keys, and versions 1 and 6 a new random node; a generator with a state returns IDGEN_FORKED. 64-bit ids and fixed nodes
/// stay the same: give each copy a node of its own.
#[unsafe(no_mangle)]
pub extern "C" fn idgen_reseed() {
    idgen::reseed();
}

/// Runs a function with the generator inside, which only one thread at a time uses.
pub(crate) unsafe fn with<T>(
    generator: *const IdgenGenerator,
    run: impl FnOnce(&mut AnyGenerator) -> Checked<T>,
) -> Checked<T> {
    // SAFETY: the caller promises a living object.
    let generator = unsafe { input::object("generator", generator) }?;
    match generator.0.lock() {
        Ok(mut generator) => run(&mut generator),
        Err(_) => Err(Failure::Own(IDGEN_BUG, "a bug stopped this generator earlier: free it".into())),
    }
}

pub(crate) fn other_width(wanted: &str) -> Failure {
    Failure::argument(format!("the ids of this generator do not have {wanted}"))
}

/// Generates `count` ids of 16 bytes each, in order: `ids` has space for 16 * count bytes. If it fails, all of them are zero,
/// and no id was generated. The errors are IDGEN_CLOCK_BEHIND, IDGEN_TIME_OUT_OF_RANGE, IDGEN_EXHAUSTED, IDGEN_ENTROPY,
/// IDGEN_STATE and IDGEN_FORKED. A generator of 64-bit ids returns IDGEN_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_fill(
    generator: *const IdgenGenerator,
    ids: *mut u8,
    count: usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a living object, and memory for the ids.
        unsafe {
            let ids = input::ids("ids", ids, count)?;
            with(generator, |any| match any {
                AnyGenerator::Uuids(generator) => Ok(generator.fill(ids)?),
                AnyGenerator::Shorts(_) => Err(other_width("128 bits: call idgen_generator_fill_short")),
            })
        }
    })
}

/// Generates one id of 16 bytes, with the errors of idgen_generator_fill.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_next(
    generator: *const IdgenGenerator,
    id: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a living object, and memory for the id.
        unsafe {
            let id = &mut input::ids("id", id, 1)?[0];
            with(generator, |any| match any {
                AnyGenerator::Uuids(generator) => {
                    *id = generator.next_id()?;
                    Ok(())
                }
                AnyGenerator::Shorts(_) => Err(other_width("128 bits: call idgen_generator_next_short")),
            })
        }
    })
}

/// Generates `count` ids of a generator of IDGEN_SHORT: `ids` has space for so many numbers. The errors are those of idgen_generator_fill, and
/// IDGEN_OUTSIDE_LEASE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_fill_short(
    generator: *const IdgenGenerator,
    ids: *mut u64,
    count: usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let mut made = Vec::new();
        // SAFETY: the caller promises a living object, and memory for the ids.
        unsafe {
            let ids = input::slice_mut("ids", ids, count)?;
            with(generator, |any| match any {
                AnyGenerator::Shorts(generator) => {
                    made.resize(count, ShortId::new(0));
                    let done = generator.fill(&mut made);
                    ids.iter_mut().zip(&made).for_each(|(id, made)| *id = made.get());
                    Ok(done?)
                }
                AnyGenerator::Uuids(_) => Err(other_width("64 bits: call idgen_generator_fill")),
            })
        }
    })
}

/// Generates one id of a generator of IDGEN_SHORT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_next_short(
    generator: *const IdgenGenerator,
    id: *mut u64,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a living object, and memory for the id.
        unsafe {
            input::can_put("id", id)?;
            with(generator, |any| match any {
                AnyGenerator::Shorts(generator) => input::put("id", id, generator.next_id()?.get()),
                AnyGenerator::Uuids(_) => Err(other_width("64 bits: call idgen_generator_next")),
            })
        }
    })
}
