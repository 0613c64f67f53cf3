//! Standard output: buffered and locked; its errors name standard output.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Standard output. Call [`finish`](Output::finish) at the end.
pub struct Output(BufWriter<StdoutLock<'static>>);

const BUFFER: usize = 64 * 1024;

impl Output {
    /// Locks it for as long as the value exists. On a terminal, each line is written at once.
    pub fn open() -> Self {
        let capacity = if Self::is_terminal() { 0 } else { BUFFER };
        Output(BufWriter::with_capacity(capacity, io::stdout().lock()))
    }

    /// Returns whether standard output is a terminal.
    pub fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Writes the rest of the buffer.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(about_output)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).map_err(about_output)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(about_output)
    }
}

#[derive(Debug)]
struct OutputError(io::Error);

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write to standard output: {}", self.0)
    }
}

impl std::error::Error for OutputError {}

/// Returns whether standard error is the same file as standard output, as after `2>&1`.
#[cfg(unix)]
pub fn gets_errors() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let file = |of: io::Result<std::os::fd::OwnedFd>| {
        let found = std::fs::File::from(of?).metadata()?;
        io::Result::Ok((found.dev(), found.ino()))
    };
    let output = file(io::stdout().as_fd().try_clone_to_owned());
    let errors = file(io::stderr().as_fd().try_clone_to_owned());
    matches!((output, errors), (Ok(output), Ok(errors)) if output == errors)
}

/// Elsewhere nothing says so.
#[cfg(not(unix))]
pub fn gets_errors() -> bool {
    false
}

/// Wraps the error, with standard output as its place.
pub fn about_output(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OutputError(error))
}

/// True if the reader closed standard output, as `head` does, which is not an error. Other broken pipes, such
/// as lost connections, do not count.
pub fn is_closed(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| {
        error.kind() == io::ErrorKind::BrokenPipe
            && error.get_ref().is_some_and(|inner| inner.is::<OutputError>())
    })
}
