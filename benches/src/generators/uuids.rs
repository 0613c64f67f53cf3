//! The 128-bit kinds.

use idgen::Uuid;
use idgen::source::{Entropy, OsEntropy};

use super::{batch, one};
use crate::case::{Group, Target};

const NODE: [u8; 6] = [0x9f, 0x6b, 0xde, 0xce, 0xd8, 0x46];

fn version<const N: usize>(id: &Uuid) -> bool {
    id.get_version_num() == N && id.get_variant() == uuid::Variant::RFC4122
}

fn any<T>(_: &T) -> bool {
    true
}

/// What the uuid crate does for each id without its `fast-rng`.
fn by_system_call() -> Uuid {
    let mut bytes = [0; 16];
    OsEntropy.fill(&mut bytes).expect("the system provides randomness");
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

fn in_a_loop(make: fn() -> Uuid) -> impl Fn(&mut [Uuid]) + Clone {
    move |ids: &mut [Uuid]| ids.iter_mut().for_each(|id| *id = make())
}

pub(super) fn groups() -> Vec<Group> {
    let target = |ours, peer, times| Target { ours, peer, times };
    let v4 = Group {
        name: "v4",
        cases: vec![
            one("idgen v4", idgen::v4, version::<4>),
            one("idgen week-prefixed, random tail", idgen::week, version::<4>),
            one("uuid, fast-rng", Uuid::new_v4, version::<4>),
            one("uuid, default (a system call)", by_system_call, version::<4>),
            one("uuid7, v4", || u128::from(uuid7::uuid4()), any),
        ],
        targets: vec![
            target("idgen v4", "uuid, fast-rng", 4.0),
            target("idgen week-prefixed, random tail", "idgen v4", 1.0),
        ],
    };
    let v4_batch = Group {
        name: "v4 batch",
        cases: vec![
            batch("idgen v4", idgen::fill_v4, version::<4>),
            batch("idgen week-prefixed, random tail", idgen::fill_week, version::<4>),
            batch("uuid, fast-rng, in a loop", in_a_loop(Uuid::new_v4), version::<4>),
        ],
        targets: vec![
            target("idgen v4", "uuid, fast-rng, in a loop", 5.0),
            target("idgen week-prefixed, random tail", "idgen v4", 1.0),
        ],
    };
    let v7 = Group {
        name: "v7, ULID",
        cases: vec![
            one("idgen v7", idgen::v7, version::<7>),
            one("idgen ULID", idgen::ulid, any),
            one("idgen prefixed, ascending tail", idgen::prefixed, version::<8>),
            one("uuid v7, fast-rng", Uuid::now_v7, version::<7>),
            one("uuid7 v7", || u128::from(uuid7::uuid7()), any),
            one("ulid (not monotonic)", || u128::from(ulid::Ulid::generate()), any),
            one("rusty_ulid (not monotonic)", || u128::from(rusty_ulid::Ulid::generate()), any),
            one(
                "ferroid ULID (a clock thread; adds one)",
                || {
                    ferroid::generator::thread_local::Ulid::new_ulid_mono(|_| std::thread::yield_now())
                        .to_raw()
                },
                any,
            ),
        ],
        targets: vec![
            target("idgen v7", "uuid v7, fast-rng", 5.0),
            target("idgen prefixed, ascending tail", "idgen v7", 1.0),
        ],
    };
    let v7_batch = Group {
        name: "v7, ULID batch",
        cases: vec![
            batch("idgen v7", idgen::fill_v7, version::<7>),
            batch("idgen ULID", idgen::fill_ulid, any),
            batch("idgen prefixed, ascending tail", idgen::fill_prefixed, version::<8>),
            batch("uuid v7, fast-rng, in a loop", in_a_loop(Uuid::now_v7), version::<7>),
        ],
        targets: vec![
            target("idgen v7", "uuid v7, fast-rng, in a loop", 100.0),
            target("idgen prefixed, ascending tail", "idgen v7", 1.0),
        ],
    };
    let gregorian = Group {
        name: "v1, v6",
        cases: vec![
            one("idgen v1", idgen::v1, version::<1>),
            one("idgen v6", idgen::v6, version::<6>),
            one("uuid v1 (repeats on a clock that stands still)", || Uuid::now_v1(&NODE), version::<1>),
            one("uuid v6 (not always ascending)", || Uuid::now_v6(&NODE), version::<6>),
        ],
        targets: vec![
            target("idgen v1", "uuid v1 (repeats on a clock that stands still)", 3.0),
            target("idgen v6", "uuid v6 (not always ascending)", 3.0),
        ],
    };
    let gregorian_batch = Group {
        name: "v1, v6 batch",
        cases: vec![
            batch("idgen v1", idgen::fill_v1, version::<1>),
            batch("idgen v6", idgen::fill_v6, version::<6>),
        ],
        targets: Vec::new(),
    };
    vec![v4, v4_batch, v7, v7_batch, gregorian, gregorian_batch]
}
