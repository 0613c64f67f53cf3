//! Stores what was acknowledged to a client in a file that remains when the client is killed.
//!
//! All records have the same length, and each is written by one call, so a kill truncates at most the last one.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Uuid;

/// The last event of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was acknowledged; its UUID is never forgotten, and all clients ask for it.
    Shared,
    /// It was acknowledged. Only this client asks for its UUID, and may forget it.
    Own,
    /// The client is about to forget it.
    Forgetting,
    /// It was forgotten.
    Forgotten,
}

const EVENTS: [Event; 4] = [Event::Shared, Event::Own, Event::Forgetting, Event::Forgotten];

#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub event: Event,
    pub uuid: Uuid,
    pub id: u64,
    /// When it was acknowledged, in milliseconds since 1970.
    pub at: u64,
}

const LENGTH: usize = 33;

/// The milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// The files of a client: its records, and a file with one byte per answered call.
pub struct Recorder {
    records: Mutex<File>,
    calls: Mutex<File>,
}

impl Recorder {
    /// Continues after the records of a client that was killed.
    pub fn open(path: &Path) -> Recorder {
        let open = |path: &Path| File::options().create(true).append(true).open(path).unwrap();
        let records = open(path);
        let whole = records.metadata().unwrap().len() / LENGTH as u64 * LENGTH as u64;
        records.set_len(whole).unwrap();
        Recorder { records: Mutex::new(records), calls: Mutex::new(open(&path.with_extension("calls"))) }
    }

    /// Records a call that was answered, whatever the answer was.
    pub fn call(&self) {
        self.calls.lock().unwrap().write_all(&[0]).unwrap();
    }

    pub fn write(&self, event: Event, pairs: &[(Uuid, u64)]) {
        let (mut bytes, now) = (Vec::with_capacity(pairs.len() * LENGTH), now());
        for (uuid, id) in pairs {
            bytes.push(event as u8);
            bytes.extend_from_slice(uuid.as_bytes());
            bytes.extend_from_slice(&id.to_le_bytes());
            bytes.extend_from_slice(&now.to_le_bytes());
        }
        self.records.lock().unwrap().write_all(&bytes).unwrap();
    }
}

/// The number of records in a file.
pub fn count(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |data| data.len() / LENGTH as u64)
}

/// The number of calls in a client's file.
pub fn calls(path: &Path) -> u64 {
    std::fs::metadata(path.with_extension("calls")).map_or(0, |data| data.len())
}

/// All records, in their order.
pub fn read(path: &Path, mut each: impl FnMut(Record)) {
    let mut file = std::io::BufReader::new(File::open(path).unwrap());
    let mut bytes = [0; LENGTH];
    while file.read_exact(&mut bytes).is_ok() {
        let uuid = Uuid::from_slice(&bytes[1..17]).unwrap();
        let number = |from: usize| u64::from_le_bytes(bytes[from..from + 8].try_into().unwrap());
        each(Record { event: EVENTS[usize::from(bytes[0])], uuid, id: number(17), at: number(25) });
    }
}
