//! A self-contained page about something that is no record of the lab, such as a survey of a database.

use askama::Template;
use idgen_record::{Axis, Family};

use crate::charts::drawings::Drawing;
use crate::charts::{Bar, bars};
use crate::error::{Error, Result};

/// A page of headings, tables, bars and findings. All its texts may have any characters.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its title, and that of the browser's window.
    pub title: String,
    /// One sentence on what it is about.
    pub lead: String,
    /// What a reader has to know first, in sentences.
    pub answer: Vec<String>,
    /// The rest, in this order.
    pub parts: Vec<Part>,
}

/// A part of a [`Document`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Part {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Charts beside each other.
    Charts(Vec<BarChart>),
    /// A table.
    Table(Rows),
    /// Something that was found, with what to do.
    Finding(Finding),
    /// A list of sentences.
    List(Vec<String>),
    /// Lines of code behind a name that a reader opens.
    Folded(String, Vec<String>),
}

/// Horizontal bars, a number each.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// Above the bars.
    pub heading: String,
    /// Below them.
    pub caption: &'static str,
    /// The name of each, the family that gives its color, its number, and how the number is written.
    pub bars: Vec<(String, Family, f64, String)>,
}

/// A table of texts, the first of a row being its name.
#[derive(Clone, Debug)]
pub struct Rows {
    /// What it is about, for readers who cannot see it.
    pub name: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
    /// The columns that are words. The others are numbers.
    pub texts: Vec<usize>,
}

impl Rows {
    fn is_text(&self, column: &usize) -> bool {
        self.texts.contains(column)
    }
}

/// Something that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its name.
    pub title: String,
    /// Whether it is marked as a problem.
    pub is_problem: bool,
    /// What was found.
    pub what: String,
    /// Names with sentences.
    pub facts: Vec<(String, String)>,
    /// Names with code.
    pub code: Vec<(String, String)>,
}

/// A part whose charts are drawn.
enum Drawn<'a> {
    Heading(&'a str),
    Text(&'a str),
    Charts(Vec<Drawing>),
    Table(&'a Rows),
    Finding(&'a Finding),
    List(&'a [String]),
    Folded(&'a str, &'a [String]),
}

#[derive(Template)]
#[template(path = "document.html")]
struct Page<'a> {
    document: &'a Document,
    parts: Vec<Drawn<'a>>,
}

/// The page as one HTML file that loads nothing.
///
/// ```
/// use idgen_report::{Document, DocumentPart, document};
///
/// let parts = vec![DocumentPart::Text("a < b".to_owned())];
/// let page = document(&Document { title: "<b>".to_owned(), parts, ..Document::default() })?;
/// assert!(page.contains("a &#60; b") && !page.contains("<b>"));
/// # Ok::<(), idgen_report::Error>(())
/// ```
///
/// # Errors
/// A chart cannot be drawn.
pub fn document(document: &Document) -> Result<String> {
    let parts = document.parts.iter().map(drawn).collect::<Result<_>>()?;
    let page = Page { document, parts };
    page.render().map_err(|error| Error::caused("cannot write the page", error))
}

fn drawn(part: &Part) -> Result<Drawn<'_>> {
    Ok(match part {
        Part::Heading(text) => Drawn::Heading(text),
        Part::Text(text) => Drawn::Text(text),
        Part::Charts(charts) => Drawn::Charts(charts.iter().map(drawing).collect::<Result<_>>()?),
        Part::Table(rows) => Drawn::Table(rows),
        Part::Finding(finding) => Drawn::Finding(finding),
        Part::List(lines) => Drawn::List(lines),
        Part::Folded(name, lines) => Drawn::Folded(name, lines),
    })
}

fn drawing(chart: &BarChart) -> Result<Drawing> {
    let bar = |(label, family, value, written): &(String, Family, f64, String)| Bar {
        label: label.clone(),
        family: *family,
        value: *value,
        written: written.clone(),
        mark: None,
        points: Vec::new(),
    };
    let rows: Vec<Bar> = chart.bars.iter().map(bar).collect();
    Ok(Drawing {
        name: String::new(),
        heading: chart.heading.clone(),
        beside: String::new(),
        caption: chart.caption,
        chart: bars(&chart.heading, &rows, Axis::Linear)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "</script><script>alert(1)</script> \" onload='x' & <b>";

    #[test]
    fn no_text_becomes_markup() {
        let hostile = || HOSTILE.to_owned();
        let chart = BarChart {
            heading: hostile(),
            caption: "",
            bars: vec![(hostile(), Family::Random, 1.0, hostile())],
        };
        let rows = Rows {
            name: hostile(),
            head: vec![hostile()],
            rows: vec![vec![hostile(), hostile()]],
            texts: vec![0],
        };
        let finding = Finding {
            title: hostile(),
            is_problem: true,
            what: hostile(),
            facts: vec![(hostile(), hostile())],
            code: vec![(hostile(), hostile())],
        };
        let parts = vec![
            Part::Heading(hostile()),
            Part::Text(hostile()),
            Part::Charts(vec![chart]),
            Part::Table(rows),
            Part::Finding(finding),
            Part::List(vec![hostile()]),
            Part::Folded(hostile(), vec![hostile()]),
        ];
        let page = document(&Document { title: hostile(), lead: hostile(), answer: vec![hostile()], parts })
            .unwrap();
        assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
        assert!(!page.contains("<b>") && !page.contains("alert(1)<"), "{page}");
        // Between tags, a quote is text. Within one, it would end an attribute.
        let within_tag = |at: usize| page[..at].rfind('<') > page[..at].rfind('>');
        assert!(!page.match_indices("\" onload='x'").any(|(at, _)| within_tag(at)), "{page}");
        assert!(
            !page.contains("http://")
                || page.matches("http://").count() == page.matches("http://www.w3.org").count()
        );
        assert!(page.matches("alert(1)").count() >= 18, "{}", page.matches("alert(1)").count());
    }
}
