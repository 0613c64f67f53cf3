//! A buffered keystream with key erasure.
//!
//! The bits come from well-maintained ciphers (`aes`, `chacha20`). Our code only adds the buffering and the key
//! erasure, after D. J. Bernstein, "Fast-key-erasure random-number generators" (2017): each piece of the stream
//! has its own key, the first output of a key replaces it, and each byte is wiped when it is handed out. So the
//! memory reveals nothing about earlier ids.
//!
//! The next key is the beginning of the buffer, so that a fill is one call of the cipher for whole groups of blocks.
//! A second call for the two blocks of a key would take as long as a quarter of the fill.

#[cfg(feature = "aes")]
use aes::cipher::{
    Array, BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit,
    ParBlocks, consts::U16, inout::InOutBuf,
};
use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
#[cfg(feature = "std")]
use uuid::Uuid;
use zeroize::Zeroize;

#[cfg(feature = "std")]
use crate::source::entropy::MakeIds;

pub(super) const KEY_LEN: usize = 32;
/// The memory of a generator of random bits, apart from a few words.
const BUFFER_LEN: usize = 4096;
#[cfg(feature = "aes")]
const BLOCK: usize = 16;
/// Draws of at least this many bytes are written directly to the caller, with a separate key.
#[cfg(feature = "std")]
pub(super) const LARGE: usize = 1_024;

/// The most bytes that are written with one key.
#[cfg(feature = "std")]
const PIECE_LEN: usize = 4 * BUFFER_LEN;

/// The bytes that are made into ids while they are in the cache, or in registers.
#[cfg(feature = "std")]
const GROUP_LEN: usize = 1_024;

/// The counters of all blocks of a piece, and of a group that ends behind it.
#[cfg(feature = "aes")]
static COUNTERS: [[u8; BLOCK]; (PIECE_LEN + GROUP_LEN) / BLOCK] = {
    let mut counters = [[0; BLOCK]; (PIECE_LEN + GROUP_LEN) / BLOCK];
    let mut i = 0;
    while i < counters.len() {
        counters[i] = (i as u128).to_le_bytes();
        i += 1;
    }
    counters
};

/// The cipher that produces the stream from a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cipher {
    /// AES-256 of a counter. `aes` uses the widest AES instructions of the processor.
    #[cfg(feature = "aes")]
    Aes,
    /// ChaCha with 12 rounds, as in the `rand` crate: fast everywhere.
    ChaCha,
}

impl Cipher {
    /// The faster one on this processor.
    #[cfg(feature = "std")]
    pub(super) fn fastest() -> Self {
        #[cfg(feature = "aes")]
        if aes::hardware_accelerated() {
            return Cipher::Aes;
        }
        Cipher::ChaCha
    }

    /// Fills at most 16 KiB (`PIECE_LEN`) with the beginning of the key's stream.
    ///
    /// A key is used once, so that counter and nonce may always begin at zero.
    fn fill(self, key: &[u8; KEY_LEN], bytes: &mut [u8]) {
        match self {
            #[cfg(feature = "aes")]
            Cipher::Aes => aes::cipher::Key::<aes::Aes256Enc>::from(*key).encrypt_counters(bytes),
            Cipher::ChaCha => ChaCha12Rng::from_seed(*key).fill_bytes(bytes),
        }
    }

    /// Passes the same bytes, at most 16 KiB of them, in groups.
    #[cfg(feature = "std")]
    #[inline]
    fn each_group(self, key: &[u8; KEY_LEN], len: usize, mut user: impl UseGroup) {
        match self {
            #[cfg(feature = "aes")]
            Cipher::Aes => aes::cipher::Key::<aes::Aes256Enc>::from(*key).each_group(len, user),
            Cipher::ChaCha => {
                let (mut rng, mut group) = (ChaCha12Rng::from_seed(*key), [0; GROUP_LEN]);
                for first in (0..len).step_by(GROUP_LEN) {
                    let group = &mut group[..GROUP_LEN.min(len - first)];
                    rng.fill_bytes(group);
                    user.use_group(first, group);
                }
                wipe(&mut group);
            }
        }
    }
}

/// Receives a group of random bytes. A trait and no closure, because only methods can be forced into the code that
/// encrypts, where they are compiled for its instructions.
#[cfg(feature = "std")]
trait UseGroup {
    /// `first` is the index of the group's first byte, a multiple of 16.
    fn use_group(&mut self, first: usize, group: &[u8]);
}

