//! The sentences of advice about a table of InnoDB.

use super::amounts::{bytes, compared_reads, per_1k, pool, whole};
use super::candidates::{Candidate, cheapest, is_made_by_server};
use super::interval::{self, PrefixAdvice};
use super::{Advised, Found, Scaled, clocks, device, hold_out, hold_out_clients, leaving, scale};
use crate::Result;
use crate::forecast::{Forecast, Load};
use crate::strategy::Strategy;
use btree_model::Server;
use idgen_record::Database;

impl Advised for Server {
    fn model(&self) -> &'static str {
        "a model of InnoDB on an empty server"
    }

    fn measured_by(&self) -> &'static str {
        "idgen lab run"
    }

    /// MariaDB runs the same strategies.
    fn database(&self) -> Database {
        Database::MySql
    }

    fn scaled(&self, strategy: &Strategy, load: &Load) -> Scaled {
        scale::scaled(load, self, strategy)
    }

    fn stops_at(&self, scaled: &Scaled, load: &Load) -> Option<u64> {
        scale::stops_at(scaled, load)
    }

    fn pages(&self, forecast: &Forecast) -> (f64, f64) {
        forecast.last_pages()
    }

    fn reasons(&self, found: &Found<'_>) -> Vec<String> {
        let mut reasons = Vec::new();
        reasons.extend(found.stay().and_then(|other| stay(found.best, other)));
        if let Some(random) = found.random() {
            reasons.extend(against_random(random, found, self));
        }
        reasons.push(leaving::sentence(found, "table", self.pool_bytes));
        reasons.extend(second_choice(found));
        reasons
    }

    fn caveats(&self, found: &Found<'_>) -> Vec<String> {
        caveats(found, self)
    }

    fn prefix(&self, load: &Load, candidates: &[Candidate]) -> Result<Option<PrefixAdvice>> {
        // Ids of several writers that share a key interleave within a millisecond, as version 7 does.
        let ascending = candidates.iter().find(|one| one.strategy == "v7-binary");
        match ascending.filter(|_| load.existing.is_none()) {
            Some(ascending) => interval::choose(load, self.pool_bytes, ascending.fill).map(Some),
            None => Ok(None),
        }
    }
}

/// Sentences about the costs of random keys.
fn against_random(random: &Candidate, found: &Found<'_>, server: &Server) -> Vec<String> {
    let Found { best, all, load, .. } = *found;
    let [reads, best_reads] = [random, best].map(|one| one.pages.reads_per_1k);
    let reads_of = |one: &&Candidate| one.pages.reads_per_1k;
    let most = all.iter().max_by(|a, b| reads_of(a).total_cmp(&reads_of(b))).unwrap_or(random);
    let pool = pool(server.pool_bytes);
    let size = bytes(random.tree_bytes);
    let mut reasons = vec![if reads >= 1.0 {
        format!(
            "Random UUIDs spread inserts over the whole table, {size} with a pool of {pool}: 1,000 inserts read {} \
             pages from the disk. {}",
            per_1k(reads),
            compared_reads(best.strategy, best_reads, reads)
        )
    } else if reads_of(&most) >= 1.0 {
        format!(
            "With random UUIDs of 16 bytes the table ends at {size}, and its pages stay in the pool of {pool}: random UUIDs \
             of 16 bytes read {} pages per 1,000 inserts, and {} reads {}.",
            per_1k(reads),
            most.strategy,
            per_1k(reads_of(&most))
        )
    } else {
        format!(
            "The table ends at {size} even with random UUIDs, and fits in the pool of {pool}: no key causes \
             reads. Beyond {pool} that changes."
        )
    }];
    reasons.extend(device::reasons(found, random, server.device_iops));
    if load.existing.is_none() {
        reasons.push(format!(
            "Its pages are {:.0} % full, those of random UUIDs {:.0} %: {} instead of {} at the end.",
            100.0 * best.fill,
            100.0 * random.fill,
            bytes(best.tree_bytes),
            bytes(random.tree_bytes)
        ));
    }
    reasons
}

