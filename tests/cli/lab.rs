//! `idgen lab`, on the embedded engine.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{failure, idgen, lines, output};

#[test]
fn a_small_comparison_writes_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("here").to_str().unwrap().to_owned();
    let load = ["--rows", "3000", "--strategies", "v7-binary,v4-binary", "--out", &out];
    let printed = output(&[&["lab", "--json"], &load[..]].concat(), "");
    let saved = std::fs::read(format!("{out}/results.json")).unwrap();
    assert_eq!(String::from_utf8(printed).unwrap(), String::from_utf8(saved.clone()).unwrap());
    // An eighth of the table would be less than the smallest cache that the lab gives SQLite.
    let results: serde_json::Value = serde_json::from_slice(&saved).unwrap();
    assert_eq!(results["workload"]["cache_bytes"], 16 * 16_384);
    assert_eq!(results["runs"][0]["settings"]["cache_size"], "16");
    let page = std::fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(page.contains("idgen lab run --engine sqlite --rows 3000 --strategies v7-binary,v4-binary"));
    // Three runs of each, and a line for each.
    assert_eq!(results["runs"][1]["repeats"].as_array().unwrap().len(), 3);
    assert_eq!(std::fs::read_to_string(format!("{out}/results.csv")).unwrap().lines().count(), 7);
    let text = std::fs::read_to_string(format!("{out}/report.md")).unwrap();
    let charts: Vec<_> = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).collect();
    assert_eq!(charts.len(), 9, "{text}");
    for (chart, _) in charts {
        assert!(std::fs::read_to_string(format!("{out}/{chart}")).unwrap().contains("<svg"), "{chart}");
    }

    let text = lines(&[&["lab", "run"], &load[..]].concat());
    assert!(text.iter().all(|line| line.chars().count() <= 100), "{text:#?}");
    assert!(text.iter().any(|line| line.contains("v4, binary 16")), "{text:#?}");
}

/// Options set rows, cache, seed and rate, and a note warns if one prefix needs more than the cache.
#[test]
fn options_set_the_load() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let load = "--rows 4000 --payload 10 --pool 262144 --seed 7 --interval 600 --rate 20.5";
    let args: Vec<&str> =
        format!("lab run {load} --strategies minute-random --json --out {out}").leak().split(' ').collect();
    let done = idgen(&args).assert().success();
    let results: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let workload = &results["workload"];
    for (field, value) in [
        ("payload_bytes", 10),
        ("cache_bytes", 262_144),
        ("seed", 7),
        ("interval_secs", 600),
        ("rows", 4_000),
    ] {
        assert_eq!(workload[field], value, "{field}");
    }
    assert_eq!(workload["rate"], 20.5);
    let command = results["command"].as_str().unwrap();
    assert_eq!(
        command,
        "idgen lab run --engine sqlite --rows 4000 --payload 10 --pool 262144 --seed 7 --interval 600 --rate 20.5 \
         --strategies minute-random"
    );
    // 4,000 rows of 34 bytes.
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        said.starts_with("note: The table fits in the cache of 256.0 KiB") && said.lines().count() == 1,
        "{said}"
    );
    let args: Vec<&str> = args.iter().map(|arg| if *arg == "10" { "200" } else { arg }).collect();
    let done = idgen(&args).assert().success();
    let note = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        note.contains("a prefix of minute-random holds about 4,000 rows") && note.contains("outgrows"),
        "{note}"
    );
}

/// The simulated clock sets the pace of the inserts too: 1,000 rows are due before the second thousand begins.
#[test]
fn a_paced_run_follows_the_simulated_clock() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let began = Instant::now();
    lines(&["lab", "--rows", "3000", "--rate", "1000", "--paced", "--strategies", "v7-binary", "--out", out]);
    assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
}

