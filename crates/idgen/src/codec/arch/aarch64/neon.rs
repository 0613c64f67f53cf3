//! NEON: digits are looked up 16 at a time in tables of up to 64 places (`tbl`, `tbx`), bits moved
//! by shifting each lane by a count of its own (`ushl`).
//!
//! For any index outside the table, `tbl` returns zero, and `tbx` leaves the byte of the destination. On x86, `pshufb`
//! returns zero only if the top bit of the index is set.

use core::arch::aarch64::*;

use crate::codec::alphabet::{Alphabet, CROCKFORD, HEX, INVALID};

/// A place outside every table.
const NONE: u8 = 0xFF;

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn simple_encode(id: u128, out: &mut [u8; 32]) {
    let (high, low) = hex_digits(id);
    store(&mut out[..16], vzip1q_u8(high, low));
    store(&mut out[16..], vzip2q_u8(high, low));
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn hyphenated_encode(id: u128, out: &mut [u8; 36]) {
    // The place of the digit of each of the first 32 characters: first come the high digits of the
    // 16 bytes, then the low ones.
    const PLACES: [u8; 32] = {
        let mut places = [NONE; 32];
        let mut digit = 0;
        while digit < 28 {
            places[character_of(digit)] = (digit / 2 + digit % 2 * 16) as u8;
            digit += 1;
        }
        places
    };
    let (high, low) = hex_digits(id);
    let digits = uint8x16x2_t(high, low);
    let hyphens = vdupq_n_u8(b'-');
    store(&mut out[..16], vqtbx2q_u8(hyphens, digits, load(&PLACES[..16])));
    store(&mut out[16..32], vqtbx2q_u8(hyphens, digits, load(&PLACES[16..])));
    let last = vgetq_lane_u32::<3>(vreinterpretq_u32_u8(vzip2q_u8(high, low)));
    out[32..].copy_from_slice(&last.to_le_bytes());
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    let (front, back) = (load(&text[..16]), load(&text[16..]));
    let marks = hex_bytes(vuzp1q_u8(front, back), vuzp2q_u8(front, back), id);
    are_valid(marks)
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    /// The places of the high digits of the 16 bytes, and those of the low ones.
    const DIGITS: [[u8; 16]; 2] = {
        let mut places = [[0; 16]; 2];
        let mut digit = 0;
        while digit < 32 {
            places[digit % 2][digit / 2] = place(character_of(digit), 32, 36) as u8;
            digit += 1;
        }
        places
    };
    const HYPHENS: [u8; 16] = [8, 13, 18, 23, 8, 13, 18, 23, 8, 13, 18, 23, 8, 13, 18, 23];
    let (front, middle, back) = (load(&text[..16]), load(&text[16..32]), load(&text[20..]));
    let characters = uint8x16x3_t(front, middle, back);
    let digits = |which: usize| vqtbl3q_u8(characters, load(&DIGITS[which]));
    let marks = hex_bytes(digits(0), digits(1), id);
    let hyphens = vqtbl2q_u8(uint8x16x2_t(front, middle), load(&HYPHENS));
    are_valid(vornq_u8(marks, vceqq_u8(hyphens, vdupq_n_u8(b'-'))))
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn base64_encode(alphabet: &Alphabet<64>, id: u128, out: &mut [u8; 22]) {
    const FRONT: Cut = Cut::new(6, 0, 0);
    const BACK: Cut = Cut::new(6, 0, 6);
    let (id, digits) = (vector(id), rows4(&alphabet.digits));
    let text = |cut| vqtbl4q_u8(digits, values_of(cut, id));
    store(&mut out[..16], text(&FRONT));
    store(&mut out[6..], text(&BACK));
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn base32_encode(id: u128, out: &mut [u8; 26]) {
    const FRONT: Cut = Cut::new(5, 2, 0);
    const BACK: Cut = Cut::new(5, 2, 10);
    let (id, digits) = (vector(id), rows2(&CROCKFORD.digits));
    let text = |cut| vqtbl2q_u8(digits, values_of(cut, id));
    store(&mut out[..16], text(&FRONT));
    store(&mut out[10..], text(&BACK));
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22], id: &mut [u8; 16]) -> bool {
    const BYTES: Join<2> = Join::new(22, 6, 0);
    // The last character holds 2 bits of the id; its 4 low bits must be zero.
    const SPARE: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0F];
    // No character before '+' is in any alphabet: the tables begin with the row that holds it.
    let (most, rest) = (rows4(&alphabet.values[0x20..0x60]), rows2(&alphabet.values[0x60..]));
    let values = |text| vqtbx2q_u8(lookup(most, 0x20, text), rest, vsubq_u8(text, vdupq_n_u8(0x60)));
    let (front, back) = (values(load(&text[..16])), values(load(&text[6..])));
    store(id, bytes_of(&BYTES, uint8x16x2_t(front, back)));
    are_valid(vorrq_u8(vorrq_u8(front, back), vtstq_u8(back, load(&SPARE))))
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn base32_decode(text: &[u8; 26], id: &mut [u8; 16]) -> bool {
    const BYTES: Join<3> = Join::new(26, 5, 2);
    // The first digit holds 3 bits of the id; its 2 high bits must be zero.
    const SPARE: [u8; 16] = [0x18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let (most, rest) = (rows4(&CROCKFORD.values[0x30..0x70]), load(&CROCKFORD.values[0x70..]));
    let values = |text| vqtbx1q_u8(lookup(most, 0x30, text), rest, vsubq_u8(text, vdupq_n_u8(0x70)));
    let (front, back) = (values(load(&text[..16])), values(load(&text[10..])));
    store(id, bytes_of(&BYTES, uint8x16x2_t(front, back)));
    are_valid(vorrq_u8(vorrq_u8(front, back), vtstq_u8(front, load(&SPARE))))
}

super::super::loops::loops!(#[target_feature(enable = "neon")]);

/// The character of the hyphenated form that is this digit.
const fn character_of(digit: usize) -> usize {
    digit + (digit >= 8) as usize + (digit >= 12) as usize + (digit >= 16) as usize + (digit >= 20) as usize
}

/// The place of a character if the last register ends with the text, and so repeats some of what
/// the `full` characters before it hold.
const fn place(character: usize, full: usize, length: usize) -> usize {
    if character < full { character } else { character + full + 16 - length }
}

/// The digits of the high and of the low halves of the bytes.
#[inline]
#[target_feature(enable = "neon")]
fn hex_digits(id: u128) -> (uint8x16_t, uint8x16_t) {
    let (id, digits) = (vector(id), load(&HEX.digits));
    (vqtbl1q_u8(digits, vshrq_n_u8::<4>(id)), vqtbl1q_u8(digits, vandq_u8(id, vdupq_n_u8(0x0F))))
}

/// Stores the bytes of these digits; gives marks for [`are_valid`].
#[inline]
#[target_feature(enable = "neon")]
fn hex_bytes(high: uint8x16_t, low: uint8x16_t, id: &mut [u8; 16]) -> uint8x16_t {
    // From '0' on, four rows hold all digits of either case.
    let table = rows4(&HEX.values[0x30..0x70]);
    let (high, low) = (lookup(table, 0x30, high), lookup(table, 0x30, low));
    store(id, vsliq_n_u8::<4>(low, high));
    vorrq_u8(high, low)
}

/// Looks up each character in the table, which begins with the character `start`; [`INVALID`] for
/// those outside.
#[inline]
#[target_feature(enable = "neon")]
fn lookup(table: uint8x16x4_t, start: u8, text: uint8x16_t) -> uint8x16_t {
    vqtbx4q_u8(vdupq_n_u8(INVALID), table, vsubq_u8(text, vdupq_n_u8(start)))
}

/// True if no byte has the mark [`INVALID`].
#[inline]
#[target_feature(enable = "neon")]
fn are_valid(marks: uint8x16_t) -> bool {
    vmaxvq_u8(marks) < INVALID
}

/// The plan for cutting 16 digits out of an id. Two neighbors always lie within the 16 bits from
/// the beginning of a byte on: these become a lane.
struct Cut {
    /// The two bytes of the id for each lane.
    bytes: [u8; 16],
    /// The shift of each lane for its first digit, as a number of 16 bits. A negative number shifts
    /// to the right.
    first: [u8; 16],
    /// The shift of each lane for its second digit.
    second: [u8; 16],
    /// The bits of a digit.
    digit: u8,
}

impl Cut {
    /// Plans digits of `bits` bits each, after `padding` zero bits, from the digit `start` (an even
    /// one) on.
    const fn new(bits: i32, padding: i32, start: i32) -> Cut {
        let mut cut = Cut { bytes: [0; 16], first: [0; 16], second: [0; 16], digit: (1 << bits) - 1 };
        let mut at = 0;
        while at < 16 {
            let bit = bits * (start + at as i32) - padding;
            let behind = 16 - bit.rem_euclid(8) - 2 * bits;
            assert!(behind >= 0, "two digits exceed a lane");
            // The machine is little-endian, the id is not. A byte before or behind the id is outside
            // the table, too, and reads as zero.
            let byte = bit.div_euclid(8);
            [cut.bytes[at + 1], cut.bytes[at]] = [byte as u8, (byte + 1) as u8];
            [cut.first[at], cut.first[at + 1]] = ((-behind - bits) as i16).to_le_bytes();
            [cut.second[at], cut.second[at + 1]] = (-behind as i16).to_le_bytes();
            at += 2;
        }
        cut
    }
}

/// The values of 16 digits.
#[inline]
#[target_feature(enable = "neon")]
fn values_of(cut: &Cut, id: uint8x16_t) -> uint8x16_t {
    let lanes = vreinterpretq_u16_u8(vqtbl1q_u8(id, load(&cut.bytes)));
    let shifted = |counts| vreinterpretq_u8_u16(vshlq_u16(lanes, vreinterpretq_s16_u8(load(counts))));
    vandq_u8(vtrn1q_u8(shifted(&cut.first), shifted(&cut.second)), vdupq_n_u8(cut.digit))
}

/// Joins digits to 16 bytes: each byte is made of at most `PARTS` neighbors, shifted.
struct Join<const PARTS: usize> {
    /// The place of the digit for each byte.
    digits: [[u8; 16]; PARTS],
    /// The shift of that digit to the left, or to the right if negative, for each byte.
    shifts: [[u8; 16]; PARTS],
}

impl<const PARTS: usize> Join<PARTS> {
    /// Plans a text of `length` digits with `bits` bits each, after `padding` zero bits.
    const fn new(length: usize, bits: usize, padding: usize) -> Self {
        let mut join = Join { digits: [[NONE; 16]; PARTS], shifts: [[0; 16]; PARTS] };
        let mut byte = 0;
        while byte < 16 {
            let (start, end) = (8 * byte + padding, 8 * byte + padding + 8);
            let mut digit = start / bits;
            let mut part = 0;
            while digit * bits < end {
                join.digits[part][byte] = place(digit, 16, length) as u8;
                join.shifts[part][byte] = end.wrapping_sub(digit * bits + bits) as u8;
                digit += 1;
                part += 1;
            }
            byte += 1;
        }
        join
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn bytes_of<const PARTS: usize>(join: &Join<PARTS>, digits: uint8x16x2_t) -> uint8x16_t {
    let mut bytes = vdupq_n_u8(0);
    for (places, shifts) in join.digits.iter().zip(&join.shifts) {
        let part = vshlq_u8(vqtbl2q_u8(digits, load(places)), vreinterpretq_s8_u8(load(shifts)));
        bytes = vorrq_u8(bytes, part);
    }
    bytes
}

#[inline]
#[target_feature(enable = "neon")]
fn rows2(table: &[u8]) -> uint8x16x2_t {
    uint8x16x2_t(load(&table[..16]), load(&table[16..]))
}

#[inline]
#[target_feature(enable = "neon")]
fn rows4(table: &[u8]) -> uint8x16x4_t {
    uint8x16x4_t(load(&table[..16]), load(&table[16..32]), load(&table[32..48]), load(&table[48..]))
}

#[inline]
#[target_feature(enable = "neon")]
fn vector(id: u128) -> uint8x16_t {
    vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(id as u64), vcreate_u64((id >> 64) as u64)))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8]) -> uint8x16_t {
    let bytes: &[u8; 16] = bytes[..16].try_into().expect("16 bytes were cut");
    // SAFETY: the reference is to 16 readable bytes; the load needs no alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(out: &mut [u8], value: uint8x16_t) {
    let out: &mut [u8; 16] = (&mut out[..16]).try_into().expect("16 bytes were cut");
    // SAFETY: the reference is to 16 writable bytes; the store needs no alignment.
    unsafe { vst1q_u8(out.as_mut_ptr(), value) }
}
