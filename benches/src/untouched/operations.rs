//! What is measured in a package of its own: the operations with their targets. The library of the benchmarks
//! compiles this file, too, so that it is checked with the rest.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use idgen::{ShortId, Uuid};

use crate::case::{Case, Group};
use crate::codecs;
use crate::making::{batch, one};
use crate::runner::{self, Effort, Measured};

/// How often each case has its turn, and for how long.
pub const EFFORT: Effort = Effort { rounds: 301, turn: Duration::from_micros(150) };

/// One of our cases, which is compared with the fastest peer of its group.
pub struct Operation {
    /// Its name in the report.
    pub name: &'static str,
    /// The group with the case and its peers.
    pub group: &'static str,
    /// The name of our case.
    pub ours: &'static str,
    /// How many times as long the fastest peer must take.
    pub times: f64,
}

const fn operation(name: &'static str, group: &'static str, ours: &'static str, times: f64) -> Operation {
    Operation { name, group, ours, times }
}

/// All operations, in the order of the report.
pub const OPERATIONS: [Operation; 22] = [
    operation("v4", "v4", "idgen", 4.0),
    operation("v4, batch", "v4", "idgen batch", 10.0),
    operation("v7", "v7", "idgen", 5.0),
    operation("v7, batch", "v7", "idgen batch", 100.0),
    operation("v1", "v1", "idgen", 2.5),
    operation("v6", "v6", "idgen", 2.5),
    operation("mysql_short", "mysql_short", "idgen", 1.0 / 1.1),
    operation("hyphenated format", "hyphenated format", "idgen", 1.0),
    operation("hyphenated format, batch", "hyphenated format", "idgen batch", 1.5),
    operation("hyphenated parse", "hyphenated parse", "idgen", 1.0),
    operation("hyphenated parse, decode_into", "hyphenated parse", "idgen decode_into", 1.0),
    operation("hyphenated parse, batch", "hyphenated parse", "idgen batch", 1.5),
    operation("simple format", "simple format", "idgen", 1.0),
    operation("simple format, batch", "simple format", "idgen batch", 1.5),
    operation("simple parse", "simple parse", "idgen", 1.0),
    operation("simple parse, decode_into", "simple parse", "idgen decode_into", 1.0),
    operation("simple parse, batch", "simple parse", "idgen batch", 1.5),
    operation("base64 encode", "base64 encode", "idgen", 1.5),
    operation("base64 encode, batch", "base64 encode", "idgen batch", 1.5),
    operation("base64 decode", "base64 decode", "idgen", 2.0),
    operation("base64 decode, decode_into", "base64 decode", "idgen decode_into", 2.0),
    operation("base64 decode, batch", "base64 decode", "idgen batch", 2.0),
];

/// Measures all operations, and prints a line for each, separated by tabs: its name, our time, the fastest peer, its
/// time, and a ratio. The ratio is the median over the rounds of how many times as long the peer took.
///
/// # Errors
///
/// A case that gives a wrong result.
pub fn run() -> Result<()> {
    for mut group in groups() {
        let wanted = || OPERATIONS.iter().filter(|operation| operation.group == group.name);
        if wanted().next().is_none() {
            continue;
        }
        let measured = runner::run(&mut group, &EFFORT)?;
        let peers = measured.iter().filter(|row| !row.name.starts_with("idgen"));
        let peer = peers.min_by(|a, b| a.ns.total_cmp(&b.ns)).context("a group without a peer")?;
        for Operation { name, ours, .. } in
            OPERATIONS.iter().filter(|operation| operation.group == group.name)
        {
            let ours = measured.iter().find(|row| row.name == *ours).context("a group without our case")?;
            println!(
                "{name}\t{:.2}\t{}\t{:.2}\t{:.2}",
                ours.ns,
                peer.name,
                peer.ns,
                Measured::median_ratio(peer, ours)
            );
        }
    }
    Ok(())
}

fn groups() -> impl Iterator<Item = Group> {
    let generators = [
        ("v4", generators::<4>(idgen::v4, idgen::fill_v4, "uuid, fast-rng", Uuid::new_v4)),
        ("v7", generators::<7>(idgen::v7, idgen::fill_v7, "uuid, fast-rng", Uuid::now_v7)),
        ("v1", generators::<1>(idgen::v1, idgen::fill_v1, "uuid", || Uuid::now_v1(&NODE))),
        ("v6", generators::<6>(idgen::v6, idgen::fill_v6, "uuid", || Uuid::now_v6(&NODE))),
        ("mysql_short", mysql_short()),
    ];
    let generators = generators.into_iter().map(|(name, cases)| Group { name, cases, targets: Vec::new() });
    generators.chain((codecs::SECTION.groups)())
}

const NODE: [u8; 6] = [0x9f, 0x6b, 0xde, 0xce, 0xd8, 0x46];

fn generators<const VERSION: usize>(
    ours: impl Fn() -> Uuid + Clone + 'static,
    fill: impl Fn(&mut [Uuid]) + Clone + 'static,
    peer: &'static str,
    theirs: impl Fn() -> Uuid + Clone + 'static,
) -> Vec<Case> {
    let is_right = |id: &Uuid| id.get_version_num() == VERSION && id.get_variant() == uuid::Variant::RFC4122;
    vec![one("idgen", ours, is_right), batch("idgen batch", fill, is_right), one(peer, theirs, is_right)]
}

fn mysql_short() -> Vec<Case> {
    // Not in a static: a generator's counter is not where the linker puts it either.
    let word: &'static AtomicU64 = Box::leak(Box::new(AtomicU64::new(1)));
    vec![
        one("idgen", || idgen::mysql_short(1), |id: &ShortId| id.mysql().server_id == 1),
        one("a bare fetch_add", || word.fetch_add(1, Ordering::Relaxed), |_| true),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_group_its_case_and_a_peer() {
        let groups: Vec<_> = groups().collect();
        for Operation { name, group, ours, .. } in OPERATIONS {
            let group = groups.iter().find(|known| known.name == group).expect(name);
            assert!(group.cases.iter().any(|case| case.name == ours), "{name}");
            assert!(group.cases.iter().any(|case| !case.is_ours()), "{name}");
        }
    }
}
