//! The speed in a user's program: the benchmark as a package of its own, created in a temporary folder as `cargo new`
//! creates it. It has the default release profile (no link-time optimization, 16 codegen units) and the default features
//! of the library.

pub mod operations;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::machine;
use operations::{EFFORT, OPERATIONS};

/// The files of this crate that the package consists of, beside [`MAIN`].
const FILES: [&str; 11] = [
    "case.rs",
    "codecs.rs",
    "codecs/base32.rs",
    "codecs/base64.rs",
    "codecs/hyphenated.rs",
    "codecs/simple.rs",
    "codecs/swapped.rs",
    "codecs/v4_text.rs",
    "making.rs",
    "runner.rs",
    "untouched/operations.rs",
];

const MAIN: &str = "#![allow(dead_code)]
mod case;
mod codecs;
mod making;
mod runner;
#[path = \"untouched/operations.rs\"]
mod operations;

fn main() -> anyhow::Result<()> {
    operations::run()
}
";

/// The dependencies of the package, as `benches/Cargo.toml` states them.
const PEERS: [&str; 10] = [
    "anyhow",
    "base64",
    "base64-simd",
    "base64-turbo",
    "const-hex",
    "faster-hex",
    "hex-simd",
    "ulid",
    "uuid",
    "uuid-simd",
];

/// What the table does not say by itself.
const NOTES: &str = "\n\
    Ratios in bold miss their target. `mysql_short` may take at most 1.1 times as long as a bare `fetch_add`, which \
    is a part of it, so its target is 0.91x.\n\n\
    The times of single hexadecimal texts depend on where the linker places the loops: \
    [ten builds](#single-hexadecimal-texts-before-and-after-2026-11-25) show how much.\n";

/// One operation on one processor.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    processor: String,
    /// Day, compiler and load.
    run: String,
    operation: String,
    /// Nanoseconds of our case; empty if unknown. The figures are text because some of them were measured elsewhere.
    ours: String,
    peer: String,
    theirs: String,
    ratio: String,
}

/// Builds the package, runs it, and records the results of this processor. Returns the section of the report.
///
/// # Errors
///
/// A package that cannot be built, a case that gives a wrong result, or a record that cannot be read or written.
pub fn section(recorded: &Path) -> Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("benches has a parent folder")?;
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    write_package(root, folder.path())?;
    let program = build(root, folder.path())?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default().to_owned();
    let output = Command::new(&program).output().context("cannot start the benchmark")?;
    ensure!(
        output.status.success(),
        "the benchmark failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let run = format!("{}, {}, load {load} before the run", machine::day(), machine::compiler());
    let new = parse(&String::from_utf8_lossy(&output.stdout), &machine::processor(), &run)?;
    let old = match std::fs::read_to_string(recorded) {
        Ok(text) => read(&text)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", recorded.display())),
    };
    let rows = replace(old, new);
    std::fs::write(recorded, write(&rows)).with_context(|| format!("cannot write {}", recorded.display()))?;
    Ok(report(&rows))
}

fn write_package(root: &Path, folder: &Path) -> Result<()> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let manifest =
        manifest(root, &read(&root.join("benches/Cargo.toml"))?, &read(&root.join("Cargo.toml"))?)?;
    let source = folder.join("src");
    for sub in ["codecs", "untouched"] {
        std::fs::create_dir_all(source.join(sub)).context("cannot create the package")?;
    }
    std::fs::write(folder.join("Cargo.toml"), manifest).context("cannot write the package")?;
    std::fs::write(source.join("main.rs"), MAIN).context("cannot write the package")?;
    // The same versions of the peers in every run.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("cannot copy Cargo.lock")?;
    for file in FILES {
        std::fs::copy(root.join("benches/src").join(file), source.join(file))
            .with_context(|| format!("cannot copy benches/src/{file}"))?;
    }
    Ok(())
}

/// A package without a profile, whose versions are those of the workspace.
fn manifest(root: &Path, benches: &str, workspace: &str) -> Result<String> {
    let mut text =
        "[package]\nname = \"untouched\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n"
            .to_owned();
    let library = root.join("crates/idgen");
    let _ =
        writeln!(text, "idgen = {{ package = \"idgen-keys\", path = {:?} }}", library.display().to_string());
    for peer in PEERS {
        let is_peer =
            |line: &&str| line.starts_with(&format!("{peer} =")) || line.starts_with(&format!("{peer}."));
        let line = benches.lines().find(is_peer);
        let line = line.with_context(|| format!("benches/Cargo.toml does not name {peer}"))?;
        let _ = writeln!(text, "{line}");
    }
    let versions = workspace.split("[workspace.dependencies]\n").nth(1);
    let versions =
        versions.and_then(|text| text.split("\n[").next()).context("Cargo.toml states no versions")?;
    // The packages of this repository are not needed.
    let versions = versions.lines().filter(|line| !line.contains("path ="));
    let _ = write!(text, "\n[workspace.dependencies]\n{}\n", versions.collect::<Vec<_>>().join("\n"));
    Ok(text)
}

fn build(root: &Path, folder: &Path) -> Result<std::path::PathBuf> {
    let target = root.join("target/untouched");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Settings of this process would be others than a user's.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.contains("RUSTFLAGS")
            || text.starts_with("CARGO_PROFILE_")
            || text.starts_with("CARGO_BUILD_")
        {
            cargo.env_remove(&name);
        }
    }
    let status = cargo
        .args(["build", "--release", "--quiet", "--target-dir"])
        .arg(&target)
        .current_dir(folder)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the package could not be built");
    Ok(target.join("release").join(format!("untouched{}", std::env::consts::EXE_SUFFIX)))
}

