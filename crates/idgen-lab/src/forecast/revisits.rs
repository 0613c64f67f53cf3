//! A model of tables whose buckets are visited repeatedly.

use std::time::Instant;

use super::{PAGE_SIZE, key_bytes, refused};
use crate::experiment::{Revisits, Scale};
use crate::key::Key;
use crate::runner::{Cancel, each_cell};
use crate::strategy::{Ids, Strategy};
use crate::{Error, Result};
use btree_model::{Model, Server, Setup, Shape};
use idgen_record::{CaseRecord, EngineInfo, VisitFigures, Workload};

/// Inserts per second: as many as a server takes from one client that sends statements of a hundred rows.
const RATE: f64 = 20_000.0;
/// Rows between two checks for cancellation.
const CHECK_ROWS: u64 = 10_000;

/// The description of the model in a record, where other records describe their server.
///
/// ```
/// assert_eq!(idgen_lab::forecast::model_info().name, "Model of InnoDB");
/// ```
pub fn model_info() -> EngineInfo {
    EngineInfo {
        name: "Model of InnoDB".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        setup: format!(
            "MySQL's default settings, a pool of the experiment's size, {RATE:.0} inserts a second"
        ),
        missing: Vec::new(),
    }
}

/// Runs every cell of this scale with these strategies on the model of MySQL, and passes each record to `done`.
///
/// # Errors
/// A generator or the model refuses a load; `done` returns an error; or the user cancelled (`is_interrupted`).
pub fn revisit(
    experiment: &Revisits,
    scale: Scale,
    strategies: &[&Strategy],
    cancel: &Cancel,
    done: &mut dyn FnMut(CaseRecord) -> Result<()>,
) -> Result<()> {
    each_cell(experiment, scale, strategies, &mut |strategy, workload| {
        let clock = Instant::now();
        let figures = experiment.figures(strategy, workload);
        let figures = visited(figures, strategy, workload, cancel)?;
        done(CaseRecord::of_visits(figures, clock.elapsed().as_secs_f64()))
    })
}

fn visited(
    figures: VisitFigures,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
) -> Result<VisitFigures> {
    // A VARBINARY of up to 255 bytes has one length byte.
    let payload_bytes = workload.payload_bytes + u32::from(workload.payload_bytes > 0);
    let shape = Shape::clustered(PAGE_SIZE, key_bytes(strategy.column), payload_bytes).map_err(refused)?;
    let server = Server::mysql(workload.cache_pages(u64::from(PAGE_SIZE)) * u64::from(PAGE_SIZE));
    let mut model = Model::new(&Setup { shape, server, rate: RATE, commit_rows: 1 }).map_err(refused)?;
    let mut ids = Ids::new(strategy, workload)?;
    for row in 0..workload.rows {
        if row % CHECK_ROWS == 0 {
            cancel.check()?;
        }
        match ids.next_key()? {
            Key::Binary(bytes) => model.insert(&bytes),
            Key::Assigned => model.insert(&(row + 1).to_be_bytes()),
            other => {
                return Err(Error::config(format!("the model of visits takes binary keys, not {other}")));
            }
        }
        .map_err(refused)?;
    }
    let window = model.window();
    let tree = model.tree();
    Ok(VisitFigures {
        leaf_pages: tree.leaf_pages,
        fill_mean: tree.fill.mean,
        fill_p10: tree.fill.p10,
        reads_per_1k: window.reads_per_1k,
        writes_per_1k: window.writes_per_1k,
        ..figures
    })
}
