//! Devices that make ids offline, fail in all the usual ways, and deliver them later to one map.
//!
//! Each device keeps a state file, has no randomness worth the name (its generator starts from the same seed at
//! every boot), crashes, and has its clock set back. When it is online again it sends its ids in batches, and
//! where an answer is lost it sends a batch once more.
//!
//! ```sh
//! cargo run -p idgen-mysql --example offline_devices -- mysql://root:secret@localhost/test 1000
//! ```

use std::path::Path;
use std::time::Duration;

use idgen::Timestamp;
use idgen::generator::{Generate, V6};
use idgen::source::{ClockPolicy, FileState, FixedClock, FixedEntropy, WhenBehind};
use idgen_mysql::UuidMap;
use uuid::Uuid;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What was made, and what the map answered: one entry for each delivery, also the repeated ones.
pub struct Report {
    /// All ids that all devices made.
    pub made: Vec<Uuid>,
    /// Every acknowledged pair.
    pub delivered: Vec<(Uuid, u64)>,
}

/// Boots a device, makes ids, and stops it without a warning.
fn boot(folder: &Path, device: u64, clock: &FixedClock, count: usize) -> Result<Vec<Uuid>, Failure> {
    // A clock that was set back by up to a day is bridged; more than that is an error, not a repeated id.
    let policy =
        ClockPolicy::DEFAULT.with_tolerance(Duration::from_secs(86_400)).with_when_behind(WhenBehind::Error);
    let path = folder.join(device.to_string());
    let state = FileState::open(&path)?;
    let node = format!("{:012x}", 0x0300_0000_0000 + device).parse()?;
    let mut ids =
        V6::new(clock, FixedEntropy::new(1)).with_node(node).with_policy(policy).with_state(state)?;
    let made = (0..count).map(|_| ids.next_id()).collect::<Result<_, _>>()?;
    // The crash: the file stays as it was written ahead of the ids. To end a generator, which frees the file's
    // lock, saves the exact point: that is undone.
    let saved = std::fs::read(&path)?;
    drop(ids);
    std::fs::write(&path, saved)?;
    Ok(made)
}

/// The whole story of one device: four boots, between which its clock goes forward or back.
fn live(folder: &Path, device: u64) -> Result<Vec<Uuid>, Failure> {
    let mut random = fastrand::Rng::with_seed(device);
    let clock = FixedClock::new(Timestamp::from_unix_secs(1_795_219_200));
    let mut made = Vec::new();
    for _ in 0..4 {
        made.extend(boot(folder, device, &clock, random.usize(1..20))?);
        let now = 1_795_219_200 + random.i64(-3_600..3_600);
        clock.set(Timestamp::from_unix_secs(now));
    }
    Ok(made)
}

/// Lets all devices live, then deliver to the map at `url`, eight at a time.
pub async fn simulate(url: &str, devices: u64) -> Result<Report, Failure> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().to_owned();
    let stories = tokio::task::spawn_blocking(move || {
        (0..devices).map(|device| live(&path, device)).collect::<Result<Vec<_>, Failure>>()
    })
    .await??;
    let made: Vec<Uuid> = stories.iter().flatten().copied().collect();

    let map = UuidMap::builder().cache(0).connect(url).await?;
    map.install().await?;
    let stories = std::sync::Arc::new(std::sync::Mutex::new(stories));
    let senders = (0..8).map(|sender| {
        let (map, stories) = (map.clone(), stories.clone());
        tokio::spawn(async move {
            let mut random = fastrand::Rng::with_seed(sender);
            let mut delivered = Vec::new();
            loop {
                let Some(story) = stories.lock().map_err(|_| "a sender failed")?.pop() else { break };
                for batch in story.chunks(7) {
                    // The answer to one batch in three is lost, and the device sends it again.
                    let sends = if random.u8(0..3) == 0 { 2 } else { 1 };
                    for _ in 0..sends {
                        delivered.extend(batch.iter().copied().zip(map.ids_of(batch).await?));
                    }
                }
            }
            Ok::<_, Failure>(delivered)
        })
    });
    let mut delivered = Vec::new();
    for sender in senders.collect::<Vec<_>>() {
        delivered.extend(sender.await??);
    }
    Ok(Report { made, delivered })
}

#[allow(dead_code, reason = "the tests take this file as a module")]
#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: offline_devices URL [DEVICES]";
    let url = arguments.next().ok_or(usage)?;
    let devices = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let Report { made, delivered } = simulate(&url, devices).await?;
    println!("{devices} devices made {} ids and delivered them {} times", made.len(), delivered.len());
    let ids: std::collections::HashMap<Uuid, u64> = delivered.iter().copied().collect();
    let agreed = delivered.iter().all(|(uuid, id)| ids[uuid] == *id);
    println!("{} UUIDs are in the map, every delivery gave the same id: {agreed}", ids.len());
    Ok(())
}
