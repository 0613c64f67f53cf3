//! The kernels of the hot forms, one file per instruction set, and the choice between them.
//!
//! A kernel turns 16 bytes into the text of one form or back. Its single form chooses the path on
//! each call; its batch form chooses once and runs a loop that was compiled for that path.

mod portable;

use crate::Uuid;
use crate::codec::alphabet::Alphabet;

/// An instruction set that this processor has.
///
/// A value is proof of that: it can only be made by [`Level::best`] and [`Level::available`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Portable,
}

impl Level {
    /// The fastest one.
    #[inline]
    pub(crate) fn best() -> Level {
        Level(Set::Portable)
    }

    /// All that this machine can run, the slowest first: for tests, which force each.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Level> {
        [Level(Set::Portable)].into_iter()
    }
}

macro_rules! kernels {
    ($($encode:ident, $encode_batch:ident, $decode:ident, $decode_batch:ident:
       $len:literal characters $(, $alphabet:ident: $type:ty)?;)*) => {$(
        #[inline]
        pub(crate) fn $encode(level: Level, $($alphabet: $type,)? id: &[u8; 16], out: &mut [u8; $len]) {
            match level.0 {
                Set::Portable => portable::$encode($($alphabet,)? id, out),
            }
        }

        /// Writes at most as many as both sides hold, each at the beginning of `stride` bytes.
        pub(crate) fn $encode_batch(level: Level, $($alphabet: $type,)? ids: &[Uuid], out: &mut [u8], stride: usize) {
            match level.0 {
                Set::Portable => encode_each(ids, out, stride, |id, out| portable::$encode($($alphabet,)? id, out)),
            }
        }

        #[inline]
        pub(crate) fn $decode(level: Level, $($alphabet: $type,)? text: &[u8; $len]) -> Option<[u8; 16]> {
            match level.0 {
                Set::Portable => portable::$decode($($alphabet,)? text),
            }
        }

        /// Reads at most as many as both sides hold; or says which is the first bad one.
        pub(crate) fn $decode_batch(level: Level, $($alphabet: $type,)? text: &[u8], out: &mut [Uuid]) -> Result<(), usize> {
            match level.0 {
                Set::Portable => decode_each(text, out, |text| portable::$decode($($alphabet,)? text)),
            }
        }
    )*};
}

kernels! {
    simple_encode, simple_encode_batch, simple_decode, simple_decode_batch: 32 characters;
    hyphenated_encode, hyphenated_encode_batch, hyphenated_decode, hyphenated_decode_batch: 36 characters;
    base32_encode, base32_encode_batch, base32_decode, base32_decode_batch: 26 characters;
    base64_encode, base64_encode_batch, base64_decode, base64_decode_batch: 22 characters, alphabet: &Alphabet<64>;
}

#[inline(always)]
fn encode_each<const N: usize>(
    ids: &[Uuid],
    out: &mut [u8],
    stride: usize,
    encode: impl Fn(&[u8; 16], &mut [u8; N]),
) {
    for (id, out) in ids.iter().zip(out.chunks_exact_mut(stride)) {
        if let Some(text) = out.first_chunk_mut() {
            encode(id.as_bytes(), text);
        }
    }
}

#[inline(always)]
fn decode_each<const N: usize>(
    text: &[u8],
    out: &mut [Uuid],
    decode: impl Fn(&[u8; N]) -> Option<[u8; 16]>,
) -> Result<(), usize> {
    let (texts, _) = text.as_chunks::<N>();
    for (index, (text, id)) in texts.iter().zip(out).enumerate() {
        match decode(text) {
            Some(bytes) => *id = Uuid::from_bytes(bytes),
            None => return Err(index),
        }
    }
    Ok(())
}

/// The text that a kernel has just written: ASCII by construction.
#[inline]
pub(crate) fn ascii_mut(text: &mut [u8]) -> &mut str {
    debug_assert!(text.is_ascii());
    #[cfg(feature = "fast")]
    {
        // SAFETY: every caller passes the output of an encoder, all of whose alphabets and
        // separators are ASCII. The check would cost more than the encoding.
        unsafe { core::str::from_utf8_unchecked_mut(text) }
    }
    #[cfg(not(feature = "fast"))]
    core::str::from_utf8_mut(text).expect("encoders write ASCII")
}
