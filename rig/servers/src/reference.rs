//! The published designs of a UUID map that `idgen-mysql` is compared with. Do not use them.
//!
//! A stored function under a named lock, and one with a table of recent hashes, in the tables `uuid_to_id`
//! and `dedup`. The tests show where they lose or repeat ids; the benchmark and the lab show what they cost.

/// The table that both functions fill, with an index on a 32-bit hash called `idx_hash`.
pub const TABLE: &str = "uuid_to_id";

/// The table of recent hashes.
pub const RECENT: &str = "dedup";

/// The functions `reference_lock(uuid)` and `reference_dedup(uuid)` create the id of a UUID of 36 characters, if it
/// has none.
pub const FUNCTIONS: [&str; 2] = ["reference_lock", "reference_dedup"];

/// The statements that create the tables and the functions, in order.
///
/// ```
/// use idgen_server::reference;
///
/// let all: Vec<_> = reference::statements().collect();
/// assert_eq!(all.len(), 4);
/// assert!(all[2].contains(reference::FUNCTIONS[0]));
/// ```
pub fn statements() -> impl Iterator<Item = &'static str> {
    include_str!("reference.sql").split("\n//\n")
}
