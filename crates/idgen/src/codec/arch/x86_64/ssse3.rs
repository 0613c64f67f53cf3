//! SSSE3: digits are looked up 16 at a time in tables of 16 (`pshufb`), bits moved by multiplying.
//!
//! After Wojciech Muła, "Base64 encoding with SIMD instructions" and "SIMD-ized faster parse of hex".

use core::arch::x86_64::*;

use crate::codec::alphabet::{Alphabet, CROCKFORD};

/// Marks a place that holds a digit, in the tables of the decoders. Places without a digit read as
/// zero.
const DIGIT: u8 = 0x40;
/// `pshufb` writes zero where the index has this bit.
pub(super) const NONE: i8 = -128;

/// Rows for [`row`].
pub(super) const NUMBERS: [u8; 16] = digit_table(b"0123456789", 0);
pub(super) const LETTERS: [u8; 16] = digit_table(b"`abcdef", 9);
pub(super) const A_TO_O: [u8; 16] = crockford_table(b'@');
pub(super) const P_TO_Z: [u8; 16] = crockford_table(b'P');

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn simple_encode(id: u128, out: &mut [u8; 32]) {
    let (first, second) = hex_digits(id);
    store(&mut out[..16], first);
    store(&mut out[16..], second);
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn hyphenated_encode(id: u128, out: &mut [u8; 36]) {
    let (first, second) = hex_digits(id);
    let spread = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, NONE, 8, 9, 10, 11, NONE, 12, 13);
    let hyphens = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, HYPHEN, 0, 0, 0, 0, HYPHEN, 0, 0);
    store(&mut out[..16], _mm_or_si128(_mm_shuffle_epi8(first, spread), hyphens));
    let middle = _mm_alignr_epi8::<14>(second, first);
    let spread = _mm_setr_epi8(0, 1, NONE, 2, 3, 4, 5, NONE, 6, 7, 8, 9, 10, 11, 12, 13);
    let hyphens = _mm_setr_epi8(0, 0, HYPHEN, 0, 0, 0, 0, HYPHEN, 0, 0, 0, 0, 0, 0, 0, 0);
    store(&mut out[16..32], _mm_or_si128(_mm_shuffle_epi8(middle, spread), hyphens));
    let last = _mm_cvtsi128_si32(_mm_srli_si128::<12>(second));
    out[32..].copy_from_slice(&last.to_le_bytes());
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    hex_bytes(load(&text[..16]), load(&text[16..]), id)
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    let (front, middle, back) = (load(&text[..16]), load(&text[14..30]), load(&text[20..]));
    let first = _mm_or_si128(
        _mm_shuffle_epi8(front, _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, NONE, NONE)),
        _mm_and_si128(_mm_slli_si128::<12>(middle), _mm_setr_epi32(0, 0, 0, 0xFFFF << 16)),
    );
    let second = _mm_or_si128(
        _mm_and_si128(_mm_srli_si128::<5>(middle), _mm_setr_epi32(-1, 0, 0, 0)),
        _mm_and_si128(back, _mm_setr_epi32(0, -1, -1, -1)),
    );
    let hyphens = [text[8], text[13], text[18], text[23]] == [b'-'; 4];
    hyphens && hex_bytes(first, second, id)
}

const HYPHEN: i8 = b'-' as i8;

#[inline]
#[target_feature(enable = "ssse3")]
fn hex_digits(id: u128) -> (__m128i, __m128i) {
    let id = vector(id);
    let nibble = _mm_set1_epi8(0x0F);
    let digits = load(b"0123456789abcdef");
    let high = _mm_shuffle_epi8(digits, _mm_and_si128(_mm_srli_epi16::<4>(id), nibble));
    let low = _mm_shuffle_epi8(digits, _mm_and_si128(id, nibble));
    (_mm_unpacklo_epi8(high, low), _mm_unpackhi_epi8(high, low))
}

