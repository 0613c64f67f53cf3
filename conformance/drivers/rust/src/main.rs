//! Prints ids of a library: `conformance-driver LIBRARY MODE COUNT [FOLDER]`. `../../README.md` says what the modes are.

mod libraries;

use std::fs::File;
use std::io::{Result, Write, stdout};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use libraries::Next;

const BURST: usize = 100_000;
const THREADS: usize = 4;
const FORKS: usize = 20;

/// Makes ids in bursts, and writes each burst when it is complete.
fn burst(next: &mut Next, mut count: usize, mut to: impl Write, size: usize) -> Result<()> {
    while count > 0 {
        let ids: Vec<String> = (0..count.min(size)).map(|_| next()).collect();
        count -= ids.len();
        let mut text = ids.join("\n");
        text.push('\n');
        to.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn milliseconds() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is after 1970").as_millis()
}

/// Two readings of the clock, so that the caller knows whether it was set.
fn clocks(before: u128) {
    println!("{before} {}", milliseconds());
}

/// Forks `FORKS` times, each time right after an id. Parent and child then make so many ids each.
fn forked(next: &mut Next, count: usize, folder: &str) -> Result<()> {
    let mut file = File::create(format!("{folder}/parent.txt"))?;
    for i in 1..=FORKS {
        let last = next();
        // SAFETY: this process has one thread.
        let child = unsafe { libc::fork() };
        if child < 0 {
            return Err(std::io::Error::last_os_error());
        }
        if child == 0 {
            burst(next, count, File::create(format!("{folder}/child-{i}.txt"))?, BURST)?;
            std::process::exit(0);
        }
        let ids: Vec<String> = (0..count).map(|_| next()).collect();
        writeln!(file, "{last}\n{}", ids.join("\n"))?;
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        let ended = unsafe { libc::waitpid(child, &mut status, 0) };
        assert!(ended == child && status == 0, "the child failed");
    }
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, mode, count, rest @ ..] = arguments.as_slice() else {
        panic!("usage: conformance-driver LIBRARY MODE COUNT [FOLDER]");
    };
    let count: usize = count.parse().expect("COUNT is a number");
    let folder = rest.first().map_or("", String::as_str);
    let mut next = libraries::generator(library);
    match mode.as_str() {
        "one" => burst(&mut next, count, stdout(), BURST),
        "threads" => thread::scope(|scope| {
            let threads: Vec<_> = (1..=THREADS)
                .map(|i| {
                    scope.spawn(move || {
                        let file = File::create(format!("{folder}/thread-{i}.txt"))?;
                        burst(&mut libraries::generator(library), count / THREADS, file, BURST)
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
        }),
        "fork" => forked(&mut next, count / (2 * FORKS), folder),
        "back" => {
            let mut file = File::create(format!("{folder}/ids.txt"))?;
            burst(&mut next, count / 2, &mut file, BURST)?;
            let before = milliseconds();
            std::fs::write(std::env::var("FAKETIME_TIMESTAMP_FILE").expect("a file for the clock"), "-5\n")?;
            clocks(before);
            burst(&mut next, count / 2, &mut file, BURST)
        }
        "frozen" => {
            let before = milliseconds();
            thread::sleep(Duration::from_millis(50));
            clocks(before);
            burst(&mut next, count, File::create(format!("{folder}/ids.txt"))?, 256)
        }
        other => panic!("no mode {other}"),
    }
}
