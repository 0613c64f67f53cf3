//! One connection through the adversary.

use std::collections::HashMap;
use std::io;

use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::answer::{Outcome, outcomes, packets, prepared};
use super::packet::{append, read, write};
use super::rule::Changed;
use super::state::{Sent, Shared};

/// Capabilities that the adversary does not let the two agree on, because it could not read what they then send:
/// compression of two kinds, TLS, tracked session state, optional metadata, and attributes of statements (MySQL source
/// documentation, "Capabilities Flags").
const HIDDEN: u32 = 1 << 5 | 1 << 11 | 1 << 23 | 1 << 25 | 1 << 26 | 1 << 27;
const DEPRECATE_EOF: u32 = 1 << 24;

/// The commands of a client that it reads.
const QUIT: u8 = 1;
const QUERY: u8 = 3;
const PREPARE: u8 = 22;
const EXECUTE: u8 = 23;
const LONG_DATA: u8 = 24;
const CLOSE_STATEMENT: u8 = 25;

struct Relay<'a> {
    from_client: OwnedReadHalf,
    to_client: OwnedWriteHalf,
    from_server: BufReader<OwnedReadHalf>,
    to_server: OwnedWriteHalf,
    shared: &'a Shared,
    deprecate_eof: bool,
    /// The texts of prepared statements.
    texts: HashMap<u32, String>,
}

/// Serves a client until one side closes its connection, or a rule does.
pub(super) async fn serve(client: TcpStream, server: TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let from_server = BufReader::new(from_server);
    let (deprecate_eof, texts) = (false, HashMap::new());
    let mut relay = Relay { from_client, to_client, from_server, to_server, shared, deprecate_eof, texts };
    if relay.log_in().await? {
        while relay.command().await? {}
    }
    Ok(())
}