#[test]
fn an_experiment_has_a_directory_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let text =
        lines(&["lab", "run", "device-ids", "--scale", "ci", "--repeat", "1", "--out", out]).join("\n");
    assert!(text.contains("the spread is not known"), "{text}");
    assert!(text.contains("13.7"), "the published figure is missing:\n{text}");
    // The report says how this run differs from the published one.
    let flat = text.replace('\n', " ");
    let differs = "200,000 rows, whereas 1,000,000 were published; a cache of 8 MiB instead of 128.";
    assert!(flat.contains(differs) && flat.contains("Only a server that the lab starts itself"), "{text}");
    // A strategy that the embedded engine cannot run is left out, which is not a failure.
    assert!(flat.contains("Left out: SQLite cannot run uuid-short"), "{text}");
    assert!(directory.path().join("device-ids/report.html").is_file());
}

#[test]
fn a_part_of_an_experiment_runs_alone() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let part =
        ["lab", "run", "device-ids", "--scale", "ci", "--strategies", "v7-binary,device", "--out", out];
    lines(&part);
    let saved = std::fs::read(directory.path().join("device-ids/results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_slice(&saved).unwrap();
    let runs = results["runs"].as_array().unwrap();
    let names: Vec<_> = runs.iter().map(|run| run["strategy"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["v7-binary", "device"]);
    let page = std::fs::read_to_string(directory.path().join("device-ids/report.md")).unwrap();
    assert!(page.contains("--scale ci --strategies v7-binary,device"), "{page}");
}

#[test]
fn the_list_explains_strategies_and_experiments() {
    let text = lines(&["lab", "list"]);
    for name in ["auto-increment", "v4-text36", "minute-ascending", "mapped", "uuid-order"] {
        assert!(text.iter().any(|line| line.contains(name)), "{name}");
    }
    assert!(text.iter().all(|line| line.chars().count() <= 100), "{text:#?}");
}

#[test]
fn invalid_options_are_refused_before_a_run() {
    for (arguments, says) in [
        (&["lab", "--rows", "10"][..], "from 1000"),
        (&["lab", "--rows", "-1"], "'-1' is not a whole number such as 500, 1_000_000, 20K"),
        (&["lab", "--rows", "9K", "--strategies", "v5"], "no strategy \"v5\""),
        (&["lab", "--strategies", "v7-binary,v4-binary,v7-binary"], "v7-binary twice"),
        (&["lab", "--strategies", "v5"], "no strategy \"v5\""),
        (&["lab", "--strategies", "v7-binary,v7-uuid"], "SQLite cannot run v7-uuid"),
        (&["lab", "--strategies", "v7-uuid", "--engine", "mysql"], "MySQL cannot run v7-uuid"),
        (&["lab", "--writers", "2"], "one writer at a time, not 2"),
        (&["lab", "--delay", "1"], "does not apply to one writer"),
        (&["lab", "--delay", "soon"], "'soon' is not a delay: give milliseconds"),
        (&["lab", "--engine", "mysql", "--rate", "1", "--paced", "--delay", "1"], "--delay"),
        (&["lab", "--strict"], "--strict does not apply to sqlite, which only the lab uses"),
        (&["lab", "--payload", "-1"], "'-1' is not a whole number from 0 to 7000"),
        (&["lab", "--rate", "0"], "'0' is not a rate: give inserts per second, from 0.001"),
        (&["lab", "--rate", "NaN"], "'NaN' is not a rate"),
        (&["lab", "--rate", "5", "--prefixes", "3"], "cannot be used with '--prefixes <N>'"),
        (&["lab", "--paced"], "--rate <N>"),
        (&["lab", "--repeat", "0"], "'0' is not a whole number from 1 to 50"),
        (
            &["lab", "run", "auto-increment", "--repeat", "2", "--engine", "mysql"],
            "defines its own number of runs",
        ),
        (&["lab", "--pool", "8.5M"], "'8.5M' is not a whole number"),
        (&["lab", "--statement-rows", "5"], "--statement-rows 5 does not apply to SQLite"),
        (&["lab", "--statement-rows", "0"], "'0' is not a whole number from 1 to 1000"),
        (&["lab", "--pool", "8M", "--engine", "mysql://me:secret@127.0.0.1:1"], "keeps its own buffer pool"),
        (&["lab", "run", "uuid-order", "--payload", "9"], "cannot be used with"),
        (&["lab", "--writers", "65", "--engine", "mysql"], "from 1 to 64"),
        (&["lab", "run", "uuid-order", "--writers", "0", "--engine", "mysql"], "from 1 to 64"),
        (
            &["lab", "run", "uuid-order", "--strategies", "device"],
            "uuid-order has no strategy device: choose from v4",
        ),
        (&["lab", "run", "rebuild", "--strategies", "device"], "rebuild has no strategies"),
        (&["lab", "run", "rebuild"], "rebuild needs a MySQL or MariaDB server that the lab starts itself"),
        (&["lab", "run", "rebuild", "--engine", "postgres"], "rebuild needs a MySQL or MariaDB server"),
        (
            &["lab", "run", "storage-amplification"],
            "storage-amplification needs a MySQL, MariaDB or PostgreSQL server that the lab starts itself",
        ),
        (
            &["lab", "run", "storage-amplification", "--engine", "postgres://me:secret@127.0.0.1:1"],
            "It cannot run on postgres://me:***@127.0.0.1:1: choose --engine mysql, mariadb or postgres",
        ),
        (&["lab", "--engine", "postgres", "--strategies", "v4-uuid"], "choose v4-binary"),
        (&["lab", "--existing", "v4:20K", "--strategies", "device"], "its column takes 64-bit integers"),
        (&["lab", "--existing", "v4"], "v4-binary:1M"),
        (&["lab", "run", "--schema", "schema.sql"], "--insert <FILE>"),
        (&["lab", "--schema", "a", "--insert", "b", "--payload", "5"], "cannot be used with"),
        (&["lab", "--secondary-indexes", "17"], "'17' is not a whole number from 1 to 16"),
        (&["lab", "--secondary-indexes", "1", "--strategies", "mapped"], "does not fit a table of your own"),
        (
            &["lab", "--secondary-indexes", "1", "--strategies", "auto-increment"],
            "SQLite cannot run auto-increment with --secondary-indexes",
        ),
        (&["lab", "run", "uuid-order", "--secondary-indexes", "2"], "cannot be used with"),
        (&["lab", "--seed", "abc"], "'abc' is not a whole number from 0 to"),
        (&["lab", "--prefixes", "0"], "'0' is not a whole number from 1 to"),
        (&["lab", "--interval", "-60"], "'-60' is not a whole number from 1 to"),
        (&["lab", "--writers", "-1"], "'-1' is not a whole number from 0 to"),
        (&["lab", "--serializable"], "choose --engine postgres"),
        (&["lab", "run", "wal-volume", "--checkpoint", "60"], "does not apply to sqlite"),
        (&["lab", "run", "rebuild", "--checkpoint", "60", "--engine", "mysql"], "leave it out"),
        (&["lab", "--checkpoint", "60"], "does not apply to sqlite"),
        // These are refused without contacting a server; there is none at this address.
        (
            &["lab", "run", "device-ids", "partitions", "--engine", "mysql://me:secret@127.0.0.1:1"],
            "files of the server. It cannot run on mysql://me:***@127.0.0.1:1",
        ),
        (&["lab", "run", "rebuild", "--writers", "0", "--engine", "mysql"], "leave out --writers"),
        (&["lab", "run", "all", "--writers", "8", "--engine", "mysql"], "leave out --writers"),
        (&["lab", "run", "all", "--engine", "msyql"], "there is no such engine \"msyql\": choose sqlite"),
        (&["lab", "--existing", "v4:0"], "'v4:0' has no rows: give at least one"),
        (&["lab", "simulate", "v7-binary", "--existing", "v4-binary:0"], "has no rows"),
        (&["lab", "--pool", "999999G"], "more than the memory of this machine"),
        (&["lab", "--mix", "0/100/0/0/0", "--existing", "v4:1K"], "have no inserts"),
        (&["lab", "--strategies", "v4-binry"], "did you mean v4-binary"),
        (&["lab", "run", "uuid-ordr"], "did you mean uuid-order"),
        (&["lab", "simulate", "v7-binary", "--picture", "reads.png"], "the name must end in .svg"),
        (&["lab", "compare", "a", "b", "--picture", "course.png"], "the name must end in .svg"),
        (&["lab", "run", "all", "rebuild"], "all stands for every experiment"),
        (&["lab", "simulate", "v4-binary", "--iops", "0"], "'0' is not a whole number from 1 to"),
        (&["lab", "advise", "--rows", "-5"], "'-5' is not a whole number"),
        (&["lab", "advise", "--rate", "1e12"], "'1e12' is not a rate: give inserts per second, from 0.001"),
        (&["lab", "advise", "--rate", "NaN"], "'NaN' is not a rate"),
        (&["lab", "advise", "--rate", "0"], "'0' is not a rate"),
        (&["lab", "advise", "--rate", "inf"], "'inf' is not a rate"),
        (
            &["lab", "advise", "--rate", "fast"],
            "'fast' is not a rate: give inserts per second, from 0.001 to 10000000",
        ),
        (&["lab", "simulate", "v4-binary", "--rates", "1,,60"], "'' is not a rate"),
        // Before the first rate is predicted.
        (&["lab", "simulate", "v4-binary", "--rows", "2G", "--rates", "1,1e99"], "'1e99' is not a rate"),
        (
            &["lab", "advise", "--pool", "0"],
            "a buffer pool of 0 bytes, which hold 0 pages: give at least 64 pages, such as 2M",
        ),
        (&["lab", "advise", "--rows", "0"], "from 1000 to"),
        (&["lab", "advise", "--writers", "0"], "from 1 to 10000"),
        (&["lab", "advise", "--row-bytes", "-1"], "'-1' is not a whole number from 0 to"),
        (&["lab", "advise", "--row-bytes", "70000"], "bytes"),
        (&["lab", "advise", "--iops", "-1"], "'-1' is not a whole number from 1 to"),
        (&["lab", "advise", "--engine", "postgres", "--rate", "NaN"], "rate"),
        (&["lab", "advise", "--engine", "postgres", "--writers", "0"], "writers"),
        (&["lab", "simulate", "v4-binary", "--engine", "postgres", "--rate", "-1"], "rate"),
        (&["lab", "simulate", "v4-binary", "--row-bytes", "4000000000"], "bytes"),
        (&["lab", "simulate"], "<STRATEGY>"),
        (&["lab", "simulate", "v4-uuid"], "MySQL cannot run v4-uuid"),
        (
            &["lab", "simulate", "v4-binary", "--pool", "1"],
            "a buffer pool of 1 bytes, which hold 0 pages: give at least 64 pages, such as 2M",
        ),
        (&["lab", "run", "uuid-order", "--growth", "2"], "begins with an empty table"),
        (&["lab", "run", "switch", "--growth", "0"], "'0' is not a whole number from 1 to 100"),
        (&["lab", "run", "--growth", "2"], "EXPERIMENT"),
        (&["lab", "run", "serializable"], "choose --engine postgres"),
        (&["lab", "run", "uuid-odor"], "no experiment \"uuid-odor\""),
        (&["lab", "run", "uuid-order", "--rows", "2000"], "--rows"),
        (&["lab", "--quick", "--rows", "2000"], "--rows"),
    ] {
        let (code, error) = failure(arguments, "");
        assert_eq!((code, error.contains(says)), (2, true), "{arguments:?}: {error}");
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let (code, error) = failure(&["lab", "--rows", "1000", "--out", file.path().to_str().unwrap()], "");
    assert_eq!((code, error.contains("cannot make the directory")), (1, true), "{error}");
}

/// IDGEN_MYSQL_URL names a server for tests, which has other settings than the lab needs. The lab says so before it
/// connects.
#[test]
fn a_server_for_tests_is_not_measured() {
    let out = tempfile::tempdir().unwrap();
    let run = |experiments: &[&str]| {
        let mut command = super::idgen(&["lab", "run"]);
        command.args(experiments).args(["--engine", "mysql", "--scale", "ci", "--out"]).arg(out.path());
        let done = command.env("IDGEN_MYSQL_URL", "mysql://me:secret@127.0.0.1:1").assert().failure().code(1);
        String::from_utf8(done.get_output().stderr.clone()).unwrap()
    };
    let said = run(&["uuid-order"]);
    assert!(
        said.contains("IDGEN_MYSQL_URL names a MySQL server: unset it") && !said.contains("secret"),
        "{said}"
    );
    // If one experiment cannot begin, the next one is still tried.
    let said = run(&["uuid-order", "device-ids"]);
    assert!(said.contains("error: uuid-order: ") && said.contains("error: device-ids: "), "{said}");
}

#[test]
fn all_names_the_experiments_that_it_leaves_out() {
    let (code, said) = failure(&["lab", "run", "all", "--engine", "mysql://me:secret@127.0.0.1:1"], "");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("note: mysql://me:***@127.0.0.1:1 cannot run key-comparison, "), "{said}");
    assert!(
        said.contains("myisam-key-cache: they need a MySQL or MariaDB server of the lab's own"),
        "{said}"
    );
    assert!(said.contains("cannot run serializable: it is for another database"), "{said}");
    assert!(said.contains("no server at mysql://me:***@127.0.0.1:1"), "{said}");
}

/// The keys of this many rows do not fit in memory. The error says so, and the results of an earlier run
/// stay.
#[cfg(target_os = "linux")]
#[test]
fn rows_without_memory_are_refused_and_nothing_is_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("results.json");
    std::fs::write(&file, "of the run before").unwrap();
    let done = Command::new("sh")
        .args(["-c", "ulimit -v 8000000; exec \"$@\"", "sh"])
        .arg(assert_cmd::cargo::cargo_bin!("idgen"))
        .args(["lab", "--rows", "4294967295", "--strategies", "v7-binary,v4-binary", "--out"])
        .arg(directory.path())
        .output()
        .unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{error}");
    assert!(error.contains("keys of 4294967295 rows") && error.contains("fewer rows"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "of the run before");
    assert_eq!(directory.path().read_dir().unwrap().count(), 1, "the trial file is gone");
}

/// After Ctrl-C, the results of the finished strategy are kept, and the exit code is 130.
#[cfg(unix)]
#[test]
fn an_interrupted_comparison_keeps_what_was_finished() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
    command.args(["lab", "--rows", "400000", "--strategies", "auto-increment,v4-text36,v4-binary"]);
    let mut child = command
        .arg("--out")
        .arg(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let saved = || {
        let text = std::fs::read_to_string(directory.path().join("results.json")).unwrap_or_default();
        serde_json::from_str::<serde_json::Value>(&text)
            .map_or(0, |all| all["runs"].as_array().unwrap().len())
    };
    let begin = Instant::now();
    while saved() == 0 {
        assert!(begin.elapsed() < Duration::from_secs(300), "no strategy was finished");
        std::thread::sleep(Duration::from_millis(20));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!((1..3).contains(&saved()));
    assert!(
        std::fs::read_to_string(directory.path().join("report.html")).unwrap().contains("were interrupted")
    );
}

/// A closed terminal ends a run as Ctrl-C does, but not a run under `nohup`.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_ends_a_run_unless_the_signal_is_ignored() {
    for (wrapper, rows, code, finished) in
        [("env --default-signal=HUP", "400000", 130, 1), ("nohup", "60000", 0, 2)]
    {
        let directory = tempfile::tempdir().unwrap();
        let saved = || {
            let text = std::fs::read_to_string(directory.path().join("results.json")).unwrap_or_default();
            serde_json::from_str::<serde_json::Value>(&text)
                .map_or(0, |all| all["runs"].as_array().unwrap().len())
        };
        let mut command = wrapper.split(' ');
        let mut child = Command::new(command.next().unwrap())
            .args(command)
            .arg(assert_cmd::cargo::cargo_bin!("idgen"))
            .args(["lab", "--rows", rows, "--strategies", "auto-increment,v4-text36", "--out"])
            .arg(directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        while saved() == 0 {
            assert!(begin.elapsed() < Duration::from_secs(300), "no strategy was finished");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
        assert_eq!((child.wait().unwrap().code(), saved()), (Some(code), finished), "{wrapper}");
    }
}