/// Makes ids of a group.
#[cfg(feature = "std")]
struct IntoIds<'a, M, const N: usize> {
    ids: &'a mut [Uuid],
    index: usize,
    make: &'a M,
}

#[cfg(feature = "std")]
impl<M: MakeIds, const N: usize> UseGroup for IntoIds<'_, M, N> {
    #[inline(always)]
    fn use_group(&mut self, first: usize, group: &[u8]) {
        let (first, count) = (first / N, group.len() / N);
        self.make.make(self.index + first, &mut self.ids[first..first + count], group);
    }
}

/// Overwrites bytes of the stack. `zeroize` would write each byte separately, which takes as long as the ids.
#[cfg(feature = "std")]
#[inline(always)]
fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    core::hint::black_box(bytes);
}

/// A method of the key and not a function, for the speed of programs that are compiled in several codegen units: the
/// compiler places a method in the unit of its type's module. `aes` loads its blocks through `Array::from_fn`, which is
/// only inlined there; elsewhere the cipher takes twice as long.
#[cfg(feature = "aes")]
trait EncryptCounters {
    /// The encrypted counters from zero on, as many bytes as there are, at most 16 KiB (`PIECE_LEN`).
    fn encrypt_counters(&self, bytes: &mut [u8]);

    /// Passes them in groups of as many blocks as the processor encrypts at once: see [`Cipher::each_group`].
    fn each_group(&self, len: usize, user: impl UseGroup);
}

#[cfg(feature = "aes")]
impl EncryptCounters for aes::cipher::Key<aes::Aes256Enc> {
    fn encrypt_counters(&self, bytes: &mut [u8]) {
        let cipher = aes::Aes256Enc::new(self);
        let encrypt = |counters: &[[u8; BLOCK]], blocks: &mut [aes::Block]| {
            let counters = Array::cast_slice_from_core(&counters[..blocks.len()]);
            cipher.encrypt_blocks_b2b(counters, blocks).expect("the lengths are the same");
        };
        let (blocks, rest) = aes::Block::slice_as_chunks_mut(bytes);
        encrypt(&COUNTERS, blocks);
        if !rest.is_empty() {
            let mut last = aes::Block::default();
            encrypt(&COUNTERS[blocks.len()..], core::slice::from_mut(&mut last));
            rest.copy_from_slice(&last[..rest.len()]);
            last.zeroize();
        }
    }

    #[inline(never)]
    fn each_group(&self, len: usize, user: impl UseGroup) {
        aes::Aes256Enc::new(self).encrypt_with_backend(Groups { len, user });
    }
}

/// The loop of [`EncryptCounters::each_group`], with the instructions that the cipher chose.
#[cfg(feature = "aes")]
struct Groups<U> {
    len: usize,
    user: U,
}

#[cfg(feature = "aes")]
impl<U> BlockSizeUser for Groups<U> {
    type BlockSize = U16;
}

#[cfg(feature = "aes")]
impl<U: UseGroup> BlockCipherEncClosure for Groups<U> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(mut self, backend: &B) {
        let mut group = ParBlocks::<B>::default();
        let group_len = group.len() * BLOCK;
        for first in (0..self.len).step_by(group_len) {
            let counters = &COUNTERS[first / BLOCK..][..group.len()];
            let counters = Array::cast_slice_from_core(counters);
            let blocks = InOutBuf::new(counters, &mut group).expect("the lengths are the same");
            let (whole, _) = blocks.into_chunks();
            whole.into_iter().for_each(|blocks| backend.encrypt_par_blocks(blocks));
            let bytes = Array::cast_slice_to_core(&group).as_flattened();
            // The compiler knows the length, except at the end.
            match self.len - first {
                rest if rest < group_len => use_rest(&mut self.user, first, &bytes[..rest]),
                _ => self.user.use_group(first, &bytes[..group_len]),
            }
        }
        wipe(Array::cast_slice_to_core_mut(&mut group).as_flattened_mut());
    }
}

/// Not in the code that encrypts, which has the loop for whole groups.
#[cfg(feature = "aes")]
#[inline(never)]
fn use_rest(user: &mut impl UseGroup, first: usize, rest: &[u8]) {
    user.use_group(first, rest);
}

