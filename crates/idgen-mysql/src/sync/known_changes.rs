//! The changes of a row that the sender of a change knows.

use std::fmt;
use std::str::FromStr;

/// The changes of a row that the sender of a change knows: the highest number, and from the one that the server had last, the
/// numbers that it gave out itself, with their marks. The last one is that of the change. An outbox writes it, as `3 3:9f86d081884c7d65 4:a1b2c3d4e5f60718`,
/// and `0 0:0 1:9f86d081884c7d65` for a new row; a sender that only counts has a number.
///
/// A device and its copy may give out the same number. A mark is drawn at random each time, so that they never have the same one.
///
/// ```
/// use idgen_mysql::sync::KnownChanges;
///
/// let known: KnownChanges = "3 3:9f86d081884c7d65 4:a1b2c3d4e5f60718".parse()?;
/// assert_eq!(known.number(), 3);
/// assert_eq!(KnownChanges::from(3).to_string(), "3");
/// assert!("3 4:xyz".parse::<KnownChanges>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownChanges {
    number: u64,
    given: Vec<(u64, Mark)>,
}

/// Random bytes that an outbox draws for each number that it gives out: two changes with one number differ by them.
pub(super) type Mark = [u8; 8];
/// The mark of a sender that draws none. A number that a sender knows with it may be that of any device, because the server has named it.
const NO_MARK: Mark = [0; 8];

impl KnownChanges {
    /// The highest number of the row of which the sender knows that it may have arrived.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The mark with which a number was given out.
    pub(super) fn mark(&self, number: u64) -> Option<Mark> {
        self.given.iter().rev().find(|(given, _)| *given == number).map(|(_, mark)| *mark)
    }

    /// The sender knows this change. One from before the first number that it gave out, or that the server had then, is of a server that was
    /// restored from a backup.
    pub(super) fn includes(&self, number: u64, mark: Mark) -> bool {
        let is_it = |(given, own): &(u64, Mark)| *given == number && (*own == mark || *own == NO_MARK);
        let is_before = self.given.first().is_none_or(|(first, _)| number < *first);
        number <= self.number && (mark == NO_MARK || is_before || self.given.iter().any(is_it))
    }
}

impl From<u64> for KnownChanges {
    fn from(number: u64) -> KnownChanges {
        KnownChanges { number, given: Vec::new() }
    }
}

impl FromStr for KnownChanges {
    type Err = String;

    fn from_str(text: &str) -> Result<KnownChanges, String> {
        let wrong = || format!("{text:?} does not say what the sender knows: pass on what the outbox gave");
        let number = |text: &str| {
            text.parse().ok().filter(|number: &u64| number.to_string() == text).ok_or_else(wrong)
        };
        let (first, given) = text.split_once(' ').map_or((text, None), |(first, rest)| (first, Some(rest)));
        let given = given.into_iter().flat_map(|given| given.split(' ')).map(|one| {
            let (number_given, mark) = one.split_once(':').ok_or_else(wrong)?;
            let is_hex =
                mark == "0" || mark.len() == 16 && mark.bytes().all(|digit| digit.is_ascii_hexdigit());
            let mark = u64::from_str_radix(mark, 16).ok().filter(|_| is_hex).ok_or_else(wrong)?;
            Ok((number(number_given)?, mark.to_be_bytes()))
        });
        Ok(KnownChanges { number: number(first)?, given: given.collect::<Result<_, String>>()? })
    }
}

impl fmt::Display for KnownChanges {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.number)?;
        self.given.iter().try_for_each(|(number, mark)| match u64::from_be_bytes(*mark) {
            0 => write!(formatter, " {number}:0"),
            mark => write!(formatter, " {number}:{mark:016x}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_sender_gave_out_is_its_own() {
        let known: KnownChanges =
            "5 3:0000000000000001 5:0000000000000002 6:0000000000000003".parse().unwrap();
        let mark = |last| [0, 0, 0, 0, 0, 0, 0, last];
        for (number, last, expected) in [
            (3, 1, true),
            (5, 2, true),
            // A copy gave out the same number, one between, or one that this sender has not reached.
            (5, 9, false),
            (4, 2, false),
            (6, 3, false),
            (7, 3, false),
            // The server was restored to a time before.
            (2, 9, true),
            (0, 0, true),
            // Its sender draws no marks.
            (5, 0, true),
            (6, 0, false),
        ] {
            assert_eq!(known.includes(number, mark(last)), expected, "{number} {last}");
        }
        assert_eq!((known.mark(6), known.mark(4)), (Some(mark(3)), None));
        // The server has named the number 4, whoever gave it out, and then this sender gave out 6.
        let told: KnownChanges = "6 4:0 6:0000000000000003".parse().unwrap();
        assert_eq!([3, 4, 5].map(|number| told.includes(number, mark(9))), [true, true, false]);
        assert!(KnownChanges::from(5).includes(5, mark(9)));
        assert_eq!(known.to_string().parse(), Ok(known));
    }

    #[test]
    fn texts_that_are_none_are_refused() {
        for text in [
            "",
            " ",
            "x",
            "-1",
            "01",
            "1 ",
            "1 2",
            "1 2:",
            "1 2:12",
            "1 2:+000000000000001",
            "1 2:000000000000000g",
            "1  2:0000000000000001",
        ] {
            let refused = text.parse::<KnownChanges>().unwrap_err();
            assert!(refused.contains(&format!("{text:?}")), "{refused}");
        }
    }
}