#[inline]
#[target_feature(enable = "ssse3")]
fn hex_bytes(first: __m128i, second: __m128i, id: &mut [u8; 16]) -> bool {
    let value = |text| {
        let folded = _mm_or_si128(text, _mm_set1_epi8(0x20));
        _mm_or_si128(row(&NUMBERS, text, b'0'), row(&LETTERS, folded, b'`'))
    };
    let (first, second) = (value(first), value(second));
    let bytes = |values| {
        let nibbles = _mm_and_si128(values, _mm_set1_epi8(0x0F));
        _mm_maddubs_epi16(nibbles, _mm_set1_epi16(0x0110))
    };
    store(id, _mm_packus_epi16(bytes(first), bytes(second)));
    are_digits(_mm_and_si128(first, second))
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn base64_encode(alphabet: &Alphabet<64>, id: u128, out: &mut [u8; 22]) {
    let id = vector(id);
    let digits = |bytes| {
        // Each 3 bytes come as b1 b0 b2 b1: two 16-bit numbers with two digits each.
        let evens = _mm_and_si128(bytes, _mm_set1_epi32(0x0FC0_FC00));
        let odds = _mm_and_si128(bytes, _mm_set1_epi32(0x003F_03F0));
        let values = _mm_or_si128(
            _mm_mulhi_epu16(evens, _mm_set1_epi32(0x0400_0040)),
            _mm_mullo_epi16(odds, _mm_set1_epi32(0x0100_0010)),
        );
        let row = |number: u8| row(&alphabet.digits[16 * usize::from(number)..], values, 16 * number);
        _mm_or_si128(_mm_or_si128(row(0), row(1)), _mm_or_si128(row(2), row(3)))
    };
    let front = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    let back = _mm_setr_epi8(13, 12, 14, 13, NONE, 15, NONE, NONE, 0, 0, 0, 0, 0, 0, 0, 0);
    let (front, back) = (digits(_mm_shuffle_epi8(id, front)), digits(_mm_shuffle_epi8(id, back)));
    store(&mut out[..16], front);
    store(&mut out[6..], _mm_alignr_epi8::<6>(back, front));
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22], id: &mut [u8; 16]) -> bool {
    let (front, back) = (load(&text[..16]), load(&text[6..]));
    let values = |text| {
        let row = |number: u8| row(&alphabet.values[16 * usize::from(number)..], text, 16 * number);
        let upper = _mm_or_si128(_mm_or_si128(row(2), row(3)), _mm_or_si128(row(4), row(5)));
        _mm_or_si128(upper, _mm_or_si128(row(6), row(7)))
    };
    // Rows 0 and 1 hold no digit. As signed numbers, non-ASCII bytes are less than they, too.
    let outside = |text| _mm_cmplt_epi8(text, _mm_set1_epi8(0x20));
    let (head, tail) = (values(front), values(back));
    let marks = _mm_or_si128(_mm_or_si128(head, tail), _mm_or_si128(outside(front), outside(back)));
    let bytes = |values| {
        let twelve_bits = _mm_maddubs_epi16(values, _mm_set1_epi16(0x0140));
        _mm_madd_epi16(twelve_bits, _mm_set1_epi32(0x0001_1000))
    };
    let head = _mm_shuffle_epi8(
        bytes(head),
        _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, NONE, NONE, NONE, NONE),
    );
    let tail = _mm_shuffle_epi8(
        bytes(_mm_srli_si128::<10>(tail)),
        _mm_setr_epi8(NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 2, 1, 0, 6),
    );
    let canonical = alphabet.value(text[21]) & 0x0F == 0;
    store(id, _mm_or_si128(head, tail));
    canonical && _mm_movemask_epi8(marks) == 0
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn base32_encode(id: u128, out: &mut [u8; 26]) {
    let id = vector(id);
    // Each 16-bit number holds two digits: multiplying brings the first to the low byte and the
    // second to the high byte.
    let digits = |numbers, to_low, to_high| {
        let evens = _mm_and_si128(_mm_mulhi_epu16(numbers, to_low), _mm_set1_epi16(0x001F));
        let odds = _mm_and_si128(_mm_mullo_epi16(numbers, to_high), _mm_set1_epi16(0x1F00));
        let values = _mm_or_si128(evens, odds);
        _mm_or_si128(row(&CROCKFORD.digits, values, 0), row(&CROCKFORD.digits[16..], values, 16))
    };
    // 10 digits for bytes 0 to 5 (what lies behind them is overwritten), 16 for the other ten bytes.
    let head = digits(
        _mm_shuffle_epi8(id, _mm_setr_epi8(0, NONE, 2, 1, 3, 2, 4, 3, 5, 4, 0, 0, 0, 0, 0, 0)),
        _mm_setr_epi16(1 << 11, 1 << 5, 1 << 7, 1 << 9, 1 << 11, 0, 0, 0),
        _mm_setr_epi16(1 << 8, 1 << 2, 1 << 4, 1 << 6, 1 << 8, 0, 0, 0),
    );
    let tail = digits(
        _mm_shuffle_epi8(id, _mm_setr_epi8(7, 6, 8, 7, 9, 8, 10, 9, 12, 11, 13, 12, 14, 13, 15, 14)),
        _mm_setr_epi16(1 << 5, 1 << 7, 1 << 9, 1 << 11, 1 << 5, 1 << 7, 1 << 9, 1 << 11),
        _mm_setr_epi16(1 << 2, 1 << 4, 1 << 6, 1 << 8, 1 << 2, 1 << 4, 1 << 6, 1 << 8),
    );
    store(&mut out[..16], head);
    store(&mut out[10..], tail);
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn base32_decode(text: &[u8; 26], id: &mut [u8; 16]) -> bool {
    let values = |text| {
        let folded = _mm_or_si128(text, _mm_set1_epi8(0x20));
        let letters = _mm_or_si128(row(&A_TO_O, folded, b'`'), row(&P_TO_Z, folded, b'p'));
        _mm_or_si128(row(&NUMBERS, text, b'0'), letters)
    };
    let (head, tail) = (values(load(&text[..16])), values(load(&text[10..])));
    // Two numbers of 40 bits, from 8 digits each.
    let numbers = |values| {
        let digits = _mm_and_si128(values, _mm_set1_epi8(0x1F));
        let ten_bits = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x0120));
        let twenty_bits = _mm_madd_epi16(ten_bits, _mm_set1_epi32(0x0001_0400));
        _mm_or_si128(_mm_slli_epi64::<20>(twenty_bits), _mm_srli_epi64::<32>(twenty_bits))
    };
    let first_ten = _mm_slli_si128::<6>(head);
    let bytes = _mm_or_si128(
        _mm_shuffle_epi8(
            numbers(first_ten),
            _mm_setr_epi8(0, 12, 11, 10, 9, 8, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE),
        ),
        _mm_shuffle_epi8(
            numbers(tail),
            _mm_setr_epi8(NONE, NONE, NONE, NONE, NONE, NONE, 4, 3, 2, 1, 0, 12, 11, 10, 9, 8),
        ),
    );
    store(id, bytes);
    // Among digits only 0 to 7 are not above '7'.
    text[0] <= b'7' && are_digits(_mm_and_si128(head, tail))
}

