//! AVX-512 VBMI: all digits of an id at once.
//!
//! To encode, one permutation (`vpermb`) brings to each group of 8 characters the 8 bytes that hold
//! their bits, one `vpmultishiftqb` cuts the digits out of them, and a second permutation looks all
//! of them up in a table of 64. To decode, one permutation over 128 places (`vpermi2b`) gives values
//! and faults together. The forms differ only in a plan, which is computed at compile time.

use core::arch::x86_64::*;

use crate::codec::alphabet::{Alphabet, CROCKFORD, HEX};

static HEX_DIGITS: [u8; 64] = repeated(&HEX.digits);
static CROCKFORD_DIGITS: [u8; 64] = repeated(&CROCKFORD.digits);

static SIMPLE: Plan = Plan::new(32, 4, 0, 0);
static HYPHENATED: Plan = Plan::new(36, 4, 0, HYPHENS);
static BASE_64: Plan = Plan::new(22, 6, 0, 0);
static BASE_32: Plan = Plan::new(26, 5, 2, 0);

/// Bit n is set where character n of the hyphenated form is a hyphen.
const HYPHENS: u64 = 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn simple_encode(id: &[u8; 16], out: &mut [u8; 32]) {
    store(out, digits(&SIMPLE, &HEX_DIGITS, id));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn hyphenated_encode(id: &[u8; 16], out: &mut [u8; 36]) {
    store(out, digits(&HYPHENATED, &HEX_DIGITS, id));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base64_encode(alphabet: &Alphabet<64>, id: &[u8; 16], out: &mut [u8; 22]) {
    store(out, digits(&BASE_64, &alphabet.digits, id));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base32_encode(id: &[u8; 16], out: &mut [u8; 26]) {
    store(out, digits(&BASE_32, &CROCKFORD_DIGITS, id));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn simple_decode(text: &[u8; 32]) -> Option<[u8; 16]> {
    let (values, faults) = values(&HEX.values, load(text));
    (faults as u32 == 0).then(|| hex_bytes(_mm512_castsi512_si256(values)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn hyphenated_decode(text: &[u8; 36]) -> Option<[u8; 16]> {
    /// The offsets of the 32 digits.
    static DIGITS: [u8; 32] = [
        0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30,
        31, 32, 33, 34, 35,
    ];
    let text = load(text);
    let (values, faults) = values(&HEX.values, text);
    let hyphens = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(b'-' as i8));
    // A hyphen is no digit either, so both masks name exactly the four places.
    let good = low_bits(36) & (faults ^ HYPHENS | hyphens ^ HYPHENS) == 0;
    let digits = _mm512_castsi256_si512(load_256(&DIGITS));
    good.then(|| hex_bytes(_mm512_castsi512_si256(_mm512_permutexvar_epi8(digits, values))))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22]) -> Option<[u8; 16]> {
    let (values, faults) = values(&alphabet.values, load(text));
    let canonical = alphabet.value(text[21]) & 0x0F == 0;
    let values = _mm512_castsi512_si256(values);
    let twelve_bits = _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0140));
    let triples = _mm256_madd_epi16(twelve_bits, _mm256_set1_epi32(0x0001_1000));
    let order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 18, 17, 16, 22);
    let bytes = _mm256_permutexvar_epi8(_mm256_castsi128_si256(order), triples);
    (canonical && low_bits(22) & faults == 0).then(|| to_array(_mm256_castsi256_si128(bytes)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn base32_decode(text: &[u8; 26]) -> Option<[u8; 16]> {
    let (values, faults) = values(&CROCKFORD.values, load(text));
    // Four groups of 8 digits, of which the first begins with 6 zeros: 40 bits each.
    let order = _mm256_setr_epi8(
        63, 63, 63, 63, 63, 63, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25,
    );
    let digits = _mm512_maskz_permutexvar_epi8(low_bits(32) ^ 0x3F, _mm512_castsi256_si512(order), values);
    let ten_bits = _mm256_maddubs_epi16(_mm512_castsi512_si256(digits), _mm256_set1_epi16(0x0120));
    let twenty_bits = _mm256_madd_epi16(ten_bits, _mm256_set1_epi32(0x0001_0400));
    let numbers = _mm256_or_si256(_mm256_slli_epi64::<20>(twenty_bits), _mm256_srli_epi64::<32>(twenty_bits));
    let order = _mm_setr_epi8(0, 12, 11, 10, 9, 8, 20, 19, 18, 17, 16, 28, 27, 26, 25, 24);
    let bytes = _mm256_permutexvar_epi8(_mm256_castsi128_si256(order), numbers);
    // Among digits only 0 to 7 are not above '7'.
    (text[0] <= b'7' && low_bits(26) & faults == 0).then(|| to_array(_mm256_castsi256_si128(bytes)))
}

super::super::loops::loops!(#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]);

/// Where the bits of each character come from.
#[repr(C, align(64))]
struct Plan {
    /// For each byte of each group of 8, the byte of the id that goes there.
    bytes: [u8; 64],
    /// For each character, at which bit of its group the digit begins.
    shifts: [u8; 64],
    /// Which bytes of the groups lie inside the id; the others are zero.
    inside: u64,
    /// Which characters are digits.
    digits: u64,
}

impl Plan {
    /// For a text of `length` characters with `bits` bits each, after `padding` zero bits, but for
    /// the `separators`.
    const fn new(length: usize, bits: i32, padding: i32, separators: u64) -> Plan {
        let mut plan = Plan { bytes: [0; 64], shifts: [0; 64], inside: 0, digits: 0 };
        let mut bit = -padding;
        let mut group = 0;
        while group < length {
            // The group is a big-endian number: the 8 bytes from this one on.
            let first = bit.div_euclid(8);
            let mut at = group;
            while at < group + 8 {
                let byte = first + 7 - (at - group) as i32;
                if byte >= 0 && byte < 16 {
                    plan.bytes[at] = byte as u8;
                    plan.inside |= 1 << at;
                }
                if at < length && separators >> at & 1 == 0 {
                    plan.shifts[at] = (64 - bits - (bit - 8 * first)) as u8;
                    plan.digits |= 1 << at;
                    bit += bits;
                }
                at += 1;
            }
            group += 8;
        }
        plan
    }
}

/// The characters of an id; a separator is a hyphen.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn digits(plan: &Plan, table: &[u8; 64], id: &[u8; 16]) -> __m512i {
    let id = _mm512_castsi128_si512(load_128(id));
    let groups = _mm512_maskz_permutexvar_epi8(plan.inside, load_512(&plan.bytes), id);
    // Each byte now begins with its digit; the bits above it are not cleared, because the table
    // repeats itself.
    let values = _mm512_multishift_epi64_epi8(load_512(&plan.shifts), groups);
    _mm512_mask_permutexvar_epi8(_mm512_set1_epi8(b'-' as i8), plan.digits, values, load_512(table))
}

/// The value of each character, and which ones are no digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn values(table: &[u8; 128], text: __m512i) -> (__m512i, u64) {
    let (low, high) = table.split_at(64);
    let values = _mm512_permutex2var_epi8(load(low), text, load(high));
    // The lookup ignores the top bit, which no ASCII character has.
    (values, _mm512_movepi8_mask(_mm512_or_si512(values, text)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn hex_bytes(values: __m256i) -> [u8; 16] {
    to_array(_mm256_cvtepi16_epi8(_mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0110))))
}

const fn repeated<const R: usize>(digits: &[u8; R]) -> [u8; 64] {
    let mut table = [0; 64];
    let mut at = 0;
    while at < 64 {
        table[at] = digits[at % R];
        at += 1;
    }
    table
}

const fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// At most 64 bytes; zeros behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn load(bytes: &[u8]) -> __m512i {
    // SAFETY: the mask names the bytes of the slice alone; the others are not read.
    unsafe { _mm512_maskz_loadu_epi8(low_bits(bytes.len()), bytes.as_ptr().cast()) }
}

/// As much of the beginning of `value` as there is room for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn store(out: &mut [u8], value: __m512i) {
    // SAFETY: the mask names the bytes of the slice alone; the others are not written.
    unsafe { _mm512_mask_storeu_epi8(out.as_mut_ptr().cast(), low_bits(out.len()), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn load_128(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the reference is to 16 readable bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn load_256(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the reference is to 32 readable bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn load_512(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the reference is to 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn to_array(value: __m128i) -> [u8; 16] {
    let mut bytes = [0; 16];
    // SAFETY: the array is 16 writable bytes; the store needs no alignment.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), value) };
    bytes
}
