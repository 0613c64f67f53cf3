//! What a pair takes in the file, and how many pages a new one touches.
//!
//! Pages are counted in the files, by the log sequence number that each page carries: those that 1,000
//! consecutive single calls changed. That number does not depend on the machine, and is the one in which
//! the locality of keys is stated everywhere here: distinct leaves for 1,000 inserts. The counter of the
//! buffer pool stands beside it: pages asked for, in memory or not, the same ones again and again.

use std::sync::Arc;

use idgen_mysql::Index;
use idgen_server::{Scratch, Server};
use innodb_pages::{Options, Survey, Tablespace};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use crate::Failure;
use crate::design::{Design, Order, Source, Store};

/// Calls between two looks at the files.
const STRETCH: usize = 1_000;
const STRETCHES: u64 = 3;
const LOADERS: u64 = 4;
/// Rows of one statement while a table is filled.
const CHUNK: usize = 1_000;
/// How often the same UUIDs come again.
pub const REPEATS: usize = 10;

/// A table of this size has 854 different leaves for 1,000 random keys, and 3.3 for those with a prefix and an
/// ascending tail: what the figures of the key alone can be compared with.
pub const MILLION: u64 = 1_000_000;

/// One design with one order of UUIDs, in a table of some size.
pub struct Footprint {
    pub design: Design,
    pub order: Order,
    pub pairs: u64,
    /// Bytes of index pages in the file of the pairs, for each pair.
    pub bytes_per_pair: f64,
    /// Bytes of a record in the index of the UUID or of its hash, where there is one.
    pub entry_bytes: Option<f64>,
    /// Leaf pages that 1,000 new pairs changed, in all tables of the design.
    pub leaves_per_1k: f64,
    /// The same with the pages above them.
    pub pages_per_1k: f64,
    /// Pages asked for in the buffer pool, for each new pair.
    pub reads_per_pair: f64,
    /// Ids wasted when 1,000 UUIDs come again; `None` where ids are not by UUID.
    pub burned: Option<i64>,
}

/// What is measured.
pub fn designs() -> Vec<(Design, Order)> {
    let mut designs =
        vec![(Design::Plain, Order::Random), (Design::Key, Order::Random), (Design::Key, Order::Bucket)];
    for design in [Design::Map(Index::Unique), Design::Map(Index::Dedup), Design::Compact] {
        designs.push((design, Order::Random));
        designs.push((design, Order::Bucket));
    }
    for function in ["reference_lock", "reference_dedup"] {
        designs.push((Design::Function(function), Order::Random));
    }
    designs.push((Design::OnDuplicate, Order::Random));
    designs
}

impl Footprint {
    pub async fn measure(
        server: &Server,
        (design, order): (Design, Order),
        pairs: u64,
    ) -> Result<Footprint, Failure> {
        let burned = burned(server, design).await?;
        if matches!(design, Design::Map(_)) && burned != Some(0) {
            return Err(format!("{}: repeats burned {burned:?} ids, not 0", design.name()).into());
        }
        let scratch = server.scratch()?;
        let store = Arc::new(Store::open(design, scratch.url(), LOADERS).await?);
        let mut source = fill(server, &store, order, pairs).await?;
        let mut connection = MySqlConnection::connect(scratch.url()).await?;
        let mut surveys = survey(server, &scratch, &mut connection, design).await?;
        let mut mark = newest(&surveys);
        let (mut leaves, mut pages, mut reads) = (0, 0, 0);
        for _ in 0..STRETCHES {
            let before = read_requests(&mut connection).await?;
            for uuid in source.take(STRETCH) {
                store.put(&[uuid]).await?;
            }
            reads += read_requests(&mut connection).await?.saturating_sub(before);
            surveys = survey(server, &scratch, &mut connection, design).await?;
            for table in &surveys {
                leaves += table.changed(mark, |level| level == 0);
                pages += table.changed(mark, |_| true);
            }
            mark = newest(&surveys);
        }
        let calls = (STRETCHES * STRETCH as u64) as f64;
        let main = &surveys[0].survey;
        let rows = main.clustered().map_or(0, |tree| tree.records);
        if rows < pairs {
            return Err(format!("{}: {rows} rows in the file, not {pairs}", design.name()).into());
        }
        let bytes: f64 =
            main.indexes.iter().map(|tree| tree.page_bytes_per_record * tree.records as f64).sum();
        store.pool.close().await;
        Ok(Footprint {
            design,
            order,
            pairs,
            bytes_per_pair: bytes / rows as f64,
            entry_bytes: main.indexes.iter().find(|tree| !tree.clustered).map(|tree| tree.record_bytes),
            leaves_per_1k: leaves as f64 * 1_000.0 / calls,
            pages_per_1k: pages as f64 * 1_000.0 / calls,
            reads_per_pair: reads as f64 / calls,
            burned,
        })
    }

