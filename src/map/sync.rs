//! `idgen map sync`: the tables to which rows of devices are applied, and the references of these rows that
//! are open.

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;
use idgen_mysql::sync::Table;

use super::Connection;
use crate::number;
use crate::output::Output;

/// Rows that devices made with UUIDs, in tables with integer keys.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Create the two tables of the sync, or check the existing ones. The map must be installed.
    Install(Connection),
    /// Check tables, and print in which order rows are written, and which columns refer to which table.
    Describe(Tables),
    /// Print the references to rows that have not arrived, the oldest first.
    Open(Open),
    /// Tell the sync that a table was renamed, so that its old changes are not applied again.
    Rename(Rename),
    /// Remove what the sync knows about a table that was dropped.
    Drop(Dropped),
}

#[derive(clap::Args)]
struct Rename {
    #[command(flatten)]
    connection: Connection,
    /// The name that the table had.
    #[arg(value_name = "FROM")]
    from: String,
    /// The name that it has now.
    #[arg(value_name = "TO")]
    to: String,
}

#[derive(clap::Args)]
struct Dropped {
    #[command(flatten)]
    connection: Connection,
    /// The table that was dropped.
    #[arg(value_name = "TABLE")]
    dropped: String,
}

#[derive(clap::Args)]
struct Tables {
    #[command(flatten)]
    connection: Connection,
    /// The tables of the sync.
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<String>,
    /// A column that refers to a table without a foreign key in the schema; may be repeated.
    #[arg(long, value_name = "TABLE.COLUMN=TABLE", value_parser = reference)]
    refers: Vec<Reference>,
}

#[derive(clap::Args)]
struct Open {
    #[command(flatten)]
    tables: Tables,
    /// How many to print.
    #[arg(long, value_name = "N", value_parser = number::whole::<usize>(1..=1_000_000), default_value_t = 100)]
    limit: usize,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
}

/// A column of a table, and the table that it refers to.
#[derive(Clone)]
struct Reference {
    table: String,
    column: String,
    target: String,
}

fn reference(text: &str) -> Result<Reference, String> {
    let parts = text.split_once('=').and_then(|(from, target)| Some((from.split_once('.')?, target)));
    let ((table, column), target) = parts.ok_or_else(|| format!("'{text}' is not TABLE.COLUMN=TABLE"))?;
    Ok(Reference { table: table.to_owned(), column: column.to_owned(), target: target.to_owned() })
}

impl Tables {
    fn described(&self) -> anyhow::Result<Vec<Table>> {
        if let Some(other) = self.refers.iter().find(|reference| !self.tables.contains(&reference.table)) {
            anyhow::bail!(
                "--refers names the table {:?}, which is not among the tables: add it",
                other.table
            );
        }
        let of = |name: &String| {
            let own = self.refers.iter().filter(|reference| reference.table == *name);
            own.fold(Table::new(name), |table, reference| table.refers(&reference.column, &reference.target))
        };
        Ok(self.tables.iter().map(of).collect())
    }
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = Output::open();
    match args.command {
        Command::Install(connection) => {
            let map = connection.open().await?;
            map.install_sync().await?;
            writeln!(out, "The tables of the sync are installed.")?;
            map.close().await?;
        }
        Command::Rename(Rename { connection, from, to }) => {
            let map = connection.open().await?;
            map.rename_synced(&from, &to).await?;
            writeln!(out, "The sync knows the rows of {from} as those of {to}.")?;
            map.close().await?;
        }
        Command::Drop(Dropped { connection, dropped }) => {
            let map = connection.open().await?;
            map.drop_synced(&dropped).await?;
            writeln!(out, "The sync knows nothing about {dropped} any more.")?;
            map.close().await?;
        }
        Command::Describe(tables) => {
            let described = tables.described()?;
            let map = tables.connection.open().await?;
            write!(out, "{}", map.sync(&described).await?.describe())?;
            map.close().await?;
        }
        Command::Open(Open { tables, limit, json }) => {
            let described = tables.described()?;
            let map = tables.connection.open().await?;
            for open in map.sync(&described).await?.open_references(limit).await? {
                let ((row, id), (target, target_id)) = (open.row, open.target);
                if json {
                    let record = serde_json::json!({
                        "table": open.table,
                        "row": row.to_string(),
                        "id": id,
                        "column": open.column,
                        "target_table": open.target_table,
                        "target": target.to_string(),
                        "target_id": target_id,
                        "age_secs": open.age.as_secs(),
                    });
                    writeln!(out, "{record}")?;
                } else {
                    let age = open.age.as_secs();
                    writeln!(
                        out,
                        "{} {row} ({id}): {} refers to {} {target} ({target_id}), open for {age} s",
                        open.table, open.column, open.target_table
                    )?;
                }
            }
            map.close().await?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
