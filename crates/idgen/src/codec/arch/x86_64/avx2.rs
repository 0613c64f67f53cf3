//! AVX2: the same steps as SSSE3 in registers of twice the width. Two ids are encoded at once, one in each half. One
//! text is decoded at a time, with its front in the lower half and its end in the upper half.
//!
//! One id alone is encoded by the SSSE3 kernels.

use core::arch::x86_64::*;

use super::ssse3::{self, A_TO_O, LETTERS, NONE, NUMBERS, P_TO_Z};
pub(crate) use super::ssse3::{base32_encode, base64_encode, hyphenated_encode, simple_encode};
use crate::codec::alphabet::{Alphabet, CROCKFORD};
use uuid::Uuid;

#[inline]
#[target_feature(enable = "avx2")]
fn simple_encode_two(ids: &[Uuid; 2], texts: [&mut [u8; 32]; 2]) {
    let (first, second) = hex_digits(ids);
    let [one, two] = texts;
    store(&mut one[..16], &mut two[..16], first);
    store(&mut one[16..], &mut two[16..], second);
}

#[inline]
#[target_feature(enable = "avx2")]
fn hyphenated_encode_two(ids: &[Uuid; 2], texts: [&mut [u8; 36]; 2]) {
    const HYPHEN: i8 = b'-' as i8;
    let (first, second) = hex_digits(ids);
    let [one, two] = texts;
    let spread = both(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, NONE, 8, 9, 10, 11, NONE, 12, 13));
    let hyphens = both(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, HYPHEN, 0, 0, 0, 0, HYPHEN, 0, 0));
    let front = _mm256_or_si256(_mm256_shuffle_epi8(first, spread), hyphens);
    store(&mut one[..16], &mut two[..16], front);
    let middle = _mm256_alignr_epi8::<14>(second, first);
    let spread = both(_mm_setr_epi8(0, 1, NONE, 2, 3, 4, 5, NONE, 6, 7, 8, 9, 10, 11, 12, 13));
    let hyphens = both(_mm_setr_epi8(0, 0, HYPHEN, 0, 0, 0, 0, HYPHEN, 0, 0, 0, 0, 0, 0, 0, 0));
    let middle = _mm256_or_si256(_mm256_shuffle_epi8(middle, spread), hyphens);
    store(&mut one[16..32], &mut two[16..32], middle);
    one[32..].copy_from_slice(&_mm256_extract_epi32::<3>(second).to_le_bytes());
    two[32..].copy_from_slice(&_mm256_extract_epi32::<7>(second).to_le_bytes());
}

