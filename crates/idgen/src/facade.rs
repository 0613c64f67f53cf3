//! Layer 4: one-line functions over generators that the process keeps.
//!
//! The 128-bit kinds have a generator for each thread. It needs no lock, and if the kind has an order, the ids
//! of a thread ascend strictly unless the clock is set back far. The 64-bit kinds share one generator, because their
//! bits have no room for a number of the thread. All of them work after a fork: the counters of the 64-bit kinds are
//! shared with the children that are forked after their first use.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::OnceLock;
use std::thread::LocalKey;

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::generator::{
    Bits, DeviceShort, FixedPrefix, Generate, MysqlServers, NextBits, PrefixBits, Ulid, V1, V4, V6, V7,
    from_bits,
};
use crate::short_id::ShortId;
use crate::source::{SystemClock, ThreadEntropy};

/// The place of a generator of this thread. Generators own nothing that must be dropped, and each access to a
/// thread-local with a destructor would first check whether it has run.
type Slot<G> = RefCell<Option<ManuallyDrop<G>>>;

/// The next id of this thread's generator.
///
/// It is returned as a number in two registers, not in memory. If 16 bytes are stored as two halves and then loaded at
/// once, the load waits until both halves have left the processor's store buffer, which takes longer than generating
/// the id. 0 means that the generator does not exist yet.
#[inline(always)]
fn next<G: NextBits>(local: &'static LocalKey<Slot<G>>, make: fn() -> Result<G>) -> Uuid {
    // Not `with`, which the compiler does not inline.
    let bits = local.try_with(|slot| match &mut *slot.borrow_mut() {
        Some(generator) => generator.next_bits().unwrap_or_else(|error| give_up(&error)),
        None => 0,
    });
    match bits {
        Ok(bits) if bits != 0 => from_bits(bits),
        // If the id's bits are all 0, another id is returned instead.
        _ => from_bits(first(local, make)),
    }
}

#[cold]
fn first<G: NextBits>(local: &'static LocalKey<Slot<G>>, make: fn() -> Result<G>) -> Bits {
    let mut bits = 0;
    with(local, make, |generator| {
        bits = generator.next_bits()?;
        Ok(())
    });
    bits
}

/// Runs with this thread's generator.
fn with<G>(
    local: &'static LocalKey<Slot<G>>,
    make: fn() -> Result<G>,
    run: impl FnOnce(&mut G) -> Result<()>,
) {
    let done = local.with(|slot| {
        let mut slot = slot.borrow_mut();
        let generator = match &mut *slot {
            Some(generator) => generator,
            None => slot.insert(ManuallyDrop::new(make()?)),
        };
        run(generator)
    });
    if let Err(error) = done {
        give_up(&error);
    }
}

#[cold]
fn give_up(error: &Error) -> ! {
    panic!("{error}")
}

macro_rules! per_thread {
    ($($(#[$doc:meta])* $name:ident, $fill:ident, $local:ident: $generator:ty = $make:expr;)*) => {$(
        std::thread_local!(static $local: Slot<$generator> = const { RefCell::new(None) });

        $(#[$doc])*
        ///
        /// # Panics
        /// If the system provides no randomness, or its clock is outside what the kind can hold.
        #[inline]
        pub fn $name() -> Uuid {
            next(&$local, $make)
        }

        #[doc = concat!("Fills a slice with new ids, as [`", stringify!($name), "`] makes them: the clock is read once.")]
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($name), "`].")]
        pub fn $fill(ids: &mut [Uuid]) {
            with(&$local, $make, |generator| generator.fill(ids));
        }
    )*};
}

#[cfg(feature = "prefixed")]
mod prefixed;
#[cfg(feature = "prefixed")]
pub use prefixed::{fill_prefixed, fill_week, prefixed, week};

per_thread! {
    /// A UUID of version 1, with a random node: [`V1`].
    ///
    /// ```
    /// assert_eq!(idgen::v1().get_version_num(), 1);
    /// ```
    v1, fill_v1, LOCAL_V1: V1<SystemClock, ThreadEntropy> =
        || Ok(V1::new(SystemClock, ThreadEntropy));

    /// A UUID of version 6, with a random node: [`V6`]. Strictly ascending within a thread, unless the
    /// clock is set back by more than ten seconds.
    ///
    /// ```
    /// assert!(idgen::v6() < idgen::v6());
    /// ```
    v6, fill_v6, LOCAL_V6: V6<SystemClock, ThreadEntropy> =
        || Ok(V6::new(SystemClock, ThreadEntropy));

    /// A UUID of version 7: [`V7`]. Strictly ascending within a thread, unless the clock is set back by more
    /// than ten seconds.
    ///
    /// ```
    /// let mut ids = [idgen::Uuid::nil(); 1_000];
    /// idgen::fill_v7(&mut ids);
    /// assert!(ids.is_sorted_by(|a, b| a < b));
    /// assert!(ids[999] < idgen::v7());
    /// ```
    v7, fill_v7, LOCAL_V7: V7<SystemClock, ThreadEntropy> =
        || Ok(V7::new(SystemClock, ThreadEntropy));

    /// A ULID: [`Ulid`]. Strictly ascending within a thread, unless the clock is set back by more than ten
    /// seconds.
    ///
    /// ```
    /// let text = idgen::codec::base32::to_string(&idgen::ulid());
    /// assert_eq!(text.len(), 26);
    /// ```
    ulid, fill_ulid, LOCAL_ULID: Ulid<SystemClock, ThreadEntropy> =
        || Ok(Ulid::new(SystemClock, ThreadEntropy));

    /// A UUID of version 8 that begins with `ffffffff`, then an ascending tail: [`FixedPrefix`]. For tables that already
    /// hold random keys: new rows go to the right edge of the index. Strictly ascending within a thread, unless the
    /// clock is set back by more than ten seconds.
    ///
    /// ```
    /// let (a, b) = (idgen::fixed_prefix(), idgen::fixed_prefix());
    /// assert!(a.to_string().starts_with("ffffffff-") && a < b);
    /// ```
    fixed_prefix, fill_fixed_prefix, LOCAL_FIXED_PREFIX: FixedPrefix<SystemClock, ThreadEntropy> = || {
        Ok(FixedPrefix::new(SystemClock, ThreadEntropy, PrefixBits::ONES))
    };
}

