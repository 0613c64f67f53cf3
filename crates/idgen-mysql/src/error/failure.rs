//! How an attempt can fail, and whether it can be repeated.
//!
//! Error numbers: MySQL reference manual, "Server Error Message Reference"; MariaDB, "Error Codes".

use std::fmt;

use idgen::Timestamp;
use sqlx::mysql::MySqlDatabaseError;
use uuid::Uuid;

use crate::error::driver::DriverError;
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
    /// No other attempt can succeed.
    Final(Box<Kind>),
}

/// Why a call failed, for [`Error`](crate::Error).
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

/// What is known about the effect of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The server undid it. It can be repeated with the same ids.
    Undone,
    /// It may have taken effect. It can be repeated, but its ids must not be used for other UUIDs.
    Unknown,
    /// It would fail again.
    Final,
}

/// A transaction in which Vitess itself carried out a statement failed on a shard; from then on it refuses all
/// statements on that connection until it is rolled back.
const FAILED: &str = "VT15001";
const BLOCKED: &str = "VT09032";

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
            Failure::NoAnswer | Failure::OtherCall | Failure::CommitUnanswered(_) => Verdict::Unknown,
            Failure::Refused(refusal) if refusal.elsewhere => Verdict::Undone,
            Failure::Refused(_) | Failure::Final(_) => Verdict::Final,
            Failure::Sql(error) => judge(error),
            Failure::Driver(error) => judge_said(error.number(), error.message()),
            Failure::OfThisNode(_) => Verdict::Undone,
            Failure::Unreadable(_) => Verdict::Final,
        }
    }

    /// Whether another node of a cluster may succeed, because this one is down, unreachable, shutting down, read-only, or not
    /// a member of the cluster. The connection cannot be used again.
    pub(crate) fn is_of_this_node(&self) -> bool {
        match self {
            Failure::NoConnection | Failure::Unreached(_) | Failure::NoAnswer | Failure::Refused(_) => true,
            Failure::OtherCall | Failure::OtherEpoch | Failure::Changing => false,
            Failure::Contradicted(_) | Failure::Final(_) => false,
            // The caller's connection, which the map does not choose.
            Failure::Driver(_) | Failure::Unreadable(_) => false,
            Failure::CommitUnanswered(failure) | Failure::OfThisNode(failure) => failure.is_of_this_node(),
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

    /// The same failure, for a client that has other nodes: what this node will never do, another one may.
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
            | Failure::Unreached(failure)
            | Failure::OfThisNode(failure) => failure.number(),
            _ => None,
        }
    }

    /// The driver's error, where there is one.
    pub(crate) fn source(&self) -> Option<&sqlx::Error> {
        match self {
            Failure::Sql(error) => Some(error),
            Failure::CommitUnanswered(failure)
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

fn judge(error: &sqlx::Error) -> Verdict {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => Verdict::Unknown,
        // Not even attempted.
        _ if said(error).contains(BLOCKED) => Verdict::Undone,
        _ if said(error).contains(FAILED) || is_lost_shard(error) => Verdict::Unknown,
        _ => number(error).map_or(Verdict::Final, |number| judge_said(number, said(error))),
    }
}

/// The numbers that are not listed are final: a missing privilege (1044, 1142, 1143), table (1146), trigger's error (1442,
/// 1644) or constraint (1364, 3819, 4025), a full table or disk (1030, 1114), a transaction that the session begins as
/// read-only (1792).
fn judge_said(number: u16, said: &str) -> Verdict {
    match number {
        // Deadlock, also a lost certification on Galera; lock wait timeout; certification lost on
        // Group Replication (3101); no member of the cluster (1047); a row that is newer than the
        // transaction's snapshot (1020, MariaDB's innodb_snapshot_isolation).
        1213 | 1205 | 1020 | 3101 | 1047 => Verdict::Undone,
        // The table was altered since the statement was prepared, or since the transaction began; too many transactions.
        1615 | 1412 | 1637 => Verdict::Undone,
        // Too many connections, of all or of this user, or no thread for one; the server is starting up or
        // shutting down and refuses the connection. Limits of an hour have the same number.
        1226 if said.contains("max_user_connections") => Verdict::Undone,
        1040 | 1203 | 1135 | 1053 | 3169 => Verdict::Undone,
        // Read only, for a failover: --read-only, --super-read-only. Other options have the same number.
        1290 if names_read_only(said) => Verdict::Undone,
        1836 => Verdict::Undone,
        // Interrupted, killed, lost, or the group lost its majority (3100). This may have been during the commit, for
        // all we know. Group Replication ends a transaction that stands in the way of another member's, and a return to a
        // savepoint then fails (1181).
        3100 | 1317 | 1152 | 1158..=1161 | 1180 | 1181 | 1927 | 2006 | 2013 | 4031 => Verdict::Unknown,
        _ => Verdict::Final,
    }
}

/// Deadlocks and failed certifications do not count, because they occur on every node.
fn is_of_this_node(number: u16, said: &str) -> bool {
    match number {
        1290 => names_read_only(said),
        1040 | 1047 | 1053 | 1317 | 1792 | 1836 | 1927 | 2006 | 2013 | 3100 | 3169 | 4031 => true,
        _ => false,
    }
}

/// Whether error 1290, "the server is running with the option ...", names an option that a failover changes. The name is
/// the same in every language.
fn names_read_only(said: &str) -> bool {
    said.contains("read-only") || said.contains("read_only")
}

/// What to do about an error whose message does not say it.
fn advice(number: Option<u16>) -> &'static str {
    match number {
        Some(1792) => {
            " (the session begins transactions as read-only: set transaction_read_only, on MariaDB tx_read_only, to OFF, \
             or begin a transaction that may write)"
        }
        Some(1020) => {
            " (a row is newer than the snapshot of this transaction: roll it back and repeat it, or set \
             innodb_snapshot_isolation to OFF)"
        }
        Some(1044 | 1142 | 1143) => {
            " (docs/mapping.md lists the privileges that a user of the map needs; with read_only, SELECT is enough)"
        }
        Some(1399) => " (the session is in an XA transaction, which a ROLLBACK does not end)",
        _ => "",
    }
}

/// Whether the connection is lost, or an answer is still outstanding on it.
pub(crate) fn is_of_connection(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed)
        || said(error).contains(FAILED)
}

fn said(error: &sqlx::Error) -> &str {
    error.as_database_error().map_or("", |error| error.message())
}

/// True where Vitess cannot reach a shard, which may have done the work before it failed: the numbers are the
/// general ones, the words name the tablet.
fn is_lost_shard(error: &sqlx::Error) -> bool {
    matches!(number(error), Some(1105 | 1815 | 3168 | 1203 | 2002 | 2003)) && said(error).contains("tablet")
}

pub(crate) fn number(error: &sqlx::Error) -> Option<u16> {
    Some(error.as_database_error()?.try_downcast_ref::<MySqlDatabaseError>()?.number())
}