impl Relay<'_> {
    /// Passes everything on until the server has accepted the client; false if it has not.
    async fn log_in(&mut self) -> io::Result<bool> {
        let (mut greeting, sequence) = read(&mut self.from_server).await?;
        hide(&mut greeting);
        write(&mut self.to_client, &greeting, sequence).await?;
        if greeting.first() != Some(&10) {
            return Ok(false);
        }
        let (response, sequence) = read(&mut self.from_client).await?;
        let flags = response.get(..4).and_then(|flags| flags.try_into().ok()).map(u32::from_le_bytes);
        self.deprecate_eof = flags.unwrap_or_default() & DEPRECATE_EOF != 0;
        write(&mut self.to_server, &response, sequence).await?;
        loop {
            let (answer, sequence) = read(&mut self.from_server).await?;
            write(&mut self.to_client, &answer, sequence).await?;
            match answer[..] {
                [0, ..] => return Ok(true),
                [0xff, ..] => return Ok(false),
                // The password was right, and the server says OK next.
                [1, 3] => {}
                _ => {
                    let (response, sequence) = read(&mut self.from_client).await?;
                    write(&mut self.to_server, &response, sequence).await?;
                }
            }
        }
    }

    /// Passes on one command and its answer; false where the connection ends.
    async fn command(&mut self) -> io::Result<bool> {
        let (command, _) = read(&mut self.from_client).await?;
        let text = String::from_utf8_lossy(command.get(1..).unwrap_or_default()).into_owned();
        let number = command.get(1..5).map_or(0, |id| u32::from_le_bytes(id.try_into().unwrap_or_default()));
        let classes = match command.first() {
            Some(&QUIT) | None => return Ok(false),
            Some(&(LONG_DATA | CLOSE_STATEMENT)) => {
                write(&mut self.to_server, &command, 0).await?;
                return Ok(true);
            }
            Some(&QUERY) => self.shared.classes(&text),
            Some(&PREPARE) => vec![format!("prepare {}", self.shared.classes(&text).join("; "))],
            Some(&EXECUTE) => vec![format!("execute {}", self.texts.get(&number).map_or("", String::as_str))],
            Some(other) => vec![format!("command {other}")],
        };
        let Some(sent) = self.shared.send(classes) else { return Ok(false) };
        write(&mut self.to_server, &command, 0).await?;
        if command.first() == Some(&PREPARE) {
            return self.answer_to_preparation(&sent, self.shared.classes(&text).join("; ")).await;
        }
        let answer = outcomes(&mut self.from_server, self.deprecate_eof);
        let Some(answer) = while_there(&mut self.from_client, answer).await? else { return Ok(false) };
        self.pass_on(&sent, answer).await
    }

    /// Passes on the results of statements, changed where a rule says so.
    async fn pass_on(&mut self, sent: &[Sent], answer: Vec<Outcome>) -> io::Result<bool> {
        let count = answer.len();
        let mut results = Vec::with_capacity(count);
        let mut end = None;
        for (at, outcome) in answer.into_iter().enumerate() {
            let changed = sent.get(at).and_then(|statement| self.shared.receive(statement, &outcome));
            let failed =
                end.is_some() || results.last().is_some_and(|last| matches!(last, Outcome::Error(_)));
            match changed {
                // The client gets nothing after an error. What follows is recorded all the same.
                _ if failed => {}
                None => results.push(outcome),
                Some(Changed::Into(mut other)) => {
                    other.set_more(at + 1 < count);
                    results.push(other);
                }
                Some(other) => end = Some(other),
            }
        }
        self.to_client.write_all(&packets(&results)).await?;
        self.end(end).await
    }

    /// Passes on the answer to the preparation of a statement: as it is, replaced by an error, or not at all.
    async fn answer_to_preparation(&mut self, sent: &[Sent], text: String) -> io::Result<bool> {
        let answer = prepared(&mut self.from_server, self.deprecate_eof);
        let Some((number, mut payloads)) = while_there(&mut self.from_client, answer).await? else {
            return Ok(false);
        };
        let outcome = match number {
            Some(_) => Outcome::done(0),
            None => Outcome::Error(payloads[0].clone()),
        };
        match sent.first().and_then(|statement| self.shared.receive(statement, &outcome)) {
            Some(Changed::Into(Outcome::Error(error))) => payloads = vec![error],
            // Other changes of its numbers would only break the protocol.
            Some(Changed::Into(_)) => {}
            Some(end) => return self.end(Some(end)).await,
            None => {}
        }
        if let Some(number) = number {
            self.texts.insert(number, text);
        }
        let (mut bytes, mut sequence) = (Vec::new(), 1);
        payloads.iter().for_each(|payload| append(&mut bytes, payload, &mut sequence));
        self.to_client.write_all(&bytes).await?;
        Ok(true)
    }

    async fn end(&mut self, end: Option<Changed>) -> io::Result<bool> {
        match end {
            None => Ok(true),
            Some(Changed::Silent) => {
                gone(&mut self.from_client).await;
                Ok(false)
            }
            Some(_) => Ok(false),
        }
    }
}

/// Waits for the server while the client is there.
async fn while_there<T>(
    client: &mut OwnedReadHalf,
    answer: impl Future<Output = io::Result<T>>,
) -> io::Result<Option<T>> {
    tokio::select! {
        answer = answer => answer.map(Some),
        () = gone(client) => Ok(None),
    }
}

/// Returns when the client has closed its connection.
async fn gone(client: &mut OwnedReadHalf) {
    // If there is something, it has sent its next command already, and is there.
    if let Ok(1..) = client.peek(&mut [0]).await {
        std::future::pending().await
    }
}

/// Takes capabilities out of a server's greeting (MySQL source documentation, "Protocol::HandshakeV10").
fn hide(greeting: &mut [u8]) {
    // The version of the protocol, and the server's version with a zero byte at its end.
    let Some(end) = greeting.iter().skip(1).position(|byte| *byte == 0) else { return };
    // The number of the connection, eight bytes of the challenge, and a filler.
    let low = 1 + end + 1 + 4 + 8 + 1;
    // The character set and the status.
    let high = low + 2 + 3;
    // The length of the challenge, and reserved bytes of which MariaDB uses the last four for more capabilities.
    let reserved = high + 2 + 1;
    if greeting.len() < reserved + 10 {
        return;
    }
    let [hidden_0, hidden_1, hidden_2, hidden_3] = HIDDEN.to_le_bytes();
    greeting[low] &= !hidden_0;
    greeting[low + 1] &= !hidden_1;
    greeting[high] &= !hidden_2;
    greeting[high + 1] &= !hidden_3;
    greeting[reserved..reserved + 10].fill(0);
}
