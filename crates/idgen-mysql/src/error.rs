//! One opaque error for the whole crate.

use std::fmt;

use crate::failure::{Failure, Kind, Verdict};
use crate::server::Reason;

/// What a fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call did not do what it was asked. Ask with the `is_*` predicates; read the message for what to do.
pub struct Error {
    kind: Box<Kind>,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Error { kind: Box::new(kind) }
    }

    /// For statements that are not repeated.
    pub(crate) fn once<F: Into<Failure>>(action: &'static str) -> impl FnOnce(F) -> Error {
        move |failure| Error::failed(action, failure.into(), 1)
    }

    /// After the last of some attempts.
    pub(crate) fn failed(action: &'static str, failure: Failure, attempts: u32) -> Error {
        match failure {
            Failure::Final(kind) => Error { kind },
            Failure::Refused(refusal) => Error::new(Kind::Refused(*refusal)),
            failure => Error::new(Kind::Failed { action, failure, attempts }),
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
        match &*self.kind {
            Kind::NotInstalled { .. } => true,
            Kind::Refused(refusal) => matches!(refusal.reason, Reason::NoMap { .. }),
            _ => false,
        }
    }

    /// True where the tables are not as this version made them, or of another strategy or width than asked.
    pub fn is_schema(&self) -> bool {
        match &*self.kind {
            Kind::Schema { .. } | Kind::OtherStrategy { .. } | Kind::OtherWidth { .. } => true,
            Kind::Refused(refusal) => matches!(refusal.reason, Reason::Schema { .. }),
            _ => false,
        }
    }

    /// True where the server runs with settings under which acknowledged pairs may be lost.
    pub fn is_unsafe_server(&self) -> bool {
        matches!(&*self.kind, Kind::Refused(refusal) if matches!(refusal.reason, Reason::Unsafe(_)))
    }

    /// True where the server holds another map than the one that this client began with: another server took
    /// its address, or the tables were dropped and installed again.
    pub fn is_other_map(&self) -> bool {
        matches!(&*self.kind, Kind::Refused(refusal) if matches!(refusal.reason, Reason::OtherMap { .. }))
    }

    /// True where the tables contradict each other: ids that were given out are gone, or are in the map above
    /// those that are reserved.
    pub fn is_damaged(&self) -> bool {
        matches!(*self.kind, Kind::Damaged { .. })
    }

    /// True where a choice, an address or a name cannot be used, or the server cannot do what is asked.
    pub fn is_config(&self) -> bool {
        matches!(*self.kind, Kind::Config { .. })
    }

    /// True where [`id_of_within`](crate::UuidMap::id_of_within) was called on a connection that is in no
    /// transaction.
    pub fn is_not_in_transaction(&self) -> bool {
        matches!(*self.kind, Kind::NotInTransaction)
    }

    /// True where a column does not fit its Rust type.
    pub fn is_column(&self) -> bool {
        matches!(*self.kind, Kind::Column { .. })
    }

    /// True where an imported pair contradicts the map.
    pub fn is_conflict(&self) -> bool {
        matches!(*self.kind, Kind::Conflict { .. })
    }

    /// True where an import would use up the map's ids, which
    /// [`allow_exhausting_import`](crate::Builder::allow_exhausting_import) allows.
    pub fn is_exhausting(&self) -> bool {
        matches!(*self.kind, Kind::Exhausting { .. })
    }

    /// True where a statement failed or was not answered; [`source`](std::error::Error::source) has the
    /// driver's error, where there is one.
    pub fn is_database(&self) -> bool {
        matches!(*self.kind, Kind::Failed { .. })
    }

    /// True where the server takes no writes.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(&*self.kind, Kind::Failed { failure, .. } if failure.is_read_only())
    }

    /// True where the server kept failing in a way that passes by itself (a failover, a lost connection, a
    /// deadlock inside the caller's transaction): trying again later is safe and sensible.
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
