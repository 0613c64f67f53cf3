//! Pages as lists of typed blocks. A page is built once; [`html`](super::html) and [`markdown`](super::markdown) render the same
//! list.

use std::borrow::Cow;

use askama::Template;
use idgen_record::{Axis, Family};

use crate::charts::drawings::Drawing;
use crate::charts::{Bar, bars};
use crate::error::Result;
use crate::figures::finding::Answer;
use crate::figures::grid::{Data, Grid};

/// A page. All its texts may have any characters.
#[derive(Debug, Default, Template)]
#[template(path = "page.html")]
pub struct Page {
    /// The title of the browser's window.
    pub title: String,
    /// The heading of the page.
    pub heading: String,
    /// The place that a link at the top leads to, past the charts; empty for no link.
    pub skip: Cow<'static, str>,
    /// Blocks that a reader has to know first.
    pub head: Vec<Block>,
    /// The rest, in this order.
    pub body: Vec<Block>,
}

/// A block of a [`Page`].
#[derive(Debug, Template)]
#[template(path = "block.html")]
#[non_exhaustive]
pub enum Block {
    /// A heading of level 2 or 3, with the place that links name; empty for none.
    Heading(u8, Cow<'static, str>, String),
    /// A paragraph.
    Text(Look, Vec<Span>),
    /// The answer of a page.
    Quote(Vec<Block>),
    /// Charts beside each other.
    Charts(Vec<Drawing>),
    /// A table of figures.
    Table(Grid),
    /// Names, each with a text.
    Words(Vec<(Span, Vec<Span>)>),
    /// A list of sentences.
    List(Vec<Vec<Span>>),
    /// Lines of code.
    Code(String),
    /// Blocks that belong together.
    Part(Part),
    /// The filters of a site.
    #[doc(hidden)]
    Filters(Vec<Filter>),
}

/// A choice by which a reader narrows a page.
#[derive(Debug)]
pub struct Filter {
    /// The name of the data attribute, and of the parameter in the URL.
    pub name: &'static str,
    /// The text beside the choice.
    pub label: &'static str,
    /// The values, each with what a reader sees.
    pub options: Vec<(String, String)>,
}

/// The style of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Ordinary text.
    Plain,
    /// A note beside the text.
    Soft,
    /// A problem, set apart from the text.
    Problem,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(
    source = "{% match self %}{% when Self::Text(text) %}{{ text }}{% when Self::Code(code) %}<code>{{ code }}</code>\
              {% when Self::Link(to, text) %}<a href=\"{{ to }}\">{{ text }}</a>{% endmatch %}",
    ext = "html"
)]
pub enum Span {
    /// Words.
    Text(String),
    /// Code.
    Code(String),
    /// A link to an address, and its text.
    Link(String, String),
}

