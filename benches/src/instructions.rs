//! How many instructions our cases take, counted by callgrind. The counts repeat exactly, also on a busy
//! machine.
//!
//! Valgrind does not support AVX-512, so the codecs are counted on their AVX2 paths, which most processors
//! use.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::case::{Case, Group, IDS, Section};
use crate::{machine, report, sections};

/// Instructions per id, by section, group and case.
pub type Counts = BTreeMap<[String; 3], f64>;

/// A count above the recorded one times this factor is reported.
const TOLERATED_GROWTH: f64 = 1.05;

/// How often a case runs in two processes. Subtracting their counts removes what a process does before and
/// after the passes. The passes are many because the check before them hashes with random keys.
const PASSES: [u32; 2] = [10, 210];

/// Runs one case.
///
/// # Errors
///
/// If the names do not exist, or the case gives wrong results.
pub fn pass(section: &str, group: &str, case: &str, passes: u32) -> Result<()> {
    let section = sections(&[section.to_owned()])?.remove(0);
    let group = (section.groups)().into_iter().find(|known| known.name == group).context("no such group")?;
    let mut case = group.cases.into_iter().find(|known| known.name == case).context("no such case")?;
    (case.check)()?;
    for _ in 0..passes {
        (case.pass)();
    }
    Ok(())
}

/// Counts the instructions of our cases in these sections.
///
/// # Errors
///
/// If Valgrind is missing or fails.
pub fn count(sections: &[&'static Section]) -> Result<Counts> {
    let mut counts = Counts::new();
    for section in sections {
        for group in (section.groups)() {
            for case in group.cases.iter().filter(|case| is_counted(section, &group, case)) {
                let [few, many] = PASSES.map(|passes| total(section.name, group.name, case.name, passes));
                let each = (many? - few?) / f64::from(PASSES[1] - PASSES[0]) / IDS as f64;
                println!("{:>10.1}  {}, {}, {}", each, section.name, group.name, case.name);
                counts.insert([section.name, group.name, case.name].map(str::to_owned), each);
            }
        }
    }
    Ok(counts)
}

fn is_counted(section: &Section, group: &Group, case: &Case) -> bool {
    case.is_ours() && (section.repeats_exactly)(group.name, case.name)
}

fn total(section: &str, group: &str, case: &str, passes: u32) -> Result<f64> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["pass", section, group, case, &passes.to_string()])
        .output()
        .context("cannot run valgrind; scripts/setup.sh installs it")?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{section}, {group}, {case} failed under valgrind:\n{log}");
    let collected =
        log.lines().find_map(|line| line.split_once("Collected :").map(|(_, number)| number.trim()));
    collected.context("valgrind printed no count")?.parse().context("valgrind's count is not a number")
}

/// Replaces the recorded counts of the counted sections, and returns the counts of all sections.
///
/// # Errors
///
/// If the file cannot be read or written.
pub fn record(path: &Path, counts: &Counts) -> Result<Counts> {
    let mut all = if path.exists() { parse(path, &read(path)?)? } else { Counts::new() };
    all.retain(|[section, ..], _| !counts.keys().any(|[counted, ..]| counted == section));
    all.extend(counts.iter().map(|(key, &count)| (key.clone(), count)));
    let mut text = head();
    text.push_str("# section\tgroup\tcase\tinstructions per id; written by: make bench-record\n");
    for ([section, group, case], count) in &all {
        let _ = writeln!(text, "{section}\t{group}\t{case}\t{count:.1}");
    }
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    Ok(all)
}

/// Compares with the recorded counts. If another compiler or processor recorded them, differences are
/// printed, but are not errors.
///
/// # Errors
///
/// If a case takes more than 5 % more instructions, or is not recorded.
pub fn compare(path: &Path, counts: &Counts) -> Result<()> {
    let text = read(path)?;
    let faults = faults(&parse(path, &text)?, counts);
    if faults.is_empty() {
        println!("No case takes more than 5 % more instructions than recorded in {}.", path.display());
        return Ok(());
    }
    if !text.starts_with(&head()) {
        println!(
            "{}\nThese counts were recorded with another compiler or on another kind of processor, so the differences are not errors.",
            faults.join("\n")
        );
        return Ok(());
    }
    bail!("{}\nIf this is intended, run: make bench-record", faults.join("\n"))
}

/// The first line of a record: the compiler and the processor, on which the counts depend.
fn head() -> String {
    format!("# {}, {}\n", machine::compiler(), std::env::consts::ARCH)
}

fn faults(recorded: &Counts, counts: &Counts) -> Vec<String> {
    let fault = |(key, &count): (&[String; 3], &f64)| match recorded.get(key) {
        None => Some(format!("{} is not recorded ({count:.1} instructions)", key.join(", "))),
        // What a process does beside the passes varies by some thousand instructions.
        Some(&before) if count > before * TOLERATED_GROWTH + 0.5 => Some(format!(
            "{} takes {count:.1} instructions instead of {before:.1}: {:+.1} %",
            key.join(", "),
            100.0 * (count / before - 1.0)
        )),
        Some(_) => None,
    };
    counts.iter().filter_map(fault).collect()
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

fn parse(path: &Path, text: &str) -> Result<Counts> {
    let record = |line: &str| -> Option<([String; 3], f64)> {
        let [section, group, case, count] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        Some(([section, group, case].map(str::to_owned), count.parse().ok()?))
    };
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| record(line).with_context(|| format!("{}: not a record: \"{line}\"", path.display())))
        .collect()
}

/// The section of the report.
pub fn section(counts: &Counts) -> String {
    let mut text = String::from(
        "## Instructions\n\nThe table shows the instructions per id. Callgrind counted them, and they repeat \
         exactly. Valgrind does not support AVX-512, so the codecs use their AVX2 paths. `make bench-instructions` \
         compares the counts with `benches/instructions.tsv`, and fails if one has grown by more than 5 %.\n\n| operation | case | instructions |\n\
         |---|---|---:|\n",
    );
    for ([_, group, case], count) in counts {
        let _ = writeln!(text, "| {} | {case} | {count:.1} |", report::title(group));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(count: f64) -> Counts {
        Counts::from([(["s", "g", "idgen"].map(str::to_owned), count)])
    }

    #[test]
    fn growth_over_5_percent_and_unrecorded_cases_are_faults() {
        assert!(faults(&counts(100.0), &counts(105.0)).is_empty());
        assert!(faults(&counts(100.0), &counts(50.0)).is_empty());
        assert!(faults(&counts(100.0), &counts(106.0))[0].contains("+6.0 %"));
        assert!(faults(&Counts::new(), &counts(1.0))[0].contains("not recorded"));
    }

    #[test]
    fn records_are_read_back_and_other_sections_stay() {
        let path = std::env::temp_dir().join(format!("idgen-bench-{}.tsv", std::process::id()));
        record(&path, &counts(12.5)).unwrap();
        let other = Counts::from([(["t", "g", "idgen"].map(str::to_owned), 3.0)]);
        record(&path, &other).unwrap();
        let all = record(&path, &counts(13.0)).unwrap();
        let found = parse(&path, &read(&path).unwrap()).unwrap();
        assert_eq!(found, all);
        assert_eq!(found.values().copied().collect::<Vec<_>>(), [13.0, 3.0]);
        assert!(compare(&path, &counts(20.0)).is_err());
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("# rustc", "# another rustc", 1)).unwrap();
        assert!(compare(&path, &counts(20.0)).is_ok());
        std::fs::remove_file(path).unwrap();
    }
}
