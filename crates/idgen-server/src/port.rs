//! Ports for servers that this program starts.

use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// A port that was free a moment ago and that no other start of this program was given.
pub(crate) fn free_port() -> Result<u16, Error> {
    static GIVEN: Mutex<Vec<u16>> = Mutex::new(Vec::new());
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let listener = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(|error| Error::new(format!("no free port: {error}")))?;
        if !given.contains(&listener.port()) {
            given.push(listener.port());
            return Ok(listener.port());
        }
    }
}
