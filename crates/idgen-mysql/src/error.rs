//! One opaque error for the whole crate.

use std::fmt;

use uuid::Uuid;

use crate::server::Refusal;
use crate::{IdWidth, Strategy};

/// What a fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call did not do what it was asked. Ask with the `is_*` predicates; read the message for what to do.
pub struct Error {
    kind: Box<Kind>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Duplicate { uuid: Uuid, id: u64 },
    Exhausted { width: IdWidth, table: String },
    NotInstalled { table: String },
    Schema { table: String, problem: String },
    OtherStrategy { asked: Strategy, found: Strategy },
    OtherWidth { asked: IdWidth, found: IdWidth },
    Unsafe(Refusal),
    Config { problem: String },
    Conflict { uuid: Uuid, id: u64, detail: String },
    Damaged { problem: String },
    Column { problem: String },
    Database { action: &'static str, source: sqlx::Error, tries: u32 },
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Error { kind: Box::new(kind) }
    }

    /// For statements that are not tried again.
    pub(crate) fn database(action: &'static str) -> impl FnOnce(sqlx::Error) -> Error {
        move |source| Error::tried(action, source, 1)
    }

    /// After the last of some tries.
    pub(crate) fn tried(action: &'static str, source: sqlx::Error, tries: u32) -> Error {
        match source {
            sqlx::Error::Configuration(inner) => match inner.downcast() {
                Ok(refusal) => Error::new(Kind::Unsafe(*refusal)),
                Err(inner) => {
                    let source = sqlx::Error::Configuration(inner);
                    Error::new(Kind::Database { action, source, tries })
                }
            },
            source => Error::new(Kind::Database { action, source, tries }),
        }
    }

    /// True where [`register`](crate::UuidMap::register) met a UUID that has an id already.
    pub fn is_duplicate(&self) -> bool {
        matches!(*self.kind, Kind::Duplicate { .. })
    }

    /// The id that a [duplicate](Error::is_duplicate) has.
    pub fn existing_id(&self) -> Option<u64> {
        match *self.kind {
            Kind::Duplicate { id, .. } => Some(id),
            _ => None,
        }
    }

    /// True where no id of the map's width is left.
    pub fn is_exhausted(&self) -> bool {
        matches!(*self.kind, Kind::Exhausted { .. })
    }

    /// True where the map's tables are not there: call [`install`](crate::UuidMap::install).
    pub fn is_not_installed(&self) -> bool {
        matches!(*self.kind, Kind::NotInstalled { .. })
    }

    /// True where the tables are not as this version made them, or of another strategy or width than asked.
    pub fn is_schema(&self) -> bool {
        matches!(*self.kind, Kind::Schema { .. } | Kind::OtherStrategy { .. } | Kind::OtherWidth { .. })
    }

    /// True where the server runs with settings under which acknowledged pairs may be lost.
    pub fn is_unsafe_server(&self) -> bool {
        matches!(*self.kind, Kind::Unsafe(_))
    }

    /// True where a column does not fit its Rust type.
    pub fn is_column(&self) -> bool {
        matches!(*self.kind, Kind::Column { .. })
    }

    /// True where an imported pair contradicts the map.
    pub fn is_conflict(&self) -> bool {
        matches!(*self.kind, Kind::Conflict { .. })
    }

    /// True where the server kept failing in a way that passes by itself (a failover, a lost connection, a
    /// deadlock inside the caller's transaction): trying again later is safe and sensible.
    pub fn is_transient(&self) -> bool {
        match &*self.kind {
            Kind::Database { source, .. } => crate::retry::judge(source) != crate::retry::Verdict::Final,
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            Kind::Duplicate { uuid, id } => write!(f, "{uuid} is registered already, with the id {id}"),
            Kind::Exhausted { width, table } => write!(
                f,
                "table {table} has given out all {width} ids: make a map with 64-bit ids and import this one"
            ),
            Kind::NotInstalled { table } => {
                write!(f, "there is no table {table}: call install (idgen map install) first")
            }
            Kind::Schema { table, problem } => {
                write!(f, "table {table} is not one this version can use: {problem}")
            }
            Kind::OtherStrategy { asked, found } => {
                write!(
                    f,
                    "the map was installed with the strategy {found}, not {asked}: ask for {found}, or name no strategy"
                )
            }
            Kind::OtherWidth { asked, found } => {
                write!(
                    f,
                    "the map was installed with {found} ids, not {asked}: ask for {found}, or name no width"
                )
            }
            Kind::Unsafe(refusal) => refusal.fmt(f),
            Kind::Config { problem } => f.write_str(problem),
            Kind::Conflict { uuid, id, detail } => write!(f, "cannot import {uuid} as {id}: {detail}"),
            Kind::Column { problem } => f.write_str(problem),
            Kind::Damaged { problem } => write!(f, "the map is damaged: {problem}"),
            Kind::Database { action, source, tries: 1 } => write!(f, "could not {action}: {source}"),
            Kind::Database { action, source, tries } => {
                write!(f, "could not {action}, tried {tries} times: {source}")
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.kind, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            Kind::Database { source, .. } => Some(source),
            _ => None,
        }
    }
}
