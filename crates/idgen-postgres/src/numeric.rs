//! The binary form of `NUMERIC` (`numeric_send` in `src/backend/utils/adt/numeric.c`): how many digits to the base of 10,000
//! there are, the power of the first, the sign, how many decimal places to show, and the digits.

const BASE: u64 = 10_000;
const HEADER: usize = 8;
/// 2^64 - 1 has 20 decimal digits.
const MOST_DIGITS: usize = 5;

/// A whole number.
pub(crate) fn encode(number: u64) -> Vec<u8> {
    let mut digits = Vec::with_capacity(MOST_DIGITS);
    let mut rest = number;
    while rest > 0 {
        digits.push((rest % BASE) as u16);
        rest /= BASE;
    }
    let count = digits.len() as u16;
    let fields = [count, count.saturating_sub(1), 0, 0];
    fields.into_iter().chain(digits.into_iter().rev()).flat_map(u16::to_be_bytes).collect()
}

/// `None` where it is not a whole number from 0 to 2^64 - 1.
pub(crate) fn decode(bytes: &[u8]) -> Option<u64> {
    let (fields, odd) = bytes.as_chunks::<2>();
    let mut fields = fields.iter().copied().map(u16::from_be_bytes);
    let (count, weight, sign) = (fields.next()?, fields.next()? as i16, fields.next()?);
    let _places = fields.next()?;
    if sign != 0 || !odd.is_empty() || bytes.len() != HEADER + 2 * usize::from(count) {
        return None;
    }
    if count == 0 {
        return Some(0);
    }
    // The first digit, and those that may follow it, up to the ones: zeros at the end are not stored.
    let whole = usize::try_from(weight).ok().filter(|&weight| weight < MOST_DIGITS)? + 1;
    let digits: Vec<u16> = fields.collect();
    if digits[whole.min(digits.len())..].iter().any(|&digit| digit != 0) {
        return None;
    }
    (0..whole).try_fold(0_u64, |sum, at| {
        let digit = u64::from(digits.get(at).copied().unwrap_or(0));
        if digit >= BASE { None } else { sum.checked_mul(BASE)?.checked_add(digit) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 9_999, 10_000, 10_001, 100_000_000, 102_176_818_768_904_192, 1 << 63, u64::MAX] {
            assert_eq!(decode(&encode(number)), Some(number), "{number}");
        }
        // Zeros at the end need not be stored: one digit of weight 1.
        assert_eq!(decode(&[0, 1, 0, 1, 0, 0, 0, 0, 0, 7]), Some(70_000));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for (bytes, what) in [
            (&[][..], "nothing"),
            (&[0, 1, 0, 0, 0, 0, 0, 0], "a missing digit"),
            (&[0, 1, 0, 0, 0x40, 0, 0, 0, 0, 1], "-1"),
            (&[0, 0, 0, 0, 0xc0, 0, 0, 0], "NaN"),
            (&[0, 1, 0xff, 0xff, 0, 0, 0, 4, 0x13, 0x88], "0.5"),
            (&[0, 2, 0, 0, 0, 0, 0, 4, 0, 1, 0x13, 0x88], "1.5"),
            (&[0, 1, 0, 5, 0, 0, 0, 0, 0, 1], "10^20"),
            (&[0, 1, 0, 4, 0, 0, 0, 0, 0x07, 0x36], "1846 * 10^16"),
            (&[0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10], "a digit of 10,000"),
            (&[0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0], "an odd byte"),
        ] {
            assert_eq!(decode(bytes), None, "{what}");
        }
    }
}
