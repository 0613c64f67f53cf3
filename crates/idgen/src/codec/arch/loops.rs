//! The loops over many ids, written once and compiled for each instruction set.

use crate::chunks::chunks;
use uuid::Uuid;

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

/// The loops of a module that also encodes two ids at once.
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
macro_rules! pair_loops {
    (#[$features:meta]) => {
        $crate::codec::arch::loops::form_loops!(
            #[$features] simple_encode + simple_encode_two, simple_encode_batch, simple_decode, simple_decode_batch
        );
        $crate::codec::arch::loops::form_loops!(
            #[$features] hyphenated_encode + hyphenated_encode_two, hyphenated_encode_batch,
            hyphenated_decode, hyphenated_decode_batch
        );
        $crate::codec::arch::loops::form_loops!(
            #[$features] base32_encode + base32_encode_two, base32_encode_batch, base32_decode, base32_decode_batch
        );
        $crate::codec::arch::loops::form_loops!(
            #[$features] base64_encode + base64_encode_two, base64_encode_batch, base64_decode, base64_decode_batch,
            alphabet: &$crate::codec::alphabet::Alphabet<64>
        );
    };
}
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
pub(super) use pair_loops;

macro_rules! form_loops {
    ($(#[$features:meta])? $encode:ident $(+ $encode_two:ident)?, $encode_batch:ident,
     $decode:ident, $decode_batch:ident $(, $alphabet:ident: $type:ty)?) => {
        $(#[$features])?
        pub(crate) fn $encode_batch($($alphabet: $type,)? ids: &[uuid::Uuid], out: &mut [u8], stride: usize) {
            let encode = |id, out: &mut _| $encode($($alphabet,)? id, out);
            $crate::codec::arch::loops::encode_loop!(encode $(+ $encode_two)?, ids, out, stride $(, $alphabet)?)
        }

        $(#[$features])?
        pub(crate) fn $decode_batch($($alphabet: $type,)? text: &[u8], out: &mut [uuid::Uuid]) -> Result<(), usize> {
            $crate::codec::arch::loops::decode_each(text, out, |text, id| $decode($($alphabet,)? text, id))
        }
    };
}
pub(super) use form_loops;

#[cfg_attr(
    not(all(idgen_simd, target_arch = "x86_64")),
    expect(unused_macro_rules, reason = "pairs are encoded on x86-64 alone")
)]
macro_rules! encode_loop {
    ($encode:ident, $ids:ident, $out:ident, $stride:ident $(, $alphabet:ident)?) => {
        $crate::codec::arch::loops::encode_each($ids, $out, $stride, $encode)
    };
    ($encode:ident + $encode_two:ident, $ids:ident, $out:ident, $stride:ident $(, $alphabet:ident)?) => {{
        let encode_two = |ids: &[_; 2], texts: [&mut _; 2]| $encode_two($($alphabet,)? ids, texts);
        let (ids, out) = $crate::codec::arch::loops::encode_pairs($ids, $out, $stride, encode_two);
        $crate::codec::arch::loops::encode_each(ids, out, $stride, $encode)
    }};
}
pub(super) use encode_loop;

// Always inlined, so that the kernel becomes part of a loop with its target features.
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

/// Leaves what is no pair.
#[cfg(all(idgen_simd, target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn encode_pairs<'i, 'o, const N: usize>(
    ids: &'i [Uuid],
    out: &'o mut [u8],
    stride: usize,
    encode_two: impl Fn(&[Uuid; 2], [&mut [u8; N]; 2]),
) -> (&'i [Uuid], &'o mut [u8]) {
    let pairs = ids.len().min(out.len() / stride) / 2;
    let (paired, ids) = ids.split_at(2 * pairs);
    let (places, out) = out.split_at_mut(2 * pairs * stride);
    for (ids, places) in chunks(paired).0.zip(places.chunks_exact_mut(2 * stride)) {
        let (one, two) = places.split_at_mut(stride);
        if let (Some(one), Some(two)) = (one.first_chunk_mut(), two.first_chunk_mut()) {
            encode_two(ids, [one, two]);
        }
    }
    (ids, out)
}

#[inline(always)]
pub(super) fn decode_each<const N: usize>(
    text: &[u8],
    out: &mut [Uuid],
    decode: impl Fn(&[u8; N], &mut [u8; 16]) -> bool,
) -> Result<(), usize> {
    let (texts, _) = chunks::<_, N>(text);
    for (index, (text, id)) in texts.zip(out).enumerate() {
        let mut bytes = [0; 16];
        if !decode(text, &mut bytes) {
            return Err(index);
        }
        *id = Uuid::from_bytes(bytes);
    }
    Ok(())
}
