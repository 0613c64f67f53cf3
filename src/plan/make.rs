//! Plans the change of a key with its foreign keys, as SQL files.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use idgen_migrate::plan::{Options, Target, Tool};

use crate::failure::usage;
use crate::number;
use crate::output::Output;
use crate::values;

/// The table, its new keys and the folder.
#[derive(clap::Args)]
pub struct Make {
    /// The database: mysql://, mariadb:// or postgres://. Use the environment variable to keep the password out of process
    /// lists.
    #[arg(value_name = "URL", env = "IDGEN_PLAN_URL", hide_env_values = true, value_parser = values::url, required = true)]
    url: Option<String>,

    /// The table whose key changes. The tables that foreign keys connect with it change too.
    #[arg(long, value_name = "NAME", required = true)]
    table: Option<String>,

    /// What the keys become.
    #[arg(long, value_name = "TARGET", value_enum, required = true)]
    to: Option<To>,

    /// The table of the map from which --to integer takes the integers, in the schema of the URL: uuid_map if it is not named.
    #[arg(long, value_name = "NAME")]
    map: Option<String>,

    /// Write the files to this folder, which must be empty or not exist.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Keep the old text in generated columns, for readers that are not changed yet.
    #[arg(long)]
    keep_text: bool,

    /// Write the arguments of this tool in place of the SQL steps, where it can change the key: on MariaDB with --to uuid, for a table
    /// of text keys without foreign keys.
    #[arg(long = "for", value_name = "TOOL", value_enum)]
    tool: Option<For>,

    /// Copy some rows of each table into a temporary table, which needs the right to make one, and estimate the duration of the copies
    /// by that.
    #[arg(long, conflicts_with = "tool")]
    measure: bool,

    /// The longest time that a statement of the planning may take.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = number::whole::<u32>(1..=86_400))]
    statement_seconds: u32,

    /// Print the plan as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum To {
    /// The 16 bytes of each id, in BINARY(16)
    Binary16,
    /// The type UUID: PostgreSQL, and MariaDB
    Uuid,
    /// The column stays, and new rows get ids of version 7
    V7FromNow,
    /// Ids of version 1 in 16 bytes with their time first
    Swapped,
    /// MySQL and MariaDB: integers from the map; the id stays in a unique column
    Integer,
    /// The same integers in 64 bits: keys of INT and smaller, and all columns that refer to them
    Bigint,
}

impl From<To> for Target {
    fn from(to: To) -> Target {
        match to {
            To::Binary16 => Target::Binary16,
            To::Uuid => Target::Uuid,
            To::V7FromNow => Target::V7FromNow,
            To::Swapped => Target::Swapped,
            To::Integer => Target::Integer,
            To::Bigint => Target::Bigint,
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum For {
    /// gh-ost of GitHub: refused, with the reason
    GhOst,
    /// pt-online-schema-change of the Percona Toolkit
    PtOnlineSchemaChange,
}

impl From<For> for Tool {
    fn from(tool: For) -> Tool {
        match tool {
            For::GhOst => Tool::GhOst,
            For::PtOnlineSchemaChange => Tool::PtOnlineSchemaChange,
        }
    }
}

/// Plans, and writes the files.
pub fn run(args: Make) -> anyhow::Result<ExitCode> {
    // They are missing only before a subcommand.
    let (Some(url), Some(table), Some(to)) = (args.url, args.table, args.to) else {
        return Err(usage("the URL, --table and --to are needed"));
    };
    let mut options = Options {
        keep_text: args.keep_text,
        tool: args.tool.map(Tool::from),
        measure: args.measure,
        statement_time: Duration::from_secs(args.statement_seconds.into()),
        ..Options::new(table, to.into())
    };
    if options.measure && matches!(options.to, Target::Integer | Target::V7FromNow) {
        let to = options.to.name();
        return Err(usage(format_args!("--measure does not apply to --to {to}: plan without it")));
    }
    if let Some(map) = args.map {
        if options.to != Target::Integer {
            let to = options.to.name();
            return Err(usage(format_args!("--map does not apply to --to {to}, only to --to integer")));
        }
        options.map = map;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let plan = runtime.block_on(idgen_migrate::plan::plan(&url, &options))?;
    if let Some(folder) = &args.out {
        plan.write(folder)?;
    }
    let mut out = Output::open();
    if args.json {
        serde_json::to_writer(&mut out, &plan)?;
        writeln!(out)?;
    } else {
        write!(out, "{plan}")?;
        if let Some(folder) = &args.out {
            writeln!(out, "\nWritten to {}. Read its README.md first.", folder.display())?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
