//! Pairs a second, relative to the plain insert.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idgen_mysql::Strategy;
use idgen_server::Server;

use crate::design::{Design, Order, Source, Store};
use crate::{BATCH, CLIENTS, Effort, Failure};

/// One design with one kind of calls.
pub struct Row {
    pub design: Design,
    pub batch: usize,
    pub order: Order,
    /// The share of the plain insert's speed that it should reach, for each number of clients.
    pub target: Option<f64>,
    /// For each number of clients.
    pub cells: Vec<Cell>,
}

/// The median over the rounds, and how far apart they were.
pub struct Cell {
    pub pairs_per_sec: f64,
    pub plain_per_sec: f64,
    pub ratio: f64,
    pub lowest: f64,
    pub highest: f64,
}

/// What is measured: the targets are those of the default strategy.
pub fn rows() -> Vec<Row> {
    let row = |design, batch, order, target| Row { design, batch, order, target, cells: Vec::new() };
    let unique = Design::Map(Strategy::Unique);
    let mut rows = vec![
        row(unique, 1, Order::Random, Some(0.9)),
        row(unique, 1, Order::Bucket, Some(0.9)),
        row(unique, BATCH, Order::Random, Some(0.6)),
        row(unique, BATCH, Order::Bucket, Some(0.9)),
    ];
    for batch in [1, BATCH] {
        for order in [Order::Random, Order::Bucket] {
            rows.push(row(Design::Map(Strategy::Dedup), batch, order, None));
        }
    }
    for function in ["reference_lock", "reference_dedup"] {
        rows.push(row(Design::Function(function), 1, Order::Random, None));
    }
    for design in [Design::OnDuplicate, Design::Compact] {
        rows.push(row(design, 1, Order::Random, None));
        rows.push(row(design, BATCH, Order::Random, None));
    }
    rows
}

impl Row {
    /// Measures the row: in each round the plain insert before and after it, whose mean it is divided by.
    pub async fn measure(&mut self, server: &Server, effort: &Effort) -> Result<(), Failure> {
        for clients in CLIENTS {
            let mut rounds = Vec::new();
            for _ in 0..effort.rounds {
                let plain =
                    || rate(server, Design::Plain, Order::Random, self.batch, clients, effort.span / 2);
                let before = plain().await?;
                let own = rate(server, self.design, self.order, self.batch, clients, effort.span).await?;
                let plain = (before + plain().await?) / 2.0;
                rounds.push((own / plain, own, plain));
            }
            rounds.sort_by(|one, two| one.0.total_cmp(&two.0));
            let (ratio, pairs_per_sec, plain_per_sec) = rounds[rounds.len() / 2];
            let (lowest, highest) = (rounds[0].0, rounds[rounds.len() - 1].0);
            self.cells.push(Cell { pairs_per_sec, plain_per_sec, ratio, lowest, highest });
        }
        Ok(())
    }
}

/// Rows a second in a new schema.
async fn rate(
    server: &Server,
    design: Design,
    order: Order,
    batch: usize,
    clients: u64,
    span: Duration,
) -> Result<f64, Failure> {
    let scratch = server.scratch()?;
    let store = Arc::new(Store::open(design, scratch.url(), clients).await?);
    let count = Arc::new(AtomicU64::new(0));
    let begin = Instant::now();
    let tasks: Vec<_> = (0..clients)
        .map(|client| {
            let (store, count) = (store.clone(), count.clone());
            tokio::spawn(async move {
                let mut source = Source::new(order, client);
                while begin.elapsed() < span {
                    let taken = store.put(&source.take(batch)).await?;
                    count.fetch_add(taken, Ordering::Relaxed);
                }
                Ok::<(), Failure>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    let rate = count.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64();
    store.pool.close().await;
    Ok(rate)
}
