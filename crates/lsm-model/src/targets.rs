//! How many bytes each level may hold.

use crate::settings::Settings;

/// Levels of a tree, level 0 included.
pub(crate) const LEVELS: usize = 7;

/// The level that level 0 is merged into, and the bytes that each level may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Targets {
    pub(crate) base: usize,
    pub(crate) bytes: [f64; LEVELS],
}

impl Targets {
    /// The limits for levels that hold this many bytes.
    pub(crate) fn of(settings: &Settings, held: &[f64; LEVELS]) -> Targets {
        let (base, size) = match settings.from_last_level {
            false => (1, settings.level_base_bytes as f64),
            true => first_level(settings, held),
        };
        let mut bytes = [f64::INFINITY; LEVELS];
        let mut size = size;
        for (level, limit) in bytes.iter_mut().enumerate().skip(base) {
            if level > base {
                size *= settings.multiplier as f64;
            }
            *limit = if settings.from_last_level { size.max(settings.level_base_bytes as f64) } else { size };
        }
        // There is no level below the last one.
        bytes[LEVELS - 1] = f64::INFINITY;
        Targets { base, bytes }
    }
}

/// The first level that is used, and its size, if each level is to hold a fixed share of the one below: a level is added above as
/// soon as the first one would hold more than the size that a first level may have.
fn first_level(settings: &Settings, held: &[f64; LEVELS]) -> (usize, f64) {
    let most = settings.level_base_bytes as f64;
    let multiplier = settings.multiplier as f64;
    let used = (1..LEVELS).find(|level| held[*level] > 0.0).unwrap_or(LEVELS - 1);
    let largest = held[1..].iter().copied().fold(0.0, f64::max);
    let mut size = (used..LEVELS - 1).fold(largest, |size, _| size / multiplier);
    let mut level = used;
    if size <= most / multiplier {
        return (level, most / multiplier);
    }
    while level > 1 && size > most {
        level -= 1;
        size /= multiplier;
    }
    (level, size.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1_048_576.0;

    fn held(levels: &[(usize, f64)]) -> [f64; LEVELS] {
        let mut held = [0.0; LEVELS];
        levels.iter().for_each(|(level, mib)| held[*level] = mib * MIB);
        held
    }

    #[test]
    fn levels_from_the_first_one_down_have_fixed_sizes() {
        let targets = Targets::of(&Settings::myrocks(), &held(&[(1, 300.0), (2, 3_000.0)]));
        assert_eq!((targets.base, targets.bytes[1], targets.bytes[2]), (1, 256.0 * MIB, 2_560.0 * MIB));
    }

    #[test]
    fn levels_from_the_last_one_up_follow_its_size() {
        let settings = Settings::rocksdb();
        assert_eq!(Targets::of(&settings, &held(&[])).base, 6);
        assert_eq!(Targets::of(&settings, &held(&[(6, 256.0)])).base, 6);
        let targets = Targets::of(&settings, &held(&[(6, 1_000.0)]));
        // Each level may hold the size of a first level.
        assert_eq!((targets.base, targets.bytes[5]), (5, 256.0 * MIB));
        assert_eq!(Targets::of(&settings, &held(&[(5, 10.0), (6, 3_000.0)])).base, 4);
    }
}
