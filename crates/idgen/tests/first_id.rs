//! The first id of each kind needs neither the file system nor the network. The test is a program of its own, because it
//! sets the limit of open files of the process to zero.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs::File;
use std::net::UdpSocket;

#[test]
fn the_first_ids_open_no_file_and_no_socket() {
    let before = limit(0);
    assert!(File::open("/dev/null").is_err() && UdpSocket::bind("127.0.0.1:0").is_err());

    let ids =
        [idgen::v1(), idgen::v4(), idgen::v6(), idgen::v7(), idgen::ulid(), idgen::week(), idgen::prefixed()];
    assert!(ids.iter().all(|id| !id.is_nil()));
    assert_ne!(idgen::short(), idgen::short());
    assert_ne!(idgen::mysql_short(1), idgen::mysql_short(1));
    // Programs that run after the tests, such as a sanitizer's report, may need files.
    limit(before);
}

/// Sets the limit of open files, and returns the previous limit.
fn limit(files: libc::rlim_t) -> libc::rlim_t {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes the structure.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) }, 0);
    let before = limit.rlim_cur;
    limit.rlim_cur = files;
    // SAFETY: the call reads the structure, and changes nothing but the limit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
    before
}
