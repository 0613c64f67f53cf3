//! The other files of a partitioned table. MySQL writes the table's definition, with the names of all indexes, only
//! into the file of the first partition.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::bytes::{u16_at, u32_at};
use crate::fil::{SPACE_ID, TYPE, kind};
use crate::format::{Format, HEADER_BYTES, Writer};
use crate::sdi::{self, IndexName};

/// The page number of the root of the dictionary copy in the file of a table.
const SDI_ROOT: u64 = 3;

/// The names of the indexes from the files of the other partitions, if `path` has the name of a partition and those
/// files are in the same directory. Files that cannot be read give no names.
pub(crate) fn index_names(path: &Path) -> Vec<IndexName> {
    let Some(table) = path.file_name().and_then(|name| table_of(name.to_str()?)) else { return Vec::new() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let is_part = |file: &fs::DirEntry| {
        file.file_name().to_str().is_some_and(|name| name.ends_with(".ibd") && table_of(name) == Some(table))
            && file.file_type().is_ok_and(|kind| kind.is_file())
    };
    files
        .flatten()
        .filter(is_part)
        .filter_map(|file| root_names(&file.path()))
        .find(|names| !names.is_empty())
        .unwrap_or_default()
}

/// The table's part of the name of a partition's file: `orders` of `orders#p#p0.ibd`.
fn table_of(name: &str) -> Option<&str> {
    let at = name.find("#p#").or_else(|| name.find("#P#"))?;
    Some(&name[..at])
}

fn root_names(path: &Path) -> Option<Vec<IndexName>> {
    let mut file = File::open(path).ok()?;
    let mut header = [0; HEADER_BYTES];
    file.read_exact(&mut header).ok()?;
    let format = Format::parse(&header).ok().filter(|format| format.writer == Writer::Mysql)?;
    let mut page = vec![0; format.page_size as usize];
    file.seek(SeekFrom::Start(SDI_ROOT * u64::from(format.page_size))).ok()?;
    file.read_exact(&mut page).ok()?;
    let is_root = u16_at(&page, TYPE) == kind::SDI && u32_at(&page, SPACE_ID) == format.space_id;
    is_root.then(|| sdi::index_names(&page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_name_before_the_partition() {
        assert_eq!(table_of("orders#p#p0.ibd"), Some("orders"));
        assert_eq!(table_of("orders#P#low#SP#lowsp0.ibd"), Some("orders"));
        assert_eq!(table_of("orders.ibd"), None);
    }
}
