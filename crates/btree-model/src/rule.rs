//! The interface to an engine's way of dividing pages: when a page is divided, and where.

use std::fmt::Debug;

use crate::shape::Shape;

/// Decides when a page is divided, and between which records. Each engine's B+tree is an implementation.
///
/// ```
/// use btree_model::{Cut, InnoDb, Model, Ranges, Records, Server, Setup, Shape, SplitRule};
///
/// /// Divides every full page in the middle, also where keys ascend.
/// #[derive(Clone, Copy, Debug)]
/// struct Halves;
///
/// impl SplitRule for Halves {
///     fn takes(&self, page: &Records, shape: &Shape, _place: usize) -> bool {
///         shape.fits(page.level, page.len as u32)
///     }
///
///     fn cut(&self, page: &Records, _shape: &Shape, place: usize, _shared: &dyn Fn(usize) -> usize) -> Cut {
///         let at = page.len / 2;
///         Cut { at, new_goes_down: place <= at, downwards: false }
///     }
/// }
///
/// fn fill(rule: impl SplitRule) -> btree_model::Result<f64> {
///     let shape = Shape::clustered(16_384, 8, 0)?;
///     let setup = Setup { shape, server: Server::mysql(128 << 20), rate: 5_000.0, commit_rows: 1 };
///     let mut model = Model::with_rule(rule, &setup, Ranges::all())?;
///     for key in 0..100_000_u64 {
///         model.insert(&key.to_be_bytes())?;
///     }
///     Ok(model.tree().fill.median)
/// }
/// assert!(fill(InnoDb)? > 0.9);
/// assert!(fill(Halves)? < 0.6);
/// # Ok::<(), btree_model::Error>(())
/// ```
pub trait SplitRule: Copy + Debug {
    /// Returns whether a record can be inserted at `place` without a split.
    fn takes(&self, page: &Records, shape: &Shape, place: usize) -> bool;

    /// Decides how a page that has no room for a record at `place` is divided. Afterwards both pages must
    /// hold a record, the new one included.
    ///
    /// `shared` returns how many leading bytes two neighbors have in common: the record at its argument and the one
    /// before it, where the new record counts as the one at `place`.
    fn cut(&self, page: &Records, shape: &Shape, place: usize, shared: &dyn Fn(usize) -> usize) -> Cut;

    /// Returns whether a record whose place is behind the last record of a page is inserted into the next
    /// page if that has room, instead of splitting the page.
    fn uses_right_sibling(&self) -> bool {
        false
    }

    /// Returns whether a split also latches the page before the one that is divided, which no split changes
    /// unless it moves records down.
    fn latches_left_sibling(&self) -> bool {
        false
    }
}

/// The records of a page, as a rule sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Records {
    /// 0 for a leaf.
    pub level: u8,
    /// Records on the page.
    pub len: usize,
    /// Records for which the heap has had room: more than [`Records::len`] once a split has moved some away.
    pub heap: usize,
    /// The place of the record inserted last, where no split has cleared it.
    pub last: Option<usize>,
    /// True if the row inserted last into the table went to this page.
    pub took_last_row: bool,
    /// True for the last page of a level, on which keys above all others arrive.
    pub rightmost: bool,
}

impl Records {
    /// Returns true if the record at `place` follows the one inserted last.
    pub fn follows_last(&self, place: usize) -> bool {
        place > 0 && self.last == Some(place - 1)
    }

    /// Returns true if the record at `place` comes just before the one inserted last.
    pub fn precedes_last(&self, place: usize) -> bool {
        self.last == Some(place)
    }
}

/// The place among its records at which a full page is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The first record that moves to the upper page.
    pub at: usize,
    /// True if the new record becomes the last of the lower page; otherwise it is one of the upper page.
    pub new_goes_down: bool,
    /// True if the lower half is moved to a new page; otherwise the upper half is.
    pub downwards: bool,
}
