//! AVX-512 VBMI: all digits of an id at once.
//!
//! To encode, one permutation (`vpermb`) brings to each group of 8 characters the 8 bytes that hold their bits. One
//! `vpmultishiftqb` cuts the digits out of them, and a second permutation looks all of them up in a table of 64. To
//! decode, one permutation over 128 places (`vpermi2b`) returns both the values and the invalid characters; for
//! hexadecimal digits 64 places are enough. The formats differ only in a plan, which is computed at compile time.
//!
//! Single hexadecimal texts have the kernels of [`super::inline`], with the same steps.

use core::arch::x86_64::*;

use crate::codec::alphabet::{Alphabet, CROCKFORD, HEX};

static CROCKFORD_DIGITS: Table<64> = {
    let mut digits = [0; 64];
    let mut at = 0;
    while at < 64 {
        digits[at] = CROCKFORD.digits[at % 32];
        at += 1;
    }
    Table(digits)
};

static SIMPLE: Plan = Plan::new(32, 4, 0);
static BASE_64: Plan = Plan::new(22, 6, 0);
static BASE_32: Plan = Plan::new(26, 5, 2);

/// Bit n is set where character n of the hyphenated form is a hyphen.
pub(super) const HYPHENS: u64 = 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23;

/// The positions of the hyphens, from character 8 on, for `pshufb`; it writes zeros behind them.
pub(super) const HYPHEN_PLACES: [u8; 16] = {
    let mut places = [0x80; 16];
    let (mut at, mut hyphen) = (0, 0);
    while at < 36 {
        if HYPHENS >> at & 1 == 1 {
            places[hyphen] = at - 8;
            hyphen += 1;
        }
        at += 1;
    }
    places
};

/// The constants of the decoders.
#[repr(C, align(64))]
pub(super) struct Decoder {
    /// The number for the low 6 bits of each character, whose exclusive or with the character is
    /// the digit's value. For any other character it gives a number that has one of the
    /// [`Decoder::marks`].
    pub(super) values: [u8; 64],
    pub(super) marks: [u8; 32],
    /// The weights of the two digits of a byte.
    pub(super) weights: [u8; 32],
    /// The positions of the digits in 64 bytes: characters 20 to 35, 16 bytes without meaning, and characters 0 to 31.
    pub(super) digits: [u8; 32],
    hyphens: [u8; 16],
}

