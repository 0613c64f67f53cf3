//! Alphabets: the characters of each radix, and the way back.

/// The `R` digits of one text form.
///
/// Aligned, so that a table of either direction is loaded from one cache line after another.
#[repr(C, align(64))]
pub(crate) struct Alphabet<const R: usize> {
    /// The value of each ASCII character; [`INVALID`] where it is no digit.
    pub(crate) values: [u8; 128],
    /// The digit of each value.
    pub(crate) digits: [u8; R],
}

/// The mark of a character outside the alphabet: the top bit, which no value and no ASCII has.
pub(crate) const INVALID: u8 = 0x80;

/// Hexadecimal, lowercase when written (RFC 9562 section 4), either case when read.
pub(crate) static HEX: Alphabet<16> = Alphabet::new(b"0123456789abcdef", true);

/// Crockford's base 32: no I, L, O, U. Upper case when written, either case when read.
pub(crate) static CROCKFORD: Alphabet<32> = Alphabet::new(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ", true);

/// RFC 4648 section 7: the digits of base 32 in the order of their codes. Upper case when written, either case when read.
pub(crate) static BASE32_HEX: Alphabet<32> = Alphabet::new(b"0123456789ABCDEFGHIJKLMNOPQRSTUV", true);

/// RFC 4648 section 4, the alphabet of MySQL's `TO_BASE64()`.
pub(crate) static BASE64: Alphabet<64> =
    Alphabet::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", false);

/// RFC 4648 section 5, for URLs and file names.
pub(crate) static BASE64_URL: Alphabet<64> =
    Alphabet::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false);

/// The characters of [`BASE64_URL`] in the order of their codes, so that texts sort like the bytes.
pub(crate) static ORDERED_64: Alphabet<64> =
    Alphabet::new(b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", false);

impl<const R: usize> Alphabet<R> {
    const fn new(digits: &[u8; R], either_case: bool) -> Self {
        let mut values = [INVALID; 128];
        let mut value = 0;
        while value < R {
            let digit = digits[value];
            values[digit as usize] = value as u8;
            if either_case {
                values[digit.to_ascii_lowercase() as usize] = value as u8;
                values[digit.to_ascii_uppercase() as usize] = value as u8;
            }
            value += 1;
        }
        Alphabet { digits: *digits, values }
    }

    /// The digit of the low bits of `value`.
    #[inline(always)]
    pub(crate) const fn digit(&self, value: u64) -> u8 {
        self.digits[value as usize % R]
    }

    /// The value of a character; its top bit ([`INVALID`]) is set where it is no digit.
    #[inline(always)]
    pub(crate) const fn value(&self, character: u8) -> u8 {
        self.values[(character & 0x7F) as usize] | (character & INVALID)
    }

    /// The index of the first character outside the alphabet.
    pub(crate) fn first_invalid(&self, text: &[u8]) -> Option<usize> {
        text.iter().position(|&c| self.value(c) & INVALID != 0)
    }
}