/// Blocks that a reader opens by their name, or that a filter of a site shows and hides together.
#[derive(Debug, Default)]
pub struct Part {
    /// The place that links name; empty for none.
    pub id: String,
    /// The values that filters compare.
    pub(crate) data: Data,
    /// The name that a reader opens; `None` for blocks that are always shown.
    pub name: Option<String>,
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl<T: Into<String>> From<T> for Span {
    fn from(text: T) -> Self {
        Span::Text(text.into())
    }
}

impl Block {
    /// A heading of level 2.
    pub fn heading(id: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Block {
        Block::Heading(2, id.into(), text.into())
    }

    /// A paragraph.
    pub fn text(text: impl Into<Span>) -> Block {
        Block::Text(Look::Plain, vec![text.into()])
    }

    /// A note beside the text.
    pub fn soft(text: impl Into<Span>) -> Block {
        Block::Text(Look::Soft, vec![text.into()])
    }

    /// A problem.
    pub fn problem(text: impl Into<Span>) -> Block {
        Block::Text(Look::Problem, vec![text.into()])
    }

    /// A list of sentences.
    pub fn list(lines: impl IntoIterator<Item = impl Into<Span>>) -> Block {
        Block::List(lines.into_iter().map(|line| vec![line.into()]).collect())
    }

    /// Names, each with a text.
    pub fn words(rows: impl IntoIterator<Item = (impl Into<Span>, impl Into<Span>)>) -> Block {
        Block::Words(rows.into_iter().map(|(name, text)| (name.into(), vec![text.into()])).collect())
    }

    /// Blocks that a reader opens by this name.
    pub fn folded(name: impl Into<String>, blocks: Vec<Block>) -> Block {
        Block::Part(Part { name: Some(name.into()), blocks, ..Part::default() })
    }

    /// A table of texts, the first of a row being its name. These columns are words, and the others are numbers.
    pub fn table(
        id: impl Into<Cow<'static, str>>,
        head: Vec<String>,
        rows: Vec<Vec<String>>,
        words: &[usize],
    ) -> Block {
        let rows = rows.into_iter().filter_map(|mut row| {
            let name = if row.is_empty() { return None } else { row.remove(0) };
            Some((name, row))
        });
        let texts = words.iter().filter_map(|column| column.checked_sub(1)).collect();
        Block::Table(Grid { id: id.into(), head, rows: rows.collect(), texts, ..Grid::default() })
    }

    /// Charts of horizontal bars, with this caption below each.
    ///
    /// # Errors
    /// A chart cannot be drawn.
    pub fn bars(charts: &[BarChart], caption: &'static str) -> Result<Block> {
        let drawing = |chart: &BarChart| {
            let bar = |(label, family, value, written): &(String, Family, f64, String)| Bar {
                label: label.clone(),
                family: *family,
                value: *value,
                written: written.clone(),
                mark: None,
                points: Vec::new(),
            };
            let rows: Vec<Bar> = chart.bars.iter().map(bar).collect();
            let heading = &chart.heading;
            Ok(Drawing::of("", heading, caption, bars(heading, &rows, Axis::Linear)?))
        };
        Ok(Block::Charts(charts.iter().map(drawing).collect::<Result<_>>()?))
    }

    /// Quotes what was found, as the answer of a page.
    pub(crate) fn answer(answer: Answer) -> Block {
        let mut blocks = Vec::new();
        for part in answer.parts {
            blocks.push(Block::text(part.lead));
            blocks.extend((!part.findings.is_empty()).then(|| Block::list(part.findings)));
        }
        blocks.extend((!answer.rest.is_empty()).then(|| Block::soft(answer.rest)));
        Block::Quote(blocks)
    }

    /// Makes it a part of an entry of a site, where the place has this prefix.
    pub(crate) fn within(self, prefix: &str) -> Block {
        let place = |id: Cow<'static, str>| if id.is_empty() { id } else { format!("{prefix}-{id}").into() };
        match self {
            Block::Heading(_, id, text) => Block::Heading(4, place(id), text),
            Block::Table(grid) => Block::Table(Grid { id: place(grid.id), ..grid }),
            other => other,
        }
    }

    /// Charts; `None` where there are none.
    pub(crate) fn charts(charts: Vec<Drawing>) -> Option<Block> {
        (!charts.is_empty()).then_some(Block::Charts(charts))
    }

    /// Returns true for charts and tables, and false for blocks that explain them.
    pub(crate) fn shows(&self) -> bool {
        matches!(self, Block::Charts(_) | Block::Table(_))
    }
}

impl Part {
    fn tag(&self) -> &'static str {
        if self.name.is_some() { "details" } else { "div" }
    }
}

/// Horizontal bars, a number each.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// The heading above the bars.
    pub heading: String,
    /// The name of each, the family that gives its color, its number, and how the number is written.
    pub bars: Vec<(String, Family, f64, String)>,
}

impl Page {
    fn has_filters(&self) -> bool {
        self.head.iter().any(|block| matches!(block, Block::Filters(_)))
    }

    /// The charts, in the order in which the page shows them.
    pub(crate) fn charts(&self) -> impl Iterator<Item = &Drawing> {
        self.body.iter().flat_map(|block| match block {
            Block::Charts(charts) => charts.as_slice(),
            _ => &[],
        })
    }
}
