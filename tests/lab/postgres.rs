//! The lab on PostgreSQL: on a server of its own, on an external server with users of different privileges, and from
//! the command line.

mod command;
mod external;
mod server;
