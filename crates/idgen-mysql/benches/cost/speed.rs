//! Pairs a second, relative to the plain insert, and the map's also relative to its floor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use idgen_mysql::Index;
use idgen_server::{Scratch, Server};
use sqlx::MySql;
use sqlx::pool::PoolConnection;

use crate::design::{Design, Order, Source, Store};
use crate::{BATCH, CLIENTS, Effort, Failure};

/// The share of its floor that the default index should reach where it misses its share of the plain insert.
pub const OF_FLOOR: f64 = 0.95;

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

/// The medians over the rounds, and how far apart these were.
pub struct Cell {
    pub plain_per_sec: f64,
    /// The design as a multiple of the plain insert.
    pub of_plain: Spread,
    pub floor: Option<Floor>,
}

/// What plain SQL reaches that stores the same rows in the same tables.
pub struct Floor {
    /// The floor as a multiple of the plain insert.
    pub of_plain: Spread,
    /// The design as a multiple of the floor.
    pub reached: Spread,
}

/// The median over the rounds, the lowest and the highest.
pub struct Spread {
    pub median: f64,
    pub lowest: f64,
    pub highest: f64,
}

impl Spread {
    /// Of at least one value.
    fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        Spread { median: values[values.len() / 2], lowest: values[0], highest: values[values.len() - 1] }
    }
}

/// What is measured: the targets are those of the default index.
pub fn rows() -> Vec<Row> {
    let row = |design, batch, order, target| Row { design, batch, order, target, cells: Vec::new() };
    let unique = Design::Map(Index::Unique);
    let mut rows = vec![
        row(unique, 1, Order::Random, Some(0.9)),
        row(unique, 1, Order::Bucket, Some(0.9)),
        row(unique, BATCH, Order::Random, Some(0.6)),
        row(unique, BATCH, Order::Bucket, Some(0.9)),
    ];
    for batch in [1, BATCH] {
        for order in [Order::Random, Order::Bucket] {
            rows.push(row(Design::Map(Index::Dedup), batch, order, None));
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

/// The speeds of one round.
struct Round {
    own: f64,
    plain: f64,
    floor: Option<f64>,
}

impl Row {
    /// The design that does the same work by plain SQL.
    fn floor(&self) -> Option<Design> {
        match self.design {
            Design::Map(index) => Some(Design::Floor(index)),
            _ => None,
        }
    }

    /// Measures the row: in each round, the floor is measured before and after it, and the plain insert before and
    /// after these. Both are compared by their means. The rounds are many and short, so that a machine whose speed
    /// drifts favors none of them.
    pub async fn measure(&mut self, server: &Server, effort: &Effort) -> Result<(), Failure> {
        for clients in CLIENTS {
            let open = |design, order| Contender::open(server, design, order, self.batch, clients);
            let mut plain = open(Design::Plain, Order::Random).await?;
            let mut own = open(self.design, self.order).await?;
            let mut floor = match self.floor() {
                Some(design) => Some(open(design, self.order).await?),
                None => None,
            };
            let (span, half) = (effort.span, effort.span / 2);
            for contender in [&mut plain, &mut own].into_iter().chain(&mut floor) {
                // Connections and prepared statements are made, and ids reserved.
                contender.rate(half).await?;
            }
            let mut rounds = Vec::new();
            for _ in 0..effort.rounds {
                let before = (plain.rate(half).await?, Contender::rate_of(&mut floor, half).await?);
                let own = own.rate(span).await?;
                let after = (Contender::rate_of(&mut floor, half).await?, plain.rate(half).await?);
                rounds.push(Round {
                    own,
                    plain: (before.0 + after.1) / 2.0,
                    floor: before.1.zip(after.0).map(|(before, after)| (before + after) / 2.0),
                });
            }
            for contender in [plain, own].into_iter().chain(floor) {
                contender.close().await;
            }
            self.cells.push(Cell::of(&rounds));
        }
        Ok(())
    }
}

impl Cell {
    /// Of at least one round.
    fn of(rounds: &[Round]) -> Cell {
        let spread = |value: &dyn Fn(&Round) -> f64| Spread::of(rounds.iter().map(value).collect());
        let floors: Option<Vec<(f64, f64)>> = rounds
            .iter()
            .map(|round| round.floor.map(|floor| (floor / round.plain, round.own / floor)))
            .collect();
        let floor = floors.map(|floors| {
            let (of_plain, reached) = floors.into_iter().unzip();
            Floor { of_plain: Spread::of(of_plain), reached: Spread::of(reached) }
        });
        Cell {
            plain_per_sec: spread(&|round| round.plain).median,
            of_plain: spread(&|round| round.own / round.plain),
            floor,
        }
    }
}

/// A design in a schema of its own, with its clients.
struct Contender {
    scratch: Scratch,
    store: Arc<Store>,
    batch: usize,
    clients: Vec<Client>,
}

struct Client {
    connection: PoolConnection<MySql>,
    source: Source,
}

impl Contender {
    async fn open(
        server: &Server,
        design: Design,
        order: Order,
        batch: usize,
        clients: u64,
    ) -> Result<Contender, Failure> {
        let scratch = server.scratch()?;
        let store = Arc::new(Store::open(design, scratch.url(), clients).await?);
        let mut all = Vec::new();
        for client in 0..clients {
            all.push(Client { connection: store.pool.acquire().await?, source: Source::new(order, client) });
        }
        Ok(Contender { scratch, store, batch, clients: all })
    }

    /// Rows a second, of all clients at once.
    async fn rate(&mut self, span: Duration) -> Result<f64, Failure> {
        let (begin, batch) = (Instant::now(), self.batch);
        let run = |mut client: Client| {
            let store = self.store.clone();
            tokio::spawn(async move {
                let mut taken = 0;
                while begin.elapsed() < span {
                    taken += store.put_on(&mut client.connection, &client.source.take(batch)).await?;
                }
                Ok::<_, Failure>((taken, client))
            })
        };
        let tasks: Vec<_> = std::mem::take(&mut self.clients).into_iter().map(run).collect();
        let mut rows = 0;
        for task in tasks {
            let (taken, client) = task.await??;
            rows += taken;
            self.clients.push(client);
        }
        Ok(rows as f64 / begin.elapsed().as_secs_f64())
    }

    async fn rate_of(contender: &mut Option<Contender>, span: Duration) -> Result<Option<f64>, Failure> {
        match contender {
            Some(contender) => contender.rate(span).await.map(Some),
            None => Ok(None),
        }
    }

    async fn close(self) {
        drop(self.clients);
        self.store.pool.close().await;
        drop(self.scratch);
    }
}
