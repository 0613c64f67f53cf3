//! Opens a file and reads its pages in order.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::bytes::{u16_at, u32_at};
use crate::checksum;
use crate::error::{Error, Kind, Result};
use crate::extent::Extents;
use crate::fil::{NUMBER, SPACE_ID, TYPE, kind};
use crate::format::{Checksum, Format, HEADER_BYTES, Writer};
use crate::page::{self, Page};
use crate::pages::Pages;
use crate::partition;
use crate::sdi;
use crate::space::{self, SpaceKind};
use crate::survey::check_trees;

/// Options of the reader.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Check every page's checksum, number and owner, and that each index's pages form complete levels.
    /// Without these checks, a damaged file may give wrong figures instead of an error.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { verify: true }
    }
}

/// A tablespace file whose first page was understood.
#[derive(Debug)]
pub struct Tablespace<R> {
    reader: R,
    format: Format,
    options: Options,
    path: Option<PathBuf>,
    /// The bytes of page 0 that were read already.
    header: [u8; HEADER_BYTES],
}

impl Tablespace<BufReader<File>> {
    /// Opens a `.ibd` file, or reads one from a pipe.
    ///
    /// # Errors
    /// The file cannot be read, is not a tablespace, is shorter than its header says, or is compressed or encrypted as a
    /// whole.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path)?;
            let is_file = file.metadata()?.is_file();
            let reader = BufReader::with_capacity(1 << 20, file);
            if is_file { Tablespace::new(reader, options) } else { Tablespace::stream(reader, options) }
        };
        let mut tablespace = open().map_err(|error| error.in_file(path))?;
        tablespace.path = Some(path.to_owned());
        Ok(tablespace)
    }
}

impl<R: Read + Seek> Tablespace<R> {
    /// Takes a tablespace from any reader, at its start.
    ///
    /// # Errors
    /// As [`Tablespace::open`].
    pub fn new(mut reader: R, options: Options) -> Result<Self> {
        let len = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(0))?;
        let tablespace = Tablespace::stream(reader, options)?;
        check_len(&tablespace.format, len)?;
        Ok(tablespace)
    }
}

impl<R: Read> Tablespace<R> {
    /// Takes a tablespace from a reader that cannot seek, such as a pipe. Only the end of the scan shows whether it is complete.
    ///
    /// # Errors
    /// As [`Tablespace::open`].
    ///
    /// ```
    /// use innodb_pages::{Options, Tablespace};
    ///
    /// let error = Tablespace::stream(&b"not a tablespace"[..], Options::default()).err();
    /// assert!(error.is_some_and(|error| error.is_truncated()));
    /// ```
    pub fn stream(mut reader: R, options: Options) -> Result<Self> {
        let mut header = [0; HEADER_BYTES];
        let len = read_up_to(&mut reader, &mut header)?;
        if len < HEADER_BYTES {
            return Err(Error::new(Kind::Truncated { len: len as u64, needed: HEADER_BYTES as u64 }));
        }
        let format = Format::parse(&header)?;
        Ok(Tablespace { reader, format, options, path: None, header })
    }

    /// Returns the properties of the file, from its first page.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// Reads every page once, in order. Takes about 64 bytes of memory for each page.
    ///
    /// # Errors
    /// A page cannot be read, or is damaged, compressed or encrypted.
    pub fn scan(self) -> Result<Pages> {
        let Some(path) = self.path.clone() else { return self.scan_pages() };
        let mut pages = self.scan_pages().map_err(|error| error.in_file(&path))?;
        if pages.format.writer == Writer::Mysql && pages.names.is_empty() {
            pages.names = partition::index_names(&path);
        }
        Ok(pages)
    }

