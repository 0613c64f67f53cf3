//! One opaque error for the page reader.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// A value, or the [`Error`] that says why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a tablespace file could not be read.
///
/// ```
/// use innodb_pages::{Options, Tablespace};
///
/// let error = Tablespace::new(std::io::Cursor::new(b"not a tablespace"), Options::default()).err();
/// let error = error.expect("sixteen bytes are no tablespace");
/// assert!(error.is_truncated());
/// assert!(error.to_string().contains("16 bytes"));
/// ```
#[derive(Debug)]
pub struct Error {
    kind: Box<Kind>,
    path: Option<PathBuf>,
}

/// The private kinds.
#[derive(Debug)]
pub(crate) enum Kind {
    Io(io::Error),
    NotTablespace { problem: String },
    Unwritten,
    Truncated { len: u64, needed: u64 },
    Compressed { how: &'static str },
    Encrypted { page: u32 },
    Corrupt { page: u32, problem: String },
    BrokenTree { index: u64, problem: String },
}

impl Error {
    pub(crate) fn new(kind: Kind) -> Self {
        Error { kind: Box::new(kind), path: None }
    }

    pub(crate) fn corrupt(page: u32, problem: impl Into<String>) -> Self {
        Error::new(Kind::Corrupt { page, problem: problem.into() })
    }

    pub(crate) fn not_tablespace(problem: impl Into<String>) -> Self {
        Error::new(Kind::NotTablespace { problem: problem.into() })
    }

    /// Adds the name of the file to the error, unless it has one already.
    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// The file could not be opened or read.
    pub fn is_io(&self) -> bool {
        matches!(*self.kind, Kind::Io(_))
    }

    /// The first page is not that of a tablespace, or was not written yet.
    pub fn is_not_tablespace(&self) -> bool {
        matches!(*self.kind, Kind::NotTablespace { .. } | Kind::Unwritten)
    }

    /// The file ends before the last page that its header counts.
    pub fn is_truncated(&self) -> bool {
        matches!(*self.kind, Kind::Truncated { .. })
    }

    /// The pages are compressed, by `ROW_FORMAT=COMPRESSED` or by page compression.
    pub fn is_compressed(&self) -> bool {
        matches!(*self.kind, Kind::Compressed { .. })
    }

    /// The pages are encrypted.
    pub fn is_encrypted(&self) -> bool {
        matches!(*self.kind, Kind::Encrypted { .. })
    }

    /// A page is damaged, or the pages of an index are inconsistent.
    pub fn is_corrupt(&self) -> bool {
        matches!(*self.kind, Kind::Corrupt { .. } | Kind::BrokenTree { .. })
    }

    /// The number of the page at fault, where one page is.
    pub fn page(&self) -> Option<u32> {
        match *self.kind {
            Kind::Corrupt { page, .. } | Kind::Encrypted { page } => Some(page),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        match &*self.kind {
            Kind::Io(_) => write!(f, "cannot read the tablespace"),
            Kind::NotTablespace { problem } => {
                write!(f, "not an InnoDB tablespace: {problem}; give the .ibd file of a table")
            }
            Kind::Unwritten => write!(
                f,
                "page 0 has no type, so this is a file whose pages the server still has in memory only, or no InnoDB \
                 tablespace; run FLUSH TABLES ... FOR EXPORT in the server, and read or copy the file before UNLOCK TABLES"
            ),
            Kind::Truncated { len, needed } => write!(
                f,
                "the file is truncated: it has {len} bytes and its pages need {needed}; copy it again, \
                 under FLUSH TABLES ... FOR EXPORT"
            ),
            Kind::Compressed { how } => write!(
                f,
                "the pages are compressed ({how}), so their fill cannot be computed; \
                 ALTER TABLE ... to an uncompressed copy and read that"
            ),
            Kind::Encrypted { page } => {
                write!(
                    f,
                    "page {page} is encrypted; make an unencrypted copy with ALTER TABLE, and read that"
                )
            }
            Kind::Corrupt { page, problem } => write!(
                f,
                "page {page} is damaged: {problem}; if the server was writing while the file was copied, \
                 copy it under FLUSH TABLES ... FOR EXPORT"
            ),
            Kind::BrokenTree { index, problem } => write!(
                f,
                "the pages of index {index} are inconsistent: {problem}; if the server was writing while \
                 the file was copied, copy it under FLUSH TABLES ... FOR EXPORT"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            Kind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::new(Kind::Io(error))
    }
}
