//! Files with the keys of sealed ids: one key, or a ring of keys that follow each other.

use std::path::Path;

use idgen::{SealKey, SealRing, TypeSeal, Uuid};

use crate::key_file;

/// The keys in a file.
pub enum SealKeys {
    One(Box<SealKey>),
    Ring(SealRing),
}

impl SealKeys {
    /// Reads a file. It holds a key, unless its first line says that it holds a ring.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        key_file::read(path, |content| match SealRing::from_file(content) {
            Ok(ring) => Ok(SealKeys::Ring(ring)),
            // A file that begins as a ring, in any case or behind a comment, is no key.
            Err(error) if SealRing::is_file(content) => Err(error),
            Err(_) => Ok(SealKeys::One(Box::new(SealKey::from_file(content)?))),
        })
    }

    /// The keys for the ids of a type. One key counts as a ring of one.
    pub fn of_type(&self, prefix: &str) -> idgen::Result<TypeSeal> {
        match self {
            SealKeys::One(key) => TypeSeal::new(prefix, &SealRing::new(SealKey::clone(key))),
            SealKeys::Ring(ring) => TypeSeal::new(prefix, ring),
        }
    }

    pub fn seal(&self, id: Uuid) -> idgen::Result<Uuid> {
        match self {
            SealKeys::One(key) => key.seal(id),
            SealKeys::Ring(ring) => ring.seal(id),
        }
    }

    pub fn open(&self, sealed: Uuid) -> idgen::Result<Uuid> {
        match self {
            SealKeys::One(key) => key.open(sealed),
            SealKeys::Ring(ring) => ring.open(sealed),
        }
    }
}
