//! Experiments that time statements, as tables: times, counts, and the files of their tables.

use crate::figures::grid::{Grid, column};
use crate::figures::numbers::{count, grouped, percent, rate, write_median, write_sample};
use idgen_record::{Difference, Metric, Results, Run, Sample};

/// A table with its heading, and how to read it.
pub(crate) type Explained = (&'static str, &'static str, Grid);

/// The tables of an experiment that times statements; none of others.
pub(crate) fn tables(results: &Results) -> Vec<Explained> {
    if !results.times_statements() {
        return Vec::new();
    }
    [files(results), indexes(results), times(results), counts(results)].into_iter().flatten().collect()
}

/// The run that this one is compared with: the first with the same number of clients and of rows in a statement.
pub(crate) fn first_of<'a>(results: &'a Results, run: &Run) -> Option<&'a Run> {
    results.runs.iter().find(|other| other.load == run.load)
}

/// Seconds, as a multiple of those of the first case.
pub(crate) fn times_first(results: &Results, run: &Run) -> Option<f64> {
    let [secs, first] = [run, first_of(results, run)?].map(|run| Some(seconds(run)?.median()));
    first.filter(|first| *first > 0.0).and_then(|first| Some(secs? / first))
}

/// Returns the difference between the seconds of two runs; `None` where no difference shows.
pub(crate) fn slower(run: &Run, from: &Run) -> Option<Difference> {
    seconds(run)?.differs(&seconds(from)?, Metric::named("secs")?.noise)
}

pub(crate) fn seconds(run: &Run) -> Option<Sample> {
    Metric::named("secs")?.sample(run)
}

fn times(results: &Results) -> Option<Explained> {
    let runs = &results.runs;
    // The steps of one table are not alternatives.
    let alternatives = runs.iter().all(|run| run.trees.is_empty());
    let known = |name: &'static str, write: fn(&Metric, Option<&Sample>) -> String| {
        move |run: &Run| {
            let metric = Metric::named(name)?;
            metric.sample(run).map(|sample| write(metric, Some(&sample)))
        }
    };
    let grid = Grid::of_columns(
        "times",
        vec![
            column("case", runs, |run| Some(run.strategy.title.clone())),
            column("clients", runs, |run| run.load.map(|load| load.clients.to_string())),
            column("rows per statement", runs, |run| run.load.map(|load| load.statement_rows.to_string())),
            column("seconds", runs, known("secs", write_sample)),
            column("rows/s", runs, known("rows_per_sec", write_median)),
            column("times the first", runs, |run| {
                times_first(results, run).filter(|_| alternatives).map(|times| format!("{times:.2}"))
            }),
            column("counted", runs, known("counted", write_sample)),
        ],
    )?;
    let note = match runs.iter().any(|run| run.load.is_some()) {
        true => {
            "Seconds depend on the machine and on its other work. A case is compared with the first case that has the same \
             number of clients and rows per statement."
        }
        false => "Seconds depend on the machine and on its other work.",
    };
    Some(("Times", note, grid))
}

/// The counters of the server during loads, with an explanation; `None` where none was recorded.
fn counts(results: &Results) -> Option<Explained> {
    let runs: Vec<_> = results.runs.iter().filter_map(|run| Some((run, run.load?))).collect();
    let mut names: Vec<&String> = runs.iter().flat_map(|(run, _)| run.counts.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let sizes_differ = runs.windows(2).any(|pair| pair[0].1.statement_rows != pair[1].1.statement_rows);
    let mut columns = vec![
        column("case", &runs, |(run, _)| Some(run.strategy.title.clone())),
        column("clients", &runs, |(_, load)| Some(load.clients.to_string())),
        column("rows per statement", &runs, |(_, load)| {
            sizes_differ.then(|| load.statement_rows.to_string())
        }),
    ];
    let counted =
        |name: &&String| column(&words(name), &runs, |(run, _)| run.counts.get(*name).copied().map(rate));
    columns.extend(names.iter().map(counted));
    let note = "The names are the server's own. It counts for the whole server, on which nothing else ran.";
    let grid = Grid::of_columns("counted", columns).filter(|_| !names.is_empty())?;
    Some(("Counted per 1,000 rows", note, grid))
}

/// A server's name for a counter, divided so that its parts can be on separate lines.
pub(crate) fn words(name: &str) -> String {
    name.replace("::", " ").replace('_', " ")
}

fn files(results: &Results) -> Option<Explained> {
    let runs: Vec<&Run> = results.runs.iter().filter(|run| run.indexes().next().is_some()).collect();
    let first = runs.first()?.totals.bytes_per_row;
    let has_heap = runs.iter().any(|run| run.totals.heap_bytes_per_row.is_some());
    let bytes = |name: &'static str| {
        move |run: &&Run| Metric::named(name)?.number(&run.figures()).map(|bytes| format!("{bytes:.1}"))
    };
    let figure = |name: &'static str, write: fn(f64) -> String| {
        move |run: &&Run| Metric::named(name)?.number(&run.figures()).map(write)
    };
    let grid = Grid::of_columns(
        "whole-files",
        vec![
            column("case", &runs, |run| Some(run.strategy.title.clone())),
            column("rows", &runs, |run| Some(count(run.totals.rows))),
            column("MB", &runs, |run| {
                Some(megabytes(run.totals.allocated_bytes_per_row? * run.totals.rows as f64))
            }),
            column("bytes per row", &runs, bytes("bytes_per_row")),
            column("of it heap", &runs, bytes("heap_bytes_per_row")),
            column("of it indexes", &runs, |run| bytes("index_bytes_per_row")(run).filter(|_| has_heap)),
            column("times the first", &runs, |run| Some(format!("{:.2}", run.totals.bytes_per_row / first))),
            column("of it copies of the key", &runs, figure("key_bytes_per_row", grouped)),
            column("in %", &runs, figure("key_share", percent)),
        ],
    )?;
    Some(match has_heap {
        true => (
            "The whole table",
            "Sizes of the heap, which holds the rows, and of all indexes, as the server reports them. The heap and the index \
             of the primary key contain the key; the other indexes refer to places in the heap.",
            grid,
        ),
        false => (
            "The whole file",
            "From a copy of the table's file, whose rows were counted and compared with the server's. Bytes per row count \
             the pages of the indexes; the file has free pages in addition.",
            grid,
        ),
    })
}

