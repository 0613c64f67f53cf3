//! Reads InnoDB tablespace files (`.ibd`) without a server.
//!
//! The server's own views show only the buffer pool: they do not say how full a page is that is not cached. The file has
//! every page. This crate reads a copy of the file, made with `FLUSH TABLES t FOR EXPORT`. It shows how full the pages
//! are, which index they belong to and how long ago each was written.
//!
//! It reads files of MySQL 5.7 to 9.7 and MariaDB 10.2 to 11.x, of every page size from 4 KiB to
//! 64 KiB. Files that are compressed, encrypted, truncated or damaged give an [`Error`] that says so.
//!
//! ```no_run
//! use innodb_pages::{Options, Survey, Tablespace};
//!
//! let pages = Tablespace::open("orders.ibd", Options::default())?.scan()?;
//! let survey = Survey::of(&pages);
//! for index in &survey.indexes {
//!     println!("index {}: {} pages, fill {:.1} %", index.id, index.pages, 100.0 * index.leaf().fill.mean);
//! }
//! # Ok::<(), innodb_pages::Error>(())
//! ```
//!
//! Sources: the page layout is in the MySQL source, `fil0types.h`, `page0types.h`, `fsp0fsp.h` and
//! `fsp0types.h`; MariaDB's `full_crc32` in its `fil0fil.h` and `fsp0types.h`.

#![forbid(unsafe_code)]

mod bytes;
mod checksum;
mod error;
mod extent;
mod fil;
mod format;
mod map;
mod page;
mod pages;
mod partition;
mod sdi;
mod space;
mod stats;
mod survey;
mod tablespace;

pub use error::{Error, Result};
pub use format::{Checksum, Format, Writer};
pub use map::{Cell, Measure, PageMap};
pub use page::{IndexPage, Page, PageKind};
pub use pages::Pages;
pub use space::SpaceKind;
pub use stats::{Distribution, LsnAge};
pub use survey::{IndexTree, Level, Survey};
pub use tablespace::{Options, Tablespace};
