//! The kernels of the hot forms, one file per instruction set, and the choice between them.
//!
//! A kernel converts 16 bytes to the text of one format, or back. The function for single ids chooses the path on
//! each call; the batch function chooses once and runs a loop that was compiled for that path. An id is passed by
//! value, in two registers: a fresh id has just been written in two halves, and one load of both would wait for
//! them longer than the kernel takes.
//!
//! # The contract of a kernel
//!
//! - **Instructions.** A kernel is compiled for the instructions of its file, so to call it elsewhere is `unsafe`. Code of the
//!   same instructions calls it, and the macro `on` of this file, with a [`Level`], which exists only for instructions that the processor has.
//! - **Memory.** Arguments are references to arrays of the exact length, or slices from which such arrays are cut. No kernel
//!   takes a pointer or a length that it has to believe, and none needs an alignment.
//! - **Encoders** write every byte of `out`, with ASCII only: `written` relies on that.
//! - **Decoders** return true only for the canonical text of an id, and have then written its 16 bytes. Otherwise they return false, and
//!   the content of `id` has no meaning. Any input is allowed.
//! - **Equality.** The kernels of every level, `portable` included, give what the naive form gives: `codec/tests/kernels.rs`.
//!
//! The build script sets `idgen_simd` if the feature `fast` is on and the compiler offers the instructions.

#[cfg(all(idgen_simd, target_arch = "aarch64"))]
#[allow(clippy::incompatible_msrv, reason = "the build script asks the compiler for its version")]
mod aarch64;
mod level;
mod loops;
mod portable;
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
#[allow(clippy::incompatible_msrv, reason = "the build script asks the compiler for its version")]
mod x86_64;

use crate::codec::alphabet::Alphabet;
use uuid::Uuid;

#[cfg(all(idgen_simd, target_arch = "aarch64"))]
use aarch64::neon;
pub(crate) use level::Level;
use level::Set;
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
use x86_64::{avx2, inline, ssse3, vbmi};

/// Tells the compiler that the branch that calls it is rarely taken, as `core::hint::cold_path` of newer
/// compilers does.
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
#[cold]
#[inline]
fn cold_path() {}

/// Calls a kernel of the level's instruction set. The code reaches the two best ones without a jump table, which saves a
/// fifth of the time of a single call.
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
macro_rules! on {
    ($level:ident, single $kernel:ident($($argument:expr),*)) => {
        on!($level, $kernel($($argument),*), inline::vbmi, inline::avx2)
    };
    ($level:ident, batch $kernel:ident($($argument:expr),*)) => {
        on!($level, $kernel($($argument),*), vbmi, avx2)
    };
    ($level:ident, $kernel:ident($($argument:expr),*), $($vbmi:ident)::+, $($avx2:ident)::+) => {
        match $level.set() {
            // SAFETY: a `Level` exists only for instructions that the processor has.
            Set::Vbmi => unsafe { $($vbmi::)+$kernel($($argument),*) },
            // SAFETY: as above.
            Set::Avx2 => unsafe { $($avx2::)+$kernel($($argument),*) },
            Set::Ssse3 => {
                cold_path();
                // SAFETY: as above.
                unsafe { ssse3::$kernel($($argument),*) }
            }
            Set::Portable => {
                cold_path();
                portable::$kernel($($argument),*)
            }
        }
    };
}
#[cfg(not(all(idgen_simd, target_arch = "x86_64")))]
macro_rules! on {
    ($level:ident, $form:ident $kernel:ident($($argument:expr),*)) => {
        match $level.set() {
            #[cfg(all(idgen_simd, target_arch = "aarch64"))]
            // SAFETY: this is compiled where every processor has NEON.
            Set::Neon => unsafe { neon::$kernel($($argument),*) },
            Set::Portable => portable::$kernel($($argument),*),
        }
    };
}