fn indexes(results: &Results) -> Option<Explained> {
    let of_run = |run| Run::indexes(run).map(move |(name, tree)| (run, name, tree));
    let indexes: Vec<_> = results.runs.iter().flat_map(of_run).collect();
    let grid = Grid::of_columns(
        "indexes",
        vec![
            column("case", &indexes, |(run, ..)| Some(run.strategy.title.clone())),
            column("index", &indexes, |(_, name, _)| Some((*name).to_owned())),
            column("leaf pages", &indexes, |(.., tree)| Some(count(tree.leaf_pages))),
            column("fill %, mean", &indexes, |(.., tree)| Some(percent(tree.fill_mean))),
            column("fill %, p10", &indexes, |(.., tree)| Some(percent(tree.fill_p10))),
            column("MB", &indexes, |(.., tree)| Some(megabytes(tree.bytes as f64))),
            column("bytes per row", &indexes, |(run, _, tree)| {
                Some(format!("{:.1}", tree.bytes as f64 / run.totals.rows.max(1) as f64))
            }),
        ],
    )?;
    Some(("Each index", "Page fill is the share of a leaf page that records occupy.", grid))
}

fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::answer::answer;
    use crate::figures::published::comparisons;
    use crate::tests::timed::{load, published, statement, timed, with_file};
    use idgen_record::{TIMES_FIRST, Tolerance};
    use std::collections::BTreeMap;

    fn cells(explained: &Explained, head: &str) -> Vec<String> {
        let grid = &explained.2;
        let at = grid.head.iter().position(|found| found == head);
        let at = at.unwrap_or_else(|| panic!("{head}: {grid:?}"));
        let cell = |(name, cells): &(String, Vec<String>)| {
            if at == 0 { name.clone() } else { cells[at - 1].clone() }
        };
        grid.rows.iter().map(cell).collect()
    }

    #[test]
    fn times_have_an_answer_in_a_sentence() {
        assert_eq!(answer(&timed(vec![statement("alone", &[1.0])])), None);
        let said = answer(&timed(vec![statement("quick", &[0.5]), statement("slow", &[1.5])])).unwrap();
        assert_eq!(
            said.to_string(),
            "Compared with \u{201c}quick\u{201d}, the longest is \u{201c}slow\u{201d}: 1.50 s against 0.50 s, 3.00 times as long; no case \
             is shorter by more than the noise."
        );
        let loads = [("no key", 1.0, 1), ("key", 1.1, 1), ("no key", 8.0, 4), ("key", 2.0, 4)];
        let loads = loads.map(|(name, secs, clients)| load(name, &[secs], clients, 1));
        let said = answer(&timed(loads.into())).unwrap().to_string();
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
        let mut second = statement("b", &[3.0]);
        second.totals.counted = Some(7);
        let shown = tables(&timed(vec![statement("a", &[2.0]), second]));
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].2.head, ["case", "seconds", "times the first", "counted"]);
        assert_eq!(cells(&shown[0], "seconds"), ["2.0", "3.0"]);
        assert_eq!(cells(&shown[0], "times the first"), ["1.00", "1.50"]);
        assert_eq!(cells(&shown[0], "counted"), ["", "7"]);
        assert!(tables(&timed(vec![])).is_empty());
    }

    #[test]
    fn loads_are_set_against_the_first_with_as_many_clients() {
        let counted = |counts: [(&str, f64); 2], run: Run| {
            let counts = counts.into_iter().map(|(name, count)| (name.to_owned(), count));
            Run { counts: counts.collect(), ..run }
        };
        let runs = |last: &[f64]| {
            vec![
                load("without", &[2.0], 1, 1),
                counted([("a_b", 0.0), ("d", 0.0)], load("with", &[1.0], 1, 1)),
                load("without", &[3.9, 4.0, 4.1], 25, 1),
                counted([("a_b", 1.0), ("c", 2_000.0)], load("with", last, 25, 1)),
            ]
        };
        let mut all = timed(runs(&[5.9, 6.0, 6.1]));
        let shown = tables(&all);
        assert_eq!(
            shown.iter().map(|(title, ..)| *title).collect::<Vec<_>>(),
            ["Times", "Counted per 1,000 rows"]
        );
        assert_eq!(cells(&shown[0], "times the first"), ["1.00", "0.50", "1.00", "1.50"]);
        assert_eq!(cells(&shown[0], "rows/s"), ["50", "100", "25", "17"]);
        assert_eq!(cells(&shown[1], "a b"), ["", "0.0", "", "1.0"]);
        assert_eq!(cells(&shown[1], "c"), ["", "", "", "2,000"]);

        // 1.50 times the first, where 1.19 was published.
        let line = |results: &Results| {
            let [line] = comparisons(results).try_into().unwrap_or_else(|_| panic!("one line"));
            (line.published, line.measured, line.met)
        };
        let name = all.runs[3].strategy.name.clone();
        for (share, met) in [(0.1, false), (0.3, true)] {
            all.published = vec![published(&name, TIMES_FIRST, 1.19, Some(Tolerance { share, least: 0.0 }))];
            assert_eq!(line(&all), ("1.19".into(), "1.50".into(), Some(met)));
        }
        // Runs that overlap do not show that 1.19 times was found again.
        let overlap = Results { runs: runs(&[4.0, 4.76, 5.2]), ..all.clone() };
        let strict = Some(Tolerance { share: 0.1, least: 0.0 });
        let overlap = Results { published: vec![published(&name, TIMES_FIRST, 1.19, strict)], ..overlap };
        assert_eq!(line(&overlap), ("1.19".into(), "1.19".into(), None));
    }

    #[test]
    fn files_show_their_indexes_and_the_copies_of_the_key() {
        let runs = vec![
            with_file(statement("before", &[1.0]), 400.0, Some(72.0)),
            with_file(statement("after", &[9.0]), 200.0, None),
        ];
        let results = timed(runs);
        let shown = tables(&results);
        assert_eq!(shown[2].2.head, ["case", "seconds"]);
        assert_eq!(cells(&shown[0], "MB"), ["4.0", "2.0"]);
        assert_eq!(cells(&shown[0], "times the first"), ["1.00", "0.50"]);
        assert_eq!(cells(&shown[0], "of it copies of the key"), ["72", ""]);
        assert_eq!(cells(&shown[0], "in %"), ["18.0", ""]);
        assert_eq!(cells(&shown[1], "fill %, mean"), ["70.0", "60.0", "70.0", "60.0"]);
        assert_eq!(cells(&shown[1], "bytes per row"), ["200.0", "200.0", "100.0", "100.0"]);
        let said = answer(&results).unwrap().to_string();
        assert!(
            said.contains("\u{201c}before\u{201d} compared with \u{201c}after\u{201d}: bytes per row"),
            "{said}"
        );
        assert!(
            said.contains("400 against 200.0, a factor of 2.0") && said.contains("no difference shows"),
            "{said}"
        );

        let details: BTreeMap<_, _> =
            results.runs[0].details().into_iter().map(|detail| (detail.name, detail.value)).collect();
        assert_eq!((details["a fill_mean"], details["PRIMARY leaf_pages"]), (0.6, 2_000.0));
        let share = Metric::named("key_share").unwrap();
        assert_eq!(share.sample(&results.runs[0]).unwrap().median(), 0.18);

        let mut judged = results.clone();
        let judge =
            |name: &str, share| published(name, "fill_mean", 0.9375, Some(Tolerance { share, least: 0.0 }));
        judged.published = vec![judge("before", 0.1), judge("after", 0.3)];
        let met: Vec<_> = comparisons(&judged).into_iter().map(|line| line.met).collect();
        assert_eq!(met, [Some(false), Some(true)], "a fill of 70.0 % where 93.8 was published");

        let mut heaped = results;
        let totals = &mut heaped.runs[0].totals;
        totals.heap_bytes_per_row = Some(100.0);
        totals.bytes_per_row += 100.0;
        let shown = tables(&heaped);
        assert_eq!(shown[0].0, "The whole table");
        assert_eq!(cells(&shown[0], "bytes per row"), ["500.0", "200.0"]);
        assert_eq!(cells(&shown[0], "of it heap"), ["100.0", ""]);
        assert_eq!(cells(&shown[0], "of it indexes"), ["400.0", ""]);
    }
}
