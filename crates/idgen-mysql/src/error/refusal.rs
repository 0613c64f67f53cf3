//! Reasons why a server or a node is not used.

use std::fmt;

use uuid::Uuid;

/// The state of a server that is configured as a member of a group.
pub(crate) const MEMBER_STATE: &str = "group_replication member_state";

/// A server setting under which an acknowledged pair may be lost, or its id assigned again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concern {
    pub(crate) variable: &'static str,
    pub(crate) value: String,
    pub(crate) advice: &'static str,
}

impl Concern {
    /// The server variable.
    pub fn variable(&self) -> &str {
        self.variable
    }

    /// The value it has.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}: {}", self.variable, self.value, self.advice)
    }
}

/// The reason why a node is not used.
#[derive(Debug)]
pub struct Refusal {
    pub(crate) server: String,
    pub(crate) reason: Reason,
    /// True if another node may be usable, or this one later.
    pub(crate) elsewhere: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its settings endanger acknowledged pairs.
    Unsafe(Vec<Concern>),
    /// It holds another map than the one that this client began with.
    OtherMap { table: String, expected: Uuid, found: Uuid },
    /// It holds a copy of the map, with the same id: another schema, or a server that is no node of the map's cluster.
    Copy { table: String, expected: String, found: String },
    /// The tables do not exist.
    NoMap { table: String },
    /// The map does not hold a pair that this client has seen in it.
    Replaced { table: String, id: u64 },
    /// The tables are not what they were when this client began.
    Schema { table: String, problem: String },
    /// A pooler gives the session to other clients, too.
    Shared,
}

impl Reason {
    /// The reason, without the ids of maps.
    pub(crate) fn short(&self) -> String {
        match self {
            Reason::Unsafe(concerns) => {
                let list =
                    concerns.iter().map(|concern| format!("{} is {}", concern.variable, concern.value));
                list.collect::<Vec<_>>().join(", ")
            }
            Reason::OtherMap { .. } => "it holds another map".to_owned(),
            Reason::Copy { .. } => "it holds a copy of the map".to_owned(),
            Reason::NoMap { table } => format!("it has no table {table}"),
            Reason::Replaced { table, id } => format!("{table} no longer holds the pair of the id {id}"),
            Reason::Schema { table, problem } => format!("{table}: {problem}"),
            Reason::Shared => "a pooler gives one session to several clients".to_owned(),
        }
    }

    /// True for a member that is on its way back into its group.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Reason::Unsafe(concerns) if concerns.iter().all(|concern| concern.variable == MEMBER_STATE))
    }
}

impl Refusal {
    /// The refusal of a caller's connection.
    pub(crate) fn of_caller(reason: Reason) -> Refusal {
        Refusal { server: "the caller's connection".to_owned(), reason, elsewhere: false }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = &self.server;
        match &self.reason {
            Reason::Unsafe(concerns) => {
                write!(f, "the server at {server} could lose or repeat acknowledged ids:")?;
                for concern in concerns {
                    write!(f, " {concern};")?;
                }
                f.write_str(" change the settings, or accept the risk with accept_unsafe_server (--accept-unsafe-server on the command line)")
            }
            Reason::OtherMap { table, expected, found } => write!(
                f,
                "the server at {server} holds another map in {table}: its id is {found}, and this client began with \
                 {expected}; correct the addresses, or restart the client if this map is the right one"
            ),
            Reason::Copy { table, expected, found } => write!(
                f,
                "{server} leads to {found}, and the map is in {expected}: {table} there is a copy of the map, in which \
                 claims would not count; connect to the map's schema, on its server or on another node of its cluster"
            ),
            Reason::NoMap { table } => write!(
                f,
                "the server at {server} has no table {table}, which this client has used: restore it, or correct the \
                 address; for a new map, call install (idgen map install) with a new client"
            ),
            Reason::Replaced { table, id } => write!(
                f,
                "table {table} on {server} no longer holds the pair of the id {id}, which this client has seen there: it was \
                 restored or replaced by an older copy; put the right table back, or call fence (idgen map fence) with an \
                 id above every id that was ever assigned"
            ),
            Reason::Schema { table, problem } => {
                write!(f, "table {table} on {server} is not one this version can use: {problem}")
            }
            Reason::Shared => write!(
                f,
                "the connection to {server} goes through a pooler (ProxySQL, MaxScale, RDS Proxy …) that gives one session to \
                 several clients: what another client leaves there, such as autocommit = 0 or a temporary table, could lose \
                 acknowledged pairs; connect to the server itself, or let the pooler give the map's user sessions of its own"
            ),
        }
    }
}
