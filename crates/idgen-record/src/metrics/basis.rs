//! The values that entries of the table of metrics share.

use super::{Better, Group, Metric, Noise, Unit};

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

/// Pages read or written. A server writes about two pages of its own per 1,000 inserts even when idle, and two records of
/// one load differed by a third.
pub(super) const PER_1K: Metric = Metric {
    unit: Unit::PerThousand,
    better: Better::Lower,
    noise: Noise { floor: 2.0, share: 0.35 },
    group: Group::Compared,
    ..METRIC
};
/// Seconds depend on the other work of the machine.
pub(super) const TIMED: Noise = Noise { floor: 0.0, share: 0.5 };
/// Figures that are read from the files differ by one or two percent between runs.
pub(super) const LAYOUT: Noise = Noise { floor: 0.0, share: 0.02 };
pub(super) const LATENCY: Metric = Metric {
    unit: Unit::Micros,
    better: Better::Lower,
    noise: Noise { floor: 100.0, ..TIMED },
    group: Group::Latency,
    ..METRIC
};
/// Half a percentage point makes no practical difference.
pub(super) const SHARE: Metric =
    Metric { unit: Unit::Share(1), noise: Noise { floor: 0.005, ..LAYOUT }, ..METRIC };
