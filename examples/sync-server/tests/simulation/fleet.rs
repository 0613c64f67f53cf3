//! Devices and the people who use them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use idgen::Timestamp;
use idgen::generator::{DeviceShort, Generate, V7};
use idgen::source::{Clock, ClockPolicy, Csprng, FixedClock};
use idgen_mysql::{DeviceLeases, Lease};
use idgen_sync_server::device::{Device, Reply};
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::checker::Journal;
use crate::process::TOKEN;
use crate::servers::Servers;

/// A device, and its user.
pub struct Person {
    pub uuid: Uuid,
    /// Its leased number, whatever answers were lost.
    pub lease: Lease,
    pub restored: bool,
    /// How often it makes rows from now on.
    visits: usize,
    device: Option<Device>,
    path: PathBuf,
    /// The visits that are left when it makes a backup.
    backup_at: Option<usize>,
    /// The clock of the device, by which it makes keys and numbers. It is set back now and then.
    clock: Arc<FixedClock>,
    codes: DeviceShort<Arc<FixedClock>>,
}

impl Person {
    fn new(path: PathBuf, lease: Lease, uuid: Uuid, visits: usize, backup_at: Option<usize>) -> Person {
        let clock = Arc::new(FixedClock::new(SystemTime::now().into()));
        let policy = ClockPolicy::DEFAULT.with_tolerance(Duration::from_secs(10_000));
        let codes = DeviceShort::new(clock.clone(), Csprng::new().unwrap()).unwrap();
        let codes = codes.with_policy(policy).with_lease(lease.grant());
        let (device, restored) = (None, false);
        let mut person = Person { uuid, lease, restored, visits, device, path, backup_at, clock, codes };
        person.open();
        person
    }

    pub fn device(&self) -> &Device {
        self.device.as_ref().unwrap()
    }

    fn open(&mut self) {
        let mut keys = V7::new(self.clock.clone(), Csprng::new().unwrap());
        let device = Device::open(&self.path).unwrap().with_keys(move || keys.next_id().unwrap());
        // What SQLite does after a power failure is not part of this simulation.
        device.database().execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON").unwrap();
        self.device = Some(device);
    }

    /// Makes rows, and sends some. Returns true if changes are left.
    pub fn visit(&mut self, random: &mut fastrand::Rng, servers: &Servers, journal: &Journal) -> bool {
        if self.visits > 0 {
            self.visits -= 1;
            // Time passes, or the clock is set back by up to ten minutes.
            let now = self.clock.now().unix_secs() + random.i64(-600..700);
            let true_time = Timestamp::from(SystemTime::now()).unix_secs();
            self.clock.set(Timestamp::from_unix_secs(now.clamp(true_time - 3_600, true_time + 3_600)));
            self.make(random);
        }
        self.send(random, servers, journal, 2)
    }

    /// The keys of some items.
    fn items(&self, count: usize) -> Vec<Uuid> {
        let statement = format!("SELECT id FROM items ORDER BY RANDOM() LIMIT {count}");
        let mut statement = self.device().database().prepare(&statement).unwrap();
        let keys = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        keys.map(|key| key.unwrap().parse().unwrap()).collect()
    }

    /// Makes rows, and changes older ones.
    fn make(&mut self, random: &mut fastrand::Rng) {
        let older = self.items(5);
        let device = self.device.as_mut().unwrap();
        for item in older {
            device.rename(item, &format!("renamed {}", random.u64(..))).unwrap();
        }
        let list = device.add_list("a list").unwrap();
        for at in 0..6 {
            let item = device.add_item(list, &format!("item {at}")).unwrap();
            if random.bool() {
                device.check_off(item).unwrap();
            }
            if at % 2 == 0 {
                let note = device.add_note(item, self.codes.next_id().unwrap().into()).unwrap();
                match random.u8(..6) {
                    0 => device.delete("notes", note).unwrap(),
                    1 => {
                        device.delete("notes", note).unwrap();
                        device.delete("items", item).unwrap();
                    }
                    _ => {}
                }
            }
        }
    }

