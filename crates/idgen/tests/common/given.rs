//! Inputs of the vectors of prefixed ids: times, and randomness with fixed values.

use idgen::Timestamp;
use idgen::source::Entropy;

/// A time of the vectors: milliseconds, and 100 ns after them.
pub fn now(unix_ms: i64, ticks: i64) -> Timestamp {
    Timestamp::from_unix_ticks(unix_ms * 10_000 + ticks)
}

/// Returns the draw that begins a fraction of a millisecond, then the same random bits for each id.
pub struct Given {
    first: u64,
    rest: u64,
    is_begun: bool,
}

impl Given {
    /// Begins with this counter, and with the random bits of tests/vectors/prefixed.json.
    pub fn counter(counter: u32) -> Self {
        Given { first: counter.into(), rest: 0x0123_4567_89AB_CDEF, is_begun: false }
    }
}

impl Entropy for Given {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), idgen::Error> {
        for word in bytes.chunks_mut(8) {
            let bits = if self.is_begun { self.rest.to_be_bytes() } else { self.first.to_ne_bytes() };
            self.is_begun = true;
            word.copy_from_slice(&bits[..word.len()]);
        }
        Ok(())
    }
}
