//! The counters of the maps of this process, for Python.
//!
//! The list of metrics only grows, and is read without a lock. So a child that is forked while another thread counts does
//! not inherit a lock that no thread would release.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One metric, and those that were first seen after it.
struct Entry {
    key: Key,
    is_gauge: bool,
    value: Arc<AtomicU64>,
    next: Link,
}

type Link = OnceLock<Box<Entry>>;

static FIRST: Link = Link::new();

fn value_of(key: &Key, is_gauge: bool) -> Arc<AtomicU64> {
    let mut link = &FIRST;
    loop {
        let made = || {
            Box::new(Entry {
                key: key.clone(),
                is_gauge,
                value: Arc::new(AtomicU64::new(0)),
                next: Link::new(),
            })
        };
        let entry = link.get_or_init(made);
        if entry.is_gauge == is_gauge && entry.key == *key {
            return entry.value.clone();
        }
        link = &entry.next;
    }
}

struct ForPython;

impl Recorder for ForPython {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(value_of(key, false))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(value_of(key, true))
    }

    /// The map has none.
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// Counts from here on.
pub(super) fn install() {
    // It fails if the module is imported a second time; the first recorder then continues to count.
    let _ = metrics::set_global_recorder(ForPython);
}

/// See idgen.mysql.
#[pyfunction]
#[pyo3(name = "_metrics")]
pub(super) fn counted(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let mut link = &FIRST;
    while let Some(entry) = link.get() {
        let labels: Vec<String> =
            entry.key.labels().map(|label| format!("{}=\"{}\"", label.key(), label.value())).collect();
        let name = match labels.as_slice() {
            [] => entry.key.name().to_owned(),
            labels => format!("{}{{{}}}", entry.key.name(), labels.join(",")),
        };
        let value = entry.value.load(Ordering::Relaxed);
        // A gauge holds the bits of a float. All gauges of the map count something.
        let value = if entry.is_gauge { f64::from_bits(value) as i64 } else { value.cast_signed() };
        all.set_item(name, value)?;
        link = &entry.next;
    }
    Ok(all)
}
