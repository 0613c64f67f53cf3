//! The load of the runs, in names and sentences.

use crate::figures::asked::is_mixed;
use crate::figures::numbers::{bytes, count, grouped};
use idgen_record::{Database, Existing, Mix, Results, Workload};

/// The load of the runs. On a server each statement commits, and several clients may insert.
pub fn load_facts(load: &Workload, embedded: bool) -> Vec<(&'static str, String)> {
    let rows = match load.mix {
        Some(_) => format!("{} per strategy, {}", count(load.rows), beside_key(load)),
        None => {
            format!("{} per strategy, {}; {}", count(load.rows), beside_key(load), commits(load, embedded))
        }
    };
    let mut facts = vec![("Rows", rows)];
    if let Some(own) = &load.own {
        let words = |sql: &str| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        facts.push(("Schema", words(&own.schema)));
        facts.push(("Statements of a row", words(&own.insert)));
    }
    if let Some(Existing { rows, ids }) = load.existing {
        let kind = ids.and_then(|ids| serde_json::to_value(ids).ok()?.as_str().map(str::to_owned));
        let kind = kind.map_or("the same kind as the new rows".into(), |kind| format!("the kind {kind}"));
        facts.push(("Rows before", format!("{} with ids of {kind}; no figure counts them", count(rows))));
    }
    facts.extend(load.mix.map(|mix| ("Operations", operations(mix, load, embedded))));
    if !embedded {
        facts.push(("Writers", writers(load)));
    }
    if load.late_writes {
        facts.push((
            "Writes",
            "late: changed pages are written when the pool needs space, not earlier, as in the published runs".into(),
        ));
    }
    if let Some(secs) = load.checkpoint_secs {
        let rows = count(load.checkpoint_rows());
        facts.push((
            "Checkpoints",
            format!("one after each {rows} rows, which are {secs} s of simulated time"),
        ));
    }
    facts.extend([
        (
            "Cache",
            match load.cache_bytes {
                Some(size) => format!("{}, the same for every strategy", bytes(size)),
                None => format!(
                    "1/{} of the expected table size of {}, the same for every strategy",
                    load.cache_divisor,
                    bytes(load.expected_bytes())
                ),
            },
        ),
        ("Simulated time", simulated_time(load)),
        ("Devices", format!("{} for the device ids, in random order", count(load.devices.into()))),
        ("Seed", format!("{}: the same seed gives the same keys", load.seed)),
    ]);
    facts
}

/// Says that no key can cause reads, because the tree of the keys fits the cache, and which size would show
/// them; `None` if it does not fit.
pub fn fits_cache(load: &Workload, database: Option<Database>) -> Option<String> {
    let in_heap = database.is_some_and(|database| !database.clusters_rows());
    let rows = load.rows_beyond_cache(in_heap)?;
    let (what, larger) = if in_heap { ("index of the keys", "an index") } else { ("table", "a table") };
    let rows = match rows.checked_rem(1_000) {
        Some(0) if rows >= 1_000_000 && rows % 100_000 == 0 => format!("{}M", rows as f64 / 1e6),
        Some(0) => format!("{}K", rows / 1_000),
        _ => rows.to_string(),
    };
    Some(format!(
        "The {what} fits in the cache of {}, so no key causes reads, whatever its order: only {larger} that is larger than the \
         cache shows what a key reads, here from about --rows {rows} on.",
        bytes(load.cache_bytes?)
    ))
}

/// Explains pages written where one transaction has many rows, and names the figure to compare them with;
/// `None` where each row or statement is a transaction.
pub fn of_commits(results: &Results) -> Option<String> {
    let rows = results.workload.commit_rows;
    let several = results.engine.is_embedded() && rows > 1 && !is_mixed(results) && !results.runs.is_empty();
    several.then(|| {
        format!(
            "A transaction has {} rows, and writes a page once that several of them change. A program that commits each row \
             writes at least 1,000 pages per 1,000 inserts, whatever the key is: --commit-rows 1 measures it.",
            count(rows.into())
        )
    })
}

