//! The 64-bit kinds.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use idgen::generator::{DeviceShort, MysqlShort};
use idgen::source::{Clock, SystemClock};
use idgen::{ShortId, Timestamp};

use super::{batch, one};
use crate::case::{Group, Target};

fn any<T>(_: &T) -> bool {
    true
}

/// Reads the system's clock, but moves on by a second after every 65,536 ids. Otherwise a device generator would
/// wait for the next second most of the time, and the benchmark would measure the wait.
#[derive(Default)]
struct Hurried {
    ahead_secs: AtomicI64,
}

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        self.coarse()
    }

    #[inline]
    fn coarse(&self) -> Timestamp {
        let ahead = self.ahead_secs.load(Ordering::Relaxed) * 10_000_000;
        Timestamp::from_unix_ticks(SystemClock.coarse().unix_ticks() + ahead)
    }

    fn sleep(&self, _: Duration) {
        self.ahead_secs.fetch_add(1, Ordering::Relaxed);
    }
}

fn device() -> Rc<DeviceShort<Hurried>> {
    let entropy = idgen::source::FixedEntropy::new(1);
    Rc::new(DeviceShort::new(Hurried::default(), entropy).expect("a generator"))
}

pub(super) fn groups() -> Vec<Group> {
    let word = Rc::new(AtomicU64::new(1));
    let mysql = Rc::new(MysqlShort::new(SystemClock, 1).expect("a generator"));
    let (shared, many) = (device(), device());
    let (mysql_one, mysql_many) = (mysql.clone(), mysql);
    let snowflake = Rc::new(RefCell::new(snowflaked::Generator::new(1)));
    let worker = Rc::new(fastid::FastIdWorker::new(1));
    let ferroid_clock = ferroid::time::MonotonicClock::<1>::default();
    let ferroid =
        Rc::new(ferroid::generator::AtomicSnowflakeGenerator::<ferroid::id::SnowflakeMastodonId, _>::new(
            0,
            ferroid_clock,
        ));
    let single = Group {
        name: "64-bit, shared by threads",
        cases: vec![
            one(
                "idgen mysql_short",
                move || mysql_one.make().expect("within the server's range"),
                |id: &ShortId| id.mysql().server_id == 1,
            ),
            one("idgen device short", move || shared.make().expect("a time within range"), any),
            one("a bare fetch_add", move || word.fetch_add(1, Ordering::Relaxed), any),
            one(
                "ferroid Atomic (a clock thread; 65,536 a ms)",
                move || ferroid.next_id(|_| std::hint::spin_loop()).to_raw(),
                any,
            ),
            one("snowflaked (one thread; 4,096 a ms)", move || snowflake.borrow_mut().generate::<u64>(), any),
            one("tsid (a lock; 4,096 a ms)", || tsid::create_tsid().number(), any),
            one("fastid (a lock; 16,384 a ms)", move || worker.next_id().as_u64(), any),
        ],
        targets: vec![
            Target { ours: "idgen mysql_short", peer: "a bare fetch_add", times: 1.0 / 1.15 },
            Target { ours: "idgen device short", peer: "a bare fetch_add", times: 1.0 / 1.15 },
        ],
    };
    let batches = Group {
        name: "64-bit batch",
        cases: vec![
            batch(
                "idgen mysql_short",
                move |ids: &mut [ShortId]| mysql_many.make_many(ids).expect("within the server's range"),
                |id| id.mysql().server_id == 1,
            ),
            batch(
                "idgen device short",
                move |ids: &mut [ShortId]| many.make_many(ids).expect("a time within range"),
                any,
            ),
        ],
        targets: Vec::new(),
    };
    vec![single, batches]
}
