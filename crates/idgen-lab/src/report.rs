//! Shows records: on the terminal, as JSON, CSV and a self-contained page. Reads nothing but records.

mod answer;
mod case_table;
mod cases;
mod charts;
mod compare;
mod csv;
mod drawings;
mod files;
mod grids;
mod html;
mod json;
mod load;
mod maps;
mod markdown;
mod numbers;
mod picture;
mod published;
mod survey;
mod terminal;
mod visits;

pub use answer::answer;
pub use compare::{Compared, Difference, Pair, Ratio, Side, compare, comparison, comparison_html, open};
pub use csv::csv;
pub use files::{CHARTS, FILES, prepare, save, write};
pub use html::html;
pub use json::{json, read};
pub use markdown::markdown;
pub use picture::{page_png, page_svg};
pub use published::{Comparison, comparisons};
pub use survey::survey;
pub use terminal::{WIDTH, cases, list, published, table, width};

#[cfg(test)]
mod tests;
