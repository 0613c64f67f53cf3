//! Asks the database: everything here holds the connection.

pub(super) mod facts;
pub(super) mod pages;
pub(super) mod said;
pub(super) mod sample;
pub(super) mod watch;
