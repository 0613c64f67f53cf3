//! Shows what `idgen lab` recorded: on the terminal, as JSON, CSV, Markdown and a self-contained page with charts, and two
//! runs side by side. It reads records ([`idgen_record`]) and nothing else.
//!
//! ```
//! let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-21/mysql/rebuild");
//! let results = idgen_report::open(recorded.as_ref())?;
//! assert!(idgen_report::markdown(&results)?.starts_with(&format!("# {}", results.question)));
//! # Ok::<(), idgen_report::Error>(())
//! ```

#![forbid(unsafe_code)]

mod answer;
mod asked;
mod case_figures;
mod case_table;
mod cases;
mod charts;
mod compare;
mod csv;
mod drawings;
mod error;
mod files;
mod fitted;
mod grids;
mod html;
mod json;
mod load;
mod maps;
mod markdown;
mod numbers;
mod overlaid;
mod picture;
mod published;
mod records;
mod staying;
mod survey;
mod terminal;
mod times;
mod visits;

pub use self::csv::csv;
pub use answer::{Answer, Part, answer};
pub use compare::{Compared, Difference, Pair, Ratio, Side, compare, comparison, comparison_html};
pub use error::{Error, Result};
pub use files::{CHARTS, FILES, archive, prepare, save, write};
pub use html::html;
pub use json::{json, read};
pub use markdown::markdown;
pub use overlaid::{Overlay, overlaid};
pub use picture::{over_rows, page_png, page_svg};
pub use published::{Comparison, case_met, comparisons, met};
pub use records::{below, open};
pub use survey::survey;
pub use terminal::{WIDTH, cases, list, published, table, width};

#[cfg(test)]
mod tests;