pub(super) const DECODER: Decoder = {
    let mut decoder = Decoder {
        values: [0; 64],
        marks: [0xE0; 32],
        weights: [1; 32],
        digits: [0; 32],
        hyphens: HYPHEN_PLACES,
    };
    let mut low = 0;
    while low < 64 {
        // Bit 5 is a mark, and all characters with these low bits have the same.
        decoder.values[low] = !(low as u8) & 0x20;
        let mut character = low;
        while character < 128 {
            let value = HEX.values[character];
            if value < 16 {
                decoder.values[low] = value ^ character as u8;
            }
            character += 64;
        }
        low += 1;
    }
    let (mut at, mut digit) = (0, 0);
    while at < 36 {
        if HYPHENS >> at & 1 == 0 {
            decoder.digits[digit] = if at < 32 { at + 32 } else { at - 20 } as u8;
            decoder.weights[digit] = if digit % 2 == 0 { 16 } else { 1 };
            digit += 1;
        }
        at += 1;
    }
    decoder
};

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn simple_encode(id: u128, out: &mut [u8; 32]) {
    let text = hex_digits(id);
    // SAFETY: the text is 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), text) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn hyphenated_encode(id: u128, out: &mut [u8; 36]) {
    static FRONT: Table<64> = {
        let mut places = [0; 64];
        let (mut digit, mut at) = (0, 0);
        while at < 32 {
            places[at] = digit;
            digit += (HYPHENS >> at & 1 == 0) as u8;
            at += 1;
        }
        Table(places)
    };
    let digits = hex_digits(id);
    let hyphens = _mm256_set1_epi8(b'-' as i8);
    let front = _mm256_mask_permutexvar_epi8(hyphens, !HYPHENS as u32, load_half(&FRONT.0), digits);
    // The last 12 characters are digits, of which the front has 8.
    let last = _mm256_extract_epi32::<7>(digits);
    let (front_out, last_out) = out.split_at_mut(32);
    // SAFETY: 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(front_out.as_mut_ptr().cast(), front) };
    last_out.copy_from_slice(&last.to_ne_bytes());
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base64_encode(alphabet: &Alphabet<64>, id: u128, out: &mut [u8; 22]) {
    store_text(out, digits(&BASE_64, &alphabet.digits, id));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base32_encode(id: u128, out: &mut [u8; 26]) {
    store_text(out, digits(&BASE_32, &CROCKFORD_DIGITS.0, id));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    // SAFETY: the text is 32 readable bytes; the load needs no alignment.
    hex_bytes(unsafe { _mm256_loadu_si256(text.as_ptr().cast()) }, id)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    // SAFETY: 32 bytes from the first and 16 from the 20th on are in the text of 36, and `digits` has 32 bytes; the loads
    // need no alignment.
    let (front, back, places) = unsafe {
        (
            _mm256_loadu_si256(text.as_ptr().cast()),
            _mm256_castsi128_si256(_mm_loadu_si128(text.as_ptr().add(20).cast())),
            _mm256_loadu_si256(DECODER.digits.as_ptr().cast()),
        )
    };
    let digits = _mm256_permutex2var_epi8(back, places, front);
    let other = _mm256_mask_cmpneq_epi8_mask(HYPHENS as u32, front, _mm256_set1_epi8(b'-' as i8));
    hex_bytes(digits, id) && other == 0
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22], id: &mut [u8; 16]) -> bool {
    // The last character holds 2 bits of the id; its 4 low bits must be zero.
    let canonical = alphabet.value(text[21]) & 0x0F == 0;
    let text = load(text);
    let values = values(&alphabet.values, text);
    let twelve_bits = _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x0140));
    let triples = _mm512_madd_epi16(twelve_bits, _mm512_set1_epi32(0x0001_1000));
    let order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 18, 17, 16, 22);
    store_id(id, _mm512_permutexvar_epi8(_mm512_castsi128_si512(order), triples));
    canonical & are_valid(text, values, 22)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base32_decode(text: &[u8; 26], id: &mut [u8; 16]) -> bool {
    // Among digits only 0 to 7 are not above '7'.
    let fits = text[0] <= b'7';
    let text = load(text);
    let values = values(&CROCKFORD.values, text);
    // Four groups of 8 digits, of which the first begins with 6 zeros: 40 bits each.
    let order = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
        23, 24, 25,
    );
    let digits = _mm512_maskz_permutexvar_epi8(low_bits(32) ^ 0x3F, _mm512_castsi256_si512(order), values);
    let ten_bits = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x0120));
    let twenty_bits = _mm512_madd_epi16(ten_bits, _mm512_set1_epi32(0x0001_0400));
    let numbers = _mm512_or_si512(_mm512_slli_epi64::<20>(twenty_bits), _mm512_srli_epi64::<32>(twenty_bits));
    let order = _mm_setr_epi8(0, 12, 11, 10, 9, 8, 20, 19, 18, 17, 16, 28, 27, 26, 25, 24);
    store_id(id, _mm512_permutexvar_epi8(_mm512_castsi128_si512(order), numbers));
    fits & are_valid(text, values, 26)
}

super::super::loops::loops!(#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]);

/// Aligned, so that a register is filled from one cache line.
#[repr(C, align(64))]
struct Table<const N: usize>([u8; N]);

/// The source of the bits of each character.
///
/// The register holds the text in lanes of 16 characters. The last lane ends with the text, so it
/// repeats some of the lane before: plain stores that overlap are faster than a masked one.
#[repr(C, align(64))]
struct Plan {
    /// The byte of the id that goes to each byte of each group of 8.
    bytes: [u8; 64],
    /// The bit of its group at which the digit of each character begins.
    shifts: [u8; 64],
    /// The bits of each character's digit that come from the id.
    keep: [u8; 64],
}

impl Plan {
    /// Plans a text of `length` characters with `bits` bits each, after `padding` zero bits.
    const fn new(length: usize, bits: i32, padding: i32) -> Plan {
        let mut plan = Plan { bytes: [0; 64], shifts: [0; 64], keep: [0; 64] };
        let last_lane = (length - 1) / 16 * 16;
        let mut group = 0;
        while group < last_lane + 16 {
            let text_at = if group < last_lane { group } else { length - 16 + group - last_lane };
            let mut bit = bits * text_at as i32 - padding;
            // The group is a big-endian number: the 8 bytes from `first` on. Of those that lie
            // outside the id nothing is kept.
            let first = bit.div_euclid(8);
            let mut at = 0;
            while at < 8 {
                let place = group + at;
                plan.bytes[place] = (first + 7 - at as i32).rem_euclid(16) as u8;
                plan.shifts[place] = (64 - bits - (bit - 8 * first)) as u8;
                let mut inside = 0;
                while inside < bits {
                    let from_id = bit + inside >= 0 && bit + inside < 128;
                    plan.keep[place] = plan.keep[place] << 1 | from_id as u8;
                    inside += 1;
                }
                bit += bits;
                at += 1;
            }
            group += 8;
        }
        plan
    }
}

/// The characters of an id.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn digits(plan: &Plan, table: &[u8; 64], id: u128) -> __m512i {
    let id = _mm512_castsi128_si512(_mm_set_epi64x((id >> 64) as i64, id as i64));
    let groups = _mm512_permutexvar_epi8(load(&plan.bytes), id);
    let shifted = _mm512_multishift_epi64_epi8(load(&plan.shifts), groups);
    let values = _mm512_and_si512(shifted, load(&plan.keep));
    _mm512_permutexvar_epi8(values, load(table))
}

