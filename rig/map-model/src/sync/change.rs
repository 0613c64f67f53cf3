//! The scopes of the model, and what devices and server say to each other.

/// The part of the model that is checked. Each part is small enough that all of its states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A parent of one device, and a child of it that another device makes.
    TwoDevices,
    /// Two rows of one device, which exchange their unique values.
    Exchange,
    /// Three rows of one device, which exchange their unique values in a circle. It sends two at once, and the server takes more.
    Circle,
    /// A parent and its child on one device; the server refuses some values of the parent.
    Family,
    /// A row of one device; the server and the device may be restored from backups.
    Restored,
    /// A row of one device, which may be restored from a backup. What it had sent before may still arrive.
    Copied,
}

/// A row: its place.
pub(super) type RowAt = usize;
pub(super) const ROWS: usize = 3;
pub(super) const DEVICES: usize = 2;
/// The value that the server refuses.
pub(super) const BAD: u8 = 9;

impl Scope {
    pub(super) fn rows(self) -> usize {
        match self {
            Scope::Restored | Scope::Copied => 1,
            Scope::TwoDevices | Scope::Exchange | Scope::Family => 2,
            Scope::Circle => 3,
        }
    }

    pub(super) fn owner(self, row: RowAt) -> usize {
        usize::from(self == Scope::TwoDevices && row == 1)
    }

    /// The parent of a row, if it is a child.
    pub(super) fn parent(self, row: RowAt) -> Option<RowAt> {
        (matches!(self, Scope::TwoDevices | Scope::Family) && row == 1).then_some(0)
    }

    /// The values of a row.
    pub(super) fn values(self, row: RowAt) -> &'static [u8] {
        match self {
            Scope::Exchange => &[1, 2, 3],
            Scope::Circle => [&[1, 4, 2][..], &[2, 3], &[3, 1]][row],
            Scope::Family if row == 0 => &[1, BAD],
            Scope::Restored | Scope::Copied => &[1, 2],
            Scope::TwoDevices | Scope::Family => &[1],
        }
    }

    /// The most changes that a device sends at once.
    pub(super) fn most(self) -> usize {
        if self == Scope::Circle { 2 } else { 9 }
    }

    /// The highest number of a change of a row. Two rows exchange their values in three changes and two.
    pub(super) fn numbers(self, row: RowAt) -> u8 {
        if self == Scope::Exchange && row == 1 || self == Scope::Circle && row > 0 { 2 } else { 3 }
    }
}

/// The content of a row: `None` if it is deleted.
pub(super) type Content = Option<u8>;

/// The marks of numbers: of each number of a row, the mark with which a device gave it out, or 0. A mark is drawn at random, so that a
/// device and its copy never draw the same: here it is the life of the device, 1 before it was restored and 2 after.
pub(super) type Marks = [u8; 4];
/// The mark of a number that the server has named: whoever gave it out.
pub(super) const ANY: u8 = 3;

/// A change as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    pub(super) row: RowAt,
    pub(super) number: u8,
    /// The highest number of the row that the device has sent before, or that the server has named.
    pub(super) known: u8,
    /// The marks of the numbers that the device gave out since the server answered for one of them, with that one and its own.
    pub(super) given: Marks,
    /// Which changes its content follows, marks as bits. No device knows this: it is what the checker judges by.
    pub(super) follows: Marks,
    pub(super) content: Content,
}

/// The server's answer for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    Applied,
    Older(u8),
    Waits(RowAt),
    /// Another row blocks it: this row, whose newest change has this number.
    Blocked(RowAt, u8),
    Refused,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    Batch(usize, Vec<Change>),
    Answer(usize, Vec<(Change, Outcome)>),
}
