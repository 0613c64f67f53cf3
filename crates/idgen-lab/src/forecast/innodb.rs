//! The model of a table of InnoDB, and which part of its keys it follows.

use btree_model::{Model, Ranges, Server, Setup, Shape, Table};
use idgen_record::Column;

use super::keys::Keys;
use super::load::key_bytes;
use super::{Load, Modeled, refused, room};
use crate::Result;
use crate::strategy::Strategy;

/// InnoDB's default page size.
pub(crate) const PAGE_SIZE: u32 = 16_384;
/// For tables with more rows than this, the model follows a sample of their key ranges.
pub(super) const WHOLE_ROWS: u64 = 10_000_000;
/// A sample is at least one part in this many: a smaller one would have too few pages.
const MOST_PARTS: u32 = 64;
/// A sample has at least so many rows, because few leaves fill less evenly: with one part in 64 of 30 million random keys,
/// page fill is 1.4 points and pages read are 5 % off what following all of them gives, and with one in three 0.2 points
/// and 1 %.
const LEAST_FOLLOWED: u64 = 8_000_000;
/// The fewest pages in the sample's share of the pool with which it still behaves like a pool.
pub(super) const LEAST_FRAMES: u64 = 1_024;
/// The number of keys from which the ranges of a sample are determined.
const LEARNED_KEYS: u64 = 200_000;

/// Bytes of a row as stored, including a key of this many bytes, the header and the system columns.
///
/// # Errors
/// Such a row does not fit on a page.
pub(crate) fn record_bytes(key_bytes: u32, row_bytes: u32) -> Result<u32> {
    Ok(Shape::clustered(PAGE_SIZE, key_bytes, row_bytes).map_err(refused)?.record_bytes())
}

impl Modeled for Server {
    fn name(&self) -> &'static str {
        "InnoDB"
    }

    /// Every strategy is a key of some bytes, also one of a type that only another database has.
    fn check(&self, _: &Strategy) -> Result<()> {
        Ok(())
    }

    fn most_rows(&self, load: &Load) -> u64 {
        if load.existing.is_some() { WHOLE_ROWS } else { Load::MAX_ROWS }
    }

    fn table(&self, strategy: &Strategy, load: &Load) -> Result<(Box<dyn Table>, u32)> {
        // An id that is not the key is an ordinary column.
        let id_bytes = if strategy.column == Column::Unkeyed16 { 16 } else { 0 };
        let other_bytes = load.row_bytes.saturating_add(id_bytes);
        let shape = Shape::clustered(PAGE_SIZE, key_bytes(strategy.column), other_bytes).map_err(refused)?;
        let setup =
            Setup { shape, server: self.clone(), rate: load.reached_rate(), commit_rows: load.commit_rows };
        // The load is checked before the ids are generated, because that takes minutes for a thousand million rows.
        setup.check().map_err(refused)?;
        room::check_pool(load, self, key_bytes(strategy.column))?;
        let ranges = ranges(strategy, load, self)?;
        let parts = ranges.parts();
        Ok((Box::new(Model::sampled(&setup, ranges).map_err(refused)?), parts))
    }

    fn describe(&self, load: &Load) -> String {
        let mut text =
            format!("{} in a transaction, a pool of {} MiB", load.commit_rows, self.pool_bytes >> 20);
        if let Some(iops) = self.device_iops {
            text += &format!(", {iops} page reads and writes per second");
        }
        text
    }
}

/// The ranges of the keys that are followed.
fn ranges(strategy: &Strategy, load: &Load, server: &Server) -> Result<Ranges> {
    let parts = parts(load.rows, server);
    if parts == 1 {
        return Ok(Ranges::all());
    }
    let mut keys = Keys::new(strategy, load.id_rate(), load.writers, 1)?;
    let step = (load.rows / LEARNED_KEYS).max(1);
    let mut learned = Vec::new();
    for row in 0..load.rows {
        let key = keys.next_key()?;
        if row % step == 0 {
            learned.push(key.to_vec());
        }
    }
    Ok(Ranges::learn(learned, parts))
}

/// The number of parts of which the model follows one.
pub(super) fn parts(rows: u64, server: &Server) -> u32 {
    let frames = server.pool_bytes / u64::from(PAGE_SIZE);
    if rows <= WHOLE_ROWS {
        return 1;
    }
    u32::try_from(frames / LEAST_FRAMES).unwrap_or(MOST_PARTS).clamp(1, most_parts(rows))
}

/// The parts that the rows can be divided into, whatever the pool is.
pub(super) fn most_parts(rows: u64) -> u32 {
    u32::try_from(rows / LEAST_FOLLOWED).unwrap_or(MOST_PARTS).clamp(1, MOST_PARTS)
}
