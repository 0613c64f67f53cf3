//! The loops over many ids, written once and compiled for each instruction set.

use crate::Uuid;

/// Defines the batch forms of all kernels of the surrounding module, with its target features.
macro_rules! loops {
    ($(#[$features:meta])?) => {
        $crate::codec::arch::loops::form_loops!(
            $(#[$features])? simple_encode, simple_encode_batch, simple_decode, simple_decode_batch
        );
        $crate::codec::arch::loops::form_loops!(
            $(#[$features])? hyphenated_encode, hyphenated_encode_batch, hyphenated_decode, hyphenated_decode_batch
        );
        $crate::codec::arch::loops::form_loops!(
            $(#[$features])? base32_encode, base32_encode_batch, base32_decode, base32_decode_batch
        );
        $crate::codec::arch::loops::form_loops!(
            $(#[$features])? base64_encode, base64_encode_batch, base64_decode, base64_decode_batch,
            alphabet: &$crate::codec::alphabet::Alphabet<64>
        );
    };
}
pub(super) use loops;

macro_rules! form_loops {
    ($(#[$features:meta])? $encode:ident, $encode_batch:ident, $decode:ident, $decode_batch:ident
     $(, $alphabet:ident: $type:ty)?) => {
        $(#[$features])?
        pub(crate) fn $encode_batch($($alphabet: $type,)? ids: &[$crate::Uuid], out: &mut [u8], stride: usize) {
            $crate::codec::arch::loops::encode_each(ids, out, stride, |id, out| $encode($($alphabet,)? id, out));
        }

        $(#[$features])?
        pub(crate) fn $decode_batch($($alphabet: $type,)? text: &[u8], out: &mut [$crate::Uuid]) -> Result<(), usize> {
            $crate::codec::arch::loops::decode_each(text, out, |text, id| $decode($($alphabet,)? text, id))
        }
    };
}
pub(super) use form_loops;

// Always inlined: only so does the kernel, too, become part of a loop with its target features.
#[inline(always)]
pub(super) fn encode_each<const N: usize>(
    ids: &[Uuid],
    out: &mut [u8],
    stride: usize,
    encode: impl Fn(u128, &mut [u8; N]),
) {
    for (id, out) in ids.iter().zip(out.chunks_exact_mut(stride)) {
        if let Some(text) = out.first_chunk_mut() {
            encode(u128::from_ne_bytes(*id.as_bytes()), text);
        }
    }
}

#[inline(always)]
pub(super) fn decode_each<const N: usize>(
    text: &[u8],
    out: &mut [Uuid],
    decode: impl Fn(&[u8; N], &mut [u8; 16]) -> bool,
) -> Result<(), usize> {
    let (texts, _) = text.as_chunks::<N>();
    for (index, (text, id)) in texts.iter().zip(out).enumerate() {
        let mut bytes = [0; 16];
        if !decode(text, &mut bytes) {
            return Err(index);
        }
        *id = Uuid::from_bytes(bytes);
    }
    Ok(())
}
