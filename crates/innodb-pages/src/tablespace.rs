//! Opens a file and reads its pages in order.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::bytes::{u16_at, u32_at};
use crate::checksum;
use crate::error::{Error, Kind, Result};
use crate::extent::Extents;
use crate::fil::{NUMBER, SPACE_ID, TYPE, kind};
use crate::format::{Checksum, Format, HEADER_BYTES, Writer};
use crate::page::{self, Page};
use crate::pages::Pages;
use crate::sdi;
use crate::survey::check_trees;

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Check every page's checksum, place and owner, and that each index's pages form whole levels.
    /// Without it a damaged file may still give figures, for what they are worth.
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
    pages: u32,
}

impl Tablespace<BufReader<File>> {
    /// Opens a `.ibd` file.
    ///
    /// # Errors
    /// When the file can't be read, isn't a tablespace, is shorter than its header says, or is
    /// compressed or encrypted as a whole.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let open = || {
            let reader = BufReader::with_capacity(1 << 20, File::open(path)?);
            Tablespace::new(reader, options)
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
        if len < HEADER_BYTES as u64 {
            return Err(Error::new(Kind::Truncated { len, needed: HEADER_BYTES as u64 }));
        }
        let mut header = [0; HEADER_BYTES];
        reader.read_exact(&mut header)?;
        reader.seek(SeekFrom::Start(0))?;
        let format = Format::parse(&header)?;

        let page_size = u64::from(format.page_size);
        let needed = u64::from(format.pages.max(1)) * page_size;
        if len < needed {
            return Err(Error::new(Kind::Truncated { len, needed }));
        }
        if len % page_size != 0 {
            return Err(Error::new(Kind::Truncated { len, needed: len.next_multiple_of(page_size) }));
        }
        let pages = u32::try_from(len / page_size)
            .map_err(|_| Error::not_tablespace(format!("{len} bytes are more than 2^32 pages")))?;
        Ok(Tablespace { reader, format, options, path: None, pages })
    }

    /// What the first page says.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// Reads every page, once, in order. Takes about 64 bytes of memory a page.
    ///
    /// # Errors
    /// When a page can't be read, is damaged, compressed or encrypted.
    pub fn scan(self) -> Result<Pages> {
        let path = self.path.clone();
        self.scan_pages().map_err(|error| match &path {
            Some(path) => error.in_file(path),
            None => error,
        })
    }

    fn scan_pages(mut self) -> Result<Pages> {
        let format = self.format;
        let mut buffer = vec![0; format.page_size as usize];
        let mut pages = Vec::new();
        let mut names = Vec::new();
        let mut extents = None;
        for number in 0..self.pages {
            self.reader.read_exact(&mut buffer)?;
            page::refuse_packed(&format, number, &buffer)?;
            self.check(number, &buffer)?;
            if number % format.page_size == 0 {
                extents = Some(Extents::read(&format, number, &buffer));
            }
            let free = extents.as_ref().is_some_and(|extents: &Extents| extents.is_free(number));
            if !free && u16_at(&buffer, TYPE) == kind::SDI {
                names.extend(sdi::index_names(&buffer));
            }
            pages.push(Page::parse(&format, number, free, &buffer)?);
        }
        let pages = Pages { format, pages, names };
        if self.options.verify {
            check_trees(&pages)?;
        }
        Ok(pages)
    }
    /// That page `number` is itself: neither encrypted nor damaged nor from elsewhere.
    fn check(&self, number: u32, bytes: &[u8]) -> Result<()> {
        // InnoDB makes a file longer before it writes the new pages.
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let mismatch = self.options.verify.then(|| checksum::mismatch(&self.format, bytes)).flatten();
        // Where the key lies inside the checksum, a bad checksum says that it may be no key.
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
