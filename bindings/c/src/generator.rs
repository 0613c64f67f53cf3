//! Generators of ids.

use std::sync::Mutex;

use idgen::generator::{DeviceLease, DeviceShort, FixedPrefix, Generate, Prefixed, Ulid, V1, V4, V6, V7};
use idgen::source::{Clock, Csprng, Entropy, State, SystemClock};
use idgen::{Kind, ShortId, Uuid};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_BUG, IDGEN_CONFIG, IdgenError};
use crate::settings::IdgenSettings;
use crate::{boundary, input};

/// Generates ids: see idgen_generator_new.
pub struct IdgenGenerator(Mutex<Width>);

pub(crate) enum Width {
    Wide(Box<dyn Generate<Id = Uuid> + Send>),
    Short(Box<dyn Device + Send>),
}

/// A generator of 64-bit ids, with any clock and state.
pub(crate) trait Device: Generate<Id = ShortId> {
    fn set_lease(&mut self, lease: DeviceLease);
}

impl<C: Clock, S: State> Device for DeviceShort<C, S> {
    fn set_lease(&mut self, lease: DeviceLease) {
        DeviceShort::set_lease(self, lease);
    }
}

/// Builds the generator of a kind.
///
/// # Safety
/// The caller promises what the settings promise.
pub(crate) unsafe fn build<C, E>(kind: Kind, settings: &IdgenSettings, clock: C, entropy: E) -> Checked<Width>
where
    C: Clock + Send + 'static,
    E: Entropy + Send + 'static,
{
    let policy = settings.policy()?;
    // SAFETY: the caller promises what the settings promise.
    let node = unsafe { settings.node() }?;
    let fixed = match settings.fixed.is_null() {
        true => None,
        // SAFETY: as above.
        false => Some(unsafe { input::object("fixed", settings.fixed) }?),
    };
    // SAFETY: as above.
    let state = || unsafe { settings.state(fixed) };
    macro_rules! with_node {
        ($generator:expr) => {{
            let generator = $generator;
            let generator = match node {
                Some(node) => generator.with_node(node),
                None => generator,
            };
            Box::new(generator.with_policy(policy).with_state(state()?)?)
        }};
    }
    Ok(match kind {
        Kind::V1 => Width::Wide(with_node!(V1::new(clock, entropy))),
        Kind::V4 => Width::Wide(Box::new(V4::new(entropy))),
        Kind::V6 => Width::Wide(with_node!(V6::new(clock, entropy))),
        Kind::V7 => Width::Wide(Box::new(V7::new(clock, entropy).with_policy(policy).with_state(state()?)?)),
        Kind::Ulid => {
            Width::Wide(Box::new(Ulid::new(clock, entropy).with_policy(policy).with_state(state()?)?))
        }
        Kind::Prefixed => {
            // SAFETY: as above.
            let (prefix, interval) = unsafe { (settings.prefix()?, settings.interval()?) };
            let ids = Prefixed::new(clock, entropy, prefix, interval, settings.tail()?)?;
            Width::Wide(Box::new(ids.with_policy(policy).with_state(state()?)?))
        }
        Kind::FixedPrefix => {
            // SAFETY: as above.
            let ids = FixedPrefix::new(clock, entropy, unsafe { settings.fixed_prefix() }?);
            Width::Wide(Box::new(ids.with_policy(policy).with_state(state()?)?))
        }
        Kind::Short => Width::Short(with_node!(DeviceShort::new(clock, entropy)?)),
        other => {
            return Err(Failure::Own(IDGEN_CONFIG, format!("no generator of this library makes {other}")));
        }
    })
}

/// Creates a generator from settings, which are only read during the call. It opens and locks the state file, if there is one.
/// Free it with idgen_generator_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_new(
    settings: *const IdgenSettings,
    error: *mut IdgenError,
) -> *mut IdgenGenerator {
    boundary::object(error, || {
        // SAFETY: the caller promises a struct that idgen_settings_init has set.
        let settings = &unsafe { IdgenSettings::read(settings) }?;
        let kind = settings.check()?;
        // SAFETY: as above.
        let width = unsafe {
            match settings.fixed.is_null() {
                true => build(kind, settings, SystemClock, Csprng::new()?),
                false => {
                    let fixed = input::object("fixed", settings.fixed)?;
                    build(kind, settings, fixed.clock(), fixed.entropy())
                }
            }
        }?;
        Ok(IdgenGenerator(Mutex::new(width)))
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
    run: impl FnOnce(&mut Width) -> Checked<T>,
) -> Checked<T> {
    // SAFETY: the caller promises a living object.
    let generator = unsafe { input::object("generator", generator) }?;
    match generator.0.lock() {
        Ok(mut width) => run(&mut width),
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
            with(generator, |width| match width {
                Width::Wide(generator) => Ok(generator.fill(ids)?),
                Width::Short(_) => Err(other_width("128 bits: call idgen_generator_fill_short")),
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
            with(generator, |width| match width {
                Width::Wide(generator) => {
                    *id = generator.next_id()?;
                    Ok(())
                }
                Width::Short(_) => Err(other_width("128 bits: call idgen_generator_next_short")),
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
            with(generator, |width| match width {
                Width::Short(generator) => {
                    made.resize(count, ShortId::new(0));
                    let done = generator.fill(&mut made);
                    ids.iter_mut().zip(&made).for_each(|(id, made)| *id = made.get());
                    Ok(done?)
                }
                Width::Wide(_) => Err(other_width("64 bits: call idgen_generator_fill")),
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
            with(generator, |width| match width {
                Width::Short(generator) => input::put("id", id, generator.next_id()?.get()),
                Width::Wide(_) => Err(other_width("64 bits: call idgen_generator_next")),
            })
        }
    })
}
