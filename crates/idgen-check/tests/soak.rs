//! Looks for the sources of ids of a secure generator: any that is found is a false alarm. A long run is continued where it was stopped:
//! IDGEN_CHECK_STATE names a file that keeps how far it came.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use idgen::Timestamp;
use idgen_check::predict;
use serde::{Deserialize, Serialize};

/// Lists of these sizes begin each round: the fewest ids from which some source follows, and numbers between.
const SMALL: [usize; 22] =
    [2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 80, 99, 100, 150, 168, 250, 400, 4_000];
/// Lists of as many ids as are looked at follow. These cost little more than others.
const LARGE: usize = 16_384;
const ROUND: u64 = 200;
/// In every so many rounds, seeds are tried too. The time is always the same, so that a list can be checked again.
const WITH_SEEDS: u64 = 4;
const NOW: i64 = 1_795_849_835;
/// A run that is killed loses as much at most.
const SAVED_EVERY: Duration = Duration::from_secs(30);

/// The lists that a run has checked so far, and what was found. A run that is started again continues after them.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// The ids of list `n` follow from the seed and `n`.
    seed: [u8; 32],
    lists: u64,
    /// Version 4 ids in these lists, and as many ULIDs.
    ids: u64,
    /// Lists of fewer than `LARGE` ids.
    small_lists: u64,
    /// Lists of which seeds were tried too.
    with_seeds: u64,
    processor_seconds: f64,
    /// The lists that raised a false alarm, and what was reported.
    alarms: Vec<(u64, String)>,
}

impl State {
    fn read(path: Option<&Path>) -> State {
        if let Some(text) = path.and_then(|path| std::fs::read_to_string(path).ok()) {
            return serde_json::from_str(&text).unwrap();
        }
        let mut seed = [0; 32];
        seed.chunks_mut(16).for_each(|part| part.copy_from_slice(idgen::v4().as_bytes()));
        let (lists, ids, small_lists, with_seeds) = (0, 0, 0, 0);
        State { seed, lists, ids, small_lists, with_seeds, processor_seconds: 0.0, alarms: Vec::new() }
    }

    /// Replaces the file in one step, so that it is complete at any time.
    fn write(&self, path: Option<&Path>) {
        let Some(path) = path else { return };
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_string_pretty(self).unwrap()).unwrap();
        std::fs::rename(new, path).unwrap();
    }
}

/// The number of ids of a list, and whether seeds are tried.
fn list(number: u64) -> (usize, bool) {
    let size = SMALL.get((number % ROUND) as usize).copied().unwrap_or(LARGE);
    (size, (number / ROUND).is_multiple_of(WITH_SEEDS))
}

/// The random bits of a list.
fn random(seed: [u8; 32], number: u64) -> ChaCha12Rng {
    let mut random = ChaCha12Rng::from_seed(seed);
    random.set_stream(number);
    random
}

fn v4(random: &mut ChaCha12Rng) -> u128 {
    let bits = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
    bits & !(0xF << 76 | 0b11 << 62) | 0x4 << 76 | 0b10 << 62
}

/// A ULID of one millisecond.
fn ulid(random: &mut ChaCha12Rng) -> u128 {
    let bits = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
    (NOW as u128 * 1_000) << 80 | bits >> 48
}

/// Processor time of all threads of this process, in seconds, where the system says it as Linux does: in hundredths of a second.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// No false alarm in as many ids as the environment variable IDGEN_CHECK_IDS says, of version 4 and as ULIDs each.
#[test]
fn secure_ids_raise_no_alarm() {
    let most: u64 =
        std::env::var("IDGEN_CHECK_IDS").ok().map_or(9, |ids| ids.replace('_', "").parse().unwrap());
    let path = std::env::var_os("IDGEN_CHECK_STATE").map(PathBuf::from);
    let mut state = State::read(path.as_deref());
    let (mut saved, before) = (Instant::now(), state.processor_seconds - processor_seconds());
    while state.ids < most && state.alarms.is_empty() {
        let (size, is_seeded) = list(state.lists);
        let now = is_seeded.then(|| Timestamp::from_unix_secs(NOW));
        let mut random = random(state.seed, state.lists);
        let ids: Vec<_> = (0..size).map(|_| v4(&mut random)).collect();
        let ulids: Vec<_> = (0..size).map(|_| ulid(&mut random)).collect();
        let found = [predict(&ids, false, now, 1), predict(&ulids, true, now, 1)].concat();
        if !found.is_empty() {
            state.alarms.push((state.lists, format!("{found:?}")));
        }
        state.lists += 1;
        state.ids += size as u64;
        state.small_lists += u64::from(size < LARGE);
        state.with_seeds += u64::from(is_seeded);
        state.processor_seconds = before + processor_seconds();
        if saved.elapsed() >= SAVED_EVERY {
            state.write(path.as_deref());
            println!(
                "{} of {most} ids in {} lists, {:.0} s",
                state.ids, state.lists, state.processor_seconds
            );
            saved = Instant::now();
        }
    }
    state.write(path.as_deref());
    assert!(state.alarms.is_empty(), "{state:?}");
    println!("no alarm: {state:?}");
}

/// A run that was stopped continues with the list that it did not check, and an alarm is not forgotten.
#[test]
fn a_run_continues_where_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let mut state = State::read(Some(&path));
    state.lists = 23;
    state.alarms.push((22, "found".into()));
    state.write(Some(&path));
    let again = State::read(Some(&path));
    assert_eq!((again.seed, again.lists, again.alarms), (state.seed, 23, state.alarms));
    assert_ne!(State::read(None).seed, state.seed);

    // Each list has ids of its own, which are the same each time.
    let first = |list| v4(&mut random(state.seed, list));
    assert!(first(1) == first(1) && first(1) != first(2));
    assert_eq!(idgen::Uuid::from_u128(first(1)).get_version_num(), 4);
    let sizes: Vec<_> = (0..ROUND).map(|number| list(number).0).collect();
    assert!(sizes.starts_with(&SMALL) && sizes.ends_with(&[LARGE]));
}
