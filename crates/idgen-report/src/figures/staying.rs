//! A table that had rows before the run: its size with new kinds of keys, against staying with the old kind.

use crate::figures::finding::Part;
use crate::figures::grid::Grid;
use crate::figures::numbers::{write_median, write_sample};
use idgen_record::{Column, Metric, Results, Run};

/// A run with one kind of key, and the run that stays with the old kind in the same column.
struct Change<'a> {
    run: &'a Run,
    stays: &'a Run,
}

impl Change<'_> {
    /// Leaf pages as a multiple of those of the run that stays; `None` where there is no difference.
    fn factor(&self) -> Option<f64> {
        let metric = Metric::named("leaf_pages")?;
        let (here, there) = (metric.sample(self.run)?, metric.sample(self.stays)?);
        here.differs(&there, metric.noise)?;
        Some(here.median() / there.median())
    }
}

fn is_counted(column: Column) -> bool {
    matches!(column, Column::CountedInteger | Column::Integer)
}

/// The run that stays with the old kind in the column of this one. In SQLite, counted integers and other keys are in two kinds of
/// tables, so a change of ids cannot lead from one to the other.
fn stays<'a>(results: &'a Results, run: &Run) -> Option<&'a Run> {
    let (existing, column) = (results.workload.existing?, run.strategy.key?.column);
    results.runs.iter().find(|run| {
        run.strategy.key.is_some_and(|key| {
            let alike = is_counted(key.column) && is_counted(column) && !results.engine.is_embedded();
            existing.ids == Some(key.ids) && (key.column == column || alike)
        })
    })
}

fn changes(results: &Results) -> Vec<Change<'_>> {
    let of = |run| Some(Change { run, stays: stays(results, run)? });
    results.runs.iter().filter_map(of).filter(|change| change.run.strategy != change.stays.strategy).collect()
}

