//! What the tables of a server share.

use std::cell::RefCell;
use std::collections::BTreeMap;

use idgen_server::{Provider, Scratch, Server};
use tokio::runtime::Runtime;

use crate::cancel::Cancel;
use crate::{Error, Result};

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

    /// Waits for the work, unless the user cancels before it is done.
    ///
    /// A statement that was given up runs on in the server, for minutes perhaps, and would hold up the end of
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
