//! The names of the tables.

use crate::error::failure::Kind;
use crate::error::{Error, Result};

/// The names of the tables.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) map: String,
    pub(crate) state: String,
    pub(crate) claim: String,
    pub(crate) sync: String,
    /// The leases of device numbers, whose table has its own installation.
    pub(crate) lease: String,
    /// The newest changes of rows that devices sent, and references to rows that have not arrived.
    pub(crate) row: String,
    pub(crate) open: String,
    /// Set on Vitess.
    pub(crate) places: Option<Places>,
}

impl Tables {
    /// Accepts only plain names. The map's own name is quoted, because it may be a reserved word. The other names have an
    /// ending, with which none is.
    pub(crate) fn named(name: &str) -> Result<Tables> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || !name.chars().all(plain) || name.len() > 48 {
            return Err(Error::new(Kind::Config {
                problem: format!(
                    "{name:?} cannot be the name of the map's table: use up to 48 of a-z, A-Z, 0-9 and _, not a digit first"
                ),
            }));
        }
        if let Some(ending) = ENDINGS.iter().find(|ending| name.to_ascii_lowercase().ends_with(**ending)) {
            return Err(Error::new(Kind::Config {
                problem: format!(
                    "{name:?} cannot be the name of the map's table: the map {:?} would keep its own data in a table of this \
                     name; use a name that does not end in {ending}",
                    &name[..name.len() - ending.len()]
                ),
            }));
        }
        Ok(Tables {
            map: format!("`{name}`"),
            state: format!("{name}_state"),
            claim: format!("{name}_claim"),
            sync: format!("{name}_sync"),
            lease: format!("{name}_lease"),
            row: format!("{name}_row"),
            open: format!("{name}_open"),
            places: None,
        })
    }
}

/// The endings of the names of a map's other tables.
const ENDINGS: [&str; 6] = ["_state", "_claim", "_sync", "_lease", "_row", "_open"];

/// A table's name as the servers' lists of tables have it.
pub(crate) fn unquoted(table: &str) -> &str {
    table.trim_matches('`')
}

/// The places of the tables on Vitess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// The sharded keyspace, which the connection is for.
    pub(crate) keyspace: String,
    /// The sequence, with its keyspace.
    pub(crate) sequence: String,
}
