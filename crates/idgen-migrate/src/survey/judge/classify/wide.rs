//! The kinds of the values of 128 bits of a column.

use std::collections::{BTreeMap, HashMap};

use idgen::{Nature, Uuid, inspect_uuid};

use super::{EARLIEST, MOST, Reading, WRONG_YEARS, YEAR, period};
use crate::survey::judge::chance::{self, FEW, LEVEL, LEVEL_OF_FEW};
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;

/// The variant and the version of an id, and its time.
fn of_version(id: &Uuid) -> (Kind, Option<i64>) {
    let seen = inspect_uuid(*id);
    let kind = match seen.nature {
        Nature::Nil => Kind::Nil,
        Nature::Max => Kind::Max,
        Nature::V1 => Kind::V1,
        Nature::V4 => Kind::V4,
        Nature::V6 => Kind::V6,
        Nature::V7 => Kind::V7,
        Nature::V8 => Kind::V8,
        Nature::OtherVersion if matches!(seen.version, Some(2 | 3 | 5)) => Kind::OtherUuid,
        _ => Kind::Other128,
    };
    let is_timed = matches!(kind, Kind::V1 | Kind::V6 | Kind::V7);
    (kind, seen.timestamp.map(|time| time.unix_millis()).filter(|_| is_timed))
}

/// The time of a version 1 whose bytes are stored swapped: they begin with the version.
fn swapped_time(id: &Uuid) -> Option<i64> {
    let bytes = id.as_bytes();
    if bytes[0] >> 4 != 1 {
        return None;
    }
    let plain = [&bytes[4..8], &bytes[2..4], &bytes[..2], &bytes[8..]].concat();
    match of_version(&Uuid::from_slice(&plain).ok()?) {
        (Kind::V1, time) => time,
        _ => None,
    }
}

/// A value of 128 bits while its kind is looked for.
struct Candidate {
    at: usize,
    /// The kind and the time that variant and version say.
    bits: (Kind, Option<i64>),
    swapped: Option<i64>,
    /// The first 48 bits as milliseconds.
    millis: i64,
    node: u64,
    is_base32: bool,
}

/// The values of 128 bits of a column.
pub(super) struct Wide {
    /// The values whose kind is not found yet.
    open: Vec<Candidate>,
    found: Vec<(usize, Reading)>,
    /// All other values.
    others: usize,
    latest: i64,
    level: f64,
}

/// The kinds of 128 bits, with the share of random values that have their variant and version.
const LAYOUTS: [(Kind, f64); 8] = [
    (Kind::V7, 1.0 / 64.0),
    (Kind::V6, 1.0 / 64.0),
    (Kind::V1, 1.0 / 64.0),
    (Kind::V1Swapped, 1.0 / 64.0),
    (Kind::Ulid, 1.0),
    (Kind::V4, 1.0 / 64.0),
    (Kind::V8, 1.0 / 64.0),
    (Kind::OtherUuid, 3.0 / 64.0),
];
/// A version is no chance if this many times as many values have it as chance gives.
const CLEARLY_MORE: f64 = 10.0;
/// The level for the times of values that have the version already: no program is known that makes such ids with random times.
const LEVEL_OF_TIMES: f64 = 0.01;

impl Wide {
    pub(super) fn of(parsed: &[Parsed], now: i64) -> Wide {
        let mut wide = Wide {
            open: Vec::new(),
            found: Vec::new(),
            others: 0,
            latest: now.saturating_add(WRONG_YEARS * YEAR),
            level: LEVEL,
        };
        let mut of_form = 0;
        for (at, parsed) in parsed.iter().enumerate() {
            let Parsed::Wide { id, spelling } = parsed else {
                wide.others += 1;
                continue;
            };
            let bits = of_version(id);
            if matches!(bits.0, Kind::Nil | Kind::Max) {
                wide.found.push((at, Reading::certain(bits.0, None)));
                continue;
            }
            let is_base32 = spelling.is_some_and(|spelling| spelling.format == "base32");
            of_form += usize::from(is_base32 || spelling.is_some_and(|spelling| spelling.is_of_ids()));
            wide.open.push(Candidate {
                at,
                bits,
                swapped: swapped_time(id).filter(|_| spelling.is_none()),
                millis: (id.as_u128() >> 80) as i64,
                node: id.as_u128() as u64 & 0xffff_ffff_ffff,
                is_base32,
            });
        }
        if wide.others == 0 && of_form == wide.open.len() && of_form < FEW {
            wide.level = LEVEL_OF_FEW;
        }
        wide
    }

    /// The time of a value as one of this kind, if variant and version fit it; `Some(None)` has no time.
    fn fit(of: &Candidate, kind: Kind) -> Option<Option<i64>> {
        match kind {
            Kind::V1Swapped => of.swapped.map(Some),
            Kind::Ulid => Some(Some(of.millis)),
            _ => (of.bits.0 == kind).then_some(of.bits.1),
        }
    }

    fn is_plausible(&self, time: Option<i64>) -> bool {
        time.is_none_or(|time| (EARLIEST..self.latest).contains(&time))
    }

