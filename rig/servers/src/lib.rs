//! A real MySQL, MariaDB or PostgreSQL server for a test or a measurement.
//!
//! [`Server::start`] takes the first way that this machine offers:
//!
//! 1. a URL, when the user names one in `IDGEN_MYSQL_URL`, `IDGEN_MARIADB_URL` or `IDGEN_POSTGRES_URL`;
//! 2. a container, when Docker answers and the image is there (`IDGEN_MYSQL_IMAGE`,
//!    `IDGEN_MARIADB_IMAGE` and `IDGEN_POSTGRES_IMAGE` name another image, which is pulled when absent);
//! 3. a private server process from the machine's own `mysqld`, `mariadbd` or `postgres`.
//!
//! Where none is possible the error says what to install. A test is never skipped.
//!
//! Containers and processes listen on the loopback interface only, with a random password, and are removed
//! when the [`Server`] is dropped, when the program panics, and even when it is killed: a small shell
//! holds the other end of a pipe and cleans up as soon as the pipe closes.
//!
//! A container has a memory limit ([`Settings::memory_mib`]), so that a faulty server cannot use all memory of the machine. A
//! node of a cluster may use 1,696 MiB.
//!
//! ```no_run
//! use idgen_server::{Database, Server, Settings};
//!
//! let server = Server::start(Database::MySql, &Settings::new().buffer_pool_mib(64))?;
//! let scratch = server.scratch()?;
//! println!("{} {} at {}", server.database(), server.version(), server.shown_url());
//! // Connect to `scratch.url()`; the schema goes when `scratch` is dropped.
//! # Ok::<(), idgen_server::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod adversary;
mod certificates;
mod cluster;
mod container;
mod docker;
mod error;
mod keeper;
mod leftover;
mod log;
mod memory;
mod plain;
mod pooler;
mod port;
mod process;
mod provider;
pub mod reference;
mod scratch;
mod server;
mod session;
mod settings;
mod shared;
mod skew;
mod software;
mod splitter;
mod sql;
mod url;
mod variables;
mod wait;

pub use cluster::{Cluster, ClusterKind, Progress, Vitess};
pub use error::Error;
pub use idgen_database::Database;
pub use leftover::Leftovers;
pub use plain::Plain;
pub use pooler::{Pooler, Pooling};
pub use provider::Provider;
pub use scratch::Scratch;
pub use server::Server;
pub use settings::Settings;
pub use shared::{CHANGED_BY_STATEMENTS, SharedConnection};
pub use skew::Skew;
pub use software::url_variable;
pub use splitter::ReadSplitter;
pub use url::redacted;
pub use wait::Wait;
