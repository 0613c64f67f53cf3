//! `idgen survey`: the keys of a live database, and what is dangerous about them.

mod model;
mod page;
mod wait;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use idgen_lab::forecast::Load;
use idgen_migrate::survey::{Level, NewIds, Options};

use crate::number;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  export IDGEN_SURVEY_URL=mysql://reader:secret@localhost/shop
  idgen survey                           # columns, bytes of keys, dangers
  idgen survey sqlite:shop.db --json
  idgen survey --table orders --explain  # also the statements that it executed
  idgen survey --watch 60                # also where rows arrive, and how many
  idgen survey --html survey.html        # a page that one can send to somebody
  idgen survey --to v7                   # also what breaks with version 7
  idgen survey --fail-on danger          # in CI

It only reads, and never a whole large table: the rows come from a few ranges of each primary key. No value of a row \
is printed without --show-values. The statement of a finding may read a whole table; it is printed, and not executed.

Exit codes: 0; 1 if --fail-on found something, or if the database cannot be surveyed; 2 if the command line was wrong.";

/// Survey the keys of a live database, read only: kinds of ids, bytes, dangers.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The database: mysql://, mariadb://, postgres://, or sqlite: and the path of a file. Use the environment variable
    /// to keep the password out of process lists.
    #[arg(value_name = "URL", env = "IDGEN_SURVEY_URL", hide_env_values = true, value_parser = values::url)]
    url: String,

    /// Only this table. Can be repeated.
    #[arg(long = "table", value_name = "NAME")]
    tables: Vec<String>,

    /// Rows to read from each table, at most.
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = number::whole::<u32>(1..=1_000_000))]
    rows: u32,

    /// Ranges of the primary key from which they are read.
    #[arg(long, value_name = "COUNT", default_value = "5", value_parser = number::whole::<u32>(1..=1_000))]
    starts: u32,

    /// The longest time that a statement may take; twelve times as long for each of the dozen that read the catalog.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = number::whole::<u32>(1..=86_400))]
    statement_seconds: u32,

    /// The time for the samples of all tables; those for which it is too short are counted under "Not seen".
    #[arg(long, value_name = "SECONDS", default_value = "40", value_parser = number::whole::<u32>(1..=86_400))]
    sample_seconds: u32,

    /// Add what would break if new ids were of this kind.
    #[arg(long, value_name = "KIND", value_enum)]
    to: Option<To>,

    /// Look again after this time: where new rows arrive, and how many.
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u32>(1..=86_400))]
    watch: Option<u32>,

    /// Tables whose keys the model predicts with other kinds of ids, those with the most bytes of keys first; 0 for none.
    #[arg(long, value_name = "COUNT", default_value = "3", value_parser = number::whole::<u32>(0..=1_000))]
    predict: u32,

    /// Inserts per second that the model assumes where they were not counted.
    #[arg(long, value_name = "N", value_parser = rate, default_value_t = 1_000.0)]
    rate: f64,

    /// Show values of rows as examples.
    #[arg(long)]
    show_values: bool,

    /// Print the survey as JSON.
    #[arg(long)]
    json: bool,

    /// Write the survey as a page into this file, beside what is printed.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Print the statements that were executed too. The JSON has them in any case.
    #[arg(long, conflicts_with = "json")]
    explain: bool,

    /// End with exit code 1 if there is a finding of this level or a more serious one.
    #[arg(long, value_name = "LEVEL", value_enum)]
    fail_on: Option<FailOn>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum To {
    V7,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FailOn {
    Warning,
    Danger,
}

/// A rate that the model takes.
fn rate(text: &str) -> Result<f64, String> {
    number::rate(text, (Load::MIN_RATE, Load::MAX_RATE))
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.html.as_deref().map(idgen_report::check_page).transpose()?;
    let options = Options {
        statement_time: Duration::from_secs(args.statement_seconds.into()),
        sample_time: Duration::from_secs(args.sample_seconds.into()),
        rows: args.rows,
        starts: args.starts,
        show_values: args.show_values,
        tables: args.tables,
        to: args.to.map(|To::V7| NewIds::V7),
        watch: args.watch.map(|seconds| Duration::from_secs(seconds.into())),
        ..Options::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut survey = runtime.block_on(idgen_migrate::survey::survey(&args.url, &options))?;
    let (predictions, left_out) = model::predict(&survey, args.predict as usize, args.rate);
    survey.add_predictions(predictions, left_out);
    if let Some(path) = &args.html {
        idgen_report::write(path, page::of(&survey)?.as_bytes())?;
    }
    let mut out = Output::open();
    if args.json {
        serde_json::to_writer(&mut out, &survey)?;
        writeln!(out)?;
    } else {
        write!(out, "{survey}")?;
    }
    if args.explain {
        writeln!(out, "\nStatements")?;
        for statement in &survey.statements {
            writeln!(out, "  -- {}\n  {};", statement.purpose, statement.sql)?;
        }
    }
    out.finish()?;
    let limit = match args.fail_on {
        None => return Ok(ExitCode::SUCCESS),
        Some(FailOn::Warning) => Level::Warning,
        Some(FailOn::Danger) => Level::Danger,
    };
    let fails = survey.worst().is_some_and(|worst| worst >= limit);
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
