//! Sorted runs of ids, in memory or in a temporary file, and their merge.

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use crate::place::Place;

/// An id and its place in 24 bytes, which sort by the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record([u64; 3]);

const LINE_BITS: u32 = 48;
const BUFFER: usize = 1 << 18;

impl Record {
    pub(super) fn new(id: u128, place: Place) -> Self {
        Record([(id >> 64) as u64, id as u64, u64::from(place.stream) << LINE_BITS | place.line])
    }

    pub(super) fn id(self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }

    pub(super) fn place(self) -> Place {
        Place { stream: (self.0[2] >> LINE_BITS) as u16, line: self.0[2] & ((1 << LINE_BITS) - 1) }
    }
}

/// Creates a file that loses its name at once, so that it is gone when the process ends, in whichever way. `create_new` follows no link, and
/// only this user may open the file before it has lost its name.
fn nameless(folder: &Path) -> io::Result<File> {
    let path = folder.join(format!(".idgen-check-{}", idgen::v4()));
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

#[derive(Debug)]
pub(super) enum Run {
    Memory(std::vec::IntoIter<Record>),
    File(BufReader<File>),
}

impl Run {
    pub(super) fn memory(sorted: Vec<Record>) -> Self {
        Run::Memory(sorted.into_iter())
    }

    pub(super) fn file(sorted: &[Record], folder: &Path) -> io::Result<Self> {
        let about = |error: io::Error| {
            let message = format!(
                "cannot write ids to a temporary file in {}: {error}; name another folder, or allow more memory",
                folder.display()
            );
            io::Error::new(error.kind(), message)
        };
        let mut out = BufWriter::with_capacity(BUFFER, nameless(folder).map_err(about)?);
        for record in sorted {
            for word in record.0 {
                out.write_all(&word.to_le_bytes()).map_err(about)?;
            }
        }
        let mut file = out.into_inner().map_err(|error| about(error.into_error()))?;
        file.rewind()?;
        Ok(Run::File(BufReader::with_capacity(BUFFER, file)))
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self, Run::File(_))
    }

    fn next(&mut self) -> io::Result<Option<Record>> {
        match self {
            Run::Memory(records) => Ok(records.next()),
            Run::File(file) => {
                let mut bytes = [0; size_of::<Record>()];
                match file.read_exact(&mut bytes) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
                    Err(error) => Err(error),
                    Ok(()) => {
                        let mut words = [0; 3];
                        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
                            *word = u64::from_le_bytes(*bytes);
                        }
                        Ok(Some(Record(words)))
                    }
                }
            }
        }
    }
}

/// Calls `each` with all records of all runs in order.
pub(super) fn merge(mut runs: Vec<Run>, mut each: impl FnMut(Record)) -> io::Result<()> {
    let mut heads = BinaryHeap::new();
    for (number, run) in runs.iter_mut().enumerate() {
        if let Some(record) = run.next()? {
            heads.push(std::cmp::Reverse((record, number)));
        }
    }
    while let Some(mut head) = heads.peek_mut() {
        let (record, number) = head.0;
        each(record);
        match runs[number].next()? {
            Some(next) => head.0.0 = next,
            None => drop(PeekMut::pop(head)),
        }
    }
    Ok(())
}
