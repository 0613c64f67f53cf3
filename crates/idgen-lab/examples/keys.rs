//! Prints the keys of a strategy in hexadecimal, as a database compares them, for measurements with other programs.
//!
//! `cargo run --release -p idgen-lab --example keys -- STRATEGY ROWS RATE`

use std::io::{BufWriter, Write, stdout};

use idgen_lab::lsm::{Engine, Load, each_key};
use idgen_lab::strategy::find;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [strategy, rows, rate] = arguments.as_slice() else {
        return Err("give a strategy, a number of rows and ids per second".into());
    };
    let load = Load { rate: rate.parse()?, ..Load::new(rows.parse()?, Engine::MyRocks) };
    let mut out = BufWriter::new(stdout().lock());
    let mut written = Ok(());
    each_key(find(strategy)?, &load, &mut |key| {
        let line: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        if written.is_ok() {
            written = writeln!(out, "{line}");
        }
    })?;
    Ok(written?)
}
