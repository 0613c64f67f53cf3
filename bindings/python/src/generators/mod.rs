//! Generators as objects: with a clock, a node, a key and a memory of their own.

mod classes;
pub(crate) mod clock;
mod prefixed;
mod settings;
mod shared;
mod short;

pub(crate) use classes::{Generator, Ulid, V1, V4, V6, V7};
pub(crate) use clock::new_datetime;
pub(crate) use prefixed::{Prefixed, Week, read_tail};
pub(crate) use shared::Shared;
pub(crate) use short::{MysqlShort, Short, ShortGenerator};