/// Says which kinds end with more leaf pages than the run that stays, which with fewer, and which fills pages
/// best; `None` where no run stays.
pub fn part(results: &Results) -> Option<Part> {
    let changes = changes(results);
    let first = changes.first()?;
    let said = |wanted: fn(f64) -> bool, word: &str| {
        let mut found: Vec<(f64, &Change<'_>)> = changes
            .iter()
            .filter_map(|change| Some((change.factor()?, change)))
            .filter(|(factor, _)| wanted(*factor))
            .collect();
        found.sort_by(|(a, _), (b, _)| (b - 1.0).abs().total_cmp(&(a - 1.0).abs()));
        let each = found.into_iter().map(|(factor, change)| {
            let leaves = |run| {
                let metric = Metric::named("leaf_pages");
                metric.map_or_else(String::new, |metric| write_median(metric, metric.sample(run).as_ref()))
            };
            format!(
                "{:.1} % {word} leaf pages with \u{201c}{}\u{201d} ({} against {})",
                (factor - 1.0).abs() * 100.0,
                change.run.strategy.title,
                leaves(change.run),
                leaves(change.stays)
            )
        });
        each.collect::<Vec<_>>()
    };
    let mut findings = said(|factor| factor > 1.0, "more");
    if findings.is_empty() {
        let kind = &first.stays.strategy.title;
        findings.push(format!("no kind has more leaf pages than \u{201c}{kind}\u{201d}"));
    }
    findings.extend(said(|factor| factor < 1.0, "fewer"));
    findings.extend(fullest(&changes));
    Some(Part { lead: "Compared with staying with the old kind, at the end of the run:".into(), findings })
}

/// Says which kind's new rows have the fullest pages, and from which other kinds it does not differ.
fn fullest(changes: &[Change<'_>]) -> Option<String> {
    let metric = Metric::named("fill_of_new_rows")?;
    let fills: Vec<_> =
        changes.iter().filter_map(|change| Some((change.run, metric.sample(change.run)?))).collect();
    let (best, fill) = fills.iter().max_by(|(_, a), (_, b)| a.median().total_cmp(&b.median()))?;
    let quoted = |run: &Run| format!("\u{201c}{}\u{201d}", run.strategy.title);
    let (name, shown) = (quoted(best), write_median(metric, Some(fill)));
    let as_full: Vec<_> = fills
        .iter()
        .filter(|(run, other)| run.strategy != best.strategy && other.differs(fill, metric.noise).is_none())
        .map(|(run, _)| quoted(run))
        .collect();
    Some(match as_full.as_slice() {
        [] => format!("the pages of the new rows are fullest with {name}: {shown} %"),
        others => format!(
            "the pages of the new rows are {shown} % full with {name}; no difference shows between it and {}",
            others.join(", ")
        ),
    })
}

/// Every kind compared with staying: leaf pages, how many more or fewer, and the page fill of old and of new rows.
pub fn grid(results: &Results) -> Option<Grid> {
    const SHOWN: [&str; 3] = ["fill_of_old_rows", "fill_of_new_rows", "bytes_per_row"];
    results.workload.existing?;
    let metric = |name| Metric::named(name);
    let rows = results.runs.iter().filter_map(|run| {
        let stays = stays(results, run)?;
        let leaves = metric("leaf_pages")?;
        let against = match (run.strategy == stays.strategy, Change { run, stays }.factor()) {
            (true, _) => "stays".to_owned(),
            (false, None) => "no difference".to_owned(),
            (false, Some(factor)) => format!("{:+.1} %", (factor - 1.0) * 100.0),
        };
        let mut cells = vec![write_sample(leaves, leaves.sample(run).as_ref()), against];
        cells.extend(SHOWN.into_iter().filter_map(|name| {
            let shown = metric(name)?;
            Some(write_sample(shown, shown.sample(run).as_ref()))
        }));
        Some((run.strategy.title.clone(), cells))
    });
    let head = ["strategy", "leaf pages", "against staying"].into_iter();
    let head = head.chain(SHOWN.into_iter().filter_map(|name| Some(metric(name)?.title)));
    Grid::of("space", head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::answer::answer;
    use crate::tests::results;
    use idgen_record::{Existing, IdKind, Role, Workload};

    /// A run that stays, and one of another kind with this many leaf pages; repeated runs hardly differ.
    fn after(leaves: u64) -> Results {
        let mut made = results(2);
        let existing = Some(Existing { ids: Some(IdKind::V4), rows: 4_000 });
        made.workload = Workload { existing, ..made.workload };
        for (run, (ids, leaves)) in made.runs.iter_mut().zip([(IdKind::V4, 1_000), (IdKind::V7, leaves)]) {
            let key = run.strategy.key.as_mut().unwrap();
            (key.ids, key.column) = (ids, Column::Binary16);
            run.trees.retain(|tree| tree.role == Role::Rows);
            for tree in &mut run.trees {
                tree.leaf_pages = leaves;
                tree.fill_of_new_rows = Some(0.904);
            }
            let each = (0..3).map(|number| (number, run.clone())).collect();
            *run = Run::of_repeats(each).unwrap();
        }
        made
    }

    /// Two kinds that fill pages alike share the sentence; a kind that fills them less is not in it.
    #[test]
    fn kinds_that_fill_pages_alike_are_named_together() {
        let mut made = after(1_200);
        let mut same = made.runs[1].clone();
        same.strategy.name = "same".into();
        same.strategy.title = "as full".into();
        let mut less = same.clone();
        less.strategy.title = "less full".into();
        less.strategy.name = "less".into();
        for repeat in &mut less.repeats {
            repeat.trees[0].fill_of_new_rows = Some(0.5);
        }
        let title = made.runs[1].strategy.title.clone();
        made.runs.extend([same, less]);
        let last = part(&made).unwrap().findings.pop();
        let one = format!(
            "the pages of the new rows are 90.4 % full with \u{201c}as full\u{201d}; no difference shows between it and \
             \u{201c}{title}\u{201d}"
        );
        assert_eq!(last, Some(one));
    }

    #[test]
    fn a_kind_that_needs_more_pages_is_named_first() {
        let more = after(1_200);
        let title = more.runs[1].strategy.title.clone();
        let said = answer(&more).unwrap().to_string();
        let first = format!(
            "Compared with staying with the old kind, at the end of the run: 20.0 % more leaf pages with \u{201c}{title}\u{201d} \
             (1,200 against 1,000); the pages of the new rows are fullest with \u{201c}{title}\u{201d}: 90.4 %."
        );
        // After the sentence that says which key to take.
        assert!(said.starts_with("Take ") && said.contains(&first), "{said}");
        let rows = grid(&more).unwrap().rows;
        assert_eq!((rows[0].1[1].as_str(), rows[1].1[1].as_str()), ("stays", "+20.0 %"));
    }

    #[test]
    fn fewer_pages_and_no_difference_are_also_given() {
        let findings = part(&after(890)).unwrap().findings;
        assert!(findings[0].starts_with("no kind has more leaf pages than"), "{findings:?}");
        assert!(findings[1].starts_with("11.0 % fewer leaf pages with"), "{findings:?}");
        let same = after(1_000);
        let findings = part(&same).unwrap().findings;
        assert!(!findings.iter().any(|found| found.contains("leaf pages with")), "{findings:?}");
        assert_eq!(grid(&same).unwrap().rows[1].1[1], "no difference");
    }

    #[test]
    fn a_table_without_existing_rows_has_no_such_part() {
        let empty = results(2);
        assert!(part(&empty).is_none() && grid(&empty).is_none());
    }
}
