//! Shows what `idgen lab` recorded: on the terminal, as JSON, CSV, Markdown and a self-contained page with charts, and two
//! runs side by side. It reads records ([`idgen_record`]) and nothing else. A [`Document`] is a page of the same look about anything
//! else, from the texts of its caller.
//!
//! ```
//! let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rebuild");
//! let results = idgen_report::open(recorded.as_ref())?;
//! assert!(idgen_report::markdown(&results)?.starts_with(&format!("# {}", results.question)));
//! # Ok::<(), idgen_report::Error>(())
//! ```

#![forbid(unsafe_code)]

mod charts;
mod compare;
mod error;
mod figures;
mod formats;

pub use charts::overlaid::{Overlay, overlaid};
pub use charts::picture::{over_rows, page_png, page_svg};
pub use compare::{Compared, Difference, Pair, Ratio, Side, compare, comparison, comparison_html};
pub use error::{Error, Result};
pub use figures::answer::answer;
pub use figures::finding::{Answer, Part};
pub use figures::grids::foreign_writes;
pub use figures::load::fits_cache;
pub use figures::published::{Comparison, case_met, comparisons, met};
pub use formats::csv::csv;
pub use formats::document::{
    BarChart, Document, Finding as DocumentFinding, Part as DocumentPart, Rows as DocumentRows, document,
};
pub use formats::files::{CHARTS, FILES, archive, prepare, save, write};
pub use formats::html::html;
pub use formats::json::{json, read};
pub use formats::markdown::markdown;
pub use formats::records::{below, open};
pub use formats::survey::survey;
pub use formats::terminal::{WIDTH, cases, list, published, table, width};

#[cfg(test)]
mod tests;
