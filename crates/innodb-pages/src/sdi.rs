//! The names of the indexes, from the dictionary copy that MySQL 8.0 and later keep in the file.
//!
//! A partition has indexes of its own, in a file of its own. Each gives its number, and its name as the place of an
//! index of the table (`index_opx`).
//!
//! A record of the dictionary is JSON under zlib. One that is too long for its page is stored
//! elsewhere; then the indexes stay nameless, and only their numbers are shown.

use std::io::Read;

use flate2::read::ZlibDecoder;
use serde::Deserialize;

use crate::bytes::{u16_at, u32_at};

/// The name of an index, by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexName {
    pub(crate) id: u64,
    pub(crate) name: String,
    /// True if it holds the rows: it is the first index of its table.
    pub(crate) clustered: bool,
}

/// The record before the first, and the fields of a dictionary record (`page0page.h`, `api0api.cc`).
const INFIMUM: usize = 99;
const LEVEL: usize = 64;
const SUPREMUM_STATUS: u8 = 3;
const COMPRESSED_LEN: usize = 29;
const DATA: usize = 33;
/// More JSON than any table definition has.
const MAX_JSON: u64 = 16 << 20;

/// The part of the JSON that is of interest.
#[derive(Deserialize)]
struct Sdi {
    dd_object: Table,
}

#[derive(Deserialize)]
struct Table {
    #[serde(default)]
    indexes: Vec<Index>,
    #[serde(default)]
    partitions: Vec<Partition>,
}

#[derive(Deserialize)]
struct Partition {
    #[serde(default)]
    indexes: Vec<PartIndex>,
    #[serde(default)]
    subpartitions: Vec<Partition>,
}

#[derive(Deserialize)]
struct PartIndex {
    index_opx: usize,
    #[serde(default)]
    se_private_data: String,
}

#[derive(Deserialize)]
struct Index {
    name: String,
    #[serde(default)]
    se_private_data: String,
}

/// Every index name that a dictionary page gives.
pub(crate) fn index_names(page: &[u8]) -> Vec<IndexName> {
    let mut names = Vec::new();
    if u16_at(page, LEVEL) != 0 {
        return names;
    }
    let mut record = INFIMUM;
    // A page has room for far fewer records; a damaged chain that goes round ends here.
    for _ in 0..page.len() / DATA {
        let step = u16_at(page, record - 2).cast_signed();
        let Some(next) = record.checked_add_signed(step.into()).filter(|&at| at > 3 && at < page.len())
        else {
            break;
        };
        record = next;
        if step == 0 || page[record - 3] & 7 == SUPREMUM_STATUS {
            break;
        }
        let len = u32_at(page, record + COMPRESSED_LEN) as usize;
        if let Some(data) = page.get(record + DATA..).and_then(|rest| rest.get(..len)) {
            names.extend(decode(data).unwrap_or_default());
        }
    }
    names
}

fn decode(data: &[u8]) -> Option<Vec<IndexName>> {
    let sdi: Sdi = serde_json::from_reader(ZlibDecoder::new(data).take(MAX_JSON)).ok()?;
    let Table { indexes, partitions } = sdi.dd_object;
    let name = |at: usize, private_data: &str| {
        let id = private_data.split(';').find_map(|pair| pair.strip_prefix("id="))?.parse().ok()?;
        Some(IndexName { id, name: indexes.get(at)?.name.clone(), clustered: at == 0 })
    };
    let of_table = indexes.iter().enumerate().filter_map(|(at, index)| name(at, &index.se_private_data));
    let parts = partitions.iter().flat_map(|part| std::iter::once(part).chain(&part.subpartitions));
    let of_parts = parts
        .flat_map(|part| &part.indexes)
        .filter_map(|index| name(index.index_opx, &index.se_private_data));
    Some(of_table.chain(of_parts).collect())
}
