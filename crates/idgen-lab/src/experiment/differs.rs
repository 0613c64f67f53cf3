//! Describes how a run differs from the published ones.

use super::{Keys, Scale};
use crate::Result;
use idgen_record::{Results, Workload, thousands};

/// The differences between the loads, in a sentence or two; `None` if there are none. `ours` says whether the lab
/// started the server: only such a server is set up for the load.
///
/// # Errors
/// The errors of [`Keys::workload`].
pub fn differs(experiment: &Keys, scale: Scale, results: &Results, ours: bool) -> Result<Option<String>> {
    if !experiment.is_published() {
        return Ok(None);
    }
    let load = &results.workload;
    let full = experiment.workload(Scale::Full)?;
    let rows = fewer_rows(experiment, load, &full);
    let cache = other_cache(load, &full);
    let mut differs: Vec<String> = rows.into_iter().chain(cache).collect();
    let smaller = !differs.is_empty();
    // The embedded engine has one statement per row.
    if load.statement_rows != full.statement_rows && !results.engine.is_embedded() {
        differs
            .push(format!("{} rows per statement instead of {}", load.statement_rows, full.statement_rows));
    }
    if let (Some(iops), None) = (full.iops, load.iops) {
        differs.push(format!("no limit of {iops} reads and writes per second"));
    }
    if full.late_writes && !load.late_writes {
        differs.push("changed pages written when the database chooses, not late".to_owned());
    }
    if differs.is_empty() {
        return Ok(None);
    }
    let mut text =
        format!("This run at scale {scale} differs from the published one: {}.", differs.join("; "));
    if smaller && scale != Scale::Full {
        text += " So only the order of the strategies can be compared.";
    }
    if !ours {
        text +=
            " Only a server that the lab starts itself (--engine mysql or mariadb) is set up as published.";
    } else if scale != Scale::Full {
        text += " --scale full is closest to the published run.";
    }
    Ok(Some(text))
}

/// Says that a published table had more rows; `None` if none had. If the publication does not give its rows,
/// it is taken to have those of the full scale.
fn fewer_rows(experiment: &Keys, load: &Workload, full: &Workload) -> Option<String> {
    let published = experiment.published(load.writers);
    let mut larger: Vec<u64> = published.iter().filter_map(|published| published.rows).collect();
    if larger.is_empty() {
        larger.push(full.rows);
    }
    let all = larger.len();
    larger.retain(|rows| *rows > load.rows);
    let (least, most) = (larger.iter().min()?, larger.iter().max()?);
    let range = if least == most {
        thousands(*most)
    } else {
        format!("{} to {}", thousands(*least), thousands(*most))
    };
    let of = if larger.len() == all {
        String::new()
    } else {
        let names = published.iter().filter(|published| published.rows.is_some_and(|rows| rows > load.rows));
        format!(
            " of {}",
            names.map(|published| published.strategy.as_str()).collect::<Vec<_>>().join(" and ")
        )
    };
    Some(format!("{} rows, whereas {range}{of} were published", thousands(load.rows)))
}

fn other_cache(load: &Workload, full: &Workload) -> Option<String> {
    let (here, full) = (load.cache_bytes? >> 20, full.cache_bytes? >> 20);
    (here != full).then(|| format!("a cache of {here} MiB instead of {full}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, find};
    use crate::measure;
    use idgen_record::EngineInfo;

    fn said(id: &str, scale: Scale, change: impl Fn(Workload) -> Workload, ours: bool) -> Option<String> {
        let Experiment::Keys(experiment) = find(id).unwrap() else { panic!("{id}") };
        let workload = change(experiment.workload(scale).unwrap());
        let engine = EngineInfo {
            name: "Base".into(),
            version: "1".into(),
            setup: "as it is".into(),
            missing: Vec::new(),
        };
        differs(&experiment, scale, &measure::begin("?", "test", engine, workload), ours).unwrap()
    }

    #[test]
    fn a_smaller_scale_lists_what_is_smaller() {
        let text = said("uuid-representation", Scale::Ci, |load| load, true).unwrap();
        for part in [
            "200,000 rows, whereas 1,983,229 to 2,866,591 were published; a cache of 8 MiB instead of 128;",
            "100 rows per statement instead of 1; no limit of 500 reads and writes per second; changed pages written",
            "only the order of the strategies can be compared. --scale full",
        ] {
            assert!(text.contains(part), "{text}");
        }
        // This load has the same number of rows as the published one.
        let text = said("device-ids", Scale::Default, |load| load, true).unwrap();
        assert!(
            text.contains("published one: a cache of 45 MiB instead of 128; 100 rows per statement"),
            "{text}"
        );
        assert!(!text.contains("published;") && !text.contains("limit") && !text.contains("late"), "{text}");
    }

    #[test]
    fn the_full_scale_lists_the_remaining_differences() {
        assert_eq!(said("device-ids", Scale::Full, |load| load, true), None);
        assert_eq!(
            said("uuid-order", Scale::Full, |load| load, true).unwrap(),
            "This run at scale full differs from the published one: 2,900,000 rows, whereas 4,069,358 of minute-text36 were \
             published."
        );
        // A server that the user set up has a pool of its own size, and no limits.
        let given =
            |load: Workload| Workload { cache_bytes: Some(8 << 30), iops: None, late_writes: false, ..load };
        let text = said("uuid-representation", Scale::Full, given, false).unwrap();
        for part in [
            "a cache of 8192 MiB instead of 128",
            "no limit of 500",
            "not late.",
            "Only a server that the lab",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("rows") && !text.contains("--scale full"), "{text}");
    }
}
