//! Experiments that run statements, as tables: times, counts, and the files of their tables.

use crate::figures::case_table::{CaseTable, column, table};
use crate::figures::numbers::{count, grouped, percent, rate, write_median, write_sample};
use crate::figures::published::{case_met, verdict};
use crate::figures::times::{self, published_times, times_first};
use idgen_record::{CaseRecord, FileFigures, LoadFigures, Metric, Results, Sample};

/// The tables of an experiment that runs statements; none where there are no cases.
pub fn case_tables(results: &Results) -> Vec<CaseTable> {
    let tables = if results.cases.iter().any(|case| case.file.is_some()) {
        [files(results), indexes(results), timed(results)]
    } else {
        [timed(results), counts(results), None]
    };
    tables.into_iter().flatten().collect()
}

fn seconds(secs: f64) -> String {
    format!("{secs:.3}")
}

/// The seconds of a case and their spread.
fn measured(case: &CaseRecord) -> Option<String> {
    Some(write_sample(Metric::named("secs")?, times::seconds(case).as_ref()))
}

/// The rows per second of all clients together, in each run.
fn speed(case: &CaseRecord) -> Option<String> {
    let rows = case.load.as_ref()?.rows as f64;
    let runs = times::seconds(case)?.values().iter().map(|secs| rows / secs).collect();
    Some(write_median(Metric::named("rows_per_sec")?, Sample::of(runs).as_ref()))
}

fn timed(results: &Results) -> Option<CaseTable> {
    let cases = &results.cases;
    // The steps of one table are not alternatives.
    let alternatives = cases.iter().all(|case| case.file.is_none());
    let ratio = |ratio: f64| format!("{ratio:.2}");
    let of_load = |show: fn(&LoadFigures) -> String| move |case: &CaseRecord| case.load.as_ref().map(show);
    let columns = vec![
        column("case", cases, |case| Some(case.name.clone())),
        column("clients", cases, of_load(|load| load.clients.to_string())),
        column("rows per statement", cases, of_load(|load| load.statement_rows.to_string())),
        column("seconds", cases, measured),
        column("rows/s", cases, speed),
        column("times the first", cases, |case| {
            times_first(results, case, |case| Some(case.secs)).filter(|_| alternatives).map(ratio)
        }),
        column("counted", cases, |case| case.counted.clone()),
        column("seconds, published", cases, |case| case.published_secs.map(seconds)),
        column("times the first, published", cases, |case| {
            published_times(results, case).filter(|_| alternatives).map(ratio)
        }),
        column("published result", cases, |case| case_met(results, case).map(|met| verdict(met).to_owned())),
    ];
    table(
        "Times",
        if cases.iter().any(|case| case.load.is_some()) {
            "Seconds depend on the machine and on its other work. A case is compared with the first case that has the \
             same number of clients and rows per statement."
        } else {
            "Seconds depend on the machine and on its other work."
        },
        columns,
    )
}

