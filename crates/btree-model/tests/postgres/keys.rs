//! Keys of the kinds whose indexes were measured on PostgreSQL 18.

/// Numbers that look random and are the same in each run (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// 16 bytes from a first and a second half.
fn key(high: u64, low: u64) -> [u8; 16] {
    ((u128::from(high) << 64) | u128::from(low)).to_be_bytes()
}

/// Version 4.
pub fn random(rows: u64, seed: u64) -> Vec<[u8; 16]> {
    let mut numbers = Numbers(seed);
    (0..rows).map(|_| key(numbers.next(), numbers.next())).collect()
}

/// Version 7 of a generator that counts.
pub fn ascending(rows: u64, first: u64) -> Vec<[u8; 16]> {
    (0..rows).map(|row| key(first + row, 0)).collect()
}

/// Prefixes that look random, each for `per_visit` rows in turn, chosen at random for each visit, and an ascending or
/// a random tail.
pub fn prefixed(rows: u64, prefixes: u64, per_visit: u64, ascending_tail: bool) -> Vec<[u8; 16]> {
    let mut numbers = Numbers(7);
    let heads: Vec<u64> = (0..prefixes).map(|_| numbers.next()).collect();
    let mut head = 0;
    (0..rows)
        .map(|row| {
            if row % per_visit == 0 {
                let visit = row / per_visit;
                head = heads[if visit < prefixes { visit } else { numbers.next() % prefixes } as usize];
            }
            key(head, if ascending_tail { row } else { numbers.next() })
        })
        .collect()
}

/// Writers in turn, each with a prefix, and an ascending tail.
pub fn writers(rows: u64, writers: u64) -> Vec<[u8; 16]> {
    let mut numbers = Numbers(9);
    let heads: Vec<u64> = (0..writers).map(|_| numbers.next()).collect();
    (0..rows).map(|row| key(heads[(row % writers) as usize], row)).collect()
}
