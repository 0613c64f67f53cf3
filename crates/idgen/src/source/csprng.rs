//! The real sources of randomness: the operating system, and buffered generators with a key from it.

use core::cell::RefCell;
use core::mem::ManuallyDrop;

use uuid::Uuid;
use zeroize::Zeroize;

use crate::error::{Error, Result};
use crate::source::entropy::{Entropy, MakeIds, make_from_draws};
use crate::source::fork::ForkMark;
use crate::source::keystream::{Cipher, KEY_LEN, Keystream, LARGE};

/// The operating system's generator, with a system call for each draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        getrandom::fill(bytes).map_err(|error| {
            let error = std::io::Error::from(error);
            Error::entropy(&error).with_source(error)
        })
    }
}

/// A buffered cryptographic generator with a key from the operating system: AES-256 in counter mode if the
/// processor has instructions for it and the feature `aes` is on, otherwise ChaCha12. It takes 4 KiB.
///
/// Used keys and bytes are wiped, so that the memory reveals nothing about earlier ids. In a forked child, the
/// generator takes a new key before it returns another byte.
pub struct Csprng {
    keystream: Keystream,
    mark: ForkMark,
}

impl Csprng {
    /// Takes a key from the operating system.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn new() -> Result<Self> {
        let mut csprng = Csprng::without_key();
        csprng.take_key(Cipher::fastest())?;
        Ok(csprng)
    }

    /// A generator that takes its key at the first draw.
    const fn without_key() -> Self {
        Csprng { keystream: Keystream::new(Cipher::ChaCha, [0; KEY_LEN]), mark: ForkMark::NEVER }
    }

    /// Makes sure that the key was taken in this process.
    #[inline(always)]
    fn check_key(&mut self) -> Result<()> {
        if self.mark.is_stale() { self.take_key(Cipher::fastest()) } else { Ok(()) }
    }

    #[inline(always)]
    fn draw<T, const N: usize>(&mut self, from: fn([u8; N]) -> T) -> Result<T> {
        self.check_key()?;
        if let Some(drawn) = self.keystream.ready(from) {
            return Ok(drawn);
        }
        let mut bytes = [0; N];
        self.keystream.fill(&mut bytes);
        Ok(from(bytes))
    }

    #[cold]
    fn take_key(&mut self, cipher: Cipher) -> Result<()> {
        let mark = ForkMark::now();
        let mut key = [0; KEY_LEN];
        OsEntropy.fill(&mut key)?;
        self.keystream.restart(cipher, &key);
        key.zeroize();
        // Set only now: if there were no key, the next draw would have to request one again.
        self.mark = mark;
        Ok(())
    }
}

impl Entropy for Csprng {
    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.check_key()?;
        self.keystream.fill_well(bytes);
        Ok(())
    }

    #[inline(always)]
    fn next_u128(&mut self) -> Result<u128> {
        self.draw(u128::from_ne_bytes)
    }

    #[inline(always)]
    fn next_u64(&mut self) -> Result<u64> {
        self.draw(u64::from_ne_bytes)
    }

    fn make_ids<const N: usize>(&mut self, ids: &mut [Uuid], make: &impl MakeIds) -> Result<()> {
        if ids.len() * N < LARGE {
            return make_from_draws::<N>(self, ids, make);
        }
        self.check_key()?;
        self.keystream.make_ids::<N>(ids, make);
        Ok(())
    }
}

impl core::fmt::Debug for Csprng {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Csprng")
    }
}

std::thread_local! {
    // Without a destructor, because each access to a thread-local that has one first checks whether it has run.
    static THREAD: RefCell<ManuallyDrop<Csprng>> =
        const { RefCell::new(ManuallyDrop::new(Csprng::without_key())) };
    static AT_THE_END: WipeThread = const { WipeThread };
}

/// Wipes the thread's generator when the thread ends.
struct WipeThread;

impl Drop for WipeThread {
    fn drop(&mut self) {
        THREAD.with(|csprng| {
            let csprng = &mut **csprng.borrow_mut();
            csprng.keystream.wipe();
            csprng.mark = ForkMark::NEVER;
        });
    }
}

/// This thread's [`Csprng`]; it is keyed at the first use.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadEntropy;

/// Draws from the thread's generator. Rare cases have a separate path, so that the bits stay in registers in all
/// other cases.
#[inline(always)]
fn draw<T, const N: usize>(from: fn([u8; N]) -> T) -> Result<T> {
    // Not `with`, which the compiler does not inline; a thread-local without a destructor always exists.
    let ready = THREAD.try_with(|csprng| {
        let csprng = &mut **csprng.borrow_mut();
        if csprng.mark.is_stale() { None } else { csprng.keystream.ready(from) }
    });
    if let Ok(Some(drawn)) = ready {
        return Ok(drawn);
    }
    let mut bytes = [0; N];
    fill_slowly(&mut bytes)?;
    Ok(from(bytes))
}

#[cold]
fn fill_slowly(bytes: &mut [u8]) -> Result<()> {
    ThreadEntropy.fill(bytes)
}

/// Takes a key for this thread, unless the thread is ending, because then nothing would wipe the key.
#[cold]
fn key_of_thread(csprng: &mut Csprng) -> Result<bool> {
    if AT_THE_END.try_with(|_| ()).is_err() {
        return Ok(false);
    }
    csprng.take_key(Cipher::fastest())?;
    Ok(true)
}

impl Entropy for ThreadEntropy {
    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        THREAD.with(|csprng| {
            let csprng = &mut **csprng.borrow_mut();
            if csprng.mark.is_stale() && !key_of_thread(csprng)? {
                return OsEntropy.fill(bytes);
            }
            csprng.keystream.fill_well(bytes);
            Ok(())
        })
    }

    #[inline(always)]
    fn next_u128(&mut self) -> Result<u128> {
        draw(u128::from_ne_bytes)
    }

    #[inline(always)]
    fn next_u64(&mut self) -> Result<u64> {
        draw(u64::from_ne_bytes)
    }

    fn make_ids<const N: usize>(&mut self, ids: &mut [Uuid], make: &impl MakeIds) -> Result<()> {
        if ids.len() * N < LARGE {
            return make_from_draws::<N>(self, ids, make);
        }
        THREAD.with(|csprng| {
            let csprng = &mut **csprng.borrow_mut();
            if csprng.mark.is_stale() && !key_of_thread(csprng)? {
                return make_from_draws::<N>(&mut OsEntropy, ids, make);
            }
            csprng.keystream.make_ids::<N>(ids, make);
            Ok(())
        })
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

    #[test]
    fn the_generator_of_an_ended_thread_is_wiped() {
        std::thread::spawn(|| {
            ThreadEntropy.next_u64().unwrap();
            THREAD.with(|csprng| assert!(!csprng.borrow().keystream.is_wiped()));
            drop(WipeThread);
            THREAD.with(|csprng| assert!(csprng.borrow().keystream.is_wiped()));
            assert_ne!(ThreadEntropy.next_u64().unwrap(), ThreadEntropy.next_u64().unwrap());
        })
        .join()
        .unwrap();
    }

    /// Forces both ciphers: the draws of all paths never repeat each other.
    #[test]
    fn draws_of_any_size_differ() {
        for cipher in [Cipher::fastest(), Cipher::ChaCha] {
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
