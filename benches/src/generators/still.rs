//! Ids on a clock that stands still: the time of a generator without reading the clock.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use idgen::generator::{FixedPrefix, Generate, PrefixBits, Prefixed, Tail, Ulid, V7};
use idgen::source::{Clock, FixedClock, ThreadEntropy};
use idgen::{Interval, Prefix, PrefixKey, Timestamp, Uuid};

use super::{batch, one};
use crate::case::{Case, Group};

/// The names of these groups begin with it: nothing in them depends on the time.
pub(super) const GROUPS: &str = "the clock stands still";

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

fn is_version_8(id: &Uuid) -> bool {
    id.get_version_num() == 8 && id.get_variant() == uuid::Variant::RFC4122
}

fn key() -> PrefixKey {
    PrefixKey::new(b"0123456789abcdef").expect("a secret of 16 bytes")
}

type Shared = Rc<RefCell<dyn Generate<Id = Uuid>>>;

fn prefixed(clock: impl Clock + 'static, prefix: Prefix) -> Shared {
    let ids = Prefixed::new(clock, ThreadEntropy, prefix, Interval::Minute, Tail::Ascending);
    Rc::new(RefCell::new(ids.expect("an interval and a time that fit")))
}

/// A name, the check of an id, and a generator.
type Named = (&'static str, fn(&Uuid) -> bool, Shared);

fn generators() -> [Named; 6] {
    let named = Prefix::Keyed(key().for_writer("a"));
    let fixed = FixedPrefix::new(FixedClock::new(NOON), ThreadEntropy, PrefixBits::ONES);
    let v7 = V7::new(FixedClock::new(NOON), ThreadEntropy);
    let ulid = Ulid::new(FixedClock::new(NOON), ThreadEntropy);
    [
        ("idgen v7", |id| id.get_version_num() == 7, Rc::new(RefCell::new(v7))),
        ("idgen ulid", |id| !id.is_nil(), Rc::new(RefCell::new(ulid))),
        ("idgen sequential", is_version_8, prefixed(FixedClock::new(NOON), Prefix::Sequential { bits: 16 })),
        ("idgen keyed", is_version_8, prefixed(FixedClock::new(NOON), Prefix::Keyed(key()))),
        ("idgen keyed, named writer", is_version_8, prefixed(FixedClock::new(NOON), named)),
        ("idgen fixed prefix", is_version_8, Rc::new(RefCell::new(fixed))),
    ]
}

fn next(ids: &Shared) -> Uuid {
    ids.borrow_mut().next_id().expect("the clock does not go back")
}

fn fill(ids: &Shared, batch: &mut [Uuid]) {
    ids.borrow_mut().fill(batch).expect("the clock does not go back");
}

/// Each batch is of the next minute, so the time includes finding a prefix, divided by 1,024.
fn a_minute_later() -> Case {
    let clock = Arc::new(FixedClock::new(NOON));
    let ids = prefixed(Arc::clone(&clock), Prefix::Keyed(key()));
    let fill = move |batch: &mut [Uuid]| {
        clock.advance(Duration::from_secs(60));
        fill(&ids, batch);
    };
    self::batch("idgen keyed, each batch in a new interval", fill, is_version_8)
}

pub(super) fn groups() -> Vec<Group> {
    let singles = generators().map(|(name, is_right, ids)| one(name, move || next(&ids), is_right));
    let batches =
        generators().map(|(name, is_right, ids)| batch(name, move |batch| fill(&ids, batch), is_right));
    vec![
        Group { name: GROUPS, cases: singles.into(), targets: Vec::new() },
        Group {
            name: "the clock stands still, batch",
            cases: batches.into_iter().chain([a_minute_later()]).collect(),
            targets: Vec::new(),
        },
    ]
}
