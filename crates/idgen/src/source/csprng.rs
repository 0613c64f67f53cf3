//! The real sources of randomness: the operating system's, and buffered generators that it keys.

use core::cell::RefCell;

use zeroize::Zeroize;

use crate::error::{Error, Result};
use crate::source::entropy::Entropy;
use crate::source::fork::ForkMark;
use crate::source::keystream::{Cipher, KEY_LEN, Keystream};

/// The operating system's generator; a system call each time.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        getrandom::fill(bytes).map_err(Error::entropy)
    }

    #[cold]
    fn next_u128(&mut self) -> Result<u128> {
        let mut bytes = [0; 16];
        self.fill(&mut bytes)?;
        Ok(u128::from_ne_bytes(bytes))
    }

    #[cold]
    fn next_u64(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

/// A buffered cryptographic generator, keyed by the operating system: AES-256 in counter mode where
/// the processor has instructions for it, ChaCha12 elsewhere; 4 KiB large.
///
/// Used keys and bytes are wiped, so that what lies in memory tells nothing of earlier ids. In a
/// forked child it takes a new key before it gives another byte.
pub struct Csprng {
    keystream: Keystream,
    mark: ForkMark,
}

/// Draws of at least so many bytes are made in place, with a key of their own.
const LARGE: usize = 1_024;

impl Csprng {
    /// Takes a key from the operating system.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn new() -> Result<Self> {
        let mut csprng = Csprng::without_key();
        csprng.take_key(Cipher::fastest())?;
        Ok(csprng)
    }

    /// Takes its key at the first draw.
    const fn without_key() -> Self {
        Csprng { keystream: Keystream::new(Cipher::ChaCha, [0; KEY_LEN]), mark: ForkMark::NEVER }
    }

    /// Sees to it that the key is one of this process.
    #[inline(always)]
    fn check_key(&mut self) -> Result<()> {
        if self.mark.is_stale() { self.take_key(Cipher::fastest()) } else { Ok(()) }
    }

    #[cold]
    fn take_key(&mut self, cipher: Cipher) -> Result<()> {
        let mark = ForkMark::now();
        let mut key = [0; KEY_LEN];
        OsEntropy.fill(&mut key)?;
        self.keystream.restart(cipher, &key);
        key.zeroize();
        // Only now: were there no key, the next draw must ask for one again.
        self.mark = mark;
        Ok(())
    }
}

impl Entropy for Csprng {
    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.check_key()?;
        if bytes.len() >= LARGE {
            self.keystream.fill_directly(bytes);
        } else {
            self.keystream.fill(bytes);
        }
        Ok(())
    }

    #[inline(always)]
    fn next_u128(&mut self) -> Result<u128> {
        self.check_key()?;
        Ok(u128::from_ne_bytes(self.keystream.draw()))
    }

    #[inline(always)]
    fn next_u64(&mut self) -> Result<u64> {
        self.check_key()?;
        Ok(u64::from_ne_bytes(self.keystream.draw()))
    }
}

impl core::fmt::Debug for Csprng {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Csprng")
    }
}

std::thread_local! {
    static THREAD: RefCell<Csprng> = const { RefCell::new(Csprng::without_key()) };
}

/// This thread's [`Csprng`]; it is keyed at the first use.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadEntropy;

/// Runs with this thread's generator. While the thread ends, it may be gone already: then with the
/// system's own.
///
/// Inlined, as a draw through a `Result` in memory takes longer than the draw.
#[inline(always)]
fn with_thread<T: Default>(
    draw: impl Fn(&mut Csprng) -> Result<T>,
    slow: impl Fn(&mut OsEntropy) -> Result<T>,
) -> Result<T> {
    let mut drawn = T::default();
    let tried = THREAD.try_with(|csprng| {
        drawn = draw(&mut csprng.borrow_mut())?;
        Ok(())
    });
    match tried {
        Ok(done) => done.map(|()| drawn),
        Err(_) => slow(&mut OsEntropy),
    }
}

impl Entropy for ThreadEntropy {
    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        THREAD.try_with(|csprng| csprng.borrow_mut().fill(bytes)).unwrap_or_else(|_| OsEntropy.fill(bytes))
    }

    #[inline(always)]
    fn next_u128(&mut self) -> Result<u128> {
        with_thread(Csprng::next_u128, OsEntropy::next_u128)
    }

    #[inline(always)]
    fn next_u64(&mut self) -> Result<u64> {
        with_thread(Csprng::next_u64, OsEntropy::next_u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn two_keys_from_the_system_differ() {
        let draw = || Csprng::new().unwrap().next_u128().unwrap();
        assert_ne!(draw(), draw());
        assert_ne!(ThreadEntropy.next_u128().unwrap(), draw());
    }

    /// Both ciphers, forced: draws of every path never repeat each other.
    #[test]
    fn draws_of_any_size_differ() {
        for cipher in [Cipher::Aes, Cipher::ChaCha] {
            let mut csprng = Csprng::new().unwrap();
            csprng.take_key(cipher).unwrap();
            let mut seen = HashSet::new();
            for round in 0..2_000 {
                assert!(seen.insert(csprng.next_u128().unwrap()));
                let mut bytes = [0; LARGE];
                csprng.fill(&mut bytes[..if round % 10 == 0 { LARGE } else { 160 }]).unwrap();
                let (draws, _) = bytes.as_chunks::<16>();
                assert!(draws.iter().all(|draw| *draw == [0; 16] || seen.insert(u128::from_ne_bytes(*draw))));
            }
        }
    }
}
