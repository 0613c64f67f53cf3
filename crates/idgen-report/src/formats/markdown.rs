//! A page as Markdown (GitHub's, with tables), for repositories and issues. Its charts are separate files.

use std::fmt::Write as _;

use super::blocks::{Block, Look, Page, Span};
use crate::charts::drawings::Drawing;
use crate::figures::grid::Grid;

impl Page {
    /// The page as Markdown, which shows its charts as `charts/NAME.svg`.
    pub fn markdown(&self) -> String {
        let head = [format!("# {}", plain(&self.heading)), blocks(&self.head), blocks(&self.body)];
        head.join("\n\n") + "\n"
    }
}

fn blocks(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(level, _, text) => format!("{} {}", "#".repeat(usize::from(*level)), plain(text)),
        Block::Text(Look::Problem, text) => format!("**{}**", spans(text)),
        Block::Text(_, text) => spans(text),
        Block::Quote(inner) => {
            blocks(inner)
                .lines()
                .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
                .collect::<String>()
        }
        .trim_end()
        .to_owned(),
        Block::Charts(charts) => charts.iter().map(picture).collect::<Vec<_>>().join("\n\n"),
        Block::Table(grid) => grid_table(grid),
        Block::Words(rows) => {
            let row = |(name, text): &(Span, Vec<Span>)| format!("\n| {} | {} |", span(name), spans(text));
            format!("| | |\n|---|:---|{}", rows.iter().map(row).collect::<String>())
        }
        Block::List(lines) => {
            lines.iter().map(|line| format!("- {}", spans(line))).collect::<Vec<_>>().join("\n")
        }
        Block::Code(code) => code.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n"),
        Block::Filters(_) => String::new(),
        Block::Part(part) => match &part.name {
            Some(name) => format!(
                "<details><summary>{}</summary>\n\n{}\n\n</details>",
                plain(name),
                blocks(&part.blocks)
            ),
            None => blocks(&part.blocks),
        },
    }
}

fn spans(text: &[Span]) -> String {
    text.iter().map(span).collect()
}

fn span(text: &Span) -> String {
    match text {
        Span::Code(code) if !code.contains(['`', '|']) => format!("`{}`", one_line(code)),
        Span::Text(text) | Span::Code(text) => plain(text),
        // A place within the page has no name in Markdown.
        Span::Link(to, text) if to.starts_with('#') => plain(text),
        Span::Link(to, text) => format!("[{}](<{to}>)", plain(text)),
    }
}

/// A chart with its heading above and its caption below.
fn picture(drawing: &Drawing) -> String {
    let beside =
        if drawing.beside.is_empty() { String::new() } else { format!(" {}", plain(&drawing.beside)) };
    let caption =
        if drawing.caption.is_empty() { String::new() } else { format!("  \n{}", plain(drawing.caption)) };
    format!(
        "**{}**{beside}  \n![{}. {}](charts/{}.svg){caption}",
        plain(&drawing.heading),
        plain(&drawing.chart.title),
        plain(&drawing.chart.words),
        drawing.name
    )
}

/// Columns of figures are aligned to the right.
fn grid_table(grid: &Grid) -> String {
    let line = |cells: &mut dyn Iterator<Item = &String>| {
        cells.map(|cell| format!(" {} |", plain(cell))).collect::<String>()
    };
    let columns = grid.head.len().saturating_sub(1);
    let mut out = format!("|{}\n|---|{}", line(&mut grid.head.iter()), "---:|".repeat(columns));
    for (name, cells) in &grid.rows {
        let _ = write!(out, "\n|{}", line(&mut std::iter::once(name).chain(cells)));
    }
    out
}

/// Escapes what has a meaning in Markdown or HTML.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => out.extend(['\\', letter]),
            letter => out.push(letter),
        }
    }
    out
}

/// The text in one line. A space at its end or its beginning separates it from another piece.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let space = |is_there: bool| if is_there && !words.is_empty() { " " } else { "" };
    let (before, after) = (text.starts_with(char::is_whitespace), text.ends_with(char::is_whitespace));
    format!("{}{words}{}", space(before), space(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_html_in_text_are_escaped() {
        assert_eq!(plain("a|b\n<i>_x_ [1] 5 * 2"), "a\\|b &lt;i&gt;\\_x\\_ \\[1\\] 5 \\* 2");
    }
}
