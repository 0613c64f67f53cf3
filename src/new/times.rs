//! An id for each moment of a file, for rows that exist.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use idgen::Timestamp;
use idgen::generator::Generate;
use idgen::source::FixedClock;

use crate::lines::checked;
use crate::values;

/// No moment is nearly as long, in bytes.
const LONGEST: usize = 100;

/// The moments of a file, one per line; `-` is standard input.
///
/// # Errors
/// If it cannot be read, or a line is no moment.
pub fn read(path: &Path) -> anyhow::Result<Vec<Timestamp>> {
    let name = path.display();
    let input: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(std::io::stdin().lock()),
        _ => Box::new(File::open(path).with_context(|| format!("cannot read {name}"))?),
    };
    let lines =
        BufReader::new(checked(input, None).with_context(|| format!("cannot read {name}"))?).split(b'\n');
    let mut moments = Vec::new();
    for (line, number) in lines.zip(1..) {
        let line = line.with_context(|| format!("cannot read {name}"))?;
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| number == 1).unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        match values::moment(text.trim()) {
            Ok(moment) => moments.push(moment),
            Err(_) if line.len() > LONGEST => {
                bail!("line {number} of {name} is no moment: it has {} bytes", line.len())
            }
            Err(error) => bail!("line {number} of {name}: {error}"),
        }
    }
    Ok(moments)
}

/// A generator whose clock shows one moment after another.
pub struct Timed<T> {
    pub clock: Arc<FixedClock>,
    pub moments: std::vec::IntoIter<Timestamp>,
    pub ids: Box<dyn Generate<Id = T>>,
}

impl<T> Generate for Timed<T> {
    type Id = T;

    fn next_id(&mut self) -> idgen::Result<T> {
        if let Some(moment) = self.moments.next() {
            self.clock.set(moment);
        }
        self.ids.next_id()
    }

    fn fill(&mut self, ids: &mut [T]) -> idgen::Result<()> {
        for id in ids {
            *id = self.next_id()?;
        }
        Ok(())
    }
}
