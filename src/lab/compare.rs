//! `idgen lab compare`: compares two recorded runs, or draws the courses of several.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use idgen_report as report;

use crate::failure::visible;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen lab compare idgen-lab/uuid-order yesterday/uuid-order
  idgen lab compare mysql/results.json mariadb/results.json --html page.html
  idgen lab compare mysql/switch mariadb/switch postgres/switch --picture a.svg

A and B are results.json files of idgen lab, or their directories. The output first lists the differences in \
engine, version, workload, settings and machine. Then it shows the figures that both runs have, with B divided by \
A: rows per second and milliseconds per statement; pages read, written and created, also at the end of the run; \
splits, log, cache, leaf pages, page fill and bytes. With --picture there may be more than two runs. The chart shows, for \
each run, the pages read and written per 1,000 inserts over the rows in the table.";

/// Compare two recorded runs: the differences in their settings, and the figures of both with their ratio; or draw
/// the courses of several runs.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The first run: a results.json file, or its directory.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second run: a results.json file, or its directory.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Further runs, for --picture.
    #[arg(value_name = "MORE", requires = "picture", conflicts_with_all = ["json", "html"])]
    more: Vec<PathBuf>,
    /// Draw the pages read and written of all these runs in one chart, into this SVG file.
    #[arg(long, value_name = "FILE", value_parser = values::svg())]
    picture: Option<PathBuf>,
    /// The strategies that --picture shows, separated by commas [default: all; at most 12 lines].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "picture")]
    strategies: Vec<String>,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
    /// Write the comparison as an HTML page, with charts, into this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.html.as_deref().map(report::check_page).transpose()?;
    if let Some(picture) = &args.picture {
        draw(&args, picture)?;
        if !args.more.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let (a, b) = (report::open(&args.a)?, report::open(&args.b)?);
    let (a_name, b_name) = (args.a.to_string_lossy(), args.b.to_string_lossy());
    let compared = report::compare((&a_name, &a), (&b_name, &b))?;
    if let Some(path) = &args.html {
        report::write(path, report::comparison_page(&compared)?.html()?.as_bytes())?;
    }
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&compared)?)?;
    } else {
        // A record can be somebody else's, with names that would control the terminal.
        writeln!(out, "{}", visible(report::comparison(&compared)))?;
        for (what, path) in [("Page", &args.html), ("Picture", &args.picture)] {
            if let Some(path) = path {
                writeln!(out, "\n{what}: {}", path.display())?;
            }
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Draws the courses of all runs, and says which line is which.
fn draw(args: &Args, picture: &Path) -> anyhow::Result<()> {
    let paths: Vec<&PathBuf> = [&args.a, &args.b].into_iter().chain(&args.more).collect();
    let opened: Vec<_> = paths
        .iter()
        .map(|path| Ok((path.to_string_lossy(), report::open(path)?)))
        .collect::<report::Result<_>>()?;
    let results: Vec<_> = opened.iter().map(|(name, results)| (&**name, results)).collect();
    let strategies: Vec<_> = args.strategies.iter().map(String::as_str).collect();
    let overlay = report::overlaid(&results, &strategies)?;
    report::write(picture, overlay.svg.as_bytes())?;
    if args.more.is_empty() {
        return Ok(());
    }
    let mut out = Output::open();
    writeln!(out, "Lines: {}\nPicture: {}", visible(overlay.lines.join("; ")), picture.display())?;
    out.finish()?;
    Ok(())
}
