//! Every kernel in plain Rust: the only path without the feature `fast`, and on other machines.
//!
//! A decoder gives `None` for any text that its encoder would not write (but for the case of hex
//! and base 32 digits) and leaves it to the caller to say what is wrong.

use crate::codec::alphabet::{Alphabet, CROCKFORD, HEX, INVALID};

/// Where the five groups of a hyphenated UUID begin in the text, and which bytes they hold.
const GROUPS: [(usize, core::ops::Range<usize>); 5] =
    [(0, 0..4), (9, 4..6), (14, 6..8), (19, 8..10), (24, 10..16)];

pub(crate) fn simple_encode(id: &[u8; 16], out: &mut [u8; 32]) {
    hex_digits(id, out);
}

pub(crate) fn simple_decode(text: &[u8; 32]) -> Option<[u8; 16]> {
    let mut id = [0; 16];
    (hex_values(text, &mut id) & INVALID == 0).then_some(id)
}

pub(crate) fn hyphenated_encode(id: &[u8; 16], out: &mut [u8; 36]) {
    *out = [b'-'; 36];
    for (at, bytes) in GROUPS {
        let bytes = &id[bytes];
        hex_digits(bytes, &mut out[at..at + 2 * bytes.len()]);
    }
}

pub(crate) fn hyphenated_decode(text: &[u8; 36]) -> Option<[u8; 16]> {
    let mut id = [0; 16];
    let mut seen = 0;
    for (at, bytes) in GROUPS {
        let bytes = &mut id[bytes];
        seen |= hex_values(&text[at..at + 2 * bytes.len()], bytes);
    }
    let hyphens = [text[8], text[13], text[18], text[23]] == [b'-'; 4];
    (seen & INVALID == 0 && hyphens).then_some(id)
}

pub(crate) fn base64_encode(alphabet: &Alphabet<64>, id: &[u8; 16], out: &mut [u8; 22]) {
    let (triples, last) = id.as_chunks::<3>();
    let (quads, tail) = out.as_chunks_mut::<4>();
    for (&[a, b, c], quad) in triples.iter().zip(quads) {
        let bits = u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c);
        *quad = [18, 12, 6, 0].map(|shift| alphabet.digit(bits >> shift));
    }
    let bits = u64::from(last[0]);
    tail.copy_from_slice(&[alphabet.digit(bits >> 2), alphabet.digit(bits << 4)]);
}

pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22]) -> Option<[u8; 16]> {
    let mut id = [0; 16];
    let mut seen = 0;
    let (quads, tail) = text.as_chunks::<4>();
    let (triples, last) = id.as_chunks_mut::<3>();
    for (quad, triple) in quads.iter().zip(triples) {
        let [a, b, c, d] = quad.map(|character| alphabet.value(character));
        seen |= a | b | c | d;
        *triple = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    }
    let (a, b) = (alphabet.value(tail[0]), alphabet.value(tail[1]));
    last[0] = a << 2 | b >> 4;
    // The last character holds 2 bits of the id; its 4 low bits must be zero.
    ((seen | a | b) & INVALID == 0 && b & 0x0F == 0).then_some(id)
}

/// 10 characters for the first 6 bytes (a ULID's time), then 8 for each 5 bytes.
pub(crate) fn base32_encode(id: &[u8; 16], out: &mut [u8; 26]) {
    let (time, random) = id.split_at(6);
    let (head, tail) = out.split_at_mut(10);
    base32_digits(big_endian(time), head);
    for (bytes, digits) in random.chunks_exact(5).zip(tail.chunks_exact_mut(8)) {
        base32_digits(big_endian(bytes), digits);
    }
}

pub(crate) fn base32_decode(text: &[u8; 26]) -> Option<[u8; 16]> {
    let (head, tail) = text.split_at(10);
    let (time, mut seen) = base32_value(head);
    let mut id = [0; 16];
    id[..6].copy_from_slice(&time.to_be_bytes()[2..]);
    for (digits, bytes) in tail.chunks_exact(8).zip(id[6..].chunks_exact_mut(5)) {
        let (value, marks) = base32_value(digits);
        bytes.copy_from_slice(&value.to_be_bytes()[3..]);
        seen |= marks;
    }
    // 10 digits hold 50 bits, of which a ULID uses 48: the first digit is at most 7.
    (seen & INVALID == 0 && time >> 48 == 0).then_some(id)
}

super::loops::loops!();

fn hex_digits(bytes: &[u8], out: &mut [u8]) {
    for (&byte, pair) in bytes.iter().zip(out.chunks_exact_mut(2)) {
        pair[0] = HEX.digit(u64::from(byte >> 4));
        pair[1] = HEX.digit(u64::from(byte));
    }
}

/// Gives all values or-ed together: [`INVALID`] is set where one of them is.
fn hex_values(text: &[u8], out: &mut [u8]) -> u8 {
    let mut seen = 0;
    for (pair, byte) in text.chunks_exact(2).zip(out) {
        let (high, low) = (HEX.value(pair[0]), HEX.value(pair[1]));
        seen |= high | low;
        *byte = high << 4 | low;
    }
    seen
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn base32_digits(number: u64, out: &mut [u8]) {
    let mut shift = 5 * out.len();
    for digit in out {
        shift -= 5;
        *digit = CROCKFORD.digit(number >> shift);
    }
}

fn base32_value(digits: &[u8]) -> (u64, u8) {
    digits.iter().fold((0, 0), |(number, seen), &digit| {
        let value = CROCKFORD.value(digit);
        (number << 5 | u64::from(value & 0x1F), seen | value)
    })
}
