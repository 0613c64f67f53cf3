//! Ports for servers that this program starts.

use std::fs::File;
use std::net::TcpListener;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// Below the ports that systems give to connections of clients, one of which could take the port before the server does.
const PORTS: Range<u16> = 10_000..32_000;
const ATTEMPTS: usize = 1_000;

/// A port that was free a moment ago and that no other start of this or another program was given: each program locks a file for each
/// of its ports until it ends.
///
/// # Errors
/// No port is free, or no file can be locked in the folder for temporary files.
pub(crate) fn free_port() -> Result<u16, Error> {
    static GIVEN: Mutex<Vec<File>> = Mutex::new(Vec::new());
    for _ in 0..ATTEMPTS {
        let port = PORTS.start + (uuid::Uuid::new_v4().as_u128() % PORTS.len() as u128) as u16;
        let Some(file) = locked(port) else { continue };
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            GIVEN.lock().unwrap_or_else(PoisonError::into_inner).push(file);
            return Ok(port);
        }
    }
    Err(Error::new(format!(
        "no free port: of {ATTEMPTS} ports from {} to {}, each is in use, or its file in {} cannot be locked",
        PORTS.start,
        PORTS.end - 1,
        std::env::temp_dir().display()
    )))
}

/// The file of a port, unless another start has locked it. A file that another user made is opened only for reading.
fn locked(port: u16) -> Option<File> {
    let path = std::env::temp_dir().join(format!("idgen-port-{port}.lock"));
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.or_else(|_| File::open(&path)).ok()?;
    file.try_lock().ok().map(|()| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_given_once() {
        let mut ports: Vec<u16> = (0..50).map(|_| free_port().unwrap()).collect();
        assert!(ports.iter().all(|port| PORTS.contains(port)));
        // Each is still free, and locked.
        assert!(ports.iter().all(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()));
        assert!(ports.iter().all(|&port| locked(port).is_none()));
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 50);
    }
}
