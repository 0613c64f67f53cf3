//! Connections that are set up, checked and pooled, to one server or to the nodes of a cluster.

pub(crate) mod connector;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod own_session;
pub(crate) mod pooled;
pub(crate) mod rotation;
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod settle;
