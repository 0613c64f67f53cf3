//! Numbers of pages and bytes in advice for people.

use idgen_record::thousands;

/// A figure per 1,000 inserts: one decimal below 100, as the model is not more precise than that.
pub fn per_1k(value: f64) -> String {
    if value < 99.95 { format!("{value:.1}") } else { whole(value) }
}

/// A whole number with commas between thousands.
pub fn whole(value: f64) -> String {
    thousands(value.round() as u64)
}

/// Inserts per second: a rate of a device has a fraction.
pub fn rate(value: f64) -> String {
    if value < 10.0 { format!("{value}") } else { whole(value) }
}

/// A buffer pool or cache in the units of `--pool`.
pub fn pool(bytes: u64) -> String {
    match bytes {
        gib if gib >= 1 << 30 && gib.is_multiple_of(1 << 30) => format!("{} GiB", gib >> 30),
        mib if mib >= 1 << 20 && mib.is_multiple_of(1 << 20) => format!("{} MiB", thousands(mib >> 20)),
        kib => format!("{} KiB", thousands(kib >> 10)),
    }
}

/// Bytes in a form for people: three digits and a unit.
pub fn bytes(count: f64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB", "PB"];
    let mut value = count;
    let mut unit = 0;
    while value >= 1_000.0 && unit + 1 < units.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let digits = if value < 10.0 && unit > 0 { 1 } else { 0 };
    format!("{value:.digits$} {}", units[unit])
}

/// Compares the pages that 1,000 inserts of the best key read with those of random keys, which the sentence before named.
pub(super) fn compared_reads(best: &str, best_reads: f64, of_random: f64) -> String {
    match best_reads <= of_random * CLEARLY_FEWER {
        true => format!("With {best} they read {}.", per_1k(best_reads)),
        false => format!("Inserts of {best} read {}, which is not clearly fewer.", per_1k(best_reads)),
    }
}

/// Models are not more accurate than 15 %.
const CLEARLY_FEWER: f64 = 0.85;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_have_the_units_of_the_option() {
        let texts = [2_000 << 10, 128 << 20, 1_536 << 20, 8 << 30].map(pool);
        assert_eq!(texts, ["2,000 KiB", "128 MiB", "1,536 MiB", "8 GiB"]);
        assert_eq!(
            (per_1k(0.04), per_1k(959.7), per_1k(1_028.9)),
            ("0.0".into(), "960".into(), "1,029".into())
        );
    }

    #[test]
    fn bytes_are_readable() {
        for (count, text) in [(999.0, "999 B"), (1_500.0, "1.5 KB"), (163e9, "163 GB"), (2e15, "2.0 PB")] {
            assert_eq!(bytes(count), text);
        }
    }
}