#[inline]
#[target_feature(enable = "avx2")]
fn base64_encode_two(alphabet: &Alphabet<64>, ids: &[Uuid; 2], texts: [&mut [u8; 22]; 2]) {
    let id = load_ids(ids);
    let digits = |bytes| {
        // Each 3 bytes come as b1 b0 b2 b1: two 16-bit numbers with two digits each.
        let evens = _mm256_and_si256(bytes, _mm256_set1_epi32(0x0FC0_FC00));
        let odds = _mm256_and_si256(bytes, _mm256_set1_epi32(0x003F_03F0));
        let values = _mm256_or_si256(
            _mm256_mulhi_epu16(evens, _mm256_set1_epi32(0x0400_0040)),
            _mm256_mullo_epi16(odds, _mm256_set1_epi32(0x0100_0010)),
        );
        let row = |number: u8| row(&alphabet.digits[16 * usize::from(number)..], values, 16 * number);
        _mm256_or_si256(_mm256_or_si256(row(0), row(1)), _mm256_or_si256(row(2), row(3)))
    };
    let front = both(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
    let back = both(_mm_setr_epi8(13, 12, 14, 13, NONE, 15, NONE, NONE, 0, 0, 0, 0, 0, 0, 0, 0));
    let (front, back) = (digits(_mm256_shuffle_epi8(id, front)), digits(_mm256_shuffle_epi8(id, back)));
    let [one, two] = texts;
    store(&mut one[..16], &mut two[..16], front);
    store(&mut one[6..], &mut two[6..], _mm256_alignr_epi8::<6>(back, front));
}

#[inline]
#[target_feature(enable = "avx2")]
fn base32_encode_two(ids: &[Uuid; 2], texts: [&mut [u8; 26]; 2]) {
    let id = load_ids(ids);
    // Two digits of each 16-bit number, as in the SSSE3 kernel.
    let digits = |order, to_low, to_high| {
        let numbers = _mm256_shuffle_epi8(id, both(order));
        let evens = _mm256_and_si256(_mm256_mulhi_epu16(numbers, both(to_low)), _mm256_set1_epi16(0x001F));
        let odds = _mm256_and_si256(_mm256_mullo_epi16(numbers, both(to_high)), _mm256_set1_epi16(0x1F00));
        let values = _mm256_or_si256(evens, odds);
        _mm256_or_si256(row(&CROCKFORD.digits, values, 0), row(&CROCKFORD.digits[16..], values, 16))
    };
    let head = digits(
        _mm_setr_epi8(0, NONE, 2, 1, 3, 2, 4, 3, 5, 4, 0, 0, 0, 0, 0, 0),
        _mm_setr_epi16(1 << 11, 1 << 5, 1 << 7, 1 << 9, 1 << 11, 0, 0, 0),
        _mm_setr_epi16(1 << 8, 1 << 2, 1 << 4, 1 << 6, 1 << 8, 0, 0, 0),
    );
    let tail = digits(
        _mm_setr_epi8(7, 6, 8, 7, 9, 8, 10, 9, 12, 11, 13, 12, 14, 13, 15, 14),
        _mm_setr_epi16(1 << 5, 1 << 7, 1 << 9, 1 << 11, 1 << 5, 1 << 7, 1 << 9, 1 << 11),
        _mm_setr_epi16(1 << 2, 1 << 4, 1 << 6, 1 << 8, 1 << 2, 1 << 4, 1 << 6, 1 << 8),
    );
    let [one, two] = texts;
    store(&mut one[..16], &mut two[..16], head);
    store(&mut one[10..], &mut two[10..], tail);
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    hex_bytes(load_parts(&text[..16], &text[16..]), id)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    // Digits 0 to 13 and 17 to 31 come from the ends, the three between them from the middle.
    let ends = load_parts(&text[..16], &text[20..]);
    let middle = both(ssse3::load(&text[14..30]));
    let from_ends = _mm256_setr_epi8(
        0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, NONE, NONE, NONE, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11,
        12, 13, 14, 15,
    );
    let from_middle = _mm256_setr_epi8(
        NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 2, 3, 5, NONE,
        NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    );
    let digits =
        _mm256_or_si256(_mm256_shuffle_epi8(ends, from_ends), _mm256_shuffle_epi8(middle, from_middle));
    let hyphens = [text[8], text[13], text[18], text[23]] == [b'-'; 4];
    hyphens && hex_bytes(digits, id)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22], id: &mut [u8; 16]) -> bool {
    // The last character holds 2 bits of the id; its 4 low bits must be zero.
    let canonical = alphabet.value(text[21]) & 0x0F == 0;
    let text = load_parts(&text[..16], &text[6..]);
    let row = |number: u8| row(&alphabet.values[16 * usize::from(number)..], text, 16 * number);
    let upper = _mm256_or_si256(_mm256_or_si256(row(2), row(3)), _mm256_or_si256(row(4), row(5)));
    let values = _mm256_or_si256(upper, _mm256_or_si256(row(6), row(7)));
    // Rows 0 and 1 hold no digit. As signed numbers, non-ASCII bytes are less than they, too.
    let marks = _mm256_or_si256(values, _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), text));
    // In the upper half, characters 16 to 21 come first.
    let order = _mm256_setr_epi8(
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15, NONE, NONE, NONE, NONE,
        NONE, NONE, NONE, NONE, NONE, NONE,
    );
    let digits = _mm256_shuffle_epi8(values, order);
    let twelve_bits = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x0140));
    let triples = _mm256_madd_epi16(twelve_bits, _mm256_set1_epi32(0x0001_1000));
    let order = _mm256_setr_epi8(
        2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        NONE, NONE, NONE, NONE, NONE, NONE, 2, 1, 0, 6,
    );
    store_joined(id, _mm256_shuffle_epi8(triples, order));
    canonical && _mm256_movemask_epi8(marks) == 0
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn base32_decode(text: &[u8; 26], id: &mut [u8; 16]) -> bool {
    // Among digits only 0 to 7 are not above '7'.
    let fits = text[0] <= b'7';
    let text = load_parts(&text[..16], &text[10..]);
    let folded = _mm256_or_si256(text, _mm256_set1_epi8(0x20));
    let letters = _mm256_or_si256(row(&A_TO_O, folded, b'`'), row(&P_TO_Z, folded, b'p'));
    let values = _mm256_or_si256(row(&NUMBERS, text, b'0'), letters);
    // Two numbers of 40 bits in each half, from 8 digits each; the first one begins with 6 zeros.
    let order = _mm256_setr_epi8(
        NONE, NONE, NONE, NONE, NONE, NONE, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
        11, 12, 13, 14, 15,
    );
    let digits = _mm256_and_si256(_mm256_shuffle_epi8(values, order), _mm256_set1_epi8(0x1F));
    let ten_bits = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x0120));
    let twenty_bits = _mm256_madd_epi16(ten_bits, _mm256_set1_epi32(0x0001_0400));
    let numbers = _mm256_or_si256(_mm256_slli_epi64::<20>(twenty_bits), _mm256_srli_epi64::<32>(twenty_bits));
    let order = _mm256_setr_epi8(
        0, 12, 11, 10, 9, 8, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        NONE, NONE, NONE, 4, 3, 2, 1, 0, 12, 11, 10, 9, 8,
    );
    store_joined(id, _mm256_shuffle_epi8(numbers, order));
    fits && are_digits(values)
}

