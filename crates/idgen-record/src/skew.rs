//! The clocks of several hosts, which differ.

use serde::{Deserialize, Serialize};

/// The number of milliseconds by which the clock of each client is ahead: constants, as of hosts whose clocks
/// differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skew {
    /// A random constant for each client, evenly distributed between minus and plus this many milliseconds.
    Within(f64),
    /// A number of milliseconds for each client; clients beyond the last one begin again with the first.
    Each(Vec<f64>),
}

impl Skew {
    /// The most milliseconds by which a clock may be off: a day.
    pub const MOST_MS: f64 = 86_400_000.0;

    /// Returns the milliseconds by which the clock of this client, counted from 0, is ahead. The same seed
    /// gives the same constants.
    ///
    /// ```
    /// use idgen_record::Skew;
    ///
    /// assert_eq!(Skew::Each(vec![0.0, 2.5]).of(3, 7), 2.5);
    /// assert!(Skew::Within(10.0).of(0, 7).abs() <= 10.0);
    /// ```
    #[must_use]
    pub fn of(&self, client: u32, seed: u64) -> f64 {
        match self {
            Skew::Within(most) => most * (2.0 * share(seed ^ (u64::from(client) << 32 | 0x5cec)) - 1.0),
            Skew::Each(all) => all.get(client as usize % all.len().max(1)).copied().unwrap_or(0.0),
        }
    }

    /// The number that is no millisecond count, if there is one.
    #[must_use]
    pub fn wrong(&self) -> Option<f64> {
        let all = match self {
            Skew::Within(most) => std::slice::from_ref(most),
            Skew::Each(all) => all,
        };
        all.iter().copied().find(|millis| !(-Self::MOST_MS..=Self::MOST_MS).contains(millis))
    }

    /// The offsets in words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Skew::Within(most) => format!("clocks that are off by up to {most} ms"),
            Skew::Each(all) => {
                let all: Vec<String> = all.iter().map(f64::to_string).collect();
                format!("clocks that are ahead by {} ms", all.join(", "))
            }
        }
    }
}

/// A number from 0 to 1 that looks random: SplitMix64 (Steele, Lea and Flood, 2014).
fn share(seed: u64) -> f64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_offsets_fill_their_range_and_a_seed_repeats_them() {
        let of = |seed| (0..1_000).map(|client| Skew::Within(4.0).of(client, seed)).collect::<Vec<_>>();
        let all = of(2026);
        assert!(all.iter().all(|millis| millis.abs() <= 4.0) && all == of(2026) && all != of(2027));
        let mean = all.iter().sum::<f64>() / 1_000.0;
        let apart = all.iter().map(|millis| millis.abs()).sum::<f64>() / 1_000.0;
        assert!(mean.abs() < 0.3 && (1.8..2.2).contains(&apart), "{mean} {apart}");
    }

    #[test]
    fn a_number_that_is_none_is_found() {
        assert!(Skew::Within(f64::NAN).wrong().is_some_and(f64::is_nan));
        assert_eq!(Skew::Each(vec![1.0, 9e9]).wrong(), Some(9e9));
        assert_eq!(Skew::Within(1.0).wrong(), None);
    }
}