/// Defines the single kernels and the loops over many ids for each form. A loop is compiled once
/// for each instruction set, with the kernel inlined.
macro_rules! kernels {
    ($($encode:ident, $encode_batch:ident, $decode:ident, $decode_into:ident, $decode_batch:ident:
       $len:literal characters $(, $alphabet:ident: $type:ty)?;)*) => {
        $(
            #[inline]
            pub(crate) fn $encode<'t>(
                level: Level, $($alphabet: $type,)? id: &[u8; 16], out: &'t mut [u8; $len],
            ) -> &'t mut str {
                on!(level, single $encode($($alphabet,)? u128::from_ne_bytes(*id), out));
                written(out)
            }

            /// Fills the beginning of `out` with the texts of all ids, and returns that part. Each text ends with a line
            /// feed if `lines` is true.
            ///
            /// # Panics
            /// If `out` is too short.
            pub(crate) fn $encode_batch<'t>(
                level: Level, $($alphabet: $type,)? ids: &[Uuid], out: &'t mut [u8], lines: bool,
            ) -> &'t mut str {
                let stride = $len + usize::from(lines);
                let out = &mut out[..ids.len() * stride];
                if lines {
                    out.iter_mut().skip($len).step_by(stride).for_each(|end| *end = b'\n');
                }
                on!(level, batch $encode_batch($($alphabet,)? ids, out, stride));
                written(out)
            }

            /// True if the text is canonical; only then is `id` valid.
            #[inline]
            pub(crate) fn $decode(level: Level, $($alphabet: $type,)? text: &[u8; $len], id: &mut [u8; 16]) -> bool {
                on!(level, single $decode($($alphabet,)? text, id))
            }

            /// Decodes into the place of an id, without a copy. True if the text is canonical; only
            /// then is `id` valid.
            #[inline]
            pub(crate) fn $decode_into(level: Level, $($alphabet: $type,)? text: &[u8; $len], id: &mut Uuid) -> bool {
                #[cfg(feature = "fast")]
                return $decode(level, $($alphabet,)? text, crate::place::bytes_of(id));
                #[cfg(not(feature = "fast"))]
                {
                    let mut bytes = [0; 16];
                    let is_valid = $decode(level, $($alphabet,)? text, &mut bytes);
                    *id = Uuid::from_bytes(bytes);
                    is_valid
                }
            }

            /// Reads at most as many as both sides hold, or returns the index of the first bad one.
            pub(crate) fn $decode_batch(level: Level, $($alphabet: $type,)? text: &[u8], out: &mut [Uuid]) -> Result<(), usize> {
                on!(level, batch $decode_batch($($alphabet,)? text, out))
            }
        )*
    };
}

kernels! {
    simple_encode, simple_encode_batch, simple_decode, simple_decode_into, simple_decode_batch: 32 characters;
    hyphenated_encode, hyphenated_encode_batch, hyphenated_decode, hyphenated_decode_into, hyphenated_decode_batch: 36 characters;
    base32_encode, base32_encode_batch, base32_decode, base32_decode_into, base32_decode_batch: 26 characters;
    base64_encode, base64_encode_batch, base64_decode, base64_decode_into, base64_decode_batch: 22 characters, alphabet: &Alphabet<64>;
}

/// The id with these bytes, for a decoder that returns it in a `Result`.
#[inline(always)]
pub(crate) fn id(bytes: [u8; 16]) -> Uuid {
    #[cfg(feature = "fast")]
    return crate::place::id_in_one_piece(bytes);
    #[cfg(not(feature = "fast"))]
    Uuid::from_bytes(bytes)
}

/// The text that the functions above have just written. Nothing else calls it: other text is checked by
/// [`ascii_mut`].
#[inline]
fn written(text: &mut [u8]) -> &mut str {
    debug_assert!(text.is_ascii());
    #[cfg(feature = "fast")]
    {
        // SAFETY: the callers in this file pass what an encoder has filled from end to end, with characters of its
        // alphabet, which is ASCII, and with line feeds. The check would cost more than the encoding.
        unsafe { core::str::from_utf8_unchecked_mut(text) }
    }
    #[cfg(not(feature = "fast"))]
    ascii_mut(text)
}

/// Text that was put together from ASCII.
///
/// # Panics
/// If it is not UTF-8.
#[inline]
pub(crate) fn ascii_mut(text: &mut [u8]) -> &mut str {
    core::str::from_utf8_mut(text).expect("encoders write ASCII")
}
