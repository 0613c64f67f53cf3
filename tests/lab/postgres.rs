//! The lab on PostgreSQL: a server of its own, one given by URL to users who may do more or less, and the command line.

mod command;
mod external;
mod server;
