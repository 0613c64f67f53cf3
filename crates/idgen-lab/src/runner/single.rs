//! A single run of one strategy.

use idgen_record::{Arrival, Clients, Role, Run, Totals, Workload};

use super::check::{self, Rows};
use super::course::Context;
use super::insert::insert;
use super::observer::Observer;
use super::{existing, mixed};
use crate::Result;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::measure::{self, Counted, Ranks};
use crate::strategy::Strategy;

/// Runs one strategy, verifies it and records it.
///
/// # Errors
/// The errors of the engine and of the check after the run; `is_interrupted` if the user cancelled.
pub fn run_one(
    engine: &mut dyn Engine,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    observer: &mut dyn Observer,
) -> Result<Run> {
    let mut table = engine.create(strategy, workload)?;
    let mut rows = Rows::with_room(workload.rows_at_end())?;
    let mut sums = Vec::new();
    existing::load(&mut *table, strategy, workload, cancel, &mut rows, &mut |payload| {
        if workload.mix.is_some() {
            sums.push(crc32fast::hash(payload));
        }
    })?;
    if workload.existing_rows() > 0 {
        // Written now, so that the pages of these rows are not counted with those of the run.
        table.flush()?;
    }
    let mut clients = Clients::default();
    let context =
        Context { table: &mut *table, strategy, workload, cancel, observer: &mut *observer, rows: &mut rows };
    let (windows, counted, mixed) = match workload.mix {
        None => {
            let done = insert(context)?;
            clients = done.clients;
            (done.windows, Counted { inserts: done.counters, flush: table.flush()? }, None)
        }
        Some(mix) => {
            let done = mixed::operate(context, mix, sums)?;
            let secs = done.operations.secs;
            let window = measure::window(&done.counted.inserts, None, rows.len() as u64, done.inserted, secs);
            (vec![window], done.counted, Some(done))
        }
    };
    clients.others = table.others()?;
    let existing = mixed.as_ref().map_or(workload.existing_rows(), |done| done.existing);
    let all = rows.len() as u64;

    observer.verifying();
    measure::contents(table.contents()?, all, workload.payload_bytes)?;
    let mut figures = Vec::new();
    let mut arrival = None;
    let totals = match table.seen()? {
        Some(seen) => {
            for role in &seen.roles {
                cancel.check()?;
                let ranks = check::keys(&mut *table, *role, strategy, &rows)?;
                if *role == Role::Rows && rows.are_ordered() {
                    clients.edge = measure::edge(&ranks, existing);
                    arrival = arrival_of(&clients, &ranks, existing);
                }
            }
            measure::totals_seen(&windows, &counted, &seen, existing)
        }
        None => {
            let trees = table.trees()?;
            for tree in &trees {
                cancel.check()?;
                let ranks = check::tree(&mut *table, tree, strategy, &rows)?;
                if tree.role == Role::Rows && rows.are_ordered() {
                    clients.edge = measure::edge(&ranks, existing);
                    arrival = arrival_of(&clients, &ranks, existing);
                }
                figures.push(measure::tree_figures(tree, &ranks, existing));
            }
            measure::totals(&windows, &counted, &trees, &figures, existing)
        }
    };
    let totals = measure::with_bytes(totals, table.heap_bytes()?, table.other_bytes()?, existing);
    let allocated_bytes_per_row = table.allocated_bytes()?.map(|bytes| bytes as f64 / all as f64);
    let totals = Totals { allocated_bytes_per_row, ..totals };
    let is_mixed = mixed.is_some();
    // Pages read and written per insert have no meaning in a mixed load.
    let totals = if is_mixed { totals.without_inserts() } else { totals };
    Ok(Run {
        settings: table.settings()?,
        latency: table.latency().filter(|_| !is_mixed),
        clients: if is_mixed { Clients { others: clients.others, ..Clients::default() } } else { clients }
            .or_nothing(),
        arrival,
        operations: mixed.map(|done| done.operations),
        windows: if is_mixed { Vec::new() } else { windows },
        trees: figures,
        ..Run::of(strategy.into(), totals)
    })
}

/// The order of the inserts, if the server said when it inserted each row of a table that was empty.
fn arrival_of(clients: &Clients, ranks: &Ranks, existing: u64) -> Option<Arrival> {
    clients.insert.filter(|_| existing == 0).and_then(|_| Arrival::of(ranks.as_slice()))
}
