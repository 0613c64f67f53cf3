//! Claims pairs: blocks of ids, look-ups that prove what they find, and the two indexes that keep a pair unique.

pub(crate) mod blocks;
pub(crate) mod context;
pub(crate) mod evidence;
pub(crate) mod held;
pub(crate) mod index;
pub(crate) mod memory;
pub(crate) mod pair;
pub(crate) mod place;
pub(crate) mod proof;
pub(crate) mod purge;
pub(crate) mod reservation;
pub(crate) mod state_row;
pub(crate) mod within;
pub(crate) mod witness;
