//! Decimal text, with exactly one text per number: only digits, no sign, no leading zero.

use crate::error::{Error, Problem, Result};

/// The most digits that a `u128` has.
pub(crate) const MAX_LEN: usize = 39;

/// 10^19, the greatest power of ten in 64 bits.
const CHUNK: u128 = 10_000_000_000_000_000_000;

/// Writes `number`, and returns the part of `buf` that contains it.
pub(crate) fn encode(number: u128, buf: &mut [u8; MAX_LEN]) -> &mut [u8] {
    // 128-bit division is a function call: split the number into 19 + 19 + 1 digits, and continue with 64 bits.
    let (rest, low) = (number / CHUNK, (number % CHUNK) as u64);
    let (top, middle) = ((rest / CHUNK) as u64, (rest % CHUNK) as u64);
    buf[0] = b'0' + top as u8;
    write_digits(middle, &mut buf[1..20]);
    write_digits(low, &mut buf[20..]);
    let start = buf.iter().position(|&digit| digit != b'0').unwrap_or(MAX_LEN - 1);
    &mut buf[start..]
}

fn write_digits(mut number: u64, out: &mut [u8]) {
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Reads a number of at most `bits` bits.
pub(crate) fn decode(form: &'static str, bits: u32, text: &[u8]) -> Result<u128> {
    let fail = |problem| Err(Error::parse(form, text, problem));
    if text.is_empty() {
        return fail(Problem::Length { expected: "decimal digits", found: 0 });
    }
    if let Some(offset) = text.iter().position(|c| !c.is_ascii_digit()) {
        return fail(Problem::Byte { found: text[offset], offset, expected: "a decimal digit" });
    }
    if text[0] == b'0' && text.len() > 1 {
        return fail(Problem::Byte { found: b'0', offset: 0, expected: "no leading zero" });
    }
    let number = text.iter().try_fold(0u128, |number, &digit| {
        number.checked_mul(10)?.checked_add(u128::from(digit - b'0')).filter(|n| n >> (bits - 1) <= 1)
    });
    number.map_or_else(|| fail(Problem::Overflow { bits }), Ok)
}
