//! The charts of experiments that run statements or loads: the figures of their tables.

use super::{Drawing, drawing};
use crate::charts::{Axes, Bar, Line, Scale, bars, lines};
use crate::error::Result;
use crate::figures::numbers::{figure_text, grouped, percent};
use crate::figures::times::{published_times, times_first};
use idgen_record::{CaseRecord, Family, FileFigures, LoadFigures, Results};

/// Draws all charts for which there are figures; none where there are no cases.
pub fn cases(results: &Results) -> Result<Vec<Drawing>> {
    let cases = &results.cases;
    if cases.iter().any(|case| case.load.is_some()) {
        loads(results)
    } else if cases.iter().any(|case| case.file.is_some()) {
        files(cases)
    } else if cases.is_empty() {
        Ok(Vec::new())
    } else {
        Ok(vec![seconds(cases)?])
    }
}

/// Two charts for each number of rows in a statement: the measured speed, and the time as a multiple of the first case's.
fn loads(results: &Results) -> Result<Vec<Drawing>> {
    let mut sizes: Vec<u32> = Vec::new();
    for load in results.cases.iter().filter_map(|case| case.load.as_ref()) {
        if !sizes.contains(&load.statement_rows) {
            sizes.push(load.statement_rows);
        }
    }
    let mut drawings = Vec::new();
    for &size in &sizes {
        let beside = match size {
            1 => "one row per statement".to_owned(),
            rows => format!("{rows} rows per statement"),
        };
        let named = |name: &str, heading: &str, caption, chart| Drawing {
            name: if sizes.len() > 1 { format!("{name}-{size}") } else { name.into() },
            beside: format!("({beside})"),
            ..drawing(name, heading, caption, chart)
        };
        let rates = by_case(results, size, |_, load| Some(load.rows_per_sec), |_| None);
        let axes = Axes { across: "clients", write: grouped, base: None };
        drawings.push(named(
            "rates",
            "Rows per second",
            "All clients together, as measured here. It depends on the machine and on its other work.",
            lines(&format!("Rows per second by clients, {beside}"), &axes, &rates)?,
        ));
        let times = by_case(
            results,
            size,
            |case, _| times_first(results, case, |case| Some(case.secs)),
            |case| published_times(results, case),
        );
        let axes = Axes { across: "clients", write: |times| format!("{times:.2}"), base: Some(1.0) };
        drawings.push(named(
            "times",
            "Seconds, times those of the first",
            "Compared with the first case with the same number of clients: below 1 is faster. Such a ratio can be compared with another \
             machine better than seconds do.",
            lines(&format!("Seconds by clients, times those of the first, {beside}"), &axes, &times)?,
        ));
    }
    Ok(drawings)
}

/// A line for each case, over the number of clients.
fn by_case(
    results: &Results,
    statement_rows: u32,
    measured: impl Fn(&CaseRecord, &LoadFigures) -> Option<f64>,
    published: impl Fn(&CaseRecord) -> Option<f64>,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for case in &results.cases {
        let Some(load) = case.load.as_ref().filter(|load| load.statement_rows == statement_rows) else {
            continue;
        };
        let at = lines.iter().position(|line| line.label == case.name).unwrap_or_else(|| {
            lines.push(Line { label: case.name.clone(), measured: Vec::new(), published: Vec::new() });
            lines.len() - 1
        });
        let clients = f64::from(load.clients);
        lines[at].measured.extend(measured(case, load).map(|value| (clients, value)));
        lines[at].published.extend(published(case).map(|value| (clients, value)));
    }
    // The first published case is the reference, so its multiple is always 1.
    if let Some(first) = lines.first_mut().filter(|line| line.published.iter().all(|point| point.1 == 1.0)) {
        first.published.clear();
    }
    lines
}

fn seconds(cases: &[CaseRecord]) -> Result<Drawing> {
    let rows: Vec<_> = cases
        .iter()
        .map(|case| Bar {
            points: if case.runs.len() > 1 { case.runs.clone() } else { Vec::new() },
            ..bar(&case.name, case.secs, format!("{:.3}", case.secs), case.published_secs)
        })
        .collect();
    let caption = if cases.iter().any(|case| case.published_secs.is_some()) {
        "The bar and its number were measured here; the vertical mark was published, for an older machine."
    } else {
        "As measured here. It depends on the machine and on its other work."
    };
    Ok(drawing("seconds", "Seconds", caption, bars("Seconds", &rows, Scale::Linear)?))
}

fn files(cases: &[CaseRecord]) -> Result<Vec<Drawing>> {
    let of = |make: fn(&CaseRecord, &FileFigures) -> Option<Bar>| {
        cases.iter().filter_map(|case| make(case, case.file.as_ref()?)).collect::<Vec<_>>()
    };
    let mut drawings = Vec::new();
    let mut draw = |name, heading, caption, rows: &[Bar], scale| -> Result<()> {
        if !rows.is_empty() {
            drawings.push(drawing(name, heading, caption, bars(heading, rows, scale)?));
        }
        Ok(())
    };
    // Of tables with a heap, nothing was published.
    let has_heap = cases.iter().filter_map(|case| case.file.as_ref()).any(|file| file.heap_bytes.is_some());
    draw(
        "size",
        "Bytes per row",
        match has_heap {
            true => "All pages of the heap and of all indexes, per row.",
            false => "All pages of all indexes, per row.",
        },
        &of(|case, file| {
            Some(bar(&case.name, file.bytes_per_row(), figure_text(file.bytes_per_row().round()), None))
        }),
        Scale::Linear,
    )?;
    draw(
        "fill",
        match has_heap {
            true => "Fill of the leaf pages of the primary key, %",
            false => "Fill of the table's leaf pages, %",
        },
        match has_heap {
            true => "The mean over the leaf pages of the index of the primary key.",
            false => {
                "The mean over the leaf pages of the clustered index. The number was measured here; the vertical mark was \
                 published."
            }
        },
        &of(|case, file| {
            let fill = file.indexes.first()?.fill_mean;
            Some(bar(&case.name, fill * 100.0, percent(fill), file.published_fill.map(|fill| fill * 100.0)))
        }),
        Scale::UpTo(100.0),
    )?;
    draw(
        "copies",
        "Copies of the key, % of the pages",
        match has_heap {
            true => {
                "The heap and the index of the primary key contain the key once; the other indexes do not."
            }
            false => {
                "Each index contains the key once. The number was measured here; the vertical mark was published."
            }
        },
        &of(|case, file| {
            let share = file.key_share()?;
            let published = file.published_key_share.map(|share| share * 100.0);
            Some(bar(&case.name, share * 100.0, percent(share), published))
        }),
        Scale::UpTo(100.0),
    )?;
    Ok(drawings)
}

/// All in one color, because cases have no family of ids.
fn bar(label: &str, value: f64, written: String, mark: Option<f64>) -> Bar {
    Bar { label: label.into(), family: Family::Integer, value, written, mark, points: Vec::new() }
}
