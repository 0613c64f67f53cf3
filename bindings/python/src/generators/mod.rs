//! Generators as objects: with a clock, a node, a key and a memory of their own.

mod classes;
pub(crate) mod clock;
mod prefixed;
mod settings;
mod shared;
mod short;

pub(crate) use classes::{Generator, add, for_kinds};
pub(crate) use clock::new_datetime;
pub(crate) use prefixed::read_tail;
use prefixed::{Prefixed, Week};
pub(crate) use shared::Shared;
pub(crate) use short::ShortGenerator;
use short::{MysqlShort, Short};
