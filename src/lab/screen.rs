//! Text as wide as the screen.

use idgen_lab::report;

/// Lines of text broken where the screen ends; those of a list hang by its mark. Tables fit already.
pub fn wrapped(text: &str) -> String {
    let width = usize::from(report::width());
    let fill = |line: &str| {
        let hanging = if line.starts_with("- ") { "  " } else { "" };
        textwrap::fill(line, textwrap::Options::new(width).subsequent_indent(hanging))
    };
    text.lines().map(fill).collect::<Vec<_>>().join("\n")
}
