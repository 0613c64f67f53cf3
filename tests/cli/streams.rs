//! Pipes that close early, full disks, and memory that does not grow.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

fn binary() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("idgen"))
}

#[test]
fn a_closed_pipe_ends_the_command_without_an_error() {
    let endless = u64::MAX.to_string();
    for args in [
        &["new", "v7", "-n", &endless][..],
        &["new", "v4", "-n", &endless, "--json"],
        &["new", "short", "-n", "9999999", "--at", "2026-11-21T12:00:00Z"],
        &["new", "v1", "-n", &endless, "-f", "binary"],
    ] {
        let mut child = binary().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 16];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let done = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{args:?}");
        assert_eq!(done.status.code(), Some(0), "{args:?}");
    }
}

/// `idgen convert 2>&1 | head`: errors about bad lines go to the closed pipe, and no output would ever notice that.
#[cfg(unix)]
#[test]
fn a_closed_pipe_of_output_and_errors_ends_the_command() {
    for args in [&["convert", "--to", "simple"][..], &["inspect"]] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut child = binary()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let feeder = std::thread::spawn(move || while stdin.write_all(b"bad\n").is_ok() {});
        reader.read_exact(&mut [0; 16]).unwrap();
        drop(reader);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
        feeder.join().unwrap();
    }
}

/// The output matters more than the reports: `2> >(head)` does not end the conversion.
#[test]
fn closed_errors_alone_do_not_end_the_command() {
    let mut child = binary()
        .args(["convert", "--to", "simple"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"bad\nbad\n6ccd780c-baba-1026-9564-5b8c656024db\n").unwrap();
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "6ccd780cbaba102695645b8c656024db\n");
    assert_eq!(done.status.code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for args in [
        &["new", "v7"][..],
        &["odds", "v4", "--devices", "1", "--rate", "1", "--years", "1"],
        &["--help"],
        &["check", "--help"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let done = binary().args(args).stdout(full).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{args:?}");
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(error.starts_with("error: cannot write to standard output: "), "{error}");
    }
}

/// The output is larger than all the memory that the process may have for its data.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_output() {
    let program = assert_cmd::cargo::cargo_bin!("idgen");
    let limited = |script: &str| {
        let done = Command::new("sh")
            .args(["-c", &format!("ulimit -d 16384; {script}"), "sh"])
            .arg(program)
            .output()
            .unwrap();
        (
            done.status.success(),
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        )
    };
    let (ok, count, errors) = limited("\"$1\" new v4 -n 400000 -f urn | wc -c");
    assert_eq!((ok, count.trim(), &*errors), (true, "18400000", ""));
    let (ok, count, errors) = limited("\"$1\" new v4 -n 400000 | \"$1\" convert --to urn | wc -c");
    assert_eq!((ok, count.trim(), &*errors), (true, "18400000", ""));
    // The limit works: an allocation of this size fails.
    let (ok, ..) = limited("dd if=/dev/zero of=/dev/null bs=18400000 count=1");
    assert!(!ok);
}

/// The result of a line is written before the next line is read, even into a pipe.
#[test]
fn convert_answers_before_it_waits() {
    let mut child = binary()
        .args(["convert", "--to", "int"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (sender, answers) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            sender.send(line.unwrap()).unwrap();
        }
    });
    for number in 1..=5u128 {
        writeln!(stdin, "{:032x}", number << 64).unwrap();
        // The time limit only ends a test that hangs.
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(answer, (number << 64).to_string());
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
