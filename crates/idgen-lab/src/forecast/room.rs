//! Estimates the memory that the model of a load needs, before it is allocated.

use super::load::{LEAST_FRAMES, Load, PAGE_SIZE, WHOLE_ROWS};
use crate::measure;
use crate::{Error, Result};
use btree_model::Model;

/// The share of the machine's memory that may be used, because other programs need memory too.
const PART_OF_MEMORY: f64 = 0.75;
/// Assumed if the machine does not report how much memory it has.
const USUAL_MEMORY: u64 = 4 << 30;
/// What the model stores for each page of the pool.
const BYTES_PER_FRAME: u64 = 64;

/// The memory of this machine in bytes.
fn memory() -> u64 {
    match measure::this_machine().memory_bytes {
        0 => USUAL_MEMORY,
        memory => memory,
    }
}

/// Refuses a load that needs this many bytes if this machine has too few.
pub(super) fn check_bytes(needed: u64, what: impl Fn() -> String) -> Result<()> {
    let memory = memory();
    if needed <= (memory as f64 * PART_OF_MEMORY) as u64 {
        return Ok(());
    }
    Err(Error::config(format!(
        "{} take about {:.1} GB of memory to predict, and this machine has {:.1}: give fewer rows",
        what(),
        needed as f64 / 1e9,
        memory as f64 / 1e9
    )))
}

impl Load {
    /// Refuses a load for which this machine has too little memory.
    pub(super) fn check_room(&self, key_bytes: u32) -> Result<()> {
        self.check_room_in(memory(), key_bytes)
    }

    fn check_room_in(&self, memory: u64, key_bytes: u32) -> Result<()> {
        let room = (memory as f64 * PART_OF_MEMORY) as u64;
        let of_pool = self.server.pool_bytes / u64::from(PAGE_SIZE) * BYTES_PER_FRAME;
        let needed = |parts| of_pool.saturating_add(self.bytes_of_rows(parts, key_bytes));
        if needed(self.parts()) <= room {
            return Ok(());
        }
        let remedy = match (self.parts()..=self.most_parts()).find(|&parts| needed(parts) <= room) {
            _ if of_pool > room / 2 => "give a smaller pool".to_owned(),
            Some(parts) if self.rows > WHOLE_ROWS => {
                let pool = u64::from(parts) * LEAST_FRAMES * u64::from(PAGE_SIZE);
                format!("give fewer rows, or a pool of at least {}M", pool >> 20)
            }
            _ => "give fewer rows".to_owned(),
        };
        Err(Error::config(format!(
            "{} rows in a pool of {}M take about {:.1} GB of memory to predict, and this machine has {:.1}: {remedy}",
            self.rows,
            self.server.pool_bytes >> 20,
            needed(self.parts()) as f64 / 1e9,
            memory as f64 / 1e9
        )))
    }

    /// Memory for the rows of one part out of this many, or for the rows that the model follows before it samples.
    fn bytes_of_rows(&self, parts: u32, key_bytes: u32) -> u64 {
        let rows = match parts {
            1 => self.all_rows(),
            parts => (self.rows / u64::from(parts)).max(Model::WHOLE_ROWS),
        };
        rows * Model::bytes_per_row(key_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict;
    use crate::strategy;
    use btree_model::Server;

    const GB: u64 = 1_000_000_000;

    fn load(rows: u64, pool_mib: u64) -> Load {
        Load {
            rows,
            row_bytes: 100,
            rate: 1_000.0,
            id_rate: None,
            writers: 1,
            commit_rows: 1,
            server: Server::mysql(pool_mib << 20),
            existing: None,
        }
    }

    #[test]
    fn a_load_beyond_memory_is_refused_with_one_that_fits() {
        let error = load(GB, 16).check_room_in(8 * GB, 16).unwrap_err();
        assert!(error.is_config());
        let said = error.to_string();
        assert!(said.contains("take about 30.0 GB of memory") && said.contains("has 8.0:"), "{said}");
        // At 6 GB per part at most, 30 GB are five parts, each with 16 MiB of the pool.
        assert!(said.ends_with("or a pool of at least 96M"), "{said}");
        load(GB, 96).check_room_in(8 * GB, 16).unwrap();
        assert!(load(GB, 80).check_room_in(8 * GB, 16).is_err());
        // Longer keys need more memory, and a small machine has no memory for their pool.
        let said = load(GB, 96).check_room_in(GB, 37).unwrap_err().to_string();
        assert!(said.ends_with(": give fewer rows"), "{said}");
        let said = load(1_000_000, 64 << 20).check_room_in(8 * GB, 16).unwrap_err().to_string();
        assert!(said.ends_with(": give a smaller pool"), "{said}");
    }

    /// The examples of the help text work on a machine with 4 GB.
    #[test]
    fn a_thousand_million_rows_can_be_predicted_with_a_large_pool() {
        load(GB, 16 << 10).check_room_in(4 * GB, 37).unwrap();
        load(3_000_000, 128).check_room_in(4 * GB, 16).unwrap();
    }

    /// No ids are generated for this: two thousand million would take minutes.
    #[test]
    fn loads_that_cannot_be_predicted_are_refused_at_once() {
        let most = load(Load::MAX_ROWS, 16 << 10);
        let small_pool = Load { server: Server::mysql(1 << 10), ..most.clone() };
        for (load, says) in [
            (Load { rate: 0.0, ..most.clone() }, "the rate is 0"),
            (Load { rate: f64::NAN, ..most.clone() }, "the rate is NaN"),
            (Load { writers: 10_001, ..most.clone() }, "writers is 10001"),
            (small_pool, "buffer pool of 1024 bytes, which hold 0 pages"),
        ] {
            let said = predict(strategy::find("v4-text36").unwrap(), &load).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        }
    }
}
