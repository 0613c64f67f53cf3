//! Distributions of figures over pages.

use serde::Serialize;

/// Bars of a fill histogram, each 5 % wide.
const BARS: usize = 20;

/// The distribution of a share between 0 and 1 over pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The mean over pages.
    pub mean: f64,
    /// A tenth of the pages have this or less (nearest rank).
    pub p10: f64,
    /// Half of the pages have this or less (nearest rank).
    pub median: f64,
    /// The largest.
    pub max: f64,
    /// Pages in each twentieth: `histogram[0]` counts shares below 0.05.
    pub histogram: [u64; BARS],
}

impl Distribution {
    /// Summarizes `shares`. Without shares, all figures are 0.
    ///
    /// ```
    /// use innodb_pages::Distribution;
    ///
    /// let fill = Distribution::of(vec![0.5, 0.9, 0.7]);
    /// assert!((fill.mean - 0.7).abs() < 1e-9);
    /// assert_eq!((fill.p10, fill.median, fill.max), (0.5, 0.7, 0.9));
    /// assert_eq!(fill.histogram[18], 1);
    /// ```
    pub fn of(mut shares: Vec<f64>) -> Distribution {
        shares.sort_by(f64::total_cmp);
        let mut histogram = [0; BARS];
        for share in &shares {
            let bar = (share * BARS as f64) as usize;
            histogram[bar.min(BARS - 1)] += 1;
        }
        let mean = if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 };
        Distribution {
            mean,
            p10: nearest_rank(&shares, 10),
            median: nearest_rank(&shares, 50),
            max: nearest_rank(&shares, 100),
            histogram,
        }
    }
}

/// The age of pages: how long ago they were changed, in bytes of redo log since then, up to the newest page of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LsnAge {
    /// A tenth of the pages are this old or younger (nearest rank).
    pub p10: u64,
    /// Half of the pages are this old or younger.
    pub median: u64,
    /// Nine tenths of the pages are this old or younger.
    pub p90: u64,
    /// The oldest page.
    pub max: u64,
}

impl LsnAge {
    /// Summarizes `ages`. Without ages, all figures are 0.
    pub fn of(mut ages: Vec<u64>) -> LsnAge {
        ages.sort_unstable();
        let at = |percent| nearest_rank(&ages, percent);
        LsnAge { p10: at(10), median: at(50), p90: at(90), max: at(100) }
    }
}

/// The nearest-rank percentile of sorted values.
fn nearest_rank<T: Copy + Default>(sorted: &[T], percent: usize) -> T {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}
