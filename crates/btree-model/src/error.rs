//! The one opaque error of the model.

use std::fmt;

/// A value, or the [`Error`] that says why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// The error of a model that cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    PageSize(u32),
    SqlitePageSize(u32),
    SqliteRecord { bytes: u32, most: u32, page_bytes: u32 },
    RecordSize { bytes: u32, most: u32 },
    PoolSize { bytes: u64, frames: u64, least: u64 },
    KeyLength { bytes: usize, most: usize },
    TooManyPages,
    Setting { name: &'static str, value: String, wanted: &'static str },
}

impl Error {
    pub(crate) fn page_size(bytes: u32) -> Self {
        Error { kind: Kind::PageSize(bytes) }
    }

    pub(crate) fn sqlite_page_size(bytes: u32) -> Self {
        Error { kind: Kind::SqlitePageSize(bytes) }
    }

    pub(crate) fn sqlite_record(bytes: u32, most: u32, page_bytes: u32) -> Self {
        Error { kind: Kind::SqliteRecord { bytes, most, page_bytes } }
    }

    pub(crate) fn record_size(bytes: u32, most: u32) -> Self {
        Error { kind: Kind::RecordSize { bytes, most } }
    }

    pub(crate) fn pool_size(bytes: u64, frames: u64, least: u64) -> Self {
        Error { kind: Kind::PoolSize { bytes, frames, least } }
    }

    pub(crate) fn key_length(bytes: usize, most: usize) -> Self {
        Error { kind: Kind::KeyLength { bytes, most } }
    }

    pub(crate) fn too_many_pages() -> Self {
        Error { kind: Kind::TooManyPages }
    }

    pub(crate) fn setting(name: &'static str, value: impl fmt::Display, wanted: &'static str) -> Self {
        Error { kind: Kind::Setting { name, value: value.to_string(), wanted } }
    }

    /// A size or setting that no server can have.
    pub fn is_config(&self) -> bool {
        !matches!(self.kind, Kind::KeyLength { .. } | Kind::TooManyPages)
    }

    /// A key that is longer than the model stores.
    pub fn is_key(&self) -> bool {
        matches!(self.kind, Kind::KeyLength { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::PageSize(bytes) => {
                write!(f, "a page of {bytes} bytes: InnoDB has 4096, 8192, 16384, 32768 and 65536")
            }
            Kind::SqlitePageSize(bytes) => {
                write!(f, "a page of {bytes} bytes: SQLite has powers of two from 512 to 65536")
            }
            Kind::SqliteRecord { bytes, most, page_bytes } => write!(
                f,
                "a row of {bytes} bytes: SQLite keeps at most {most} of them on a page of {page_bytes} bytes and the rest \
                 on overflow pages, which the model does not have; give fewer bytes or larger pages"
            ),
            Kind::RecordSize { bytes, most } => write!(
                f,
                "a record of {bytes} bytes: at most {most} fit twice on a page; leave out long columns, \
                 which InnoDB keeps elsewhere"
            ),
            Kind::PoolSize { bytes, frames, least } => {
                write!(
                    f,
                    "a buffer pool of {bytes} bytes, which hold {frames} pages: give at least {least} pages, such as 2M"
                )
            }
            Kind::KeyLength { bytes, most } => {
                write!(f, "a key of {bytes} bytes: the model takes keys of at most {most} bytes")
            }
            Kind::TooManyPages => write!(f, "the tree has more than 2^32 pages: give fewer rows"),
            Kind::Setting { name, value, wanted } => write!(f, "{name} is {value}: give {wanted}"),
        }
    }
}

impl std::error::Error for Error {}
