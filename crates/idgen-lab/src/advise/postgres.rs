//! The sentences of advice about a table of PostgreSQL.

mod smaller;

use super::amounts::{bytes, compared_reads, per_1k, pool};
use super::{Advised, Candidate, Found, Scaled, clocks, device, hold_out_clients, leaving};
use crate::forecast::{Load, PostgresSettings};
use crate::strategy::Strategy;
use idgen_record::Database;
use smaller::Scale;

impl Advised for PostgresSettings {
    fn model(&self) -> &'static str {
        "a model of PostgreSQL's B-tree and shared buffers"
    }

    fn measured_by(&self) -> &'static str {
        "idgen lab run --engine postgres"
    }

    fn database(&self) -> Database {
        Database::Postgres
    }

    fn scaled(&self, strategy: &Strategy, load: &Load) -> Scaled {
        smaller::scaled(strategy, load, self, Scale::of(load, self))
    }

    fn reasons(&self, found: &Found<'_>) -> Vec<String> {
        let mut reasons = against_staying(found);
        if let Some(random) = found.random() {
            reasons.push(reads(found, random, self));
            reasons.extend(device::reasons(found, random, self.device_iops));
            reasons.extend(against_random(found, random, self));
        }
        reasons.push(leaving::sentence(found, "index", self.pool_bytes));
        if let Some(ascending) = found.first(&["minute-ascending"]) {
            reasons.push(format!(
                "The ascending tail behind a keyed prefix, which is best on InnoDB, leaves pages {:.0} % full here: PostgreSQL \
                 fills only the last page of an index, and divides all others in the middle.",
                100.0 * ascending.fill
            ));
        }
        reasons
    }

    fn caveats(&self, found: &Found<'_>) -> Vec<String> {
        caveats(found, self)
    }
}

/// Sentences about the effect of new keys on an index that holds old ones.
fn against_staying(found: &Found<'_>) -> Vec<String> {
    let (Some((old, _)), Some(stay)) = (found.load.existing, found.stay()) else { return Vec::new() };
    let (best, mut reasons) = (found.best, Vec::new());
    if let Some(v7) = found.first(&["v7-binary", "v7-text36"]) {
        let more = 100.0 * (v7.tree_bytes / stay.tree_bytes - 1.0);
        if more >= 1.0 && v7.strategy != old.name {
            reasons.push(format!(
                "{} makes the index {more:.0} % larger than staying with {}: its keys lie between the old \
                 ones, where PostgreSQL divides pages in the middle and leaves them half empty.",
                v7.strategy, old.name
            ));
        }
    }
    if best.strategy != old.name {
        reasons.push(format!(
            "With {} the index ends at {}, and at {} if new rows stay with {}.",
            best.strategy,
            bytes(best.tree_bytes),
            bytes(stay.tree_bytes),
            old.name
        ));
    }
    reasons
}

/// Pages that random keys read.
fn reads(found: &Found<'_>, random: &Candidate, settings: &PostgresSettings) -> String {
    let (best, pool) = (found.best, pool(settings.pool_bytes));
    let size = bytes(random.tree_bytes);
    if random.pages.reads_per_1k < 1.0 {
        return format!(
            "The index ends at {size} with random UUIDs, and its pages stay in shared buffers of {pool}: 1,000 inserts read {} pages.",
            per_1k(random.pages.reads_per_1k)
        );
    }
    format!(
        "Random UUIDs spread inserts over the whole index, {size} with shared buffers of {pool}, of which pages of the heap take a \
         part: 1,000 inserts read {} pages. {}",
        per_1k(random.pages.reads_per_1k),
        compared_reads(best.strategy, best.pages.reads_per_1k, random.pages.reads_per_1k)
    )
}

/// Describes what random keys would cost besides.
fn against_random(found: &Found<'_>, random: &Candidate, settings: &PostgresSettings) -> Vec<String> {
    let best = found.best;
    let [of_random, of_best] = [random, best].map(|one| one.log.unwrap_or_default());
    vec![
        format!(
            "With a checkpoint every {} s, a row of random UUIDs adds {:.0} bytes to the write-ahead log, and one of {} {:.0}: \
             the first change of a page after a checkpoint logs the whole page, and random keys change {:.0} pages in \
             1,000 inserts for the first time.",
            settings.checkpoint_secs,
            of_random.log_bytes_per_row,
            best.strategy,
            of_best.log_bytes_per_row,
            of_random.images_per_1k
        ),
        format!(
            "The pages of its index are {:.0} % full, those of random UUIDs {:.0} %: {} instead of {} at the end.",
            100.0 * best.fill,
            100.0 * random.fill,
            bytes(best.tree_bytes),
            bytes(random.tree_bytes)
        ),
    ]
}

fn caveats(found: &Found<'_>, settings: &PostgresSettings) -> Vec<String> {
    let Found { best, load, .. } = *found;
    let mut caveats = vec![
        "Each secondary index has pages and images of its own, in the order of its own columns, and takes its part of the shared \
         buffers."
            .into(),
        "Pages are those of heap and index that the server asks the operating system for, as pg_stat_io counts them. The cache of the \
         operating system may hold them: if the memory beside the shared buffers holds the index, few reads reach the device."
            .into(),
        "The model leaves out what vacuum, updates and deletes do. The log is that of heap and index, without transactions (about 40 \
         bytes each) and with full_page_writes on; device pages are without the log."
            .into(),
        "On 108 recorded runs of tables of up to a million rows, the model was off by at most 3.9 % for the leaf pages and by at most 2.5 % for \
         the bytes of the log. With five million rows (48 runs) it was off by at most 1.5 and 1.3 %."
            .into(),
        "On recorded runs with shared buffers of 8 to 32 MiB, 10 of 11 loads that read three pages or more per 1,000 inserts are \
         within 15 % of the pages read, and the largest error is 21.0 %; 26 of 26 loads are within 15 % of the pages written, and \
         the largest error is 14.2 %."
            .into(),
    ];
    let scale = Scale::of(load, settings);
    if scale.table > scale.buffers {
        caveats.push(format!(
            "The model's table ends at {} million rows, when its index is several times larger than the shared buffers: random keys in \
             a larger table read slightly more pages.",
            load.all_rows() * scale.buffers / scale.table / 1_000_000
        ));
    }
    caveats.extend(device::caveat(found, settings.device_iops));
    caveats.extend(clocks::sentence(found));
    caveats.extend(hold_out_clients::sentence(&[Database::Postgres], load));
    if matches!(best.strategy, "v7-binary" | "v7-text36" | "fixed-prefix" | "fixed-text36" | "device") {
        caveats.push("The id shows to the millisecond when it was made.".into());
    }
    caveats
}
