//! The figures of experiments that run statements, as a list.

use crate::figures::times;
use idgen_record::{CaseRecord, Metric, Noise, Results, Sample};

/// One figure of a case, for spreadsheets and scripts.
#[derive(Debug, PartialEq)]
pub struct CaseFigure<'a> {
    /// The case.
    pub case: &'a CaseRecord,
    /// The name of its index; empty if it is not about an index.
    pub index: &'a str,
    /// Its name, as in `results.json`.
    pub name: &'a str,
    /// Its value.
    pub value: f64,
}

impl CaseFigure<'_> {
    /// Its value in each run of the case, where those are known; else the one value.
    pub fn sample(&self) -> Option<Sample> {
        let runs = &self.case.runs;
        let rows = self.case.load.as_ref().map(|load| load.rows as f64);
        match (self.name, rows) {
            ("secs", _) => times::seconds(self.case),
            ("rows_per_sec", Some(rows)) if !runs.is_empty() => {
                Sample::of(runs.iter().map(|secs| rows / secs.max(1e-9)).collect())
            }
            _ => Sample::of(vec![self.value]),
        }
    }

    /// Its noise.
    pub fn noise(&self) -> Noise {
        /// A setting or an exact count, where any difference counts.
        const EXACT: [&str; 2] = ["rows", "counted"];
        let like = match self.name {
            name if EXACT.contains(&name) => return Noise { floor: 0.0, share: 0.0 },
            "bytes" | "heap_bytes" => "leaf_pages",
            "key_share" => "fill_mean",
            name if Metric::named(name).is_some() => name,
            // What a server counted during a load.
            _ => "reads_per_1k",
        };
        Metric::named(like).map_or(Noise { floor: 0.0, share: 0.0 }, |metric| metric.noise)
    }
}

/// All figures of all cases as a list, because experiments count different things.
pub fn case_figures(results: &Results) -> Vec<CaseFigure<'_>> {
    let mut figures = Vec::new();
    for case in &results.cases {
        let mut add = |index, name, value: Option<f64>| {
            figures.extend(value.map(|value| CaseFigure { case, index, name, value }));
        };
        add("", "secs", Some(case.secs));
        add("", "published_secs", case.published_secs);
        add("", "published_times", case.published_times);
        add("", "counted", case.counted.as_ref().and_then(|counted| counted.parse().ok()));
        if let Some(load) = &case.load {
            add("", "rows", Some(load.rows as f64));
            add("", "rows_per_sec", Some(load.rows_per_sec));
            for (name, count) in &load.per_1k {
                add("", name, Some(*count));
            }
        }
        if let Some(file) = &case.file {
            add("", "rows", Some(file.rows as f64));
            add("", "bytes", Some(file.bytes as f64));
            add("", "heap_bytes", file.heap_bytes.map(|bytes| bytes as f64));
            add("", "key_share", file.key_share());
            add("", "published_key_share", file.published_key_share);
            add("", "published_fill", file.published_fill);
            for index in &file.indexes {
                add(&index.name, "leaf_pages", Some(index.leaf_pages as f64));
                add(&index.name, "bytes", Some(index.bytes as f64));
                add(&index.name, "fill_mean", Some(index.fill_mean));
                add(&index.name, "fill_p10", Some(index.fill_p10));
            }
        }
    }
    figures
}
