//! Prints the keys of a strategy in hexadecimal, as a database compares them, for measurements with other programs.
//!
//! `cargo run --release -p idgen-lab --example keys -- STRATEGY ROWS RATE [WRITERS [SPREAD]]`
//!
//! The writers make one key each in turn. A spread is what a table in ranges does to its keys: `none`, `bit-reversed` or
//! `hash:16`.

use std::io::{BufWriter, Write, stdout};

use idgen_lab::ranges::{Engine, Load, each_key, read_spread};
use idgen_lab::strategy::find;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [strategy, rows, rate, others @ ..] = arguments.as_slice() else {
        return Err("give a strategy, a number of rows and ids per second".into());
    };
    let usual = Load::new(rows.parse()?, Engine::find("hbase")?);
    let writers = others.first().map_or(Ok(usual.writers), |writers| writers.parse())?;
    let spread = others.get(1).map_or(Ok(usual.spread), |spread| read_spread(spread))?;
    let load = Load { rate: rate.parse()?, writers, spread, ..usual };
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
