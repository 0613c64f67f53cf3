//! What a program does with the library where the system has a clock and randomness. It fails if an id is wrong.

use std::collections::HashSet;

use idgen::codec::{base64, hyphenated};
use idgen::Uuid;

const COUNT: usize = 20_000;

/// Makes ids of all kinds and checks them; `now` is the time in Unix milliseconds, from another clock than the library's.
pub fn check(now: i64) {
    type Kind = (&'static str, fn() -> Uuid, fn(&mut [Uuid]), bool);
    let kinds: [Kind; 8] = [
        ("v1", idgen::v1, idgen::fill_v1, false),
        ("v4", idgen::v4, idgen::fill_v4, false),
        ("v6", idgen::v6, idgen::fill_v6, true),
        ("v7", idgen::v7, idgen::fill_v7, true),
        ("ulid", idgen::ulid, idgen::fill_ulid, true),
        ("fixed_prefix", idgen::fixed_prefix, idgen::fill_fixed_prefix, true),
        ("week", idgen::week, idgen::fill_week, false),
        ("prefixed", idgen::prefixed, idgen::fill_prefixed, true),
    ];
    let mut seen = HashSet::new();
    for (name, one, many, ascends) in kinds {
        let mut ids: Vec<Uuid> = (0..COUNT).map(|_| one()).collect();
        let mut batch = vec![Uuid::nil(); COUNT];
        many(&mut batch);
        ids.append(&mut batch);
        assert!(!ascends || ids.is_sorted(), "{name} ascends");
        assert!(ids.iter().all(|id| seen.insert(*id)), "{name} does not repeat");
        for id in &ids {
            assert_eq!(hyphenated::decode(&hyphenated::to_string(id)).as_ref(), Ok(id), "{name}");
            assert_eq!(base64::decode(&base64::to_string(id)).as_ref(), Ok(id), "{name}");
        }
        if let Some(at) = idgen::inspect_uuid(ids[0]).timestamp.filter(|_| matches!(name, "v1" | "v6" | "v7")) {
            let distance = (at.unix_millis() - now).abs();
            assert!(distance < 60_000, "{name} is of {at}");
        }
        idgen::reseed();
        assert!(seen.insert(one()), "{name} does not repeat after reseed");
    }
    // More than a second has room for, so one call waits.
    let short: HashSet<_> = (0..65_600).map(|_| idgen::short()).collect();
    assert_eq!(short.len(), 65_600);
    assert!(idgen::mysql_short(3) < idgen::mysql_short(3));
}
