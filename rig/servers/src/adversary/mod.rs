//! A proxy between a client and a MySQL or MariaDB server that changes single results.
//!
//! A client that must not return a wrong answer is tested with every answer that its server might give. An [`Adversary`]
//! reads both directions of the protocol, numbers the results that the server gives, and changes those that a [`Rule`]
//! names: other affected rows or another last insert id, rows that are missing or come twice, an earlier result of the
//! same statement, an error although the statement was executed, a result or a statement that is lost.
//!
//! The server executes what the client sends, so the tables show afterwards what happened. What an adversary does not do
//! is to lie consistently: a second question gets the true answer.
//!
//! Several statements in one text are several results, each of which a rule can name. Prepared statements are read as well:
//! a class that begins with `execute` is the execution of one. Connections are not encrypted.
//!
//! ```no_run
//! use idgen_server::adversary::{Adversary, Alteration, Rule};
//!
//! # async fn example(server: idgen_server::Server) -> Result<(), Box<dyn std::error::Error>> {
//! let scratch = server.scratch()?;
//! let adversary = Adversary::start(scratch.url()).await?;
//! adversary.set_rules(vec![Rule {
//!     class: "INSERT INTO t (id) VALUES (N)".to_owned(),
//!     skip: 0,
//!     alteration: Alteration::ResultLost,
//! }]);
//! adversary.watch(true);
//! // A client of `adversary.url()` inserts its first row, and never hears of it.
//! # Ok(())
//! # }
//! ```

mod answer;
mod class;
mod packet;
mod relay;
mod rule;
mod state;

use std::io;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

pub use class::classes;
pub use rule::{Alteration, Recorded, ResultKind, Rule};

use crate::url;
use state::Shared;

/// A proxy in front of a server. Dropping it closes all connections through it.
#[derive(Debug)]
pub struct Adversary {
    url: String,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

impl Adversary {
    /// A proxy in front of the server with this URL, `mysql://user:password@host:port/schema`. It changes nothing until it
    /// gets rules.
    ///
    /// # Errors
    /// The URL has no host, or no port of this machine is free.
    pub async fn start(url: &str) -> io::Result<Adversary> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (server, url) = url::through(url, &listener.local_addr()?.to_string()).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "write mysql://user:password@host:port/schema")
        })?;
        let shared = Arc::new(Shared::new(url::schema(&url)));
        let state = shared.clone();
        let accepting = tokio::spawn(async move {
            // Dropped with this task, and with it the connections.
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, state) = (server.clone(), state.clone());
                connections.spawn(async move {
                    let server = TcpStream::connect(server).await?;
                    // A connection that fails is closed, which is all that its client sees.
                    relay::serve(client, server, &state).await
                });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Adversary { url, shared, accepting })
    }

    /// The URL of the same schema through the proxy, with its password: not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The results to change. Each rule changes at most one.
    pub fn set_rules(&self, rules: Vec<Rule>) {
        self.shared.set_rules(rules);
    }

    /// Begins or ends to count, record and change results. At first it does not.
    pub fn watch(&self, watching: bool) {
        self.shared.watch(watching);
    }

    /// Returns, for each rule in their order, true if it has changed a result.
    pub fn applied(&self) -> Vec<bool> {
        self.shared.applied()
    }

    /// The results that the server gave while the adversary watched, in their order.
    pub fn recorded(&self) -> Vec<Recorded> {
        self.shared.recorded()
    }
}

impl Drop for Adversary {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
