//! One opaque error for the whole crate.

pub(crate) mod driver;
pub(crate) mod failure;
pub(crate) mod numbers;
pub(crate) mod refusal;

use std::fmt;

use crate::error::failure::{Failure, Kind};
use crate::error::numbers::Verdict;
use crate::error::refusal::Reason;

/// A value, or the [`Error`] that says why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call failed. The `is_*` methods tell the kind of error, and the message says what to do.
pub struct Error {
    kind: Box<Kind>,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Error { kind: Box::new(kind) }
    }

    /// The error of a statement that is not repeated.
    pub(crate) fn once<F: Into<Failure>>(action: &'static str) -> impl FnOnce(F) -> Error {
        move |failure| Error::failed(action, failure.into(), 1)
    }

    /// The error after the last attempt.
    pub(crate) fn failed(action: &'static str, failure: Failure, attempts: u32) -> Error {
        match failure {
            Failure::Final(kind) => Error { kind },
            Failure::Refused(refusal) => Error::new(Kind::Refused(*refusal)),
            failure => Error::new(Kind::Failed { action, failure, attempts }),
        }
    }

    /// True if [`register`](crate::UuidMap::register) was called with a UUID that has an id already.
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

    /// True if no id of the map's width is left.
    pub fn is_exhausted(&self) -> bool {
        matches!(*self.kind, Kind::Exhausted { .. })
    }

    /// True if the map's tables do not exist: call [`install`](crate::UuidMap::install).
    pub fn is_not_installed(&self) -> bool {
        match &*self.kind {
            Kind::NotInstalled { .. } | Kind::NoTable { .. } => true,
            Kind::Refused(refusal) => matches!(refusal.reason, Reason::NoMap { .. }),
            _ => false,
        }
    }

    /// True if all 65,536 numbers of devices are leased, or rest after their lease.
    pub fn is_no_number_free(&self) -> bool {
        matches!(*self.kind, Kind::NoNumberFree { .. })
    }

    /// When the next number [becomes free](Error::is_no_number_free), unless the lease is renewed before that.
    pub fn next_free_number_at(&self) -> Option<idgen::Timestamp> {
        match *self.kind {
            Kind::NoNumberFree { next } => Some(next),
            _ => None,
        }
    }

    /// True if a device does not hold the lease any more that it wants to renew.
    pub fn is_lease_lost(&self) -> bool {
        matches!(*self.kind, Kind::LeaseLost { .. })
    }

    /// True if the tables differ from those that this version creates, or have another index or width than requested.
    pub fn is_schema(&self) -> bool {
        match &*self.kind {
            Kind::Schema { .. } | Kind::OtherIndex { .. } | Kind::OtherWidth { .. } => true,
            Kind::Refused(refusal) => matches!(refusal.reason, Reason::Schema { .. }),
            _ => false,
        }
    }

    /// True if the server's settings may lose acknowledged pairs, or a pooler that gives one session to several clients may.
    pub fn is_unsafe_server(&self) -> bool {
        matches!(&*self.kind, Kind::Refused(refusal) if matches!(refusal.reason, Reason::Unsafe(_) | Reason::Shared))
    }

    /// True if the server holds another map than the one that this client began with, because another server has taken its
    /// address, or because the tables were dropped and installed again; or if a caller's transaction is on a copy of the map.
    pub fn is_other_map(&self) -> bool {
        matches!(
            &*self.kind,
            Kind::Refused(refusal) if matches!(refusal.reason, Reason::OtherMap { .. } | Reason::Copy { .. })
        )
    }

    /// True if the tables contradict each other, or what this client knows: ids that were assigned are missing, the map has
    /// ids above the reserved ones, or other values are stored than those that the map has sent.
    pub fn is_damaged(&self) -> bool {
        match &*self.kind {
            Kind::Damaged { .. } => true,
            Kind::Refused(refusal) => matches!(refusal.reason, Reason::Replaced { .. }),
            _ => false,
        }
    }

    /// True if a choice, an address or a name cannot be used, or if the server cannot do what was requested.
    pub fn is_config(&self) -> bool {
        matches!(*self.kind, Kind::Config { .. })
    }

    /// True if [`id_of_within`](crate::UuidMap::id_of_within) was called on a connection that is not in a transaction.
    pub fn is_not_in_transaction(&self) -> bool {
        matches!(*self.kind, Kind::NotInTransaction)
    }

    /// True if a column does not fit its Rust type.
    pub fn is_column(&self) -> bool {
        matches!(*self.kind, Kind::Column { .. })
    }

    /// True if an imported pair contradicts the map.
    pub fn is_conflict(&self) -> bool {
        matches!(*self.kind, Kind::Conflict { .. })
    }

    /// True if an import would use up the map's ids.
    /// [`allow_exhausting_import`](crate::Builder::allow_exhausting_import) allows this.
    pub fn is_exhausting(&self) -> bool {
        matches!(*self.kind, Kind::Exhausting { .. })
    }

    /// The pair that an import [contradicts](Error::is_conflict) or that would [use up the ids](Error::is_exhausting).
    pub fn refused_pair(&self) -> Option<(u64, uuid::Uuid)> {
        match *self.kind {
            Kind::Conflict { uuid, id, .. } | Kind::Exhausting { uuid, id, .. } => Some((id, uuid)),
            _ => None,
        }
    }

    /// True if a statement failed or was not answered. [`source`](std::error::Error::source) returns the driver's error, if
    /// there is one.
    pub fn is_database(&self) -> bool {
        matches!(*self.kind, Kind::Failed { .. })
    }

    /// The server's number of the error of a statement.
    pub(crate) fn number(&self) -> Option<u16> {
        match &*self.kind {
            Kind::Failed { failure, .. } => failure.number(),
            _ => None,
        }
    }

    /// True if the server takes no writes.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(&*self.kind, Kind::Failed { failure, .. } if failure.is_read_only())
    }

    /// True if the failure is temporary, such as a failover, a lost connection, or a deadlock inside the caller's
    /// transaction. Repeating the call later is safe and may succeed.
    pub fn is_transient(&self) -> bool {
        match &*self.kind {
            Kind::Failed { failure, .. } => failure.verdict() != Verdict::Final,
            _ => false,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Final(error.kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
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
            Kind::Failed { failure, .. } => failure.source().map(|error| error as _),
            _ => None,
        }
    }
}

/// The failure of tables that contradict each other, or what this client knows.
pub(crate) fn damaged(problem: String) -> Failure {
    Error::new(Kind::Damaged { problem }).into()
}