/// A random UUID, of version 4: [`V4`].
///
/// ```
/// assert_ne!(idgen::v4(), idgen::v4());
/// ```
///
/// # Panics
/// If the system provides no randomness.
#[inline]
pub fn v4() -> Uuid {
    // It remembers nothing but the thread's randomness.
    match V4::new(ThreadEntropy).next_bits() {
        Ok(bits) => from_bits(bits),
        Err(error) => give_up(&error),
    }
}

/// Fills a slice with new ids, as [`v4`] makes them.
///
/// # Panics
/// As [`v4`].
pub fn fill_v4(ids: &mut [Uuid]) {
    V4::new(ThreadEntropy).fill(ids).unwrap_or_else(|error| give_up(&error));
}

/// A 64-bit device id with a random node: [`DeviceShort`]. After 65,536 ids in one second it waits for the next
/// second. If the clock is set back by more than ten seconds, the generator continues at the clock's time with another
/// node.
///
/// The whole process and the children that it forks after the first call share one generator. Children that were
/// forked earlier have random nodes of their own, as other processes have; a program that generates no id itself calls
/// `fill_short(&mut [])` before it forks.
///
/// ```
/// assert_ne!(idgen::short(), idgen::short());
/// ```
///
/// # Panics
/// If the system provides no randomness, or if its clock is before 1970 or after 2106-02-07. Without the feature
/// `fast`, which provides shared memory for the counter, it also panics in a forked child.
#[inline]
pub fn short() -> ShortId {
    device().make().unwrap_or_else(|error| give_up(&error))
}

/// Fills a slice as [`short`] makes ids.
///
/// # Panics
/// As [`short`].
pub fn fill_short(ids: &mut [ShortId]) {
    device().make_many(ids).unwrap_or_else(|error| give_up(&error));
}

#[inline]
fn device() -> &'static DeviceShort<SystemClock> {
    static DEVICE: OnceLock<DeviceShort<SystemClock>> = OnceLock::new();
    DEVICE.get_or_init(|| DeviceShort::system().unwrap_or_else(|error| give_up(&error)))
}

/// A 64-bit id as `UUID_SHORT()` of a MySQL server returns it: [`MysqlShort`](crate::generator::MysqlShort). The
/// server has this id, and its start time is that of this process's first id.
///
/// The whole process and the children that it forks after the first call, for any server id, share the counters. Other
/// processes, and children that were forked earlier, have counters of their own. Two of them repeat each other's ids
/// if they start in the same second, so give each process a server id of its own. A program that generates no id itself
/// calls `fill_mysql_short(0, &mut [])` before it forks.
///
/// ```
/// let (a, b) = (idgen::mysql_short(3), idgen::mysql_short(3));
/// assert_eq!(a.mysql().server_id, 3);
/// assert!(a < b);
/// ```
///
/// # Panics
/// If the system's clock is before 1970 or after 2106-02-07. Without the feature `fast`, which provides shared memory
/// for the counters, it also panics in a forked child.
#[inline]
pub fn mysql_short(server_id: u8) -> ShortId {
    mysql_servers().make(server_id).unwrap_or_else(|error| give_up(&error))
}

/// Fills a slice as [`mysql_short`] makes ids.
///
/// # Panics
/// As [`mysql_short`].
pub fn fill_mysql_short(server_id: u8, ids: &mut [ShortId]) {
    mysql_servers().make_many(server_id, ids).unwrap_or_else(|error| give_up(&error));
}

#[inline]
fn mysql_servers() -> &'static MysqlServers<SystemClock> {
    static SERVERS: OnceLock<MysqlServers<SystemClock>> = OnceLock::new();
    SERVERS.get_or_init(|| MysqlServers::new(SystemClock).unwrap_or_else(|error| give_up(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/speed.md states this memory of a thread.
    #[test]
    fn generators_of_a_thread_take_at_most_the_documented_memory() {
        let slots = [
            size_of::<Slot<V1<SystemClock, ThreadEntropy>>>(),
            size_of::<Slot<V6<SystemClock, ThreadEntropy>>>(),
            size_of::<Slot<V7<SystemClock, ThreadEntropy>>>(),
            size_of::<Slot<Ulid<SystemClock, ThreadEntropy>>>(),
            #[cfg(feature = "prefixed")]
            size_of::<Slot<crate::generator::Prefixed<SystemClock, ThreadEntropy>>>(),
            size_of::<Slot<FixedPrefix<SystemClock, ThreadEntropy>>>(),
        ];
        assert!(slots.iter().all(|&bytes| bytes <= 256), "{slots:?}");
        assert!(size_of::<crate::source::Csprng>() <= 4_096 + 64);
    }
}
