//! An address in front of a server that behaves like a bad node.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

/// The behavior of the proxy. It always accepts connections, and handles statements in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mood {
    Fair,
    /// Refuses statements about the map, like a Galera node that lost the others (error 1047).
    NoMember,
    /// Does not answer statements about the map.
    Silent,
    /// Closes connections, old ones and new ones.
    Gone,
    /// Sends plain reads outside of transactions to a replica that has none of the pairs: the tables `late_map` and
    /// `late_map_state`, whose names have the same length.
    Splits,
    /// Says that its server is a node of the one Galera cluster of all such addresses, with one schema.
    OneCluster,
    /// Finds no pair by its UUID or hash, as with a plan that hides rows. Rows that a statement reads by their ids are found.
    Hides,
}

pub struct Proxy {
    url: String,
    mood: Arc<AtomicU8>,
    commands: Arc<AtomicUsize>,
}

impl Proxy {
    /// A proxy in front of the server with this URL.
    pub async fn start(url: &str) -> Proxy {
        let (before, rest) = url.rsplit_once('@').unwrap();
        let (server, after) = rest.split_once('/').unwrap();
        // The proxy could not read encrypted statements.
        let (schema, _) = after.split_once('?').unwrap();
        let server = server.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{before}@{}/{schema}?ssl-mode=DISABLED", listener.local_addr().unwrap());
        let mood = Arc::new(AtomicU8::new(Mood::Fair as u8));
        let shared = mood.clone();
        let commands = Arc::new(AtomicUsize::new(0));
        let counted = commands.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                if shared.load(Ordering::SeqCst) == Mood::Gone as u8 {
                    continue;
                }
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(serve(client, server, shared.clone(), counted.clone()));
            }
        });
        Proxy { url, mood, commands }
    }

    /// The URL of the same schema at this address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The number of packets that clients have sent: each text, and each other command, takes a round trip.
    pub fn commands(&self) -> usize {
        self.commands.load(Ordering::SeqCst)
    }

    pub fn set(&self, mood: Mood) {
        self.mood.store(mood as u8, Ordering::SeqCst);
    }
}

/// Ends when either side closes its connection.
async fn serve(
    client: TcpStream,
    server: TcpStream,
    mood: Arc<AtomicU8>,
    commands: Arc<AtomicUsize>,
) -> Option<()> {
    let (mut from_client, to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let to_client = Arc::new(Mutex::new(to_client));
    let answers = to_client.clone();
    let back = tokio::spawn(async move {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from_server.read(&mut buffer).await {
            if answers.lock().await.write_all(&buffer[..length]).await.is_err() {
                break;
            }
        }
    });
    let mut in_transaction = false;
    // A packet: three bytes of length, one byte of sequence, and the payload, whose first byte is its kind.
    loop {
        let mut packet = vec![0; 4];
        if from_client.read_exact(&mut packet).await.is_err() {
            break;
        }
        let length = usize::from(packet[0]) | usize::from(packet[1]) << 8 | usize::from(packet[2]) << 16;
        packet.resize(4 + length, 0);
        from_client.read_exact(&mut packet[4..]).await.ok()?;
        commands.fetch_add(1, Ordering::SeqCst);
        let said = |text: &[u8]| packet.windows(text.len()).any(|bytes| bytes == text);
        if said(b"START TRANSACTION") {
            in_transaction = true;
        } else if said(b"COMMIT") || said(b"ROLLBACK") {
            in_transaction = false;
        }
        let reads = [&b"\x03SELECT id, uuid"[..], b"\x03SELECT here.question", b"\x03SELECT 'pair' AS watch"];
        let plain = reads.iter().any(|text| packet[4..].starts_with(text)) && !said(b"LOCK IN SHARE MODE");
        if mood.load(Ordering::SeqCst) == Mood::Splits as u8 && plain && !in_transaction {
            while let Some(at) = packet.windows(8).position(|bytes| bytes == b"uuid_map") {
                packet[at..at + 8].copy_from_slice(b"late_map");
            }
        }
        match mood.load(Ordering::SeqCst) {
            mood if mood == Mood::OneCluster as u8 => packet = of_one_cluster(packet),
            mood if mood == Mood::Hides as u8 => {
                for condition in ["uuid IN (", "hash IN ("] {
                    packet = replaced(packet, condition, &format!("uuid IS NULL AND {condition}"));
                    // A joined table has a name.
                    packet = replaced(packet, "ON pair.uuid IS NULL AND ", "ON pair.id IS NULL AND pair.");
                }
            }
            _ => {}
        }
        let of_the_map = packet.windows(8).any(|bytes| bytes == b"uuid_map");
        let mood = mood.load(Ordering::SeqCst);
        if mood == Mood::Gone as u8 {
            break;
        } else if mood == Mood::Silent as u8 && of_the_map {
            continue;
        } else if mood == Mood::NoMember as u8 && of_the_map {
            let text = b"\xff\x17\x04#08S01WSREP has not yet prepared node for application use";
            let mut answer = vec![text.len() as u8, 0, 0, 1];
            answer.extend_from_slice(text);
            to_client.lock().await.write_all(&answer).await.ok()?;
        } else if to_server.write_all(&packet).await.is_err() {
            break;
        }
    }
    back.abort();
    Some(())
}

/// A statement with another text in the place of each `old` one.
fn replaced(packet: Vec<u8>, old: &str, new: &str) -> Vec<u8> {
    let Some(at) = packet.windows(old.len()).position(|bytes| bytes == old.as_bytes()) else { return packet };
    let mut changed = [&packet[..at], new.as_bytes(), &packet[at + old.len()..]].concat();
    let length = changed.len() - 4;
    for (byte, place) in changed.iter_mut().zip([0, 8, 16]) {
        *byte = (length >> place) as u8;
    }
    changed
}

fn of_one_cluster(packet: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&packet[4..]).into_owned();
    if text.starts_with("\x03SHOW GLOBAL STATUS") && text.contains("'wsrep_cluster_state_uuid'") {
        let same = "\x03SELECT 'wsrep_cluster_state_uuid', '6f3a' UNION SELECT 'wsrep_cluster_conf_id', '2' \
            UNION SELECT 'wsrep_incoming_addresses', 'b,a'";
        return replaced(packet, &text, same);
    }
    let schema = "IF(@@lower_case_table_names, LOWER(DATABASE()), DATABASE())";
    if text.ends_with(schema) { replaced(packet, schema, "'shop'") } else { packet }
}