    /// The most leaves that 1,000 new pairs of the default index should touch: what their ids touch in a
    /// plain table, what the keys alone do, and the row from which the ids come.
    pub fn target(&self, all: &[Footprint]) -> Option<f64> {
        if self.design != Design::Map(Index::Unique) {
            return None;
        }
        let plain = all.iter().find(|row| row.design == Design::Plain)?;
        let key = all.iter().find(|row| row.design == Design::Key && row.order == self.order)?;
        Some(plain.leaves_per_1k + key.leaves_per_1k + 1.0)
    }
}

/// Fills the table, and gives the source of one of its writers, to go on with.
async fn fill(server: &Server, store: &Arc<Store>, order: Order, pairs: u64) -> Result<Source, Failure> {
    // Only here: what is measured later does not depend on it, and a million commits do.
    durable(server, false).await?;
    let share = (pairs / LOADERS) as usize;
    let loaders: Vec<_> = (0..LOADERS)
        .map(|client| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut source = Source::new(order, client);
                let mut left = share;
                while left > 0 {
                    let count = left.min(CHUNK);
                    store.load(&source.take(count)).await?;
                    left -= count;
                }
                Ok::<Source, Failure>(source)
            })
        })
        .collect();
    let mut source = Source::new(order, LOADERS);
    for loader in loaders {
        source = loader.await??;
    }
    durable(server, true).await?;
    store.loaded().await?;
    Ok(source)
}

async fn durable(server: &Server, on: bool) -> Result<(), Failure> {
    let mut connection = MySqlConnection::connect(server.url()).await?;
    for variable in ["innodb_flush_log_at_trx_commit", "sync_binlog"] {
        let statement = format!("SET GLOBAL {variable} = {}", u8::from(on));
        connection.execute(AssertSqlSafe(statement)).await?;
    }
    Ok(())
}

/// Stores 1,000 UUIDs, then all of them again and again, then one more, and counts the ids left out.
async fn burned(server: &Server, design: Design) -> Result<Option<i64>, Failure> {
    if matches!(design, Design::Plain | Design::Key | Design::Compact) {
        return Ok(None);
    }
    let scratch = server.scratch()?;
    let store = Store::open(design, scratch.url(), 1).await?;
    let mut source = Source::new(Order::Random, 0);
    let uuids = source.take(STRETCH);
    for uuid in &uuids {
        store.put(&[*uuid]).await?;
    }
    // Half of the repeats come one by one, the others in batches.
    for _ in 0..REPEATS / 2 {
        for uuid in &uuids {
            store.repeat(&[*uuid]).await?;
        }
        store.repeat(&uuids).await?;
    }
    store.put(&source.take(1)).await?;
    let statement = format!("SELECT CAST(MAX(id) AS SIGNED) - COUNT(*) FROM {}", design.tables()[0]);
    let left_out = store.pool.fetch_one(AssertSqlSafe(statement)).await?.try_get(0)?;
    store.pool.close().await;
    Ok(Some(left_out))
}

/// One table's file.
struct TableFile {
    survey: Survey,
    /// Level and log sequence number of each index page.
    pages: Vec<(u16, u64)>,
}

impl TableFile {
    fn changed(&self, since: u64, level: impl Fn(u16) -> bool) -> usize {
        self.pages.iter().filter(|(at, lsn)| *lsn > since && level(*at)).count()
    }
}

fn newest(tables: &[TableFile]) -> u64 {
    tables.iter().map(|table| table.survey.newest_lsn).max().unwrap_or(0)
}

/// Copies each table's file while the server holds it still.
async fn survey(
    server: &Server,
    scratch: &Scratch,
    connection: &mut MySqlConnection,
    design: Design,
) -> Result<Vec<TableFile>, Failure> {
    let folder = tempfile::tempdir()?;
    let mut files = Vec::new();
    for table in design.tables() {
        let copy = folder.path().join(format!("{table}.ibd"));
        connection.execute(AssertSqlSafe(format!("FLUSH TABLES {table} FOR EXPORT"))).await?;
        let copied = server.copy_data_file(&format!("{}/{table}.ibd", scratch.name()), &copy);
        connection.execute("UNLOCK TABLES").await?;
        copied?;
        let scanned = Tablespace::open(&copy, Options::default())?.scan()?;
        let pages = scanned
            .pages
            .iter()
            .filter_map(|page| page.index.as_ref().map(|index| (index.level, page.lsn)))
            .collect();
        files.push(TableFile { survey: Survey::of(&scanned), pages });
    }
    Ok(files)
}

async fn read_requests(connection: &mut MySqlConnection) -> Result<u64, Failure> {
    let row = connection.fetch_one("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_read_requests'").await?;
    let text: String = row.try_get_unchecked(1)?;
    Ok(text.parse()?)
}
