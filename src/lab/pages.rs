//! `idgen lab pages`: shows the pages of an InnoDB file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use idgen_report as report;
use innodb_pages::{Measure, Options, PageMap, Survey, Tablespace};

use super::screen::wrapped;
use crate::failure;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab pages orders.ibd
  idgen lab pages orders.ibd --picture orders.svg --shade recency
  zcat orders.ibd.gz | idgen lab pages /dev/stdin

Copy the file under FLUSH TABLES orders FOR EXPORT: while the server writes, its pages are inconsistent. The \
command reads files of MySQL 5.7 to 9.7 and MariaDB 10.2 to 11.x with any page size, but neither compressed nor \
encrypted ones. MySQL writes the names of a partitioned table's indexes into the file of its first partition: keep that \
file beside the others.";

/// Show the pages of an InnoDB .ibd file: page fill, index trees, the age of pages, and a map.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The tablespace file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
    /// Draw a map of the pages into this file (.svg or .png).
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// The meaning of the shades in the map.
    #[arg(long, value_enum, default_value_t = Shade::Fill)]
    shade: Shade,
    /// Continue if checksums or trees are wrong.
    #[arg(long)]
    no_verify: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Shade {
    /// How full a page is.
    Fill,
    /// How recently it was changed.
    Recency,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let draw = args.picture.as_deref().map(Drawing::of).transpose()?;
    let pages = Tablespace::open(&args.file, Options { verify: !args.no_verify })?.scan()?;
    let survey = Survey::of(&pages);
    if let (Some(draw), Some(path)) = (draw, &args.picture) {
        let measure = match args.shade {
            Shade::Fill => Measure::Fill,
            Shade::Recency => Measure::Recency,
        };
        let map = PageMap::of(&pages, measure);
        let title = args.file.file_name().unwrap_or_default().to_string_lossy();
        let image = match draw {
            Drawing::Svg => report::page_svg(&map, &title).into_bytes(),
            Drawing::Png => report::page_png(&map),
        };
        report::write(path, &image)?;
    }
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&survey)?)?;
    } else {
        writeln!(out, "{}", wrapped(&report::survey(&survey)))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

enum Drawing {
    Svg,
    Png,
}

impl Drawing {
    /// The kind of picture, by the name of its file.
    fn of(path: &Path) -> anyhow::Result<Drawing> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Drawing::Svg),
            Some("png") => Ok(Drawing::Png),
            _ => Err(failure::usage(format!(
                "--picture {}: the name must end in .svg or .png",
                path.display()
            ))),
        }
    }
}