super::super::loops::loops!(#[target_feature(enable = "ssse3")]);

/// Looks up the bytes from `start` (a multiple of 16) on in 16 places of `table`; zero for others.
#[inline]
#[target_feature(enable = "ssse3")]
fn row(table: &[u8], bytes: __m128i, start: u8) -> __m128i {
    // Bytes of the row become 0x70 to 0x7F, all others get the top bit and with it a zero.
    let offset = _mm_xor_si128(bytes, _mm_set1_epi8(start as i8));
    _mm_shuffle_epi8(load(&table[..16]), _mm_adds_epu8(offset, _mm_set1_epi8(0x70)))
}

/// True if all bytes came from places marked [`DIGIT`].
#[inline]
#[target_feature(enable = "ssse3")]
fn are_digits(values: __m128i) -> bool {
    _mm_movemask_epi8(_mm_add_epi8(values, values)) == 0xFFFF
}

/// A row for [`row`]: the digits' values from `first` on, marked. A leading backquote, the place
/// before the letters, holds no digit.
const fn digit_table(digits: &[u8], first: u8) -> [u8; 16] {
    let mut table = [0; 16];
    let mut at = 0;
    while at < digits.len() {
        if digits[at] != b'`' {
            table[digits[at] as usize % 16] = DIGIT | (first + at as u8);
        }
        at += 1;
    }
    table
}

const fn crockford_table(start: u8) -> [u8; 16] {
    let mut table = [0; 16];
    let mut value = 10;
    while value < 32 {
        let digit = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[value];
        if digit & 0xF0 == start & 0xF0 {
            table[digit as usize % 16] = DIGIT | value as u8;
        }
        value += 1;
    }
    table
}

#[inline]
#[target_feature(enable = "ssse3")]
fn vector(id: u128) -> __m128i {
    _mm_set_epi64x((id >> 64) as i64, id as i64)
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn load(bytes: &[u8]) -> __m128i {
    let bytes: &[u8; 16] = bytes[..16].try_into().expect("16 bytes were cut");
    // SAFETY: the reference is to 16 readable bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn store(out: &mut [u8], value: __m128i) {
    let out: &mut [u8; 16] = (&mut out[..16]).try_into().expect("16 bytes were cut");
    // SAFETY: the reference is to 16 writable bytes; the store needs no alignment.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), value) }
}