fn parse(output: &str, processor: &str, run: &str) -> Result<Vec<Row>> {
    output
        .lines()
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [operation, ours, peer, theirs, ratio] => Ok(Row {
                processor: processor.to_owned(),
                run: run.to_owned(),
                operation: operation.to_owned(),
                ours: ours.to_owned(),
                peer: peer.to_owned(),
                theirs: theirs.to_owned(),
                ratio: ratio.to_owned(),
            }),
            _ => bail!("the benchmark printed a line that is not a result: {line:?}"),
        })
        .collect()
}

fn read(text: &str) -> Result<Vec<Row>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| match line.splitn(3, '\t').collect::<Vec<_>>()[..] {
            [processor, run, result] => {
                parse(result, processor, run)?.pop().context("a line without a result")
            }
            _ => bail!("the record has a line with fewer than seven fields: {line:?}"),
        })
        .collect()
}

fn write(rows: &[Row]) -> String {
    let mut text =
        "# processor\trun\toperation\tidgen ns\tfastest peer\tits ns\tits time as a multiple of idgen's; \
                    written by: make bench-speed\n"
            .to_owned();
    for Row { processor, run, operation, ours, peer, theirs, ratio } in rows {
        let _ = writeln!(text, "{processor}\t{run}\t{operation}\t{ours}\t{peer}\t{theirs}\t{ratio}");
    }
    text
}

/// The new rows take the place of those of the same processor.
fn replace(old: Vec<Row>, new: Vec<Row>) -> Vec<Row> {
    let others = old.into_iter().filter(|row| new.iter().all(|new| new.processor != row.processor));
    let others: Vec<_> = others.collect();
    new.into_iter().chain(others).collect()
}

fn report(rows: &[Row]) -> String {
    let mut processors: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if processors.iter().all(|(known, _)| *known != row.processor) {
            processors.push((&row.processor, &row.run));
        }
    }
    let mut text = format!(
        "## What a user gets\n\nThe benchmark runs here as a package of its own, in a temporary folder, as `cargo new` makes it. The \
         package depends on the library, with its default features, and on the peers. It is compiled with the \
         default release profile (no link-time optimization, 16 codegen units). In each of {} rounds, idgen and the \
         peers take turns of {} µs. A cell shows how many times as long as idgen the fastest peer took, as the \
         median over the rounds. In brackets are the nanoseconds of idgen, the peer and its nanoseconds, as far as \
         they are known. A *batch* is one call for 1,024 ids. `make bench-speed` runs `cargo run --release -p \
         idgen-bench -- untouched --write docs/speed.md`, replaces the column of its processor, and keeps the others \
         in `benches/untouched.tsv`.\n\n",
        EFFORT.rounds,
        EFFORT.turn.as_micros(),
    );
    for (index, (processor, run)) in processors.iter().enumerate() {
        let _ = writeln!(text, "{}. {processor}: {run}", index + 1);
    }
    text.push_str("\n| operation | target |");
    (1..=processors.len()).for_each(|column| {
        let _ = write!(text, " processor {column} |");
    });
    let _ = write!(text, "\n|---|---:|{}\n", "---:|".repeat(processors.len()));
    for operation in &OPERATIONS {
        let _ = write!(text, "| {} | {} |", operation.name, ratio_text(operation.times));
        for (processor, _) in &processors {
            let row = rows.iter().find(|row| row.processor == *processor && row.operation == operation.name);
            let _ = write!(text, " {} |", row.map_or_else(String::new, |row| cell(row, operation.times)));
        }
        text.push('\n');
    }
    text.push_str(NOTES);
    text
}

fn ratio_text(times: f64) -> String {
    if times >= 10.0 { format!("{times:.0}x") } else { format!("{times:.2}x") }
}

fn cell(row: &Row, target: f64) -> String {
    let ratio = match row.ratio.parse::<f64>() {
        // As the reader of the table compares them.
        Ok(ratio) if ratio < (target * 100.0).floor() / 100.0 => format!("**{}x**", row.ratio),
        _ => format!("{}x", row.ratio),
    };
    let peer = format!("{} {}", row.peer, row.theirs);
    let known: Vec<_> =
        [row.ours.as_str(), peer.trim()].into_iter().filter(|text| !text.is_empty()).collect();
    format!("{ratio} ({})", known.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(processor: &str, ratio: &str) -> Row {
        let line = format!("v4\t1.00\tpeer\t2.00\t{ratio}");
        parse(&line, processor, "a day").unwrap().remove(0)
    }

    #[test]
    fn a_run_replaces_the_rows_of_its_processor_only() {
        let rows = replace(vec![row("a", "1.00"), row("b", "2.00")], vec![row("a", "3.00")]);
        assert_eq!(rows, [row("a", "3.00"), row("b", "2.00")]);
        assert_eq!(read(&write(&rows)).unwrap(), rows);
    }

    #[test]
    fn a_missed_target_is_bold() {
        let text = report(&[row("a", "3.99"), row("b", "4.00")]);
        assert!(
            text.contains("| v4 | 4.00x | **3.99x** (1.00; peer 2.00) | 4.00x (1.00; peer 2.00) |"),
            "{text}"
        );
    }

    /// A user's package has no profile, and the library there has its default features.
    #[test]
    fn the_package_is_as_cargo_new_makes_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = tempfile::tempdir().unwrap();
        write_package(root, folder.path()).unwrap();
        let manifest = std::fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("profile"), "{manifest}");
        let library = manifest.lines().find(|line| line.starts_with("idgen =")).unwrap();
        assert!(library.contains("path") && !library.contains("features"), "{library}");
    }
}
