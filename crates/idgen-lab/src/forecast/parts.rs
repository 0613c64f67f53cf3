//! Decides how large a part of its keys the model of InnoDB follows.

use btree_model::Server;

/// InnoDB's default page size.
pub(crate) const PAGE_SIZE: u32 = 16_384;
/// The most rows that the model follows as a whole. For larger tables it follows a sample of their key
/// ranges.
pub(super) const WHOLE_ROWS: u64 = 10_000_000;
/// A sample is at least one part in this many: a smaller one would have too few pages.
const MOST_PARTS: u32 = 64;
/// A sample has at least this many rows, because few leaves fill less evenly: with one part in 64 of 30
/// million random keys, page fill is 1.4 points and pages read are 5 % off what following all of them gives,
/// and with one in three 0.2 points and 1 %.
const LEAST_FOLLOWED: u64 = 8_000_000;
/// The fewest pages in the sample's share of the pool with which it still behaves like a pool.
pub(super) const LEAST_FRAMES: u64 = 1_024;

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
