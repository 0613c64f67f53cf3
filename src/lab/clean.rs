//! `idgen lab clean`: removes what runs left on a server because they were killed.

use std::io::Write;
use std::process::ExitCode;

use idgen_server::{Leftovers, Server};

use super::screen::wrapped;
use crate::failure;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen lab clean mysql://lab@host --dry-run    # shows what would be removed
  IDGEN_LAB_ENGINE=postgres://lab:password@host/postgres idgen lab clean

A run drops its schema when it ends, also after Ctrl-C. A run that was killed leaves it on a server that was given by URL, \
under a name such as idgen_ with 32 digits. The command drops the schemas that idgen made and that no running program uses: \
a run holds a lock of the server (MySQL, MariaDB) or a session (PostgreSQL), which end with it. Other schemas are not \
touched, whatever their name is.";

/// Remove the schemas that killed runs left on your own server.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The server: mysql://user:password@host:port or postgres://user:password@host:port. The environment variable keeps
    /// the password out of process lists.
    #[arg(value_name = "URL", env = "IDGEN_LAB_ENGINE", hide_env_values = true, value_parser = values::url)]
    url: String,
    /// Only show what would be removed.
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if !args.url.contains("://") {
        return Err(failure::usage(
            "lab clean needs the URL of a server, such as mysql://user:password@host:port: only there can runs leave something",
        ));
    }
    let server = Server::at(&args.url)?;
    let found = server.leftovers()?;
    let mut out = Output::open();
    let mut failed = false;
    for name in &found.left {
        if args.dry_run {
            writeln!(out, "{name}: would be removed")?;
            continue;
        }
        match server.remove_leftover(name) {
            Ok(true) => writeln!(out, "{name}: removed")?,
            Ok(false) => writeln!(out, "{name}: kept, a program uses it")?,
            Err(error) => {
                failure::report(error);
                failed = true;
            }
        }
    }
    for name in &found.in_use {
        writeln!(out, "{name}: kept, a program uses it")?;
    }
    for name in &found.foreign {
        writeln!(
            out,
            "{}",
            wrapped(&format!(
                "{name}: kept, because its name does not show that idgen made it; if you know that, remove it with DROP \
                 DATABASE {name}"
            ))
        )?;
    }
    if found == Leftovers::default() {
        writeln!(out, "{}: runs have left nothing", server.shown_url())?;
    }
    out.finish()?;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Names what killed runs left on the server at this URL.
pub fn note_leftovers(url: &str) {
    // A server that does not show them can be measured.
    let Ok(found) = Server::at(url).and_then(|server| server.leftovers()) else { return };
    if found.left.is_empty() {
        return;
    }
    let shown = idgen_server::redacted(url);
    failure::note(format_args!(
        "runs that were killed have left {} at {shown}: idgen lab clean {shown} removes them",
        found.left.join(", ")
    ));
}
