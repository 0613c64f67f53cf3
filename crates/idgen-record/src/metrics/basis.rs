//! The values that entries of the table of metrics share.

use super::{Better, Group, Metric, Unit};
use crate::sample::Noise;

/// The values that most entries have.
pub(super) const METRIC: Metric = Metric {
    name: "",
    title: "",
    head: "",
    unit: Unit::Pieces,
    better: Better::Neither,
    noise: Noise { floor: 0.0, share: 0.1 },
    group: Group::Facts,
    axis: None,
    chart: None,
    instead: None,
    run: |_| None,
    window: None,
};

/// Pages read or written in a whole run. A server writes about two pages of its own per 1,000 inserts even when idle.
///
/// The share of a [`Noise`] comes from the recorded runs: of 100 pairs of runs of one load, about five differ by more. The
/// test `single_runs_of_one_load_seldom_differ` of the lab counts them.
pub(super) const PER_1K: Metric = Metric {
    unit: Unit::PerThousand,
    better: Better::Lower,
    noise: Noise { floor: 2.0, share: 0.35 },
    group: Group::Compared,
    ..METRIC
};
/// The noise of pages in the last tenth of a run, which may end before or after a server writes many pages at
/// once.
pub(super) const AT_END: Noise = Noise { share: 0.8, ..PER_1K.noise };
/// A setting or a count, where any difference is one.
pub(super) const EXACT: Noise = Noise { floor: 0.0, share: 0.0 };
/// Seconds depend on the other work of the machine.
pub(super) const TIMED: Noise = Noise { floor: 0.0, share: 0.5 };
/// The noise of times in the last tenth of a run.
pub(super) const TIMED_AT_END: Noise = Noise { share: 0.7, ..TIMED };
/// Figures that are read from the files.
pub(super) const LAYOUT: Noise = Noise { floor: 0.0, share: 0.04 };
/// The longest of many times, or one of a thousand.
pub(super) const LONGEST: f64 = 0.95;
pub(super) const LATENCY: Metric = Metric {
    unit: Unit::Micros,
    better: Better::Lower,
    noise: Noise { floor: 100.0, share: 0.7 },
    group: Group::Latency,
    ..METRIC
};
/// A figure of arrivals. It depends on chance, and on the other work of the machine, whether rows arrive in
/// the order of their keys.
pub(super) const AT_ARRIVAL: Metric =
    Metric { noise: Noise { floor: 1.0, share: 0.5 }, group: Group::Clients, ..METRIC };
/// Half a percentage point makes no practical difference.
pub(super) const SHARE: Metric =
    Metric { unit: Unit::Share(1), noise: Noise { floor: 0.005, ..LAYOUT }, ..METRIC };