    /// Sends batches that are cut anew each time, in any order, to either server. Returns true if changes are left.
    fn send(
        &mut self,
        random: &mut fastrand::Rng,
        servers: &Servers,
        journal: &Journal,
        batches: usize,
    ) -> bool {
        let device = self.device.as_mut().unwrap();
        for _ in 0..batches {
            let mut batch = device.next_batch(random.usize(300..20_000)).unwrap();
            if batch.is_empty() {
                let (pending, _) = device.left().unwrap();
                // What waits for a row of another device is sent later.
                return device.retry().unwrap() > 0 || pending > 0;
            }
            random.shuffle(&mut batch);
            batch.truncate(random.usize(batch.len() / 2..=batch.len()).max(1));
            journal.sends(&batch);
            let mut answers = Vec::new();
            let at = random.usize(..2);
            // One batch in eight is sent twice, to both servers.
            for at in [at, 1 - at].into_iter().take(if random.u8(..8) == 0 { 2 } else { 1 }) {
                match device.post(&servers.url(at), TOKEN, &batch) {
                    Ok(Reply::Answer(answer)) => answers.push(answer),
                    Ok(Reply::TooLarge(limits)) => panic!("{limits:?}"),
                    // The server was killed, or has no database.
                    Ok(Reply::Unavailable { .. }) | Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
            // One answer in eight is lost.
            answers.retain(|_| random.u8(..8) > 0);
            for answer in answers {
                journal.answers(&batch, &answer);
                device.record(&batch, &answer).unwrap();
            }
        }
        let (pending, refused) = device.left().unwrap();
        pending > 0 || !refused.is_empty()
    }

    /// Half of the devices make a backup of their database, and are restored from it much later. Returns true if the device was
    /// restored now. Its lease and the state of its generator are not part of the backup, as docs/sync.md says.
    pub fn restore(&mut self) -> bool {
        let backup = self.path.with_extension("backup");
        let (from, to) = match self.backup_at {
            Some(at) if at == self.visits => (&self.path, &backup),
            Some(at) if at / 2 == self.visits && !self.restored => (&backup, &self.path),
            _ => return false,
        };
        self.device = None;
        std::fs::copy(from, to).unwrap();
        self.restored = from == &backup;
        self.open();
        self.restored
    }
}

/// All devices. Each is used by one thread at a time.
pub struct Fleet {
    waiting: Mutex<VecDeque<Person>>,
    /// Devices that have sent everything.
    ready: Mutex<Vec<Person>>,
    visits: usize,
    done: AtomicUsize,
}

impl Fleet {
    pub fn new(
        devices: usize,
        visits: usize,
        folder: &Path,
        leases: &DeviceLeases,
        handle: &Handle,
    ) -> Fleet {
        let person = |at: usize| {
            let uuid = idgen::v4();
            let lease = handle.block_on(leases.lease(uuid)).unwrap();
            // A device that has lost the answer asks again.
            assert_eq!(handle.block_on(leases.lease(uuid)).unwrap().number(), lease.number());
            let backup_at = (at % 2 == 1).then_some(visits * 2 / 3);
            Person::new(folder.join(format!("{at}.sqlite")), lease, uuid, visits, backup_at)
        };
        let waiting = Mutex::new((0..devices).map(person).collect());
        Fleet { waiting, ready: Mutex::default(), visits: devices * visits, done: AtomicUsize::new(0) }
    }

    /// How often the devices make rows in all.
    pub fn visits(&self) -> usize {
        self.visits
    }

    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// A device that has something to do. `None` if there is none, except perhaps in the hands of another thread.
    pub fn take(&self) -> Option<Person> {
        let person = self.waiting.lock().unwrap().pop_front()?;
        self.done.fetch_add(usize::from(person.visits > 0), Ordering::Relaxed);
        Some(person)
    }

    pub fn put_back(&self, person: Person, left: bool) {
        if left || person.visits > 0 {
            self.waiting.lock().unwrap().push_back(person);
        } else {
            self.ready.lock().unwrap().push(person);
        }
    }

    pub fn into_people(self) -> Vec<Person> {
        self.ready.into_inner().unwrap()
    }
}