#[derive(Clone)]
pub(super) struct Keystream {
    /// First the key of the next fill, then random bytes.
    buffer: [u8; BUFFER_LEN],
    /// The number of bytes that have been used, those of the key included.
    used: usize,
    cipher: Cipher,
}

impl Keystream {
    pub(super) const fn new(cipher: Cipher, key: [u8; KEY_LEN]) -> Self {
        let mut buffer = [0; BUFFER_LEN];
        let mut i = 0;
        while i < KEY_LEN {
            buffer[i] = key[i];
            i += 1;
        }
        Keystream { buffer, used: BUFFER_LEN, cipher }
    }

    fn key(&self) -> [u8; KEY_LEN] {
        let mut key = [0; KEY_LEN];
        key.copy_from_slice(&self.buffer[..KEY_LEN]);
        key
    }

    /// Restarts with another cipher and key, and wipes the buffer.
    #[cfg(feature = "std")]
    pub(super) fn restart(&mut self, cipher: Cipher, key: &[u8; KEY_LEN]) {
        self.wipe();
        self.cipher = cipher;
        self.buffer[..KEY_LEN].copy_from_slice(key);
    }

    /// Wipes the key and the buffer.
    pub(super) fn wipe(&mut self) {
        self.buffer.zeroize();
        self.used = BUFFER_LEN;
    }

    /// Converts the next few bytes with `from`, if the buffer still has them. This takes few instructions and no call.
    ///
    /// Bytes in an `Option` would lie at an odd address, where the compiler would assemble them one by one.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(super) fn ready<T, const N: usize>(&mut self, from: fn([u8; N]) -> T) -> Option<T> {
        let source: &mut [u8; N] = self.buffer.get_mut(self.used..self.used + N)?.try_into().ok()?;
        self.used += N;
        let drawn = from(*source);
        *source = [0; N];
        Some(drawn)
    }

    /// The next bytes of the stream, for draws of any length.
    #[inline]
    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        let end = self.used + bytes.len();
        if end <= BUFFER_LEN {
            self.take(bytes, end);
        } else {
            self.fill_slowly(bytes);
        }
    }

    /// Fresh bytes, in the way that is faster for their number.
    #[cfg(feature = "std")]
    pub(super) fn fill_well(&mut self, bytes: &mut [u8]) {
        if bytes.len() >= LARGE { self.fill_directly(bytes) } else { self.fill(bytes) }
    }

    /// Fresh bytes without the buffer, each piece with a key that is drawn for it: nothing has to be copied or wiped.
    #[cfg(feature = "std")]
    fn fill_directly(&mut self, bytes: &mut [u8]) {
        for piece in bytes.chunks_mut(PIECE_LEN) {
            let mut key = [0; KEY_LEN];
            self.fill(&mut key);
            self.cipher.fill(&key, piece);
            key.zeroize();
        }
    }

    /// Makes ids from `N` fresh bytes each, while these are in registers: see `Entropy::make_ids`. `N` divides 16.
    #[cfg(feature = "std")]
    #[inline]
    pub(super) fn make_ids<const N: usize>(&mut self, ids: &mut [Uuid], make: &impl MakeIds) {
        const { assert!(16 % N == 0) };
        for (ids, index) in ids.chunks_mut(PIECE_LEN / N).zip((0..).step_by(PIECE_LEN / N)) {
            let mut key = [0; KEY_LEN];
            self.fill(&mut key);
            let len = ids.len() * N;
            self.cipher.each_group(&key, len, IntoIds::<_, N> { ids, index, make });
            key.zeroize();
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
                let mut key = self.key();
                self.cipher.fill(&key, &mut self.buffer);
                key.zeroize();
                self.used = KEY_LEN;
            }
            let count = bytes.len().min(BUFFER_LEN - self.used);
            let (now, rest) = bytes.split_at_mut(count);
            self.take(now, self.used + count);
            bytes = rest;
        }
    }
}

#[cfg(test)]
impl Keystream {
    pub(super) fn is_wiped(&self) -> bool {
        self.buffer == [0; BUFFER_LEN]
    }
}

impl Drop for Keystream {
    fn drop(&mut self) {
        self.wipe();
    }
}

#[cfg(test)]
mod tests;
