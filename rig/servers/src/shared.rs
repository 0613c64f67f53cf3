//! A pooler for MySQL's protocol, as far as a test needs one.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::url;
use crate::wait::Wait;

/// The bytes of a packet's header: length and number.
pub(crate) const HEADER: usize = 4;
const COM_QUIT: &[u8] = &[1];
/// The answer to a login that is not checked: no rows, no insert id, autocommit, no warnings.
const OK: [u8; 11] = [7, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0];
/// The answer of `caching_sha2_password` to a password that it knows, followed by `OK` with the next number.
const KNOWN_AND_OK: [u8; 17] = [2, 0, 0, 2, 1, 3, 7, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0];
/// The first byte of a command that is a text.
pub(crate) const COM_QUERY: u8 = 3;
/// The first byte of the command that ends a prepared statement.
const COM_STMT_CLOSE: u8 = 0x19;
/// Variables of `SHOW SESSION VARIABLES` that any statement changes, so that they do not show what another client has
/// set.
pub const CHANGED_BY_STATEMENTS: [&str; 9] = [
    "timestamp",
    "warning_count",
    "error_count",
    "rand_seed1",
    "rand_seed2",
    "last_insert_id",
    "identity",
    "insert_id",
    "statement_id",
];

/// Longer than it mostly takes until a thread sees that its client has disconnected.
const SHORT: Duration = Duration::from_millis(30);
/// Longer than a server needs between two parts of an answer.
const SILENCE: Duration = Duration::from_millis(300);

/// One connection to a MySQL or MariaDB server that all clients use in turn, as ProxySQL gives a connection to another client after
/// a transaction. The first client logs in to the server; the login of others is not checked. If a client disconnects, its transaction is rolled back,
/// and whatever else it has set stays. Only one client at a time may send statements: after another one has disconnected, call
/// [`until_one_client_is_left`](SharedConnection::until_one_client_is_left).
#[derive(Debug)]
pub struct SharedConnection {
    address: String,
    clients: Arc<Clients>,
}

/// Counts of clients.
#[derive(Debug, Default)]
struct Clients {
    accepted: AtomicUsize,
    /// Clients that are logged in, or whose transaction is being rolled back.
    served: AtomicUsize,
    ended: AtomicUsize,
}

/// The connection to the server, and who reads from it.
struct Backend {
    server: TcpStream,
    /// The greeting that the server sent to the first client.
    greeting: Vec<u8>,
    reader: Mutex<Option<TcpStream>>,
    heard: Mutex<Heard>,
    /// Held while the transaction of a client that has gone is rolled back.
    ending: Mutex<()>,
}

/// Collects what the server sends after a client has gone, up to the mark that shows its end.
#[derive(Default)]
struct Heard {
    bytes: Vec<u8>,
    is_closed: bool,
}

