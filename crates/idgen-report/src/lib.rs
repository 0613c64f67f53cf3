//! Shows what `idgen lab` recorded: on the terminal, as JSON, CSV, Markdown and a self-contained page with charts, and two
//! runs side by side. It reads records ([`idgen_record`]) and nothing else. A [`Page`] of [`Block`]s can also be about anything
//! else, from the texts of its caller.
//!
//! ```
//! let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rebuild");
//! let results = idgen_report::open(recorded.as_ref())?;
//! assert!(idgen_report::report(&results)?.markdown().starts_with(&format!("# {}", results.question)));
//! # Ok::<(), idgen_report::Error>(())
//! ```
//!
//! # What the library offers
//!
//! | to | use |
//! |---|---|
//! | read a run, by its path or by its short name | [`open`], [`below`], [`read`] of JSON |
//! | write it in one format | [`json`], [`csv()`], [`table`] for a terminal, [`report`] for a page: [`Page::markdown`], [`Page::html`] |
//! | write all formats and charts into a directory | [`save`], or [`archive`] without what can be made again |
//! | say in a sentence what a run found | [`answer`] |
//! | compare two runs | [`compare`], then [`comparison`] for a terminal or [`comparison_page`] |
//! | draw several runs in one chart | [`overlaid`] |
//! | make a site of many runs, with filters | [`site`] |
//! | make a page of the same look about anything else | [`Page`] |
//!
//! The other public items are hidden from this documentation: the command line of the package `idgen-tool`
//! uses them, and they change without notice.

#![forbid(unsafe_code)]

mod charts;
mod compare;
mod error;
mod figures;
mod formats;
mod site;

pub use charts::overlaid::{Overlay, overlaid};
#[doc(hidden)]
pub use charts::picture::{Upward, over, page_png, page_svg};
pub use compare::{Compared, Difference, Pair, Ratio, Side, compare, comparison, comparison_page};
pub use error::{Error, Result};
pub use figures::answer::answer;
pub use figures::finding::{Answer, Part as AnswerPart};
#[doc(hidden)]
pub use figures::grids::foreign_writes;
#[doc(hidden)]
pub use figures::load::fits_cache;
#[doc(hidden)]
pub use figures::published::{Comparison, comparisons, met};
pub use formats::blocks::{BarChart, Block, Look, Page, Part, Span};
pub use formats::csv::csv;
#[doc(hidden)]
pub use formats::files::{CHARTS, FILES, Prepared, check_page, prepare, write};
pub use formats::files::{archive, save};
pub use formats::json::{json, read};
pub use formats::records::{below, open, open_lines};
pub use formats::report::report;
#[doc(hidden)]
pub use formats::survey::survey;
pub use formats::terminal::table;
#[doc(hidden)]
pub use formats::terminal::{WIDTH, list, published, width};
pub use site::{Site, site};

#[cfg(test)]
mod tests;