/// The value of each character; [`are_valid`] tells whether they can be used.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn values(table: &[u8; 128], text: __m512i) -> __m512i {
    let (low, high) = table.split_at(64);
    _mm512_permutex2var_epi8(load(low), text, load(high))
}

/// True if the first `length` characters are ASCII and have a value without a mark.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn are_valid(text: __m512i, values: __m512i, length: usize) -> bool {
    // The lookup ignored the top bit of the text, which no ASCII character has.
    let top = _mm512_set1_epi8(-0x80);
    let marks = _mm512_or_si512(values, _mm512_and_si512(text, top));
    _mm512_mask_test_epi8_mask(low_bits(length), marks, _mm512_set1_epi8(-0x40)) == 0
}

/// The bytes of 32 hexadecimal digits, and whether all of them are digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn hex_bytes(digits: __m256i, id: &mut [u8; 16]) -> bool {
    let table = _mm512_permutexvar_epi8(_mm512_castsi256_si512(digits), load(&DECODER.values));
    let values = _mm256_xor_si256(_mm512_castsi512_si256(table), digits);
    let bytes = _mm256_cvtepi16_epi8(_mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0110)));
    store_id(id, _mm512_castsi128_si512(bytes));
    _mm256_test_epi8_mask(values, _mm256_set1_epi8(DECODER.marks[0] as i8)) == 0
}

const fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Loads at most 64 bytes, with zeros behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn load(bytes: &[u8]) -> __m512i {
    // SAFETY: the mask names the bytes of the slice alone; the others are not read.
    unsafe { _mm512_maskz_loadu_epi8(low_bits(bytes.len()), bytes.as_ptr().cast()) }
}

/// The 32 hexadecimal digits of an id.
///
/// Half as wide as [`digits`], because they fit: 16 digits are a table for `vpshufb`, which takes a third of the time of
/// `vpermb`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn hex_digits(id: u128) -> __m256i {
    let id = _mm256_castsi128_si256(_mm_set_epi64x((id >> 64) as i64, id as i64));
    let groups = _mm256_permutexvar_epi8(load_half(&SIMPLE.bytes), id);
    let shifted = _mm256_multishift_epi64_epi8(load_half(&SIMPLE.shifts), groups);
    let values = _mm256_and_si256(shifted, _mm256_set1_epi8(0x0F));
    // SAFETY: the table is 16 readable bytes; the load needs no alignment.
    let table = unsafe { _mm_loadu_si128(HEX.digits.as_ptr().cast()) };
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), values)
}

/// The first 32 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn load_half(bytes: &[u8; 64]) -> __m256i {
    // SAFETY: 32 of the 64 readable bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// The lanes of a text as [`Plan`] arranges them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn store_text<const N: usize>(out: &mut [u8; N], value: __m512i) {
    const { assert!(N > 16 && N <= 32) };
    let start = out.as_mut_ptr();
    // SAFETY: the text has at least 16 characters, and those of each lane lie inside of it; the
    // stores need no alignment.
    unsafe {
        _mm_storeu_si128(start.cast(), _mm512_castsi512_si128(value));
        _mm_storeu_si128(start.add(N - 16).cast(), _mm512_extracti32x4_epi32::<1>(value));
    }
}

/// The first 16 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn store_id(id: &mut [u8; 16], value: __m512i) {
    // SAFETY: the reference is to 16 writable bytes; the store needs no alignment.
    unsafe { _mm_storeu_si128(id.as_mut_ptr().cast(), _mm512_castsi512_si128(value)) }
}
