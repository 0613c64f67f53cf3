//! Sealed ids: version 7 to what looks like version 4, and back.

use std::sync::RwLock;

use idgen::{SealKey, SealRing, Timestamp, Uuid};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_ARGUMENT, IDGEN_BUG, IdgenError};
use crate::{boundary, input};

/// A key or a ring of keys, which seals ids.
pub struct IdgenSeal(RwLock<Keys>);

enum Keys {
    One(Box<SealKey>),
    Ring(SealRing),
}

impl Keys {
    fn seal(&self, id: Uuid) -> idgen::Result<Uuid> {
        match self {
            Keys::One(key) => key.seal(id),
            Keys::Ring(ring) => ring.seal(id),
        }
    }

    fn open(&self, id: Uuid) -> idgen::Result<Uuid> {
        match self {
            Keys::One(key) => key.open(id),
            Keys::Ring(ring) => ring.open(id),
        }
    }
}

unsafe fn create(
    secret: *const u8,
    length: usize,
    error: *mut IdgenError,
    keys: impl FnOnce(SealKey) -> Keys,
) -> *mut IdgenSeal {
    boundary::object(error, || {
        // SAFETY: the caller promises the bytes.
        let key = SealKey::new(unsafe { input::slice("secret", secret, length) }?)?;
        Ok(IdgenSeal(RwLock::new(keys(key))))
    })
}

/// Creates a key from a secret of at least 16 bytes, which is copied. Free it with idgen_seal_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_seal_key_new(
    secret: *const u8,
    secret_length: usize,
    error: *mut IdgenError,
) -> *mut IdgenSeal {
    // SAFETY: the caller promises the bytes.
    unsafe { create(secret, secret_length, error, |key| Keys::One(Box::new(key))) }
}

/// Creates a ring from the secret of its first key, to which idgen_seal_ring_add adds more. Free it with idgen_seal_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_seal_ring_new(
    secret: *const u8,
    secret_length: usize,
    error: *mut IdgenError,
) -> *mut IdgenSeal {
    // SAFETY: the caller promises the bytes.
    unsafe { create(secret, secret_length, error, |key| Keys::Ring(SealRing::new(key))) }
}

/// Adds the key that seals ids from this time in milliseconds since 1970 on. The times must ascend: else it returns IDGEN_CONFIG. If it
/// fails, the ring is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_seal_ring_add(
    ring: *const IdgenSeal,
    from_unix_ms: i64,
    secret: *const u8,
    secret_length: usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a living object and the bytes.
        let (ring, secret) =
            unsafe { (input::object("ring", ring)?, input::slice("secret", secret, secret_length)?) };
        let key = SealKey::new(secret)?;
        match &mut *ring.0.write().map_err(|_| stopped())? {
            Keys::One(_) => {
                let message = "a key cannot have more keys: create a ring with idgen_seal_ring_new";
                Err(Failure::Own(IDGEN_ARGUMENT, message.into()))
            }
            Keys::Ring(ring) => {
                *ring = ring.clone().and_from(Timestamp::from_unix_millis(from_unix_ms), key)?;
                Ok(())
            }
        }
    })
}

/// Frees a key or a ring, and wipes its secrets; NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_seal_free(seal: *mut IdgenSeal) {
    // SAFETY: the caller promises that this is the last use.
    unsafe { boundary::free(seal) }
}

fn stopped() -> Failure {
    Failure::Own(IDGEN_BUG, "a bug stopped these keys earlier: free them".into())
}

/// Replaces all ids, or none if one of them fails.
unsafe fn replace(
    seal: *const IdgenSeal,
    ids: *mut u8,
    count: usize,
    change: impl Fn(&Keys, Uuid) -> idgen::Result<Uuid>,
) -> Checked<()> {
    // SAFETY: the caller promises a living object and the ids.
    let (seal, ids) = unsafe { (input::object("seal", seal)?, input::ids("ids", ids, count)?) };
    let keys = seal.0.read().map_err(|_| stopped())?;
    if let [id] = ids {
        *id = change(&keys, *id)?;
        return Ok(());
    }
    let changed: Vec<Uuid> = ids.iter().map(|id| change(&keys, *id)).collect::<idgen::Result<_>>()?;
    ids.copy_from_slice(&changed);
    Ok(())
}

/// Replaces `count` ids of version 7, of 16 bytes each, by their sealed ids. Returns IDGEN_CONFIG if one of them is not of version 7, or
/// beyond the year 2527; then all are as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_seal_ids(
    seal: *const IdgenSeal,
    ids: *mut u8,
    count: usize,
    error: *mut IdgenError,
) -> i32 {
    // SAFETY: the caller promises a living object and the ids.
    boundary::status(error, || unsafe { replace(seal, ids, count, Keys::seal) })
}

/// Replaces `count` sealed ids, of 16 bytes each, by the ids of version 7. Returns IDGEN_CONFIG if one of them is not of version 4, or
/// was sealed by no key of a ring; then all are as before. A single key cannot see that it did not seal an id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_open_ids(
    seal: *const IdgenSeal,
    ids: *mut u8,
    count: usize,
    error: *mut IdgenError,
) -> i32 {
    // SAFETY: the caller promises a living object and the ids.
    boundary::status(error, || unsafe { replace(seal, ids, count, Keys::open) })
}