    /// Writes the kind of each value, beginning with the kind that chance explains least.
    pub(super) fn classify(mut self, readings: &mut [Reading]) {
        while let Some(kind) = self.next() {
            let is_chance = self.versions_among_ulids(kind);
            let open = std::mem::take(&mut self.open);
            for candidate in open {
                match Wide::fit(&candidate, kind) {
                    Some(time) if self.is_plausible(time) && !is_chance.contains(&candidate.bits.0) => {
                        self.found.push((candidate.at, Reading::certain(kind, time)));
                        if kind == Kind::Ulid {
                            readings[candidate.at] = Reading::guess(candidate.bits.0);
                        }
                    }
                    _ => self.open.push(candidate),
                }
            }
        }
        self.by_nodes();
        self.guesses();
        let certain: Vec<Kind> =
            self.found.iter().filter(|one| one.1.certain).map(|one| one.1.kind).collect();
        for (at, reading) in self.found {
            // A value that fits two kinds of the column may be either.
            let other = readings[at].kind;
            let is_either = reading.kind == Kind::Ulid && other != Kind::Other128 && certain.contains(&other);
            readings[at] = if is_either { Reading::guess(other) } else { reading };
        }
    }

    /// The kind of the open values that chance explains least.
    fn next(&self) -> Option<Kind> {
        let all = self.open.len() + self.others;
        let mut best: Option<(f64, Kind)> = None;
        for (kind, bits) in LAYOUTS {
            let of_bits: Vec<Option<i64>> =
                self.open.iter().filter_map(|candidate| Wide::fit(candidate, kind)).collect();
            let fitting = of_bits.iter().filter(|&&time| self.is_plausible(time)).count();
            let is_timed = of_bits.iter().any(Option::is_some);
            let of_time = if is_timed { (self.latest - EARLIEST) as f64 / period(kind) } else { 1.0 };
            let each = bits * of_time;
            let tail = chance::ln_tail(fitting, all, each);
            let is_enough = match is_timed {
                // Random bits behind a version give times of thousands of years.
                true => {
                    fitting * 2 >= of_bits.len()
                        && chance::ln_tail(fitting, of_bits.len(), of_time) < LEVEL_OF_TIMES.ln()
                }
                false => fitting as f64 >= CLEARLY_MORE * each * all as f64,
            };
            if fitting > 0
                && is_enough
                && tail < self.level.ln()
                && best.is_none_or(|(least, _)| tail < least)
            {
                best = Some((tail, kind));
            }
        }
        best.map(|(_, kind)| kind)
    }

    /// The versions that more of the values that could be ULIDs show than ULIDs do by chance.
    fn versions_among_ulids(&self, kind: Kind) -> Vec<Kind> {
        if kind != Kind::Ulid {
            return Vec::new();
        }
        let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
        let fitting = self.open.iter().filter(|candidate| self.is_plausible(Some(candidate.millis)));
        for candidate in fitting.filter(|candidate| !candidate.is_base32) {
            *counts.entry(candidate.bits.0).or_default() += 1;
        }
        let all: usize = counts.values().sum();
        counts.retain(|&kind, &mut count| {
            kind != Kind::Other128 && count * 16 > all && chance::is_certain(count, all, 3.0 / 64.0)
        });
        counts.into_keys().collect()
    }

    /// Version 1 and 6 whose node is there twice: a random one would not be.
    fn by_nodes(&mut self) {
        let fit = |candidate: &Candidate| {
            [Kind::V1, Kind::V6, Kind::V1Swapped].into_iter().find_map(|kind| {
                let time = Wide::fit(candidate, kind).flatten()?;
                (EARLIEST..self.latest).contains(&time).then_some((kind, time))
            })
        };
        let mut nodes: HashMap<u64, usize> = HashMap::new();
        for candidate in self.open.iter().filter(|candidate| fit(candidate).is_some()) {
            *nodes.entry(candidate.node).or_default() += 1;
        }
        let mut open = Vec::new();
        for candidate in std::mem::take(&mut self.open) {
            match fit(&candidate) {
                Some((kind, time)) if nodes[&candidate.node] > 1 => {
                    self.found.push((candidate.at, Reading::certain(kind, Some(time))));
                }
                _ => open.push(candidate),
            }
        }
        self.open = open;
    }

    /// Gives the open values the version that they show, if nearly all show one; none of these kinds is certain.
    fn guesses(&mut self) {
        let versions = self.open.iter().filter(|candidate| candidate.bits.0 != Kind::Other128).count();
        let has_versions = versions as f64 >= MOST * self.open.len() as f64;
        let ulids =
            self.open.iter().filter(|one| one.is_base32 && self.is_plausible(Some(one.millis))).count();
        let has_ulids = ulids as f64 >= MOST * self.open.len() as f64;
        for candidate in std::mem::take(&mut self.open) {
            let kind = match candidate.bits.0 {
                kind if has_versions => kind,
                _ if has_ulids && candidate.is_base32 => Kind::Ulid,
                _ => Kind::Other128,
            };
            self.found.push((candidate.at, Reading::guess(kind)));
        }
    }
}
