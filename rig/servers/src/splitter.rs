//! A proxy for MySQL's protocol that sends reads to another session, as far as a test needs one.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};

use crate::shared::{COM_QUERY, HEADER, packet};
use crate::url;

/// Sends texts that begin with `SELECT` to a second session of the server, as ProxySQL and MaxScale send them to a replica, and
/// everything else to the first one. Both sessions get the login of the client, so its user needs an empty password, with which
/// the login does not depend on the server's greeting.
#[derive(Debug)]
pub struct ReadSplitter {
    address: String,
}

impl ReadSplitter {
    /// Listens on a free port before the server of a URL.
    ///
    /// # Errors
    /// There is no free port.
    ///
    /// # Panics
    /// The URL has no user and host.
    pub fn start(server: &str) -> io::Result<ReadSplitter> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let (server, _) = url::through(server, &address).expect("a URL with a user and a host");
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = server.clone();
                // A client that cannot be served sees its connection closed.
                std::thread::spawn(move || serve(client, &server));
            }
        });
        Ok(ReadSplitter { address })
    }

    /// A URL of the server for this user, through the proxy.
    ///
    /// # Panics
    /// The URL has no user and host.
    pub fn url(&self, server: &str, user: &str) -> String {
        let (_, url) = url::through(server, &self.address).expect("a URL with a user and a host");
        let (_, rest) = url.split_once('@').expect("a URL with a user");
        format!("mysql://{user}@{rest}")
    }
}

/// Logs in to both sessions, and passes commands and answers on. The client waits for each answer, so the two sessions never answer
/// at the same time.
fn serve(mut client: TcpStream, server: &str) -> io::Result<()> {
    let mut sessions = [TcpStream::connect(server)?, TcpStream::connect(server)?];
    let next = |stream: &mut TcpStream| packet(stream)?.ok_or(io::Error::from(io::ErrorKind::UnexpectedEof));
    let greeting = next(&mut sessions[0])?;
    next(&mut sessions[1])?;
    client.write_all(&greeting)?;
    let login = next(&mut client)?;
    let mut accepted = Vec::new();
    for session in &mut sessions {
        session.write_all(&login)?;
        accepted = next(session)?;
    }
    client.write_all(&accepted)?;
    for session in &sessions {
        let (mut session, mut client) = (session.try_clone()?, client.try_clone()?);
        std::thread::spawn(move || io::copy(&mut session, &mut client));
    }
    while let Some(command) = packet(&mut client)? {
        let text = command.get(HEADER + 1..).unwrap_or_default();
        let reads = command.get(HEADER) == Some(&COM_QUERY) && text.starts_with(b"SELECT");
        sessions[usize::from(reads)].write_all(&command)?;
    }
    for session in &sessions {
        session.shutdown(std::net::Shutdown::Both)?;
    }
    Ok(())
}
