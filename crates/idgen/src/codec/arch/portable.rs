//! Every kernel in plain Rust: the only path without the feature `fast`, and on other machines.
//!
//! A decoder returns `false` for any text that its encoder would not write (apart from the case of hex and base32
//! digits). The caller finds out what is wrong.

use crate::chunks::{chunks, chunks_mut};
use crate::codec::alphabet::{Alphabet, CROCKFORD, INVALID};

// The two simple kernels compute instead of looking up, because the compiler vectorizes such loops. Inlined into the
// hyphenated kernels, whose groups break the pattern, it would not.

#[inline(never)]
pub(crate) fn simple_encode(id: u128, out: &mut [u8; 32]) {
    let id = id.to_ne_bytes();
    let digit = |nibble: u8| nibble + if nibble > 9 { b'a' - 10 } else { b'0' };
    for (byte, pair) in id.into_iter().zip(chunks_mut(out).0) {
        *pair = [digit(byte >> 4), digit(byte & 0x0F)];
    }
}

#[inline(never)]
pub(crate) fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    let mut good = true;
    let mut values = [0; 32];
    for (value, &digit) in values.iter_mut().zip(text) {
        let number = digit.wrapping_sub(b'0');
        let letter = (digit | 0x20).wrapping_sub(b'a');
        *value = if number < 10 { number } else { letter.wrapping_add(10) };
        good &= number < 10 || letter < 6;
    }
    for (byte, [high, low]) in id.iter_mut().zip(chunks(&values).0) {
        *byte = high << 4 | low;
    }
    good
}

pub(crate) fn hyphenated_encode(id: u128, out: &mut [u8; 36]) {
    let mut digits = [0; 32];
    simple_encode(id, &mut digits);
    out[..8].copy_from_slice(&digits[..8]);
    out[8] = b'-';
    out[9..13].copy_from_slice(&digits[8..12]);
    out[13] = b'-';
    out[14..18].copy_from_slice(&digits[12..16]);
    out[18] = b'-';
    out[19..23].copy_from_slice(&digits[16..20]);
    out[23] = b'-';
    out[24..].copy_from_slice(&digits[20..]);
}

pub(crate) fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    let mut digits = [0; 32];
    digits[..8].copy_from_slice(&text[..8]);
    digits[8..12].copy_from_slice(&text[9..13]);
    digits[12..16].copy_from_slice(&text[14..18]);
    digits[16..20].copy_from_slice(&text[19..23]);
    digits[20..].copy_from_slice(&text[24..]);
    let hyphens = [text[8], text[13], text[18], text[23]] == [b'-'; 4];
    simple_decode(&digits, id) && hyphens
}

pub(crate) fn base64_encode(alphabet: &Alphabet<64>, id: u128, out: &mut [u8; 22]) {
    let id = id.to_ne_bytes();
    let (triples, last) = chunks::<_, 3>(&id);
    let (quads, tail) = chunks_mut::<_, 4>(out);
    for (&[a, b, c], quad) in triples.zip(quads) {
        let bits = u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c);
        *quad = [18, 12, 6, 0].map(|shift| alphabet.digit(bits >> shift));
    }
    let bits = u64::from(last[0]);
    tail.copy_from_slice(&[alphabet.digit(bits >> 2), alphabet.digit(bits << 4)]);
}

pub(crate) fn base64_decode(alphabet: &Alphabet<64>, text: &[u8; 22], id: &mut [u8; 16]) -> bool {
    let mut seen = 0;
    let (quads, tail) = chunks::<_, 4>(text);
    let (triples, last) = chunks_mut::<_, 3>(id);
    for (quad, triple) in quads.zip(triples) {
        let [a, b, c, d] = quad.map(|character| alphabet.value(character));
        seen |= a | b | c | d;
        *triple = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    }
    let (a, b) = (alphabet.value(tail[0]), alphabet.value(tail[1]));
    last[0] = a << 2 | b >> 4;
    // The last character holds 2 bits of the id; its 4 low bits must be zero.
    (seen | a | b) & INVALID == 0 && b & 0x0F == 0
}

/// 10 characters for the first 6 bytes (a ULID's time), then 8 for each 5 bytes.
pub(crate) fn base32_encode(id: u128, out: &mut [u8; 26]) {
    let id = id.to_ne_bytes();
    let (time, random) = id.split_at(6);
    let (head, tail) = out.split_at_mut(10);
    base32_digits(big_endian(time), head);
    for (bytes, digits) in random.chunks_exact(5).zip(tail.chunks_exact_mut(8)) {
        base32_digits(big_endian(bytes), digits);
    }
}

pub(crate) fn base32_decode(text: &[u8; 26], id: &mut [u8; 16]) -> bool {
    let (head, tail) = text.split_at(10);
    let (time, mut seen) = base32_value(head);
    id[..6].copy_from_slice(&time.to_be_bytes()[2..]);
    for (digits, bytes) in tail.chunks_exact(8).zip(id[6..].chunks_exact_mut(5)) {
        let (value, marks) = base32_value(digits);
        bytes.copy_from_slice(&value.to_be_bytes()[3..]);
        seen |= marks;
    }
    // 10 digits hold 50 bits, of which a ULID uses 48: the first digit is at most 7.
    seen & INVALID == 0 && time >> 48 == 0
}

super::loops::loops!();

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
