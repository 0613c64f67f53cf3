//! Randomness.
//!
//! The bits come from a cryptographic stream cipher (`chacha20`) keyed by the operating system.
//! Ours is only the buffering, the key erasure after D. J. Bernstein, "Fast-key-erasure
//! random-number generators" (2017), and the fork check.

use chacha20::cipher::{KeyIvInit, StreamCipher};
use zeroize::Zeroize;

use crate::error::Result;

/// Gives random bytes.
pub trait Entropy {
    /// Fills the slice; on an error its content is unspecified.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()>;

    /// Sixteen random bytes as a number.
    #[inline]
    fn next_u128(&mut self) -> Result<u128> {
        let mut bytes = [0; 16];
        self.fill(&mut bytes)?;
        Ok(u128::from_ne_bytes(bytes))
    }

    /// Eight random bytes as a number.
    #[inline]
    fn next_u64(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

impl<T: Entropy + ?Sized> Entropy for &mut T {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        (**self).fill(bytes)
    }
}

#[cfg(feature = "alloc")]
impl<T: Entropy + ?Sized> Entropy for alloc::boxed::Box<T> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        (**self).fill(bytes)
    }
}

/// Bytes that follow from a seed alone, for tests and for runs that must repeat. **Not secret.**
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
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; KEY_LEN];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        FixedEntropy { keystream: Keystream::new(key) }
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

const KEY_LEN: usize = 32;
const BUFFER_LEN: usize = 1024;

/// A buffered keystream that forgets: each refill replaces the key by the first bytes that it
/// produced, and each byte is wiped as it is handed out, so that a later look into the memory
/// tells nothing of earlier ids.
#[derive(Clone)]
struct Keystream {
    key: [u8; KEY_LEN],
    buffer: [u8; BUFFER_LEN],
    used: usize,
}

impl Keystream {
    const fn new(key: [u8; KEY_LEN]) -> Self {
        Keystream { key, buffer: [0; BUFFER_LEN], used: BUFFER_LEN }
    }

    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) {
        let end = self.used + bytes.len();
        if end <= BUFFER_LEN {
            self.take(bytes, end);
        } else {
            self.fill_slowly(bytes);
        }
    }

    #[inline]
    fn take(&mut self, bytes: &mut [u8], end: usize) {
        let source = &mut self.buffer[self.used..end];
        bytes.copy_from_slice(source);
        source.fill(0);
        self.used = end;
    }

    #[cold]
    fn fill_slowly(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            if self.used == BUFFER_LEN {
                self.refill();
            }
            let count = bytes.len().min(BUFFER_LEN - self.used);
            let (now, rest) = bytes.split_at_mut(count);
            self.take(now, self.used + count);
            bytes = rest;
        }
    }

    fn refill(&mut self) {
        // The key is used for this one buffer, so the nonce may stay the same.
        let mut cipher = chacha20::ChaCha12::new(&self.key.into(), &[0; 12].into());
        self.buffer.fill(0);
        cipher.apply_keystream(&mut self.buffer);
        self.key.copy_from_slice(&self.buffer[..KEY_LEN]);
        self.buffer[..KEY_LEN].fill(0);
        self.used = KEY_LEN;
    }
}

impl Drop for Keystream {
    fn drop(&mut self) {
        self.key.zeroize();
        self.buffer.zeroize();
    }
}

#[cfg(feature = "std")]
pub use real::{Csprng, OsEntropy, ThreadEntropy};

#[cfg(feature = "std")]
mod real {
    use super::{Entropy, KEY_LEN, Keystream, Zeroize};
    use crate::error::{Error, Result};
    use crate::source::fork::ForkMark;

    /// The operating system's generator; a system call each time.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct OsEntropy;

    impl Entropy for OsEntropy {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
            getrandom::fill(bytes).map_err(Error::entropy)
        }
    }

    /// A buffered cryptographic generator, keyed by the operating system.
    ///
    /// In a forked child it takes a new key before it gives another byte.
    pub struct Csprng {
        keystream: Keystream,
        mark: ForkMark,
    }

    impl Csprng {
        /// Takes a key from the operating system.
        ///
        /// # Errors
        /// Where the system gives no randomness.
        pub fn new() -> Result<Self> {
            let mark = ForkMark::now();
            Ok(Csprng { keystream: keyed_by_the_system()?, mark })
        }

        #[cold]
        fn rekey_after_fork(&mut self) -> Result<()> {
            let mark = ForkMark::now();
            self.keystream = keyed_by_the_system()?;
            self.mark = mark;
            Ok(())
        }
    }

    fn keyed_by_the_system() -> Result<Keystream> {
        let mut key = [0; KEY_LEN];
        OsEntropy.fill(&mut key)?;
        let keystream = Keystream::new(key);
        key.zeroize();
        Ok(keystream)
    }

    impl Entropy for Csprng {
        #[inline]
        fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
            if self.mark.is_stale() {
                self.rekey_after_fork()?;
            }
            self.keystream.fill(bytes);
            Ok(())
        }
    }

    impl core::fmt::Debug for Csprng {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("Csprng")
        }
    }

    std::thread_local! {
        static THREAD: core::cell::RefCell<Option<Csprng>> = const { core::cell::RefCell::new(None) };
    }

    /// This thread's [`Csprng`]; it is keyed at the first use.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ThreadEntropy;

    impl Entropy for ThreadEntropy {
        #[inline]
        fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
            let filled = THREAD.try_with(|cell| {
                let mut slot = cell.borrow_mut();
                match &mut *slot {
                    Some(csprng) => csprng.fill(bytes),
                    None => slot.insert(Csprng::new()?).fill(bytes),
                }
            });
            // While the thread ends, its local may be gone already: ask the system itself.
            filled.unwrap_or_else(|_| OsEntropy.fill(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn the_stream_does_not_depend_on_the_size_of_the_draws() {
        let mut whole = vec![0; 5_000];
        FixedEntropy::new(3).fill(&mut whole).unwrap();
        let mut entropy = FixedEntropy::new(3);
        let mut pieces = Vec::new();
        for size in (1..).take_while(|size| size * (size + 1) / 2 <= 5_000) {
            let mut piece = vec![0; size];
            entropy.fill(&mut piece).unwrap();
            pieces.extend(piece);
        }
        assert_eq!(pieces, whole[..pieces.len()]);
        assert!(pieces.len() > 4 * BUFFER_LEN);
    }

    #[test]
    fn what_was_handed_out_is_wiped() {
        let mut keystream = Keystream::new([9; KEY_LEN]);
        let mut bytes = [0; 100];
        keystream.fill(&mut bytes);
        assert_eq!(keystream.used, KEY_LEN + 100);
        assert!(keystream.buffer[..keystream.used].iter().all(|&b| b == 0));
        assert_ne!(keystream.key, [9; KEY_LEN]);
        assert!(!keystream.buffer.windows(KEY_LEN).any(|w| w == keystream.key));
    }

    #[test]
    fn two_keys_from_the_system_differ() {
        let draw = || Csprng::new().unwrap().next_u128().unwrap();
        assert_ne!(draw(), draw());
    }
}
