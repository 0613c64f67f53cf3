//! `report.md`: the report as Markdown, for repositories and issues. Its charts are separate files.

use std::fmt::Write as _;

use crate::charts::drawings::{Drawing, Drawings};
use crate::error::Result;
use crate::figures::finding::{Answer, Part};
use crate::figures::grid::Grid;
use crate::formats::contents::Contents;
use idgen_record::Results;

/// The report as Markdown (GitHub's, with tables), which shows the charts as `charts/NAME.svg`.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn markdown(results: &Results) -> Result<String> {
    Ok(text(results, &Drawings::of(results)?, None))
}

/// The same with charts that are drawn already. It shows all of them, or those that are named.
pub fn text(results: &Results, drawings: &Drawings, named: Option<&[&str]>) -> String {
    let contents = Contents::of(results, drawings);
    let mut out = format!("# {}\n", plain(&results.question));
    let mut paragraph = |text: &str| {
        let _ = write!(out, "\n{text}\n");
    };
    if let Some(answer) = &contents.answer {
        paragraph(&quoted(answer));
    }
    let engine = format!("{} {}", results.engine.name, results.engine.version);
    paragraph(&if !results.has_any() {
        format!("Run on {}. No run was finished, so there are no measurements.", plain(&engine))
    } else if results.times_statements() {
        format!("Run on {}; the result of each run was checked.", plain(&engine))
    } else {
        format!(
            "{} with {} rows each, on {}{}. Every run was checked afterwards: {}.",
            match results.runs.len() {
                1 => "One key strategy".to_owned(),
                several => format!("{several} key strategies"),
            },
            contents.rows,
            plain(&engine),
            contents.clients,
            contents.checked
        )
    });
    if results.interrupted {
        paragraph("**The runs were interrupted: the report shows the finished ones.**");
    }
    for problem in &contents.problems {
        paragraph(&format!("**{}**", plain(problem)));
    }
    let wanted = |drawing: &Drawing| named.is_none_or(|named| named.contains(&&*drawing.name));
    let pictures = |of: &[Drawing]| {
        let shown: Vec<_> = of.iter().filter(|drawing| wanted(drawing)).map(picture).collect();
        (!shown.is_empty()).then(|| shown.join("\n\n"))
    };
    if let Some(grid) = contents.published {
        paragraph("## Published, and measured here");
        if let Some(why) = contents.uncompared {
            paragraph(why);
        }
        paragraph(&grid_table(grid));
    }
    if let Some(met) = contents.met {
        paragraph(&met);
    }
    for section in contents.sections {
        let pictures = pictures(section.charts);
        if pictures.is_none() && section.tables.is_empty() {
            continue;
        }
        paragraph(&format!("## {}", section.heading));
        if !section.lead.is_empty() {
            paragraph(&section.lead);
        }
        if let Some(pictures) = pictures {
            paragraph(&pictures);
        }
        for (kind, grid) in section.tables {
            if let Some(kind) = kind {
                paragraph(&format!("Milliseconds, {kind}:"));
            }
            paragraph(&grid_table(grid));
        }
        section.missing.iter().for_each(|line| paragraph(&plain(line)));
    }
    for (name, sql) in contents.explained.iter().filter(|_| results.times_statements()) {
        paragraph(&format!("{}:\n\n    {}", plain(name), one_line(sql)));
    }
    if results.has_any() && !results.notes.is_empty() {
        paragraph("## Notes");
        paragraph(&plain(&results.notes));
    }
    paragraph("## Settings");
    let facts = contents.facts.into_iter().map(|(name, value)| (name.to_owned(), vec![value]));
    let settings =
        contents.settings.into_iter().map(|(name, value)| (name.to_owned(), vec![value.to_owned()]));
    paragraph(&table(&["setting", "value"], ":---|", facts.chain(settings)));
    let others: Vec<_> =
        drawings.all().filter(|drawing| !wanted(drawing)).map(|drawing| &*drawing.name).collect();
    if !others.is_empty() {
        paragraph("## Charts");
        paragraph(&format!(
            "`idgen lab report` draws these charts from the record: {}.",
            plain(&others.join(", "))
        ));
    }
    paragraph("## Run it again");
    paragraph(&format!("    {}", one_line(&results.command)));
    out
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

fn grid_table(grid: Grid) -> String {
    table(&grid.head, FIGURES, grid.rows.into_iter())
}

/// Columns of figures are aligned to the right.
const FIGURES: &str = "---:|";

fn table<Head: AsRef<str>>(
    head: &[Head],
    align: &str,
    rows: impl Iterator<Item = (String, Vec<String>)>,
) -> String {
    let heads: Vec<_> = head.iter().map(|head| plain(head.as_ref())).collect();
    let mut out = format!("| {} |\n|---|{}", heads.join(" | "), align.repeat(head.len() - 1));
    for (name, cells) in rows {
        let _ = write!(out, "\n| {} |", plain(&name));
        for cell in cells {
            let _ = write!(out, " {} |", plain(&cell));
        }
    }
    out
}

/// The answer as a block quotation, with lists of its findings.
fn quoted(answer: &Answer) -> String {
    let part = |part: &Part| {
        let findings: String =
            part.findings.iter().map(|finding| format!("\n> - {}", plain(finding))).collect();
        let space = if findings.is_empty() { "" } else { "\n>" };
        format!("> {}{space}{findings}", plain(&part.lead))
    };
    let rest = (!answer.rest.is_empty()).then(|| format!("> {}", plain(&answer.rest)));
    answer.parts.iter().map(part).chain(rest).collect::<Vec<_>>().join("\n>\n")
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_html_in_text_are_escaped() {
        assert_eq!(plain("a|b\n<i>_x_ [1] 5 * 2"), "a\\|b &lt;i&gt;\\_x\\_ \\[1\\] 5 \\* 2");
    }
}
