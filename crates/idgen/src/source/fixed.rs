//! A fixed source of randomness, for tests.

use crate::error::Result;
use crate::source::entropy::Entropy;
use crate::source::keystream::{Cipher, KEY_LEN, Keystream};

/// Bytes that depend only on a seed, for tests and for reproducible runs. **Not secret.**
///
/// ```
/// use idgen::source::{Entropy, FixedEntropy};
///
/// let (mut a, mut b) = (FixedEntropy::new(7), FixedEntropy::new(7));
/// assert_eq!(a.next_u128()?, b.next_u128()?);
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone)]
pub struct FixedEntropy {
    keystream: Keystream,
}

impl FixedEntropy {
    /// The byte stream of this seed.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; KEY_LEN];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        FixedEntropy { keystream: Keystream::new(Cipher::ChaCha, key) }
    }
}

impl core::fmt::Debug for FixedEntropy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("FixedEntropy")
    }
}

impl Entropy for FixedEntropy {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.keystream.fill(bytes);
        Ok(())
    }
}
