//! The state of a check until now.

use crate::analysis::Analysis;
use crate::claim::Claim;
use crate::options::Options;
use crate::place::Places;
use crate::texts::Texts;

/// The counts of all streams.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) options: Options,
    pub(crate) streams: Vec<Stream>,
    /// The ids of each kind, by [`Claim::index`].
    pub(crate) analyses: Vec<Option<Box<Analysis>>>,
    /// The places at which the kind changes.
    pub(crate) changes: Places,
    pub(crate) texts: Texts,
}

/// One input: ids that one generator made, in their order.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) name: String,
    pub(crate) ids: u64,
    /// Lines so far, bad ones included.
    pub(crate) lines: u64,
    /// Its ids are records of raw bytes.
    pub(crate) is_raw: bool,
    /// The last id of each kind.
    pub(crate) last: [Option<u128>; Claim::COUNT],
    pub(crate) claim: Option<Claim>,
    /// The first UUIDs and ULIDs, to recognize their source.
    pub(crate) uuids: Vec<u128>,
    pub(crate) ulids: Vec<u128>,
}

impl Seen {
    pub(crate) fn new(options: Options) -> Self {
        let analyses = (0..Claim::COUNT).map(|_| None).collect();
        let (changes, texts) = (Places::default(), Texts::default());
        Seen { options, streams: Vec::new(), analyses, changes, texts }
    }
}

impl Stream {
    /// The unit of the numbers of [`Place::line`](crate::Place::line).
    pub(crate) fn unit(&self) -> &'static str {
        if self.is_raw { "record" } else { "line" }
    }

    pub(crate) fn new(name: &str) -> Self {
        Stream {
            name: name.into(),
            ids: 0,
            lines: 0,
            is_raw: false,
            last: [None; Claim::COUNT],
            claim: None,
            uuids: Vec::new(),
            ulids: Vec::new(),
        }
    }
}