super::super::loops::pair_loops!(#[target_feature(enable = "avx2")]);

#[inline]
#[target_feature(enable = "avx2")]
fn hex_digits(ids: &[Uuid; 2]) -> (__m256i, __m256i) {
    let ids = load_ids(ids);
    let nibble = _mm256_set1_epi8(0x0F);
    let digits = both(ssse3::load(b"0123456789abcdef"));
    let high = _mm256_shuffle_epi8(digits, _mm256_and_si256(_mm256_srli_epi16::<4>(ids), nibble));
    let low = _mm256_shuffle_epi8(digits, _mm256_and_si256(ids, nibble));
    (_mm256_unpacklo_epi8(high, low), _mm256_unpackhi_epi8(high, low))
}

#[inline]
#[target_feature(enable = "avx2")]
fn hex_bytes(text: __m256i, id: &mut [u8; 16]) -> bool {
    let folded = _mm256_or_si256(text, _mm256_set1_epi8(0x20));
    let values = _mm256_or_si256(row(&NUMBERS, text, b'0'), row(&LETTERS, folded, b'`'));
    let nibbles = _mm256_and_si256(values, _mm256_set1_epi8(0x0F));
    let bytes = _mm256_maddubs_epi16(nibbles, _mm256_set1_epi16(0x0110));
    let packed = _mm_packus_epi16(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes));
    ssse3::store(id, packed);
    are_digits(values)
}

/// Looks up the bytes from `start` on in 16 places of `table`, as the function of SSSE3 does; zero
/// for others.
#[inline]
#[target_feature(enable = "avx2")]
fn row(table: &[u8], bytes: __m256i, start: u8) -> __m256i {
    let offset = _mm256_xor_si256(bytes, _mm256_set1_epi8(start as i8));
    _mm256_shuffle_epi8(both(ssse3::load(&table[..16])), _mm256_adds_epu8(offset, _mm256_set1_epi8(0x70)))
}

/// True if all bytes came from places that are marked as digits.
#[inline]
#[target_feature(enable = "avx2")]
fn are_digits(values: __m256i) -> bool {
    _mm256_movemask_epi8(_mm256_add_epi8(values, values)) == -1
}

/// Copies 16 bytes to both halves.
#[inline]
#[target_feature(enable = "avx2")]
fn both(half: __m128i) -> __m256i {
    _mm256_broadcastsi128_si256(half)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_ids(ids: &[Uuid; 2]) -> __m256i {
    // SAFETY: a `Uuid` is 16 bytes, so the reference is to 32 readable ones; the load needs no alignment.
    unsafe { _mm256_loadu_si256(ids.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_parts(lower: &[u8], upper: &[u8]) -> __m256i {
    _mm256_set_m128i(ssse3::load(upper), ssse3::load(lower))
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(one: &mut [u8], two: &mut [u8], value: __m256i) {
    ssse3::store(one, _mm256_castsi256_si128(value));
    ssse3::store(two, _mm256_extracti128_si256::<1>(value));
}

/// If one half has zeros, the other one has the bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn store_joined(id: &mut [u8; 16], value: __m256i) {
    ssse3::store(id, _mm_or_si128(_mm256_castsi256_si128(value), _mm256_extracti128_si256::<1>(value)));
}
