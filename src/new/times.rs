//! An id for each moment of a file, for rows that exist.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};
use idgen::Timestamp;
use idgen::generator::Generate;
use idgen::source::FixedClock;

use crate::lines::checked;
use crate::values;

/// The longest line that is read, in bytes: no moment is nearly as long.
const LONGEST: u64 = 1024;

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
    let mut input = BufReader::new(checked(input, None, "").with_context(|| format!("cannot read {name}"))?);
    let (mut moments, mut line) = (Vec::new(), Vec::new());
    for number in 1.. {
        line.clear();
        // A file without line ends would otherwise be read as a whole before it is refused.
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        if read.with_context(|| format!("cannot read {name}"))? == 0 {
            break;
        }
        ensure!(
            line.ends_with(b"\n") || line.len() < LONGEST as usize,
            "line {number} of {name} is no moment: it has {LONGEST} bytes or more"
        );
        let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| number == 1).unwrap_or(&line);
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        // The ids are paired with the rows by their lines, so none is left out.
        ensure!(
            !text.is_empty(),
            "line {number} of {name} is blank: leave out rows without a time, or give them one"
        );
        moments.push(values::moment(text).map_err(|error| anyhow!("line {number} of {name}: {error}"))?);
    }
    Ok(moments)
}

/// A generator whose clock shows one moment after another.
pub struct Timed<T> {
    pub clock: Arc<FixedClock>,
    pub moments: std::vec::IntoIter<Timestamp>,
    pub ids: Box<dyn Generate<Id = T> + Send>,
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