/// The clients of a load as a part of the sentence that names the database; nothing for one client.
pub fn by_clients(load: &Workload) -> String {
    match load.writers {
        1 => String::new(),
        several => format!(", with {several} clients at the same time"),
    }
}

fn beside_key(load: &Workload) -> String {
    match load.payload_bytes {
        0 => "each consists of its key only".into(),
        bytes => format!("each with its key and {bytes} random bytes"),
    }
}

fn commits(load: &Workload, embedded: bool) -> String {
    match (embedded, load.statement_rows) {
        (true, _) => format!("{} per transaction", count(load.commit_rows.into())),
        (false, 1) => "one per statement, each committed separately".into(),
        (false, rows) => {
            format!("{} per statement, each statement committed separately", count(rows.into()))
        }
    }
}

fn operations(mix: Mix, load: &Workload, embedded: bool) -> String {
    let shares: Vec<_> = mix
        .shares()
        .iter()
        .filter(|(_, share)| *share > 0)
        .map(|(kind, share)| format!("{share} % {}", kind.plural()))
        .collect();
    let commits = if embedded {
        "each 100 in a transaction, whose commit belongs to no operation's latency"
    } else {
        "each a statement that is committed separately"
    };
    let rounds = mix.rounds(load.rows, load.writers);
    let (by, apart) = match load.writers {
        1 => ("one client".to_owned(), ""),
        several => (
            format!("{several} clients at the same time"),
            ". In rounds of 100 operations each, in which all clients wait for the last one, no client chooses a row that another \
             one changes or deletes",
        ),
    };
    let in_round = u64::from(load.writers) * u64::from(Mix::ROUND);
    let warm_up = match Mix::warm_up(rounds) {
        part if part * 10 == rounds => "tenth of the operations is".to_owned(),
        part => format!("{} operations are", count(part * in_round)),
    };
    format!(
        "{} by {by}: {}; a row by its primary key, {commits}. Recent rows are the last {} inserted, and each row is as likely \
         as another{apart}. The first {warm_up} not measured",
        count(rounds * in_round),
        shares.join(", "),
        count(Mix::RECENT_ROWS)
    )
}

fn writers(load: &Workload) -> String {
    match (load.writers, load.delay_ms) {
        (1, _) => "one client".into(),
        (several, None) => format!("{several} clients at the same time, each with ids that it generates"),
        (several, Some(delay)) => format!(
            "{several} clients, each with ids that it generates; a row is inserted {delay} ms after its id was made, on average \
             (an exponential distribution), in the order of these arrivals, one statement after another"
        ),
    }
}

