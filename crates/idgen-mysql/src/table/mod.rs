//! The tables: their names, their layout, which map they are, and how they are created and checked.

pub(crate) mod definition;
pub(crate) mod identity;
pub(crate) mod install;
pub(crate) mod marker;
pub(crate) mod schema;
pub(crate) mod sharded;
pub(crate) mod table_kind;
pub(crate) mod tables;
pub(crate) mod triggers;
pub(crate) mod watch;