    fn scan_pages(mut self) -> Result<Pages> {
        let format = self.format;
        let mut buffer = vec![0; format.page_size as usize];
        let mut pages = Vec::new();
        let mut names = Vec::new();
        let mut extents: Option<Extents> = None;
        let mut doublewrite = [0..0, 0..0];
        for number in 0..=u32::MAX {
            if !self.next_page(number, &mut buffer)? {
                break;
            }
            if doublewrite.iter().any(|block| block.contains(&number)) {
                pages.push(Page::doublewrite(number));
                continue;
            }
            page::refuse_packed(&format, number, &buffer)?;
            let zeros = buffer.iter().all(|&byte| byte == 0);
            if !zeros {
                self.check(number, &buffer)?;
            }
            // Below the limit all descriptors are written. Zeros there would mean that all their pages are free.
            let describes = number % format.page_size == 0;
            if describes {
                extents = Some(Extents::read(&format, number, &buffer));
            }
            let free = extents.as_ref().is_some_and(|extents| extents.is_free(number));
            let in_use = !free || (describes && number < format.free_limit);
            // InnoDB extends a file before it writes the new pages, but allocates none of them before that.
            if zeros && in_use && self.options.verify && format.space_id != 0 {
                return Err(Error::corrupt(number, "it is in use, and all its bytes are zero"));
            }
            if format.space_id == 0 && number == space::TRANSACTION_SYSTEM {
                doublewrite = space::doublewrite(&format, &buffer);
            }
            if !free && u16_at(&buffer, TYPE) == kind::SDI {
                names.extend(sdi::index_names(&buffer));
            }
            pages.push(Page::parse(&format, number, free, &buffer)?);
        }
        check_len(&format, pages.len() as u64 * u64::from(format.page_size))?;
        let pages = Pages { format, kind: SpaceKind::of(&format, &pages), pages, names };
        if self.options.verify {
            check_trees(&pages)?;
        }
        Ok(pages)
    }

    /// Reads the next page, which is page `number`; false where the file ends before it.
    fn next_page(&mut self, number: u32, buffer: &mut [u8]) -> Result<bool> {
        let known = if number == 0 { HEADER_BYTES } else { 0 };
        buffer[..known].copy_from_slice(&self.header[..known]);
        let len = known + read_up_to(&mut self.reader, &mut buffer[known..])?;
        if len > 0 && len < buffer.len() {
            let before = u64::from(number) * buffer.len() as u64;
            let needed = u64::from(self.format.pages).max(u64::from(number) + 1) * buffer.len() as u64;
            return Err(Error::new(Kind::Truncated { len: before + len as u64, needed }));
        }
        Ok(len > 0)
    }

    /// Checks that page `number` is neither encrypted nor damaged, and belongs at this place of this file.
    fn check(&self, number: u32, bytes: &[u8]) -> Result<()> {
        let mismatch = self.options.verify.then(|| checksum::mismatch(&self.format, bytes)).flatten();
        // If the checksum covers the key, a bad checksum means that it may not be a key.
        let key_is_sure = mismatch.is_none() || self.format.checksum == Checksum::Crc32;
        if key_is_sure && key_version(&self.format, number, bytes) != 0 {
            return Err(Error::new(Kind::Encrypted { page: number }));
        }
        if let Some(problem) = mismatch {
            return Err(Error::corrupt(number, problem));
        }
        if let Some(problem) = checksum::torn(&self.format, bytes).filter(|_| self.options.verify) {
            return Err(Error::corrupt(number, problem));
        }
        let (stamped, space) = (u32_at(bytes, NUMBER), u32_at(bytes, SPACE_ID));
        if self.options.verify && stamped != number {
            return Err(Error::corrupt(number, format!("it says that it is page {stamped}")));
        }
        if self.options.verify && space != self.format.space_id {
            return Err(Error::corrupt(
                number,
                format!("it belongs to space {space}, the file to {}", self.format.space_id),
            ));
        }
        Ok(())
    }
}

/// Checks that a file of `len` bytes has complete pages, and as many as its header counts.
fn check_len(format: &Format, len: u64) -> Result<()> {
    let page_size = u64::from(format.page_size);
    let needed = u64::from(format.pages.max(1)) * page_size;
    if len < needed {
        return Err(Error::new(Kind::Truncated { len, needed }));
    }
    if !len.is_multiple_of(page_size) {
        return Err(Error::new(Kind::Truncated { len, needed: len.next_multiple_of(page_size) }));
    }
    if len / page_size > u64::from(u32::MAX) {
        return Err(Error::not_tablespace(format!("{len} bytes are more than 2^32 pages")));
    }
    Ok(())
}

/// Reads until the buffer is full or the reader ends.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match reader.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(len)
}

/// The key that MariaDB encrypted the page with, 0 for none. `full_crc32` keeps it in the first bytes,
/// which the checksum left free; the older format in a field that only page 0 and spatial pages use
/// otherwise.
fn key_version(format: &Format, number: u32, bytes: &[u8]) -> u32 {
    match format.writer {
        Writer::Mariadb => u32_at(bytes, 0),
        Writer::Either if number > 0 && u16_at(bytes, TYPE) != kind::RTREE => u32_at(bytes, 26),
        Writer::Mysql | Writer::Either => 0,
    }
}
