//! Lets several clients load tables at once.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::future::try_join_all;
use idgen::source::FixedEntropy;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

use super::{Host, connect, counts, doing, number, run};
use crate::engine::{Done, ORDER_SEED};
use crate::experiment::{Loads, ReadyLoad, Scale};
use crate::order::shuffle;
use crate::{Error, Result};
use idgen_record::{Load, Run, StrategyRecord, Totals};

/// Runs and checks each load of an experiment, and passes each record to `done`.
pub fn load_all(host: &Host, experiment: &Loads, scale: Scale, done: &mut Done<'_>) -> Result<()> {
    let loads = experiment.at(scale)?;
    host.wait(async {
        let mut own = connect(host).await?;
        for sql in &experiment.setup {
            run(&mut own, sql).await?;
        }
        // A load that is not measured takes the costs that only the first run after a start has.
        if let Some(first) = loads.first().and_then(|cases| cases.first()) {
            once(host, &mut own, first, &[]).await?;
        }
        let mut random = FixedEntropy::new(ORDER_SEED);
        for cases in &loads {
            for record in together(host, &mut own, cases, &experiment.counters, &mut random).await? {
                done(record)?;
            }
        }
        Ok(())
    })
}

/// The measurements of a load so far.
#[derive(Clone, Default)]
struct Taken {
    secs: Vec<f64>,
    counts: BTreeMap<String, u64>,
}

/// Runs the cases of one size in rounds, each in a random order, so that a phase in which the machine is slow affects all of
/// them.
async fn together(
    host: &Host,
    own: &mut MySqlConnection,
    cases: &[ReadyLoad],
    counters: &[String],
    random: &mut FixedEntropy,
) -> Result<Vec<Run>> {
    let mut taken = vec![Taken::default(); cases.len()];
    let mut order: Vec<usize> = (0..cases.len()).collect();
    for _ in 0..cases.first().map_or(0, |load| load.runs) {
        shuffle(&mut order, random)?;
        for &place in &order {
            let (secs, counts) = once(host, own, &cases[place], counters).await?;
            let taken = &mut taken[place];
            taken.secs.push(secs);
            for (name, count) in counts {
                *taken.counts.entry(name).or_default() += count;
            }
        }
    }
    Ok(cases.iter().zip(taken).filter_map(|(load, taken)| record(load, taken)).collect())
}

/// Runs a load once and checks it; returns the seconds, and what was counted meanwhile.
async fn once(
    host: &Host,
    own: &mut MySqlConnection,
    load: &ReadyLoad,
    counters: &[String],
) -> Result<(f64, BTreeMap<String, u64>)> {
    for sql in &load.prepare {
        run(own, sql).await?;
    }
    let mut clients = Vec::with_capacity(load.inserts.len());
    for sql in &load.inserts {
        clients.push((connect(host).await?, sql.as_str()));
    }
    let before = counts::read(host, own, counters).await?;
    let clock = Instant::now();
    try_join_all(clients.iter_mut().map(|(client, sql)| repeat(client, sql, load.repeats))).await?;
    let secs = clock.elapsed().as_secs_f64();
    // Read while the clients are connected: when a thread ends, its context switches are no longer counted.
    let mut counted = counts::read(host, own, counters).await?;
    for (name, count) in &mut counted {
        *count = count.saturating_sub(before.get(name).copied().unwrap_or(0));
    }
    for (client, _) in clients {
        client.close().await.map_err(doing("end a connection"))?;
    }
    verify(own, load).await?;
    Ok((secs, counted))
}

/// The record of all runs of a load; `None` without any.
fn record(load: &ReadyLoad, taken: Taken) -> Option<Run> {
    let rows = load.rows();
    let thousands = rows as f64 * taken.secs.len() as f64 / 1_000.0;
    let counts: BTreeMap<_, _> =
        taken.counts.into_iter().map(|(name, count)| (name, count as f64 / thousands)).collect();
    let size = Load { clients: load.clients, statement_rows: load.statement_rows };
    let strategy = StrategyRecord {
        name: size.name_of(&load.name),
        title: load.name.clone(),
        explains: load.shown.clone(),
        key: None,
    };
    let runs = taken.secs.into_iter().map(|secs| {
        let totals = Totals { rows_per_sec: rows as f64 / secs.max(1e-9), ..Totals::of(rows, secs) };
        let run = Run::of(strategy.clone(), totals);
        (ORDER_SEED, Run { load: Some(size), counts: counts.clone(), ..run })
    });
    Run::of_repeats(runs.collect())
}

/// Runs one client. It sends text, as a program without prepared statements does.
async fn repeat(connection: &mut MySqlConnection, sql: &str, times: u32) -> Result<()> {
    for _ in 0..times {
        connection.execute(AssertSqlSafe(sql.to_owned())).await.map_err(|error| {
            Error::engine("the server refused a client's rows", idgen_server::Plain::from(error))
        })?;
    }
    Ok(())
}

/// Checks that the tables together hold exactly the rows that were sent.
async fn verify(own: &mut MySqlConnection, load: &ReadyLoad) -> Result<()> {
    let mut found = 0;
    for table in &load.tables {
        let count = number(own, &format!("SELECT CAST(COUNT(*) AS CHAR) FROM {table}")).await?;
        found +=
            count.parse::<u64>().map_err(|error| Error::engine("the server cannot count rows", error))?;
    }
    if found == load.rows() {
        return Ok(());
    }
    Err(Error::unverified(format!(
        "\"{}\" by {} clients left {found} rows, not {}",
        load.name,
        load.clients,
        load.rows()
    )))
}
