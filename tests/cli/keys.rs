//! Key files and other text files, with what editors add to them.

use crate::{failure, lines};

const ID: &str = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
const RING: &str = "idgen seal ring\nbegin the-first-secret-of-at-least-16-bytes\n2027-01-01T00:00:00Z the-secret-for-ids-from-2027-on\n";

fn utf_16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_file_that_is_nearly_a_ring_is_not_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring");
    let key = path.to_str().unwrap();
    std::fs::write(&path, RING).unwrap();
    let sealed = lines(&["convert", "--seal", key, "-t", "hyphenated", ID]);
    assert_eq!(lines(&["convert", "--open", key, "-t", "hyphenated", &sealed[0]]), [ID]);
    std::fs::write(&path, RING.replace('\n', "\r\n")).unwrap();
    assert_eq!(lines(&["convert", "--seal", key, "-t", "hyphenated", ID]), sealed);
    for (content, says) in [
        (format!("\u{feff}{RING}").into_bytes(), "byte order mark"),
        (utf_16(RING), "UTF-16"),
        (utf_16(RING)[2..].to_vec(), "UTF-16"),
        (RING.replace("idgen", "Idgen").into_bytes(), "begin the file with this line"),
        (format!("# keys of the shop\n{RING}").into_bytes(), "begin the file with this line"),
        (format!("\n{RING}").into_bytes(), "begin the file with this line"),
        (RING.replace("ring\n", "ring  \n").into_bytes(), "begin the file with this line"),
        (RING.replace('\n', "\r").into_bytes(), "begin the file with this line"),
        (RING.replace("idgen seal ring", "idgen-seal-ring").into_bytes(), "several lines"),
        (RING.replace("begin ", "").into_bytes(), "line 2"),
        (RING.replace("bytes\n", "bytes \n").into_bytes(), "line 2"),
    ] {
        std::fs::write(&path, content).unwrap();
        for option in ["--seal", "--open"] {
            let (code, error) = failure(&["convert", option, key, "-t", "hyphenated", ID], "");
            assert!(code == 1 && error.contains(says) && error.contains(key), "{says}: {error}");
            assert!(!error.contains("the-first") && !error.contains("the-secret"), "{error}");
        }
    }
}

#[test]
fn a_byte_order_mark_in_the_files_of_a_table_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let schema = "CREATE TABLE t (id {key_type} PRIMARY KEY, note TEXT)";
    let insert = "INSERT INTO t (id, note) VALUES ({key}, {text:20})";
    let out = folder.path().join("out");
    let run = |schema: &str, insert: &str| {
        let out = out.to_str().unwrap();
        let load = ["--rows", "20K", "--repeat", "1", "--strategies", "v7-binary", "--out", out];
        [&["lab", "run", "--schema", schema, "--insert", insert][..], &load]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let marked = [
        file("s", format!("\u{feff}{schema}").as_bytes()),
        file("i", format!("\u{feff}{insert}").as_bytes()),
    ];
    let args = run(&marked[0], &marked[1]);
    lines(&args.iter().map(String::as_str).collect::<Vec<_>>());
    for (content, says) in
        [(utf_16(schema), "UTF-16: save it as UTF-8"), (b"CREATE \xe9".to_vec(), "not text in UTF-8")]
    {
        let args = run(&file("bad", &content), &marked[1]);
        let (code, error) = failure(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
        assert!(code == 1 && error.contains(says) && error.contains("bad"), "{error}");
    }
}
