//! The model of a table of InnoDB, and which part of its keys it follows.

use btree_model::{Model, Ranges, Server, Setup, Shape, Table};
use idgen_record::Column;

use super::keys::Keys;
use super::load::key_bytes;
use super::parts::{PAGE_SIZE, WHOLE_ROWS, parts};
use super::{Load, Modeled, refused, room};
use crate::Result;
use crate::strategy::Strategy;

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
        let key = key_bytes(strategy.column) + load.tenant_bytes();
        let shape = Shape::clustered(PAGE_SIZE, key, other_bytes).map_err(refused)?;
        let setup =
            Setup { shape, server: self.clone(), rate: load.reached_rate(), commit_rows: load.commit_rows };
        // The load is checked before the ids are generated, because that takes minutes for a thousand million rows.
        setup.check().map_err(refused)?;
        room::check_pool(load, self, key)?;
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
    let mut keys = Keys::new(strategy, &load.makers(), 1)?;
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
