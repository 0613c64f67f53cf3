//! UUID version 4.

use uuid::Uuid;

use crate::error::Result;
use crate::fields;
use crate::generator::{Generate, all_or_nothing};
#[cfg(feature = "std")]
use crate::source::Csprng;
use crate::source::Entropy;

/// Makes UUIDs of version 4: 122 random bits; RFC 9562 section 5.4.
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
    /// From the system's randomness.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn system() -> Result<Self> {
        Ok(Self::new(Csprng::new()?))
    }
}

impl<E: Entropy> V4<E> {
    /// From randomness.
    pub fn new(entropy: E) -> Self {
        V4 { entropy }
    }
}

impl<E: Entropy> Generate for V4<E> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        Ok(fields::stamped(self.entropy.next_u128()?, 4))
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        all_or_nothing(ids, |ids| random_chunks(&mut self.entropy, ids, |bits| fields::stamped(bits, 4)))
    }
}

/// Draws randomness for many ids at a time, and makes each from its 128 bits.
#[inline]
pub(super) fn random_chunks(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(u128) -> Uuid,
) -> Result<()> {
    let mut bytes = [0; 16 * 32];
    for chunk in ids.chunks_mut(32) {
        let bytes = &mut bytes[..16 * chunk.len()];
        entropy.fill(bytes)?;
        let (draws, _) = bytes.as_chunks::<16>();
        for (id, draw) in chunk.iter_mut().zip(draws) {
            *id = make(u128::from_ne_bytes(*draw));
        }
    }
    Ok(())
}
