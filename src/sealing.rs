//! Seals and opens the ids that `idgen convert` reads, with the keys of their type where they have one.

use std::cell::RefCell;
use std::path::Path;

use idgen::codec::{Format, typed};
use idgen::{TypeSeal, Uuid};

use crate::pasted::Pasted;
use crate::seal_file::SealKeys;

/// An id as it was read.
pub struct Id<'t> {
    pub id: Uuid,
    /// The format, unless it is a TypeID.
    pub format: Option<Format>,
    /// The prefix of a TypeID.
    pub prefix: Option<&'t str>,
}

impl<'t> Id<'t> {
    /// Detects the format of a text: a TypeID with a prefix, or one of the library's formats.
    pub fn detect(pasted: &Pasted, text: &'t [u8]) -> idgen::Result<Self> {
        let separator = text.iter().rposition(|byte| *byte == b'_');
        match typed::decode(text) {
            Ok((prefix, id)) if !prefix.is_empty() => Ok(Id { id, format: None, prefix: Some(prefix) }),
            // A text with an underscore before 26 characters can only be meant as one.
            Err(error) if separator.is_some_and(|at| at + 27 == text.len()) => Err(error),
            _ => pasted.detect(text).map(|(format, id)| Id { id, format: Some(format), prefix: None }),
        }
    }

    /// # Errors
    /// If the id is a TypeID with another prefix.
    pub fn check_type(&self, text: &[u8], expected: Option<&str>) -> idgen::Result<()> {
        match (self.prefix, expected) {
            (Some(found), Some(expected)) if found != expected => typed::decode_as(expected, text).map(drop),
            _ => Ok(()),
        }
    }
}

/// The id that a text or a sealed id represents.
#[derive(Clone, Copy)]
pub enum Opened {
    Uuid(Uuid),
    Int(u64),
}

/// The changes of an id besides its format: sealing, opening, and the prefix of its type.
pub struct Sealing {
    keys: Option<(Way, SealKeys)>,
    /// The prefix of `--type`.
    prefix: Option<String>,
    /// The keys of the type that the last TypeID had.
    last: RefCell<Option<(String, TypeSeal)>>,
}

#[derive(Clone, Copy)]
enum Way {
    Seal,
    Open,
}

impl Sealing {
    /// Reads the file with the keys, if there is one.
    pub fn new(seal: Option<&Path>, open: Option<&Path>, prefix: Option<&str>) -> anyhow::Result<Self> {
        let keys = match (seal, open) {
            (Some(path), _) => Some((Way::Seal, SealKeys::read(path)?)),
            (None, Some(path)) => Some((Way::Open, SealKeys::read(path)?)),
            (None, None) => None,
        };
        Ok(Sealing { keys, prefix: prefix.map(str::to_owned), last: RefCell::default() })
    }

    /// The id that is written for one that was read.
    pub fn apply(&self, read: Id<'_>) -> idgen::Result<Opened> {
        let id = read.id;
        let Some((way, keys)) = &self.keys else { return Ok(Opened::Uuid(id)) };
        let Some(prefix) = self.prefix.as_deref().or(read.prefix) else {
            return match way {
                Way::Seal => keys.seal(id),
                Way::Open => keys.open(id),
            }
            .map(Opened::Uuid);
        };
        let mut last = self.last.borrow_mut();
        let (_, seal) = match last.take().filter(|(of, _)| of == prefix) {
            Some(same) => last.insert(same),
            None => last.insert((prefix.to_owned(), keys.of_type(prefix)?)),
        };
        let number = u64::try_from(id.as_u128()).ok().filter(|_| read.format == Some(Format::Int));
        match (way, number) {
            (Way::Seal, Some(number)) => Ok(Opened::Uuid(seal.seal_int(number))),
            (Way::Seal, None) => seal.seal(id).map(Opened::Uuid),
            (Way::Open, _) if TypeSeal::is_int(&id) => seal.open_int(id).map(Opened::Int),
            (Way::Open, _) => seal.open(id).map(Opened::Uuid),
        }
    }
}
