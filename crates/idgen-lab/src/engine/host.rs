//! What the engines that are servers share.

use std::cell::RefCell;
use std::collections::BTreeMap;

use idgen_server::{Flavor, Provider, Scratch, Server, Settings};
use tokio::runtime::Runtime;

use crate::cancel::Cancel;
use crate::{Error, Result};

/// Starts a server of the lab's own.
///
/// # Errors
/// No server can be started, or the user's environment names one by URL, which the lab would not start.
pub(in crate::engine) fn start(flavor: Flavor, settings: &Settings) -> Result<Server> {
    if Provider::of(flavor) == Some(Provider::Url) {
        let url = flavor.url_variable();
        return Err(Error::config(format!(
            "{url} names a {flavor} server: unset it to measure one of the lab's own, or give its URL as --engine \
             to measure it as it is"
        )));
    }
    Server::start(flavor, settings)
        .map_err(|error| Error::engine(format!("no {flavor} server to measure"), error))
}

/// Connects to the server at this URL, as it is.
///
/// # Errors
/// Nothing answers there.
pub(in crate::engine) fn at(url: &str) -> Result<Server> {
    Server::at(url).map_err(|error| Error::engine("no server to measure", error))
}

/// The error of a client that could not do this.
pub(in crate::engine) fn doing(what: &'static str) -> impl Fn(sqlx::Error) -> Error {
    move |error| Error::engine(format!("the client could not {what}"), error)
}

/// A server, a schema on it, and what of it is within reach. Fields drop in order: first the runtime, and with it the
/// transactions that a map left behind, whose locks the schema would wait for; then the schema, then the server.
pub(in crate::engine) struct Host<R> {
    pub runtime: Runtime,
    pub scratch: Scratch,
    pub server: Server,
    pub settings: BTreeMap<String, String>,
    pub reach: R,
    pub cancel: RefCell<Cancel>,
}

impl<R> Host<R> {
    /// Of the server's settings, those with these names are kept.
    pub fn new(server: Server, shown: &[&str], reach: R) -> Result<Self> {
        let scratch = server.scratch().map_err(|error| Error::engine("no schema to measure in", error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
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

    /// Whether the lab started the server, and may change its settings.
    pub fn is_own(&self) -> bool {
        self.server.provider() != Provider::Url
    }

    /// Where the server runs, for the description of the engine.
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

    /// Waits for the work, unless the user cancels before it is done.
    ///
    /// A statement that was abandoned runs on in the server, for minutes perhaps, and would hold up the end of
    /// the schema: the server is ended at once.
    pub fn wait<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let cancel = self.cancel.borrow().clone();
        let done = self.runtime.block_on(cancel.or(work));
        if done.as_ref().is_err_and(Error::is_interrupted) {
            // One given by URL refuses, and is asked to drop the schema.
            let _ = self.server.kill();
        }
        done
    }
}