/// The next best key, made by whom the best one is made: who makes the ids is another question.
fn second_choice(found: &Found<'_>) -> Option<String> {
    let best = found.best;
    let alike = |other: &&Candidate| is_made_by_server(other.strategy) == is_made_by_server(best.strategy);
    let next = cheapest(found.all.iter().filter(alike).filter(|other| other.strategy != best.strategy))?;
    let equal = if best.is_cheaper_than(next) {
        ""
    } else {
        ": the difference is too small, so the simpler one is recommended"
    };
    Some(format!(
        "The second choice is {}, with {} page reads and writes per second and {} at the end{equal}.",
        next.strategy,
        whole(next.pages.device_pages_per_sec),
        bytes(next.tree_bytes)
    ))
}

/// The table with new rows of this kind, and if they stay with the old kind.
fn stay(best: &Candidate, stay: &Candidate) -> Option<String> {
    let of =
        |one: &Candidate| format!("{}, with pages {:.0} % full", bytes(one.tree_bytes), 100.0 * one.fill);
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

/// A smaller page fill than this is that of clients whose rows arrive between each other.
const CROWDED: f64 = 0.85;

/// Says how a name for each client would change page fill and size, where rows of several clients arrive
/// between each other; `None` where it would not help.
fn named(found: &Found<'_>) -> Option<String> {
    let Found { best, load, .. } = *found;
    if best.strategy != "v7-binary" || best.fill >= CROWDED {
        return None;
    }
    let named = found.first(&["minute-writers"])?;
    (named.fill > best.fill + 0.05).then(|| {
        format!(
            "Its pages are only {} % full, because rows of {} clients arrive between each other. With a sequential prefix and a \
             name for each client (minute-writers), they would be {} % full, and the table would end at {}; the id then shows \
             which client made it.",
            whole(100.0 * best.fill),
            load.writers,
            whole(100.0 * named.fill),
            bytes(named.tree_bytes)
        )
    })
}

/// Sentences with the limits of the prediction, and with advice for special cases.
fn caveats(found: &Found<'_>, server: &Server) -> Vec<String> {
    let Found { best, load, .. } = *found;
    let mut caveats = vec![
        "Each secondary index stores the key again for every row; its inserts follow the order of its own columns."
            .into(),
    ];
    caveats.extend(hold_out::sentences());
    caveats.extend(named(found));
    caveats.extend(clocks::sentence(found));
    caveats.extend(hold_out_clients::sentence(&[Database::MySql, Database::MariaDb], load));
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
        "minute-writers" => caveats.push(
            "Each client needs a name of its own, and a generator that only it uses. The id shows to the millisecond when it was \
             made and which ids come from one client; ids are in the order of time from minute to minute, and not within one."
                .into(),
        ),
        "minute-ascending" | "minute-random" => caveats.push(
            "Its prefix is a keyed permutation of the minutes: keep the key secret, or the minute can be read from \
             the id."
                .into(),
        ),
        _ => {}
    }
    caveats.extend(device::caveat(found, server.device_iops));
    if load.rate > 20_000.0 {
        caveats.push(
            "At such a rate the last page of an ascending index may become a point of contention between \
             threads, which the model does not know. Measure it: idgen lab run."
                .into(),
        );
    }
    if let Some(rows) = found.stopped.iter().map(|(_, rows)| *rows).min() {
        let names: Vec<&str> = found.stopped.iter().map(|(name, _)| *name).collect();
        let (names, rows) = (names.join(", "), rows / 1_000_000);
        caveats.push(match load.existing {
            Some(_) => format!(
                "For {names} the model's table ends at {rows} million rows or more, long after the pool is full: they read and \
                 write rather more in a larger one."
            ),
            None => format!(
                "For {names} the model stops before the end, at {rows} million rows or more, long after the pool is full: \
                 beyond, they read and write rather more."
            ),
        });
    }
    caveats
}
