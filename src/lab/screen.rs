//! Text that fits the width of the terminal.

use idgen_report as report;

/// Breaks lines at the width of the terminal, and indents continued lines of a list. Tables already fit.
pub fn wrapped(text: &str) -> String {
    let width = usize::from(report::width());
    let fill = |line: &str| {
        let hanging = if line.starts_with("- ") { "  " } else { "" };
        textwrap::fill(line, textwrap::Options::new(width).subsequent_indent(hanging))
    };
    text.lines().map(fill).collect::<Vec<_>>().join("\n")
}
