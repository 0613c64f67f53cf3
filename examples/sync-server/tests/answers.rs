//! A device keeps its changes and sends less, whoever gives a bad answer. No database server is needed.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use flate2::read::GzDecoder;
use idgen_sync_server::device::Device;
use serde_json::{Value, json};

const TOKEN: &str = "a token of the test";

/// A server that gives these answers, one for each request, and the numbers of changes that it was sent.
fn canned(answers: Vec<(u16, String)>) -> (String, thread::JoinHandle<Vec<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = move || {
        let mut sent = Vec::new();
        for (status, text) in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let (name, value) = line.split_once(':').unwrap_or((line.trim(), ""));
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut packed = vec![0; length];
            reader.read_exact(&mut packed).unwrap();
            let batch: Value = serde_json::from_reader(GzDecoder::new(&packed[..])).unwrap();
            sent.push(batch["changes"].as_array().unwrap().len());
            let head = format!(
                "HTTP/1.1 {status} of a test\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                text.len()
            );
            reader.into_inner().write_all(format!("{head}{text}").as_bytes()).unwrap();
        }
        sent
    };
    (url, thread::spawn(serve))
}

/// A device sends less after an answer that says so, whoever gives it, and loses no change because of an answer that cannot be right.
#[test]
fn a_device_keeps_its_changes_whatever_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut device = Device::open(&folder.path().join("kept.sqlite")).unwrap();
    for at in 0..16 {
        device.add_list(&at.to_string()).unwrap();
    }
    let failure = |changes: usize, bytes: usize| {
        json!({ "error": "x", "limits": { "changes": changes, "bytes": bytes } }).to_string()
    };
    let answered = |outcomes: usize, changes: usize, bytes: usize| {
        let outcomes = vec![json!({ "outcome": "applied" }); outcomes];
        json!({ "outcomes": outcomes, "ids": {}, "limits": { "changes": changes, "bytes": bytes } })
            .to_string()
    };
    let html = "<html>413 Request Entity Too Large</html>".to_owned();
    let answers = vec![
        (503, failure(12, 1 << 20)),
        (503, "<html>upstream timed out</html>".to_owned()),
        (200, answered(3, 1_000, 1 << 20)),
        // One half at a time, again.
        (200, answered(4, 1_000, 1 << 20)),
        (413, html.clone()),
        (413, failure(0, 0)),
        (200, answered(2, 0, 0)),
        (413, failure(1, 10)),
        (413, html),
        (200, answered(1, 1_000, 1 << 20)),
    ];
    let (url, server) = canned(answers);
    let mut sends = || device.send(&url, TOKEN).map_err(|error| error.to_string());
    assert!(sends().unwrap_err().contains("503"));
    assert!(sends().unwrap_err().contains("503"));
    assert!(sends().unwrap_err().contains("4 changes with 3 outcomes"));
    assert_eq!([(); 4].map(|()| sends()), [Ok(true), Ok(true), Ok(true), Ok(true)]);
    assert_eq!(sends(), Ok(true));
    assert!(sends().unwrap_err().contains("does not take a change of"));
    assert_eq!(sends(), Ok(true));
    assert_eq!(server.join().unwrap(), [16, 8, 4, 4, 8, 4, 2, 2, 1, 1]);
    assert_eq!(device.left().unwrap(), (9, Vec::new()));
}
