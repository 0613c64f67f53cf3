//! A sample of a table's key ranges, so that the model can follow 10^9 rows within minutes and in little memory.
//!
//! What happens to a leaf depends only on the keys of its own range, so one of every `n` ranges shows
//! how all leaves split and fill. A pool that is `n` times smaller and serves one range in `n` also reads
//! and writes `n` times less, because reuse distances shrink by the same factor. Waldspurger et al.,
//! "Efficient MRC Construction with SHARDS", FAST 2015, showed this for caches in general.

use crate::key::head;

/// Ranges in each part: enough that all parts are alike, and few enough that each range spans many leaves.
const RANGES_PER_PART: usize = 16;

/// The keys that a model follows: all, or those in some ranges.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// The first key of each range but the first, by its first 16 bytes.
    bounds: Vec<u128>,
    parts: u32,
}

impl Ranges {
    /// All keys.
    pub fn all() -> Ranges {
        Ranges { bounds: Vec::new(), parts: 1 }
    }

    /// Chooses one of `parts` equal parts of the keys, which consists of many ranges.
    ///
    /// `keys` is an even sample of all keys that will be inserted, from the first to the last: every
    /// thousandth key is enough. Each range gets the same number of these keys, whether keys ascend or are
    /// random. With too few keys to form ranges, all keys are followed.
    ///
    /// ```
    /// use btree_model::Ranges;
    ///
    /// let thin = (0..1_000_000_u64).step_by(100).map(u64::to_be_bytes);
    /// let ranges = Ranges::learn(thin, 8);
    /// let taken = (0..1_000_000_u64).filter(|key| ranges.take(&key.to_be_bytes())).count();
    /// assert!(taken.abs_diff(125_000) < 2_000, "{taken}");
    /// ```
    pub fn learn(keys: impl IntoIterator<Item = impl AsRef<[u8]>>, parts: u32) -> Ranges {
        let mut keys: Vec<u128> = keys.into_iter().map(|key| head(key.as_ref())).collect();
        let ranges = RANGES_PER_PART * parts as usize;
        if parts < 2 || keys.len() < ranges {
            return Ranges::all();
        }
        keys.sort_unstable();
        let bounds = (1..ranges).map(|range| keys[keys.len() * range / ranges]).collect();
        Ranges { bounds, parts }
    }

    /// The number of equal parts of which these keys are one; 1 for all keys.
    pub fn parts(&self) -> u32 {
        self.parts
    }

    /// Returns true if the key is followed.
    pub fn take(&self, key: &[u8]) -> bool {
        self.parts == 1 || self.take_head(head(key))
    }

    pub(crate) fn take_head(&self, key: u128) -> bool {
        (self.bounds.partition_point(|bound| *bound <= key) as u32).is_multiple_of(self.parts)
    }
}
