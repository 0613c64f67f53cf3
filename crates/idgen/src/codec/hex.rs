//! Finds what is wrong with a text of hexadecimal digits, for the four formats that have them.

use crate::codec::alphabet::HEX;
use crate::error::Problem;

const DIGIT: &str = "a hexadecimal digit";
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// The first fault of 32 characters that should all be digits, from offset `base` on.
pub(crate) fn simple_fault(text: &[u8], base: usize) -> Option<Problem> {
    let at = HEX.first_invalid(text)?;
    Some(Problem::Byte { found: text[at], offset: base + at, expected: DIGIT })
}

/// The first fault of 36 characters that should be a hyphenated UUID, from offset `base` on.
pub(crate) fn hyphenated_fault(text: &[u8], base: usize) -> Option<Problem> {
    text.iter().enumerate().find_map(|(at, &found)| {
        let hyphen = HYPHENS.contains(&at);
        let good = if hyphen { found == b'-' } else { HEX.first_invalid(&[found]).is_none() };
        let expected = if hyphen { "a hyphen" } else { DIGIT };
        (!good).then_some(Problem::Byte { found, offset: base + at, expected })
    })
}

/// The first byte in which a text differs from a fixed part of its format, in either case.
pub(crate) fn fixed_fault(text: &[u8], fixed: &[u8], base: usize, expected: &'static str) -> Option<Problem> {
    let at = text.iter().zip(fixed).position(|(found, wanted)| !found.eq_ignore_ascii_case(wanted))?;
    Some(Problem::Byte { found: text[at], offset: base + at, expected })
}