fn simulated_time(load: &Workload) -> String {
    if let Some(rate) = load.rate {
        let paced = match (load.paced, load.delay_ms) {
            (true, _) => "rows are inserted at that rate",
            (false, None) => "rows are inserted as fast as possible",
            (false, Some(_)) => "rows are inserted in the order in which they arrive",
        };
        return format!(
            "{rate} ids per second at random moments (a Poisson process), by a simulated clock; a keyed prefix lasts {} s; {paced}",
            load.interval_secs.unwrap_or(60)
        );
    }
    let in_prefix = load.rows as f64 / f64::from(load.intervals.max(1));
    let (how, about) = match load.random_arrivals {
        true => ("at random moments (a Poisson process), ", "about "),
        false => ("evenly spaced, ", ""),
    };
    let mut text = format!(
        "the ids of a run cover {0} minutes (for the week prefix {0} weeks), {how}so that each prefix has {about}{1} rows",
        load.intervals,
        grouped(in_prefix)
    );
    if load.writers > 1 {
        text += &format!(
            "; a keyed minute prefix belongs to one writer and has {about}{}",
            grouped(in_prefix / f64::from(load.writers))
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(load: &Workload, embedded: bool) -> String {
        load_facts(load, embedded).into_iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    }

    #[test]
    fn a_table_that_fits_the_cache_is_named_with_the_size_that_would_not() {
        let load = Workload { cache_bytes: Some(256 << 20), ..Workload::of_rows(100_000).unwrap() };
        let said = fits_cache(&load, Some(Database::MySql)).unwrap();
        assert!(
            said.contains("table fits in the cache of 256.0 MiB") && said.ends_with("--rows 3.9M on."),
            "{said}"
        );
        let index = fits_cache(&load, Some(Database::Postgres)).unwrap();
        assert!(index.contains("index of the keys fits") && index.ends_with("--rows 17M on."), "{index}");
        assert_eq!(fits_cache(&Workload { rows: 3_900_000, ..load }, Some(Database::MySql)), None);
        assert_eq!(fits_cache(&Workload::of_rows(100_000).unwrap(), None), None);
    }

    #[test]
    fn a_mixed_load_says_how_many_clients_carry_it_out() {
        let mix = Some(Mix::of([40, 25, 15, 15, 5]).unwrap());
        let load = Workload { mix, ..Workload::of_rows(40_000).unwrap() };
        let one = facts(&load, false);
        assert!(
            one.contains("Operations: 100,000 by one client: 40 % inserts") && !one.contains("wait"),
            "{one}"
        );
        assert_eq!(by_clients(&load), "");
        let load = load.with_writers(8).unwrap();
        assert_eq!(by_clients(&load), ", with 8 clients at the same time");
        let several = facts(&load, false);
        assert!(one.contains("The first tenth of the operations is not measured"), "{one}");
        // A round of all eight has 800, so 12 of the 125 rounds are not measured.
        assert!(several.contains("The first 9,600 operations are not measured"), "{several}");
        assert!(several.contains("Operations: 100,000 by 8 clients at the same time: 40 %"), "{several}");
        assert!(several.contains("no client chooses a row that another one changes"), "{several}");
    }

    #[test]
    fn a_server_commits_each_statement_and_has_writers() {
        let load = Workload { random_arrivals: false, ..Workload::of_rows(200_000).unwrap() };
        let embedded = facts(&load, true);
        assert!(embedded.contains("its key and 100 random bytes; 1,000 per transaction\n"), "{embedded}");
        assert!(!embedded.contains("Writers") && !embedded.contains("statement"), "{embedded}");

        let server = facts(&Workload { statement_rows: 100, ..load.clone() }, false);
        assert!(server.contains("; 100 per statement, each statement committed separately\n"), "{server}");
        assert!(server.contains("Writers: one client\n") && server.contains("has 5,000 rows\n"), "{server}");
        assert!(!server.contains("transaction") && !server.contains("Writes:"), "{server}");
        assert!(!server.contains("Checkpoints"), "{server}");

        let random = facts(&Workload { random_arrivals: true, ..load.clone() }, false);
        assert!(
            random.contains("at random moments (a Poisson process), so that each prefix has about 5,000"),
            "{random}"
        );

        let existing = Some(Existing { ids: Some(idgen_record::IdKind::V4), rows: 5_000 });
        let after = facts(&Workload { existing, ..load.clone() }, false);
        assert!(after.contains("Rows before: 5,000 with ids of the kind v4; no figure"), "{after}");

        let postgres = facts(&Workload { checkpoint_secs: Some(300), ..load.clone() }, false);
        let said = "Checkpoints: one after each 25,000 rows, which are 300 s of simulated time\n";
        assert!(postgres.contains(said), "{postgres}");

        let load = Workload { payload_bytes: 0, late_writes: true, ..load.with_writers(8).unwrap() };
        let several = facts(&load, false);
        for said in [
            "each consists of its key only; one per statement, each committed separately\n",
            "Writers: 8 clients at the same time",
            "Writes: late",
            "has 5,000 rows; a keyed minute prefix belongs to one writer and has 625\n",
        ] {
            assert!(several.contains(said), "{said} is not in {several}");
        }
    }
}
