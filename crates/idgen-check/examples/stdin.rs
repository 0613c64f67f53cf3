//! Checks standard input, and prints the report and how long it took: `cargo run --release --example stdin < ids.txt`.
//!
//! With an argument, records of 16 bytes are read instead of lines.

use std::io::Error;
use std::time::Instant;

use idgen_check::{Checker, Form, Limits, Options};

fn main() -> Result<(), Error> {
    let form = if std::env::args().len() > 1 { Form::Uuids } else { Form::Lines };
    let begin = Instant::now();
    let mut checker = Checker::new(Options::default());
    let stream = checker.stream("standard input");
    checker.read(stream, std::io::stdin().lock(), form, Limits::default())?;
    let read = begin.elapsed();
    println!("{}\n\nread in {read:.1?}, {:.1?} in all", checker.finish()?, begin.elapsed());
    Ok(())
}
