//! A page as one self-contained HTML file: no network, and a script that sorts tables.

use askama::Template;

use super::blocks::Page;
use crate::error::{Error, Result};

/// The hashes of `page.js` and of `filters.js`. A browser runs no other scripts in a page, so text from a record never runs.
pub(crate) const SCRIPT_HASH: &str = "sha256-9KwWxyBsHWpFtUWFlIpJ7V7dzE2NGiaBWeZS+UY9BcA=";
pub(crate) const FILTERS_HASH: &str = "sha256-cs13vxmNBEgS5G+GYAEJR9X26FY/g5vwR7e1/K33Cjw=";

impl Page {
    /// The page as one HTML file that loads nothing.
    ///
    /// ```
    /// use idgen_report::{Block, Page};
    ///
    /// let page = Page { heading: "<b>".to_owned(), body: vec![Block::text("a < b")], ..Page::default() }.html()?;
    /// assert!(page.contains("a &#60; b") && !page.contains("<b>"));
    /// # Ok::<(), idgen_report::Error>(())
    /// ```
    ///
    /// # Errors
    /// The template cannot be rendered.
    pub fn html(&self) -> Result<String> {
        self.render().map_err(|error| Error::caused("cannot write the page", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::blocks::{BarChart, Block, Span};
    use idgen_record::Family;

    const HOSTILE: &str = "</script><script>alert(1)</script> \" onload='x' & <b>";

    #[test]
    fn no_text_becomes_markup() {
        let hostile = || HOSTILE.to_owned();
        let chart = BarChart { heading: hostile(), bars: vec![(hostile(), Family::Random, 1.0, hostile())] };
        let body = vec![
            Block::heading(hostile(), hostile()),
            Block::problem(hostile()),
            Block::bars(&[chart], HOSTILE).unwrap(),
            Block::table(hostile(), vec![hostile()], vec![vec![hostile(), hostile()]], &[0]),
            Block::words([(hostile(), Span::Code(hostile()))]),
            Block::list([hostile(), hostile()]),
            Block::text(Span::Link(hostile(), hostile())),
            Block::folded(hostile(), vec![Block::Code(hostile())]),
        ];
        let head = vec![Block::Quote(vec![Block::soft(hostile())])];
        let page = Page { title: hostile(), heading: hostile(), skip: hostile().into(), head, body };
        let page = page.html().unwrap();
        assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
        assert!(!page.contains("<b>") && !page.contains("alert(1)<"), "{page}");
        // Between tags, a quote is text. Within one, it would end an attribute.
        let within_tag = |at: usize| page[..at].rfind('<') > page[..at].rfind('>');
        assert!(!page.match_indices("\" onload='x'").any(|(at, _)| within_tag(at)), "{page}");
        assert_eq!(page.matches("http://").count(), page.matches("http://www.w3.org").count());
        assert!(page.matches("alert(1)").count() >= 18, "{}", page.matches("alert(1)").count());
    }
}
