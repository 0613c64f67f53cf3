//! The texts that ids were read from (RFC 9562 section 4).

use idgen::codec::Format;

use crate::place::Place;

/// Counts the texts of each format, and keeps the first lines that were no ids.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    formats: Vec<(&'static str, u64)>,
    /// Hexadecimal texts with a capital letter.
    pub(crate) capitals: u64,
    /// The first of them.
    pub(crate) first_capital: Option<Place>,
    /// Hexadecimal texts with a small letter and no capital one.
    pub(crate) small: u64,
    pub(crate) bad: u64,
    pub(crate) first_bad: Vec<(Place, String)>,
    /// Bad texts that would be ULIDs if I and L counted as 1, and O as 0: readers that accept them read two texts as
    /// one id.
    pub(crate) substitutes: u64,
}

const MOST_BAD: usize = 5;

impl Texts {
    pub(crate) fn add(&mut self, format: &'static str, count: u64) {
        match self.formats.iter_mut().find(|(name, _)| *name == format) {
            Some((_, total)) => *total += count,
            None => self.formats.push((format, count)),
        }
    }

    pub(crate) fn add_case(&mut self, has_capital: bool, has_small: bool, place: Place) {
        if has_capital {
            self.capitals += 1;
            self.first_capital.get_or_insert(place);
        } else {
            self.small += u64::from(has_small);
        }
    }

    pub(crate) fn add_bad(&mut self, place: Place, text: &[u8], why: String) {
        self.bad += 1;
        self.substitutes += u64::from(is_substituted(text));
        if self.first_bad.len() < MOST_BAD {
            self.first_bad.push((place, why));
        }
    }

    /// The formats that were seen, the most frequent one first.
    pub(crate) fn formats(&self) -> Vec<(&'static str, u64)> {
        let mut formats = self.formats.clone();
        formats.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        formats
    }
}

/// Returns true if a text becomes a ULID by Crockford's substitutions.
fn is_substituted(text: &[u8]) -> bool {
    let replaced: Vec<u8> = text
        .iter()
        .map(|c| match c.to_ascii_uppercase() {
            b'I' | b'L' => b'1',
            b'O' => b'0',
            other => other,
        })
        .collect();
    replaced.len() == 26 && Format::Base32.decode(&replaced).is_ok() && Format::Base32.decode(text).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutes_are_those_of_crockford() {
        assert!(
            is_substituted(b"0IARZ3NDEKTSV4RRFFQ69G5FAV") && is_substituted(b"01ARZ3NDEKTSV4RRFFQ69G5FAl")
        );
        for other in
            ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "O1ARZ3NDEKTSV4RRFFQ69G5FA", ""]
        {
            assert!(!is_substituted(other.as_bytes()), "{other}");
        }
    }
}
