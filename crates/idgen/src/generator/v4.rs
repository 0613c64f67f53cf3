//! UUID version 4.

use uuid::Uuid;

use crate::error::Result;
use crate::fields;
use crate::generator::draws;
use crate::generator::{Bits, Generate, NextBits, all_or_nothing, from_bits, to_bits};
#[cfg(feature = "std")]
use crate::source::Csprng;
use crate::source::Entropy;

/// Generates UUIDs of version 4: 122 random bits. Source: RFC 9562 section 5.4.
///
/// ```
/// use idgen::{generator::{Generate, V4}, source::FixedEntropy};
///
/// let mut ids = [idgen::Uuid::nil(); 100];
/// V4::new(FixedEntropy::new(1)).fill(&mut ids)?;
/// assert!(ids.iter().all(|id| id.get_version_num() == 4));
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct V4<E> {
    entropy: E,
}

#[cfg(feature = "std")]
impl V4<Csprng> {
    /// A generator with the system's randomness.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn system() -> Result<Self> {
        Ok(Self::new(Csprng::new()?))
    }
}

impl<E: Entropy> V4<E> {
    /// A generator with this randomness.
    pub fn new(entropy: E) -> Self {
        V4 { entropy }
    }
}

impl<E: Entropy> NextBits for V4<E> {
    #[inline]
    fn next_bits(&mut self) -> Result<Bits> {
        Ok(to_bits(fields::random(self.entropy.next_u128()?, 4)))
    }
}

impl<E: Entropy> Generate for V4<E> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        all_or_nothing(ids, |ids| draws::versioned::<4>(&mut self.entropy, ids))
    }
}
