//! The ways in which an attempt can fail, and which of them can be retried.

use std::fmt;

use idgen::Timestamp;
use uuid::Uuid;

use crate::error::driver::DriverError;
use crate::error::numbers::{
    BLOCKED, Verdict, advice, is_of_connection, is_of_this_node, judge, judge_said, names_read_only, number,
    said,
};
use crate::error::refusal::Refusal;
use crate::installed::{IdWidth, Index};

/// The result of one attempt.
pub type Attempt<T> = std::result::Result<T, Failure>;

/// The reason why an attempt failed.
#[derive(Debug)]
pub enum Failure {
    /// The server or the driver reports an error.
    Sql(sqlx::Error),
    /// The server or the caller's driver reports an error.
    Driver(DriverError),
    /// The caller's driver gave an answer that cannot be read.
    Unreadable(String),
    /// No connection became free in time: nothing was sent.
    NoConnection,
    /// No connection could be made: nothing of the call was sent.
    Unreached(Box<Failure>),
    /// The server did not answer in time.
    NoAnswer,
    /// Another call of this client did not finish in time.
    OtherCall,
    /// The epoch of the map has changed since ids were taken: nothing was sent.
    OtherEpoch,
    /// Two answers of the server contradict each other. What was under way was rolled back.
    Contradicted(&'static str),
    /// The nodes of a cluster do not agree on its members yet: nothing was claimed.
    Changing,
    /// The server will not do it, and another node may.
    OfThisNode(Box<Failure>),
    /// The server must not be used.
    Refused(Box<Refusal>),
    /// The commit failed in a way that leaves open whether it happened.
    CommitUnanswered(Box<Failure>),
    /// The server carried it out, and may have become unsafe before it did.
    Unconfirmed(Box<Failure>),
    /// No other attempt can succeed.
    Final(Box<Kind>),
}

/// The reason why a call failed, for [`Error`](crate::Error).
#[derive(Debug)]
pub enum Kind {
    Duplicate { uuid: Uuid, id: u64 },
    Exhausted { width: IdWidth, table: String },
    NotInstalled { table: String },
    Schema { table: String, problem: String },
    OtherIndex { asked: Index, found: Index },
    OtherWidth { asked: IdWidth, found: IdWidth },
    Refused(Refusal),
    Config { problem: String },
    Exhausting { uuid: Uuid, id: u64, width: IdWidth },
    Conflict { uuid: Uuid, id: u64, detail: String },
    Damaged { problem: String },
    Column { problem: String },
    NotInTransaction,
    NoTable { table: String, install: &'static str },
    NoNumberFree { next: Timestamp },
    LeaseLost { device: Uuid, number: u16, term: u64, problem: &'static str },
    Failed { action: &'static str, failure: Failure, attempts: u32 },
}

impl Failure {
    /// Everything that is repeated here is safe to repeat, since claiming a pair twice gives one pair.
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Failure::NoConnection | Failure::OtherEpoch | Failure::Changing | Failure::Contradicted(_) => {
                Verdict::Undone
            }
            Failure::Unreached(failure) => match failure.verdict() {
                Verdict::Undone | Verdict::Unknown => Verdict::Undone,
                Verdict::Final => Verdict::Final,
            },
            Failure::NoAnswer
            | Failure::OtherCall
            | Failure::CommitUnanswered(_)
            | Failure::Unconfirmed(_) => Verdict::Unknown,
            Failure::Refused(refusal) if refusal.elsewhere => Verdict::Undone,
            Failure::Refused(_) | Failure::Final(_) => Verdict::Final,
            Failure::Sql(error) => judge(error),
            Failure::Driver(error) => judge_said(error.number(), error.message()),
            Failure::OfThisNode(_) => Verdict::Undone,
            Failure::Unreadable(_) => Verdict::Final,
        }
    }

    /// Returns true if another node of a cluster may succeed, because this one is down, unreachable, shutting down,
    /// read-only, or not a member of the cluster. The connection cannot be used again.
    pub(crate) fn is_of_this_node(&self) -> bool {
        match self {
            Failure::NoConnection | Failure::Unreached(_) | Failure::NoAnswer | Failure::Refused(_) => true,
            Failure::OtherCall | Failure::OtherEpoch | Failure::Changing => false,
            Failure::Contradicted(_) | Failure::Final(_) => false,
            // The caller's connection, which the map does not choose.
            Failure::Driver(_) | Failure::Unreadable(_) => false,
            Failure::CommitUnanswered(failure)
            | Failure::Unconfirmed(failure)
            | Failure::OfThisNode(failure) => failure.is_of_this_node(),
            Failure::Sql(error) => {
                is_of_connection(error)
                    || said(error).contains(BLOCKED)
                    || number(error).is_some_and(|number| is_of_this_node(number, said(error)))
            }
        }
    }

    /// True for a duplicate key (1062).
    pub(crate) fn is_duplicate_key(&self) -> bool {
        self.number() == Some(1062)
    }

    /// True for a table that does not exist (1146).
    pub(crate) fn is_no_table(&self) -> bool {
        match self {
            // Vitess checks table names itself, and reports a missing table only in the text of the error.
            Failure::Sql(error) => {
                number(error) == Some(1146)
                    || (number(error) == Some(1105) && said(error).ends_with("not found"))
            }
            Failure::Driver(error) => error.number() == 1146,
            _ => false,
        }
    }

    /// True for an index that a statement names and the table does not have (1176).
    pub(crate) fn is_no_index(&self) -> bool {
        self.number() == Some(1176)
    }

    /// Marks a failure that is final only on this node, for a client that has other nodes, which may succeed.
    pub(crate) fn or_of_this_node(self) -> Failure {
        let only_here = self.is_of_this_node() && matches!(self, Failure::Sql(_));
        if only_here && self.verdict() == Verdict::Final { Failure::OfThisNode(Box::new(self)) } else { self }
    }

    /// True where the server takes no writes: `read_only`, `super_read_only`, a read-only transaction.
    pub(crate) fn is_read_only(&self) -> bool {
        let said = match self {
            Failure::Driver(error) => error.message(),
            failure => failure.source().map_or("", said),
        };
        match self.number() {
            Some(1290) => names_read_only(said),
            number => matches!(number, Some(1792 | 1836)),
        }
    }

    /// True where the user lacks a privilege on a table or a column.
    pub(crate) fn is_not_allowed(&self) -> bool {
        matches!(self.number(), Some(1142 | 1143))
    }

    /// True where the server, or its limit for this user, allows no further connection.
    pub(crate) fn is_too_many_connections(&self) -> bool {
        matches!(self.number(), Some(1040 | 1203 | 1226))
    }

    /// True where nothing listens at the server's address.
    pub(crate) fn is_connection_refused(&self) -> bool {
        matches!(self.source(), Some(sqlx::Error::Io(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused)
    }

    /// The server's number of the error.
    pub(crate) fn number(&self) -> Option<u16> {
        match self {
            Failure::Sql(error) => number(error),
            Failure::Driver(error) => Some(error.number()),
            Failure::CommitUnanswered(failure)
            | Failure::Unconfirmed(failure)
            | Failure::Unreached(failure)
            | Failure::OfThisNode(failure) => failure.number(),
            _ => None,
        }
    }

    /// The words of the server, without advice for whoever operates the map.
    pub(crate) fn words(&self) -> String {
        match self {
            Failure::Sql(error) => error.to_string(),
            Failure::Driver(error) => error.to_string(),
            failure => failure.to_string(),
        }
    }

    /// The driver's error, where there is one.
    pub(crate) fn source(&self) -> Option<&sqlx::Error> {
        match self {
            Failure::Sql(error) => Some(error),
            Failure::CommitUnanswered(failure)
            | Failure::Unconfirmed(failure)
            | Failure::Unreached(failure)
            | Failure::OfThisNode(failure) => failure.source(),
            _ => None,
        }
    }

    /// A commit that fails may have taken effect, unless its certification failed.
    pub(crate) fn of_commit(error: sqlx::Error) -> Failure {
        let failure = Failure::Sql(error);
        match failure.verdict() {
            Verdict::Undone => failure,
            Verdict::Unknown | Verdict::Final => Failure::CommitUnanswered(Box::new(failure)),
        }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Failure {
        Failure::Sql(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Sql(error) => {
                error.fmt(f)?;
                f.write_str(advice(number(error)))
            }
            Failure::Driver(error) => {
                error.fmt(f)?;
                f.write_str(advice(Some(error.number())))
            }
            Failure::Unreadable(problem) => f.write_str(problem),
            Failure::NoConnection => f.write_str("no connection to the server became free in time"),
            Failure::Unreached(failure) | Failure::OfThisNode(failure) => failure.fmt(f),
            Failure::NoAnswer => f.write_str("the server did not answer in time"),
            Failure::OtherCall => {
                f.write_str("another call of this client was still waiting for the server to do the same")
            }
            Failure::OtherEpoch => f.write_str("the map was restored meanwhile"),
            Failure::Contradicted(what) => f.write_str(what),
            Failure::Changing => f.write_str(
                "the caller's node and the map's do not agree on the members of their cluster, or are of two clusters",
            ),
            Failure::Refused(refusal) => refusal.fmt(f),
            Failure::CommitUnanswered(failure) => {
                write!(f, "the commit may or may not have happened: {failure}")
            }
            Failure::Unconfirmed(failure) => write!(
                f,
                "the server answered, but the call took long, and what it stored may be lost in a crash: {failure}"
            ),
            Failure::Final(kind) => kind.fmt(f),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Duplicate { uuid, id } => write!(f, "{uuid} is registered already, with the id {id}"),
            Kind::Exhausted { width: width @ IdWidth::Bits32, table } => write!(
                f,
                "no id is left: table {table} has assigned all {width} ids; make a map with 64-bit ids and import this one"
            ),
            Kind::Exhausted { width: width @ IdWidth::Bits64, table } => write!(
                f,
                "no id is left: table {table} has assigned all {width} ids, which only an import or a fence with a very \
                 large id can do; export the pairs, correct or leave out the ones with such ids, and import the rest into \
                 a new map"
            ),
            Kind::NotInstalled { table } => {
                write!(f, "there is no table {table}: call install (idgen map install) first, or restore the table if it was there")
            }
            Kind::Schema { table, problem } => {
                write!(f, "table {table} is not one this version can use: {problem}")
            }
            Kind::OtherIndex { asked, found } => {
                write!(
                    f,
                    "the map was installed with the index {found}, not {asked}: ask for {found}, or name no index"
                )
            }
            Kind::OtherWidth { asked, found } => {
                write!(
                    f,
                    "the map was installed with {found} ids, not {asked}: ask for {found}, or name no width"
                )
            }
            Kind::Refused(refusal) => refusal.fmt(f),
            Kind::Config { problem } => f.write_str(problem),
            Kind::Conflict { uuid, id, detail } => write!(f, "cannot import {uuid} as {id}: {detail}"),
            Kind::Exhausting { uuid, id, width } => write!(
                f,
                "cannot import {uuid} as {id}: new ids follow the largest one, and more than 95 % of the {width} ids would \
                 be used up; correct the id, or allow it with allow_exhausting_import (idgen map import --allow-exhaustion)"
            ),
            Kind::Column { problem } => f.write_str(problem),
            Kind::Damaged { problem } => write!(f, "the map is damaged: {problem}"),
            Kind::NotInTransaction => f.write_str(
                "the connection is in no transaction, or the server ended it: begin one (again) and claim in it",
            ),
            Kind::NoTable { table, install } => write!(f, "there is no table {table}: call {install} first"),
            Kind::NoNumberFree { next } => write!(
                f,
                "all 65,536 numbers are leased or rest: the next becomes free at {next}, by the clock of the database \
                 server; end the leases of devices that are out of use (idgen map lease expire), or lease for a shorter time"
            ),
            Kind::LeaseLost { device, number, term, problem } => write!(
                f,
                "{device} does not hold the number {number} in term {term} any more: {problem}; lease a number again"
            ),
            Kind::Failed { action, failure, attempts: 1 } => write!(f, "could not {action}: {failure}"),
            Kind::Failed { action, failure, attempts } => {
                write!(f, "could not {action} in {attempts} attempts: {failure}")
            }
        }
    }
}