impl SharedConnection {
    /// Listens on a free port before the server of a URL.
    ///
    /// # Errors
    /// There is no free port.
    ///
    /// # Panics
    /// The URL has no user and host.
    pub fn start(server: &str) -> io::Result<SharedConnection> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let (server, _) = url::through(server, &address).expect("a URL with a user and a host");
        let clients = Arc::new(Clients::default());
        let counted = Arc::clone(&clients);
        std::thread::spawn(move || {
            let mut backend: Option<Arc<Backend>> = None;
            for client in listener.incoming().flatten() {
                // A client that cannot be served sees its connection closed.
                let _ = match &backend {
                    None => first(client, &server, &counted).map(|shared| backend = Some(shared)),
                    Some(shared) => next(client, shared, &counted),
                };
                counted.accepted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Ok(SharedConnection { address, clients })
    }

    /// Waits until only one client is connected, and the transactions of all others are rolled back.
    ///
    /// # Panics
    /// This takes longer than ten minutes, or the proxy has ended.
    pub fn until_one_client_is_left(&self) {
        // Clients are accepted in their order, so all that connected before this one are then accepted, too.
        let before = self.clients.accepted.load(Ordering::SeqCst);
        drop(TcpStream::connect(&self.address).expect("the proxy listens"));
        let wait = Wait::until("one client is left");
        while self.clients.accepted.load(Ordering::SeqCst) <= before
            || self.clients.served.load(Ordering::SeqCst) > 1
        {
            wait.check();
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A URL of the server, through this connection.
    ///
    /// # Panics
    /// The URL has no user and host.
    pub fn url(&self, server: &str) -> String {
        url::through(server, &self.address).expect("a URL with a user and a host").1
    }
}

/// Connects to the server and passes the login of the first client on.
fn first(client: TcpStream, server: &str, clients: &Arc<Clients>) -> io::Result<Arc<Backend>> {
    let mut server = TcpStream::connect(server)?;
    let greeting = packet(&mut server)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    (&client).write_all(&greeting)?;
    let backend = Arc::new(Backend {
        server: server.try_clone()?,
        greeting,
        reader: Mutex::new(Some(client.try_clone()?)),
        heard: Mutex::default(),
        ending: Mutex::default(),
    });
    let answers = Arc::clone(&backend);
    std::thread::spawn(move || {
        let mut bytes = [0; 65_536];
        while let Ok(count @ 1..) = server.read(&mut bytes) {
            match lock(&answers.reader).as_ref() {
                // If it is gone, nobody reads the answer.
                Some(mut client) => _ = client.write_all(&bytes[..count]),
                None => lock(&answers.heard).bytes.extend_from_slice(&bytes[..count]),
            }
        }
        lock(&answers.heard).is_closed = true;
    });
    serve(client, Arc::clone(&backend), clients);
    Ok(backend)
}

/// Answers the login of another client.
fn next(mut client: TcpStream, backend: &Arc<Backend>, clients: &Arc<Clients>) -> io::Result<()> {
    // The client may be one that has just disconnected.
    std::thread::sleep(SHORT);
    drop(lock(&backend.ending));
    client.write_all(&backend.greeting)?;
    if packet(&mut client)?.is_none() {
        return Ok(());
    }
    let method = b"caching_sha2_password";
    let caches = backend.greeting.windows(method.len()).any(|part| part == method);
    client.write_all(if caches { &KNOWN_AND_OK } else { &OK })?;
    serve(client, Arc::clone(backend), clients);
    Ok(())
}

/// Passes the commands of a client on until it disconnects.
fn serve(mut client: TcpStream, backend: Arc<Backend>, clients: &Arc<Clients>) {
    clients.served.fetch_add(1, Ordering::SeqCst);
    let clients = Arc::clone(clients);
    std::thread::spawn(move || {
        let mut server = &backend.server;
        while let Ok(Some(command)) = packet(&mut client) {
            if command.get(HEADER..) == Some(COM_QUIT) {
                break;
            }
            // It has no answer, and may arrive when another client already waits for one.
            let has_answer = command.get(HEADER) != Some(&COM_STMT_CLOSE);
            if let Some(reader) = client.try_clone().ok().filter(|_| has_answer) {
                *lock(&backend.reader) = Some(reader);
            }
            if server.write_all(&command).is_err() {
                break;
            }
        }
        let ending = lock(&backend.ending);
        *lock(&backend.reader) = None;
        let mark = format!("the end of client {}", clients.ended.fetch_add(1, Ordering::SeqCst));
        let select = format!("SELECT '{mark}.' AS a");
        if server.write_all(&[query("ROLLBACK"), query(&select)].concat()).is_ok() {
            backend.until_it_says(&format!("{mark}."));
        }
        drop(ending);
        let _ = client.shutdown(std::net::Shutdown::Both);
        clients.served.fetch_sub(1, Ordering::SeqCst);
    });
}

impl Backend {
    /// Waits until the server has answered everything before a text, and the statement that selects the text, so that no answer to one client
    /// reaches another.
    fn until_it_says(&self, text: &str) {
        let wait = Wait::until(format!("the server says {text:?}"));
        loop {
            let heard = lock(&self.heard);
            // Another client may end at the same time, and waits for its own text.
            let is_said = heard.bytes.windows(text.len()).any(|part| part == text.as_bytes());
            if is_said || heard.is_closed {
                break;
            }
            drop(heard);
            wait.check();
            std::thread::sleep(Duration::from_millis(10));
        }
        // The end of the answer follows at once.
        std::thread::sleep(SILENCE);
    }
}

/// The packet of a statement.
fn query(sql: &str) -> Vec<u8> {
    let length = sql.len() + 1;
    let mut packet = vec![length as u8, (length >> 8) as u8, 0, 0, COM_QUERY];
    packet.extend_from_slice(sql.as_bytes());
    packet
}

/// A packet with its header; `None` at the end of the stream.
pub(crate) fn packet(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; HEADER];
    if let Err(error) = stream.read_exact(&mut bytes) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let length = usize::from(bytes[0]) | usize::from(bytes[1]) << 8 | usize::from(bytes[2]) << 16;
    bytes.resize(HEADER + length, 0);
    stream.read_exact(&mut bytes[HEADER..])?;
    Ok(Some(bytes))
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
