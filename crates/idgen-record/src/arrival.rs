//! The order in which the rows of a run were inserted, as text.

use serde::{Deserialize, Serialize};

/// The order in which a server inserted rows, compared with the order of their keys.
///
/// For each row in the order of its insert, the text has the difference between the rank of its key and the rank that
/// follows that of the row before: first how many rows in turn have the difference 0, then the next other difference.
/// Numbers are written with five bits a character, the lowest first, as in source maps (base64 VLQ).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arrival(String);

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Arrival {
    /// Longer texts are those of keys in random order. These do not need the order to be predicted.
    const MOST_CHARS_A_ROW: usize = 4;

    /// The order of rows whose keys have these ranks; `None` if it is like a random order, which would take much space.
    ///
    /// ```
    /// use idgen_record::Arrival;
    ///
    /// let ranks = [0, 1, 3, 2, 4, 5, 6, 7];
    /// assert_eq!(Arrival::of(&ranks).unwrap().ranks(), Some(ranks.to_vec()));
    /// ```
    #[must_use]
    pub fn of(ranks: &[u32]) -> Option<Arrival> {
        let most = ranks.len().saturating_mul(Self::MOST_CHARS_A_ROW);
        let (mut text, mut expected, mut same) = (String::new(), 0_i64, 0_u64);
        for rank in ranks {
            let step = i64::from(*rank) - expected;
            expected = i64::from(*rank) + 1;
            if step == 0 {
                same += 1;
                continue;
            }
            write(&mut text, std::mem::take(&mut same));
            write(&mut text, (step.unsigned_abs() << 1) | u64::from(step < 0));
            if text.len() > most {
                return None;
            }
        }
        write(&mut text, same);
        Some(Arrival(text))
    }

    /// The rank of each row in the order of the inserts; `None` if the text is not one that [`Arrival::of`] makes.
    #[must_use]
    pub fn ranks(&self) -> Option<Vec<u32>> {
        let (mut ranks, mut expected) = (Vec::new(), 0_i64);
        let mut numbers = numbers(&self.0).into_iter();
        while let Some(same) = numbers.next() {
            for _ in 0..same? {
                ranks.push(u32::try_from(expected).ok()?);
                expected += 1;
            }
            let Some(step) = numbers.next() else { break };
            let step = step?;
            let by = i64::try_from(step >> 1).ok()?;
            let rank = u32::try_from(expected.checked_add(if step & 1 == 1 { -by } else { by })?).ok()?;
            ranks.push(rank);
            expected = i64::from(rank) + 1;
        }
        let mut seen = vec![false; ranks.len()];
        // Each rank once: otherwise this is not the order of rows.
        let all = ranks
            .iter()
            .all(|rank| seen.get_mut(*rank as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
        all.then_some(ranks)
    }
}

fn write(text: &mut String, mut number: u64) {
    loop {
        let (low, rest) = (number & 31, number >> 5);
        let digit = low | if rest > 0 { 32 } else { 0 };
        text.push(char::from(DIGITS[digit as usize]));
        if rest == 0 {
            return;
        }
        number = rest;
    }
}

/// The numbers of a text; `None` for one that is not complete or too large for any table.
fn numbers(text: &str) -> Vec<Option<u64>> {
    let (mut all, mut number, mut bits) = (Vec::new(), 0_u64, 0);
    for byte in text.bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == byte);
        let Some(digit) = digit.filter(|_| bits <= 35) else { return vec![None] };
        number |= (digit as u64 & 31) << bits;
        bits += 5;
        if digit < 32 {
            all.push(Some(number));
            (number, bits) = (0, 0);
        }
    }
    if bits > 0 {
        all.push(None);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_come_back_as_they_were() {
        let swapped: Vec<u32> = (0..1_000).map(|row| row ^ 3).collect();
        let statements: Vec<u32> =
            (0..1_000).map(|row| (row / 40 * 40) + (row % 4) * 10 + row / 4 % 10).collect();
        for ranks in [vec![], vec![0], vec![1, 0], (0..5_000).collect(), swapped, statements] {
            let kept = Arrival::of(&ranks).unwrap();
            assert_eq!(kept.ranks(), Some(ranks.clone()), "{kept:?}");
        }
        assert_eq!(Arrival::of(&(0..1_000_000).collect::<Vec<_>>()).unwrap().0.len(), 4);
    }

    #[test]
    fn random_orders_and_damaged_texts_are_none() {
        let random: Vec<u32> =
            (0..100_000).map(|row| (u64::from(row as u32) * 31_337 % 100_003) as u32).collect();
        assert_eq!(Arrival::of(&random), None);
        for damaged in ["g", "A!", "AACC", "ACAC", "////////////", "CD"] {
            assert_eq!(Arrival(damaged.into()).ranks(), None, "{damaged}");
        }
    }
}
