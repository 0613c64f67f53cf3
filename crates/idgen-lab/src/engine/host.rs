//! The code that the engines for servers share.

use std::cell::RefCell;
use std::collections::BTreeMap;

use idgen_record::Database;
use idgen_server::{Plain, Provider, Scratch, Server, Settings, Skew, url_variable};
use tokio::runtime::Runtime;

use super::clients::{self, Client, Feed};
use super::latencies::Latencies;
use crate::cancel::Cancel;
use crate::{Error, Result};

/// Starts a server that only the lab uses.
///
/// # Errors
/// No server can be started, or an environment variable names a server by URL, so that the lab would not start one.
pub(in crate::engine) fn start(database: Database, settings: &Settings) -> Result<Server> {
    if Provider::of(database) == Some(Provider::Url) {
        let url = url_variable(database);
        return Err(Error::config(format!(
            "{url} names a {database} server: unset it to measure one of the lab's own, or give its URL as --engine \
             to measure it as it is"
        )));
    }
    Server::start(database, settings)
        .map_err(|error| Error::engine(format!("no {database} server to measure"), error))
}

/// Connects to the server at this URL, without changing it.
///
/// # Errors
/// No server answers there.
pub(in crate::engine) fn at(url: &str) -> Result<Server> {
    Server::at(url).map_err(|error| Error::engine("no server to measure", error))
}

/// Makes the error of a client that failed to do this.
pub(in crate::engine) fn doing(what: &'static str) -> impl Fn(sqlx::Error) -> Error {
    move |error| Error::engine(format!("the client could not {what}"), Plain::from(error))
}

/// Makes the error of a server that refused a statement.
pub(in crate::engine) fn refused(sql: &str) -> impl Fn(sqlx::Error) -> Error {
    move |error| Error::engine(format!("the server refused \"{sql}\""), Plain::from(error))
}

/// A server, a schema on it, and what the lab can read of it. The fields are dropped in order: first the runtime, which
/// ends transactions that a map left open and whose locks would block the schema; then the schema, then the server.
pub(in crate::engine) struct Host<R> {
    pub runtime: Runtime,
    pub scratch: Scratch,
    pub server: Server,
    pub settings: BTreeMap<String, String>,
    pub reach: R,
    pub cancel: RefCell<Cancel>,
}

impl<R> Host<R> {
    /// Keeps the server's settings with these names for the report.
    pub fn new(server: Server, shown: &[&str], reach: R) -> Result<Self> {
        let scratch = server.scratch().map_err(|error| Error::engine("no schema to measure in", error))?;
        // A thread of its own serves the connections of all clients, whose threads wait for it.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Error::engine("cannot start the client's runtime", error))?;
        let settings = server
            .shown_settings()
            .map_err(|error| Error::engine("cannot read the server's settings", error))?
            .into_iter()
            .filter(|(name, _)| shown.contains(&name.as_str()))
            .collect();
        Ok(Host { runtime, scratch, server, settings, reach, cancel: RefCell::default() })
    }

    /// Returns whether the lab started the server and may change its settings.
    pub fn is_own(&self) -> bool {
        self.server.provider() != Provider::Url
    }

    /// The place where the server runs, for the description of the engine.
    pub fn place(&self) -> &'static str {
        match self.server.provider() {
            Provider::Container => "in a container",
            Provider::Process => "as a private process",
            Provider::Url => "of the user's own, as it is",
        }
    }

    /// See [`Engine::isolation`](super::Engine::isolation).
    pub fn isolation(&self) -> &'static str {
        if self.is_own() {
            "each run on a new server with an empty data directory"
        } else {
            "each run with new tables on the same server, which keeps running"
        }
    }

    /// See [`Engine::watch`](super::Engine::watch).
    pub fn watch(&self, cancel: &Cancel) {
        self.cancel.replace(cancel.clone());
    }

    /// Waits for the work, unless the user cancels first.
    ///
    /// An abandoned statement keeps running in the server, perhaps for minutes, and would delay the removal of the
    /// schema. The server is therefore killed at once.
    pub fn wait<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let cancel = self.cancel.borrow().clone();
        self.ended(self.runtime.block_on(cancel.or(work)))
    }

    /// Lets these clients insert at the same time, unless the user cancels.
    pub fn serve(
        &self,
        clients: impl IntoIterator<Item = impl Client>,
        feed: &mut dyn Feed,
        latencies: &mut Latencies,
    ) -> Result<()> {
        let cancel = self.cancel.borrow().clone();
        self.ended(clients::serve(self.runtime.handle(), &cancel, clients, feed, latencies))
    }

    /// Measures by how many microseconds the server's clock is ahead of this machine's: 0 on a server of the
    /// lab's own, which runs on this machine.
    pub fn clock_ahead(&self) -> Result<i64> {
        /// Enough for an answer that nothing delayed.
        const PROBES: usize = 25;
        if self.is_own() {
            return Ok(0);
        }
        let failed = |error| Error::engine("the client could not read the server's clock", error);
        let skew = Skew::measure(self.scratch.url(), PROBES).map_err(failed)?;
        Ok((skew.ahead * 1e6) as i64)
    }

    fn ended<T>(&self, done: Result<T>) -> Result<T> {
        if done.as_ref().is_err_and(Error::is_interrupted) {
            // A server given by URL is not killed; there, the schema is dropped.
            let _ = self.server.kill();
        }
        done
    }
}
