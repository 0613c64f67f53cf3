//! Estimates the memory that the model of a load needs, before it is allocated.

use super::Load;
use super::parts::{LEAST_FRAMES, PAGE_SIZE, WHOLE_ROWS, most_parts, parts};
use crate::measure;
use crate::{Error, Result};
use btree_model::{Model, Server};

/// The share of the machine's memory that may be used, because other programs need memory too.
const PART_OF_MEMORY: f64 = 0.75;
/// Assumed if the machine does not report how much memory it has.
const USUAL_MEMORY: u64 = 4 << 30;
/// Bytes that the model stores for each page of the pool.
const BYTES_PER_FRAME: u64 = 64;

/// The memory of this machine in bytes.
fn memory() -> u64 {
    match measure::this_machine().memory_bytes {
        0 => USUAL_MEMORY,
        memory => memory,
    }
}

/// The memory that a program may use on a machine with this much.
fn usable(memory: u64) -> u64 {
    (memory as f64 * PART_OF_MEMORY) as u64
}

fn too_large(what: &str, needed: u64, memory: u64, remedy: &str) -> Error {
    Error::config(format!(
        "{what} take about {:.1} GB of memory to predict, and this machine has {:.1}: {remedy}",
        needed as f64 / 1e9,
        memory as f64 / 1e9
    ))
}

/// Refuses a load, all of whose rows the model follows, for which this machine has too little memory.
pub(super) fn check_rows(load: &Load, key_bytes: u32) -> Result<()> {
    let (memory, needed) = (memory(), bytes_of_rows(load, 1, key_bytes));
    if needed <= usable(memory) {
        return Ok(());
    }
    Err(too_large(&format!("{} rows", load.all_rows()), needed, memory, "give fewer rows"))
}

/// Refuses a load of InnoDB for which this machine has too little memory.
pub(super) fn check_pool(load: &Load, server: &Server, key_bytes: u32) -> Result<()> {
    check_pool_in(memory(), load, server, key_bytes)
}

fn check_pool_in(memory: u64, load: &Load, server: &Server, key_bytes: u32) -> Result<()> {
    let room = usable(memory);
    let of_pool = server.pool_bytes / u64::from(PAGE_SIZE) * BYTES_PER_FRAME;
    let needed = |parts| of_pool.saturating_add(bytes_of_rows(load, parts, key_bytes));
    let parts = parts(load.rows, server);
    if needed(parts) <= room {
        return Ok(());
    }
    let remedy = match (parts..=most_parts(load.rows)).find(|&parts| needed(parts) <= room) {
        _ if of_pool > room / 2 => "give a smaller pool".to_owned(),
        Some(parts) if load.rows > WHOLE_ROWS => {
            let pool = u64::from(parts) * LEAST_FRAMES * u64::from(PAGE_SIZE);
            format!("give fewer rows, or a pool of at least {}M", pool >> 20)
        }
        _ => "give fewer rows".to_owned(),
    };
    let what = format!("{} rows in a pool of {}M", load.rows, server.pool_bytes >> 20);
    Err(too_large(&what, needed(parts), memory, &remedy))
}

/// Memory for the rows of one part out of this many, or for the rows that the model follows before it samples.
fn bytes_of_rows(load: &Load, parts: u32, key_bytes: u32) -> u64 {
    let rows = match parts {
        1 => load.all_rows(),
        parts => (load.rows / u64::from(parts)).max(Model::WHOLE_ROWS),
    };
    rows * Model::bytes_per_row(key_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict;
    use crate::strategy;

    const GB: u64 = 1_000_000_000;

    fn checked(rows: u64, pool_mib: u64, memory: u64, key_bytes: u32) -> Result<()> {
        let server = Server::mysql(pool_mib << 20);
        check_pool_in(memory, &Load::new(rows, server.clone()), &server, key_bytes)
    }

    #[test]
    fn a_load_beyond_memory_is_refused_with_one_that_fits() {
        let error = checked(GB, 16, 8 * GB, 16).unwrap_err();
        assert!(error.is_config());
        let said = error.to_string();
        assert!(said.contains("take about 30.0 GB of memory") && said.contains("has 8.0:"), "{said}");
        // With at most 6 GB per part, 30 GB are five parts, each with 16 MiB of the pool.
        assert!(said.ends_with("or a pool of at least 96M"), "{said}");
        checked(GB, 96, 8 * GB, 16).unwrap();
        assert!(checked(GB, 80, 8 * GB, 16).is_err());
        // Longer keys need more memory, and a small machine has no memory for their pool.
        let said = checked(GB, 96, GB, 37).unwrap_err().to_string();
        assert!(said.ends_with(": give fewer rows"), "{said}");
        let said = checked(1_000_000, 64 << 20, 8 * GB, 16).unwrap_err().to_string();
        assert!(said.ends_with(": give a smaller pool"), "{said}");
    }

    /// The examples of the help text work on a machine with 4 GB.
    #[test]
    fn a_thousand_million_rows_can_be_predicted_with_a_large_pool() {
        checked(GB, 16 << 10, 4 * GB, 37).unwrap();
        checked(3_000_000, 128, 4 * GB, 16).unwrap();
    }

    /// No ids are generated for this: two thousand million would take minutes.
    #[test]
    fn loads_that_cannot_be_predicted_are_refused_at_once() {
        let most = Load::new(Load::MAX_ROWS, Server::mysql(16 << 30));
        let small_pool = Load { server: Server::mysql(1 << 10).into(), ..most.clone() };
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