/// What was counted during loads.
fn counts(results: &Results) -> Option<CaseTable> {
    let loads: Vec<_> =
        results.cases.iter().filter_map(|case| Some((case.name.as_str(), case.load.as_ref()?))).collect();
    let mut names: Vec<&str> =
        loads.iter().flat_map(|(_, load)| load.per_1k.keys().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let sizes_differ = loads.windows(2).any(|pair| pair[0].1.statement_rows != pair[1].1.statement_rows);
    let mut columns = vec![
        column("case", &loads, |(name, _)| Some((*name).to_owned())),
        column("clients", &loads, |(_, load)| Some(load.clients.to_string())),
        column("rows per statement", &loads, |(_, load)| {
            sizes_differ.then(|| load.statement_rows.to_string())
        }),
    ];
    columns.extend(
        names
            .iter()
            .map(|name| column(&words(name), &loads, |(_, load)| load.per_1k.get(*name).map(|n| rate(*n)))),
    );
    table(
        "Counted per 1,000 rows",
        "The names are the server's own. It counts for the whole server, on which nothing else ran.",
        columns,
    )
}

/// A server's name for a counter, divided so that its parts can be on separate lines.
fn words(name: &str) -> String {
    name.replace("::", " ").replace('_', " ")
}

fn files(results: &Results) -> Option<CaseTable> {
    let files = of_files(results);
    let first = files.first()?.1;
    let has_heap = files.iter().any(|(_, file)| file.heap_bytes.is_some());
    let (title, note) = if has_heap {
        (
            "The whole table",
            "Sizes of the heap, which holds the rows, and of all indexes, as the server reports them. The heap and the index \
             of the primary key contain the key; the other indexes refer to places in the heap.",
        )
    } else {
        (
            "The whole file",
            "From a copy of the table's file, whose rows were counted and compared with the server's. Bytes per row count \
             the pages of the indexes; the file has free pages in addition.",
        )
    };
    let bytes = |bytes: f64| format!("{bytes:.1}");
    table(
        title,
        note,
        vec![
            column("case", &files, |(name, _)| Some((*name).to_owned())),
            column("rows", &files, |(_, file)| Some(count(file.rows))),
            column("MB", &files, |(_, file)| Some(megabytes(file.bytes))),
            column("bytes per row", &files, |(_, file)| Some(bytes(file.bytes_per_row()))),
            column("of it heap", &files, |(_, file)| file.heap_bytes_per_row().map(bytes)),
            column("of it indexes", &files, |(_, file)| {
                Some(bytes(file.index_bytes_per_row())).filter(|_| has_heap)
            }),
            column("times the first", &files, |(_, file)| {
                Some(format!("{:.2}", file.bytes_per_row() / first.bytes_per_row().max(1e-9)))
            }),
            column("of it copies of the key", &files, |(_, file)| file.key_bytes_per_row().map(grouped)),
            column("in %", &files, |(_, file)| file.key_share().map(percent)),
            column("in %, published", &files, |(_, file)| file.published_key_share.map(percent)),
        ],
    )
}

fn indexes(results: &Results) -> Option<CaseTable> {
    let indexes: Vec<_> = of_files(results)
        .into_iter()
        .flat_map(|(name, file)| {
            // What was published is of the table itself, its first index.
            let published = std::iter::once(file.published_fill).chain(std::iter::repeat(None));
            file.indexes.iter().zip(published).map(move |(index, published)| (name, file, index, published))
        })
        .collect();
    table(
        "Each index",
        "Page fill is the share of a leaf page that records occupy.",
        vec![
            column("case", &indexes, |(name, ..)| Some((*name).to_owned())),
            column("index", &indexes, |(_, _, index, _)| Some(index.name.clone())),
            column("leaf pages", &indexes, |(_, _, index, _)| Some(count(index.leaf_pages))),
            column("fill %, mean", &indexes, |(_, _, index, _)| Some(percent(index.fill_mean))),
            column("fill %, p10", &indexes, |(_, _, index, _)| Some(percent(index.fill_p10))),
            column("fill %, published", &indexes, |(.., published)| published.map(percent)),
            column("MB", &indexes, |(_, _, index, _)| Some(megabytes(index.bytes))),
            column("bytes per row", &indexes, |(_, file, index, _)| {
                Some(format!("{:.1}", index.bytes as f64 / file.rows.max(1) as f64))
            }),
        ],
    )
}

fn of_files(results: &Results) -> Vec<(&str, &FileFigures)> {
    results.cases.iter().filter_map(|case| Some((case.name.as_str(), case.file.as_ref()?))).collect()
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// The statements of the cases, by the name of the case, without repeats.
pub fn case_statements(results: &Results) -> Vec<(&str, &str)> {
    let mut shown = Vec::new();
    for case in &results.cases {
        let line = (case.name.as_str(), case.sql.as_str());
        if !line.1.is_empty() && !shown.contains(&line) {
            shown.push(line);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::answer::answer;
    use crate::figures::case_figures::case_figures;
    use crate::tests::begun;
    use idgen_record::{EngineInfo, IndexFigures, Tolerance, Workload};

    fn results(cases: Vec<CaseRecord>) -> Results {
        let engine = EngineInfo {
            name: "Base".into(),
            version: "1".into(),
            setup: "as it is".into(),
            missing: Vec::new(),
        };
        Results { cases, ..begun("?", "test", engine, Workload::of_rows(1_000).unwrap()) }
    }

    fn case(name: &str, secs: f64) -> CaseRecord {
        CaseRecord { name: name.into(), secs, runs: vec![secs], ..CaseRecord::default() }
    }

    fn load(name: &str, secs: f64, clients: u32, counts: &[(&str, f64)]) -> CaseRecord {
        let per_1k = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let load = LoadFigures { clients, statement_rows: 1, rows: 100, rows_per_sec: 100.0 / secs, per_1k };
        CaseRecord { load: Some(load), ..case(name, secs) }
    }

    fn cells<'a>(table: &'a CaseTable, head: &str) -> Vec<&'a str> {
        let at =
            table.head.iter().position(|found| found == head).unwrap_or_else(|| panic!("{head}: {table:?}"));
        table.lines.iter().map(|line| line[at].as_str()).collect()
    }

    #[test]
    fn each_kind_of_case_has_an_answer_in_a_sentence() {
        assert_eq!(answer(&results(vec![case("alone", 1.0)])), None);
        let said = answer(&results(vec![case("quick", 0.5), case("slow", 1.5)])).unwrap().to_string();
        assert_eq!(
            said,
            "Compared with \u{201c}quick\u{201d}, the longest is \u{201c}slow\u{201d}: 1.50 s against 0.50 s, 3.00 times as long; no case \
             is shorter by more than the noise."
        );
        let loads = [("no key", 1.0, 1), ("key", 1.1, 1), ("no key", 8.0, 4), ("key", 2.0, 4)];
        let loads = loads.map(|(name, secs, clients)| load(name, secs, clients, &[]));
        let said = answer(&results(loads.into())).unwrap().to_string();
        assert!(said.contains("no case is longer by more than the noise"), "{said}");
        assert!(
            said.contains(
                "the shortest is \u{201c}key\u{201d} with 4 clients: 2.00 s against 8.00 s, 0.25 times"
            ),
            "{said}"
        );
    }

    #[test]
    fn statements_are_set_against_the_first() {
        let mut second = case("b", 3.0);
        second.counted = Some("7".into());
        let tables = case_tables(&results(vec![case("a", 2.0), second]));
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].head, ["case", "seconds", "times the first", "counted"]);
        assert_eq!(tables[0].lines, [["a", "2.0", "1.00", ""], ["b", "3.0", "1.50", "7"]]);
        assert_eq!(case_tables(&results(vec![])), []);
    }

    #[test]
    fn loads_are_set_against_the_first_with_as_many_clients() {
        let mut published = load("with", 6.0, 25, &[("a_b", 1.0), ("c", 2_000.0)]);
        published.published_times = Some(1.19);
        let mut secs = load("with", 1.0, 1, &[("a_b", 0.0)]);
        secs.published_secs = Some(0.3);
        let mut first = load("without", 2.0, 1, &[]);
        first.published_secs = Some(0.2);
        let mut all = results(vec![first, secs, load("without", 4.0, 25, &[]), published]);
        let tables = case_tables(&all);
        assert_eq!(
            tables.iter().map(|table| table.title).collect::<Vec<_>>(),
            ["Times", "Counted per 1,000 rows"]
        );
        assert_eq!(cells(&tables[0], "times the first"), ["1.00", "0.50", "1.00", "1.50"]);
        assert_eq!(cells(&tables[0], "times the first, published"), ["1.00", "1.50", "", "1.19"]);
        assert_eq!(cells(&tables[0], "rows/s"), ["50", "100", "25", "17"]);
        assert!(!tables[0].head.iter().any(|head| head == "published result"));
        // 1.50 times the first, where 1.19 was published.
        all.cases[2].runs = vec![3.9, 4.0, 4.1];
        all.cases[3].runs = vec![5.9, 6.0, 6.1];
        for (share, verdict) in [(0.1, "missed"), (0.3, "met")] {
            all.cases[3].published_tolerance = Some(Tolerance { share, least: 0.0 });
            assert_eq!(cells(&case_tables(&all)[0], "published result"), ["", "", "", verdict]);
        }
        // Runs that overlap do not show that 1.19 times was found again.
        all.cases[3].published_tolerance = Some(Tolerance { share: 0.1, least: 0.0 });
        all.cases[3].runs = vec![4.0, 4.76, 5.2];
        all.cases[3].secs = 4.76;
        assert!(!case_tables(&all)[0].head.iter().any(|head| head == "published result"));
        assert_eq!(cells(&tables[1], "a b"), ["", "0.0", "", "1.0"]);
        assert_eq!(cells(&tables[1], "c"), ["", "", "", "2,000"]);
    }

    #[test]
    fn files_show_their_indexes_and_the_copies_of_the_key() {
        let index = |name: &str, fill, bytes| IndexFigures {
            name: name.into(),
            leaf_pages: 2_000,
            bytes,
            fill_mean: fill,
            fill_p10: 0.5,
        };
        let file = |bytes, key_bytes| FileFigures {
            rows: 10_000,
            bytes,
            heap_bytes: None,
            key_bytes,
            published_fill: Some(0.9375),
            published_key_share: None,
            indexes: vec![index("PRIMARY", 0.7, bytes / 2), index("a", 0.6, bytes / 2)],
        };
        let mut cases = vec![case("before", 1.0), case("after", 9.0)];
        cases[0].file = Some(file(4_000_000, Some(36)));
        cases[1].file = Some(file(2_000_000, None));
        let results = results(cases);
        let tables = case_tables(&results);
        assert_eq!(tables[2].head, ["case", "seconds"]);
        assert_eq!(cells(&tables[0], "times the first"), ["1.00", "0.50"]);
        assert_eq!(cells(&tables[0], "of it copies of the key"), ["72", ""]);
        assert_eq!(cells(&tables[0], "in %"), ["18.0", ""]);
        assert_eq!(cells(&tables[1], "fill %, mean"), ["70.0", "60.0", "70.0", "60.0"]);
        assert_eq!(cells(&tables[1], "fill %, published"), ["93.8", "", "93.8", ""]);
        assert_eq!(cells(&tables[1], "bytes per row"), ["200.0", "200.0", "100.0", "100.0"]);
        let mut judged = results.clone();
        for (case, share) in judged.cases.iter_mut().zip([0.1, 0.3]) {
            case.published_tolerance = Some(Tolerance { share, least: 0.0 });
        }
        let verdicts = cells(&case_tables(&judged)[2], "published result").join(" ");
        assert_eq!(verdicts, "missed met", "a fill of 70.0 % where 93.8 was published");

        let figures = case_figures(&results);
        let of = |index: &str, name: &str| {
            figures
                .iter()
                .find(|figure| (figure.index, figure.name) == (index, name))
                .map(|figure| figure.value)
        };
        assert_eq!(of("", "key_share"), Some(0.18));
        assert_eq!(of("a", "fill_mean"), Some(0.6));
        assert_eq!((of("", "rows_per_sec"), of("", "heap_bytes")), (None, None));

        let mut heaped = results.clone();
        heaped.cases[0].file.as_mut().unwrap().heap_bytes = Some(1_000_000);
        let tables = case_tables(&heaped);
        assert_eq!(tables[0].title, "The whole table");
        assert_eq!(cells(&tables[0], "bytes per row"), ["500.0", "200.0"]);
        assert_eq!(cells(&tables[0], "of it heap"), ["100.0", ""]);
        assert_eq!(cells(&tables[0], "of it indexes"), ["400.0", "200.0"]);
        assert!(
            case_figures(&heaped).iter().any(|figure| (figure.name, figure.value) == ("heap_bytes", 1e6))
        );
    }
}
