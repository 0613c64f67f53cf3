//! Turns the figures of the candidates into sentences.

use super::amounts::{bytes, per_1k, pool, rate, whole};
use super::candidates::{Compared, conclude, is_made_by_server};
use super::{Candidate, hold_out};
use crate::forecast::Load;

/// Why this strategy is recommended; the strongest reason first.
pub fn reasons(
    best: &Candidate,
    from_server: Option<&Candidate>,
    all: &[Candidate],
    load: &Load,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let find = |name: &str| all.iter().find(|candidate| candidate.strategy == name);
    reasons.extend(load.existing.and_then(|(old, _)| stay(best, find(old.name)?)));
    let random = find("v4-binary").or_else(|| find("v4-text36"));
    if let Some(random) = random.filter(|random| random.strategy != best.strategy) {
        let pool = pool(load.server.pool_bytes);
        let size = bytes(random.table_bytes);
        let most = all.iter().max_by(|a, b| a.reads_per_1k.total_cmp(&b.reads_per_1k)).unwrap_or(random);
        reasons.push(if random.reads_per_1k >= 1.0 {
            format!(
                "Random UUIDs spread inserts over the whole table, {size} with a pool of {pool}: 1,000 inserts read {} \
                 pages from the disk. With {} they read {}.",
                per_1k(random.reads_per_1k),
                best.strategy,
                per_1k(best.reads_per_1k)
            )
        } else if most.reads_per_1k >= 1.0 {
            format!(
                "With random UUIDs of 16 bytes the table ends at {size}, and its pages stay in the pool of {pool}: random UUIDs \
                 of 16 bytes read {} pages per 1,000 inserts, and {} reads {}.",
                per_1k(random.reads_per_1k),
                most.strategy,
                per_1k(most.reads_per_1k)
            )
        } else {
            format!(
                "The table ends at {size} even with random UUIDs, and fits in the pool of {pool}: no key causes \
                 reads. Beyond {pool} that changes."
            )
        });
        reasons.push(format!(
            "At {} inserts per second, the device does {} page reads and writes per second for {}, and {} \
             for random UUIDs.",
            rate(load.rate),
            whole(best.device_pages_per_sec),
            best.strategy,
            whole(random.device_pages_per_sec)
        ));
        if let Some(iops) =
            load.server.device_iops.filter(|iops| random.device_pages_per_sec > f64::from(*iops))
        {
            reasons.push(format!(
                "A device with {iops} reads and writes per second sustains about {} inserts per second of random UUIDs.",
                whole(random.rate_at(iops))
            ));
        }
        if load.existing.is_none() {
            reasons.push(format!(
                "Its pages are {:.0} % full, those of random UUIDs {:.0} %: {} instead of {} at the end.",
                100.0 * best.fill,
                100.0 * random.fill,
                bytes(best.table_bytes),
                bytes(random.table_bytes)
            ));
        }
    }
    // Who makes the ids is another question.
    let alike = |other: &&Candidate| is_made_by_server(other.strategy) == is_made_by_server(best.strategy);
    let others = all.iter().filter(alike).filter(|other| other.strategy != best.strategy);
    if let Some(next) = others.reduce(|next, other| if other.is_cheaper_than(next) { other } else { next }) {
        let equal = if best.is_cheaper_than(next) {
            ""
        } else {
            ": the difference is too small, so the simpler one is recommended"
        };
        reasons.push(format!(
            "The second choice is {}, with {} page reads and writes per second and {} at the end{equal}.",
            next.strategy,
            whole(next.device_pages_per_sec),
            bytes(next.table_bytes)
        ));
    }
    let from_server = from_server.map(|one| (one.strategy, one.table_bytes));
    conclude(&mut reasons, (best.strategy, best.table_bytes), from_server, load.existing);
    reasons
}

/// The table with new rows of this kind, and if they stay with the old kind.
fn stay(best: &Candidate, stay: &Candidate) -> Option<String> {
    let of =
        |one: &Candidate| format!("{}, with pages {:.0} % full", bytes(one.table_bytes), 100.0 * one.fill);
    (stay.strategy != best.strategy).then(|| {
        format!(
            "If new rows get {}, the table ends at {}; if they stay with {}, at {}.",
            best.strategy,
            of(best),
            stay.strategy,
            of(stay)
        )
    })
}

/// What the reader should know besides.
pub fn caveats(best: &Candidate, load: &Load) -> Vec<String> {
    let mut caveats = vec![
        "Each secondary index stores the key again for every row; its inserts follow the order of its own columns."
            .into(),
    ];
    caveats.extend(hold_out::sentences());
    if load.existing.is_some() {
        caveats.push(
            "The recorded tables that got another kind of key began with 200,000 rows of version 4. For them, the \
             model's leaf pages are within 2.2 %."
                .into(),
        );
    }
    match best.strategy {
        "v7-binary" | "v7-text36" | "fixed-prefix" | "fixed-text36" if load.existing.is_some() => {
            caveats.push("The id shows to the millisecond when it was made.".into());
        }
        "auto-increment" => caveats.push(
            "Its numbers tell how many rows there are, and only the database can give them: take v7-binary \
             where clients must know the id before the insert."
                .into(),
        ),
        "v7-binary" => caveats.push(
            "The id shows to the millisecond when it was made. If that must not be seen, a keyed prefix hides the date: \
             the interval is chosen below."
                .into(),
        ),
        "minute-ascending" | "minute-random" => caveats.push(
            "Its prefix is a keyed permutation of the minutes: keep the key secret, or the minute can be read from \
             the id."
                .into(),
        ),
        _ => {}
    }
    if let Some(iops) = load.server.device_iops.filter(|iops| best.device_pages_per_sec > f64::from(*iops)) {
        caveats.push(format!(
            "A device with {iops} page reads and writes per second is too slow for {} inserts per second with any of \
             these keys: it sustains about {}.",
            rate(load.rate),
            whole(best.rate_at(iops))
        ));
    }
    if load.rate > 20_000.0 {
        caveats.push(
            "At such a rate the last page of an ascending index may become a point of contention between \
             threads, which the model does not know. Measure it: idgen lab run."
                .into(),
        );
    }
    caveats
}
