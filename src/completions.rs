//! `idgen completions`: a script that teaches a shell the options.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::cli::Cli;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen completions bash > ~/.local/share/bash-completion/completions/idgen
  idgen completions zsh > ~/.zfunc/_idgen          # with ~/.zfunc in fpath
  idgen completions fish > ~/.config/fish/completions/idgen.fish
  idgen completions powershell >> $PROFILE";

/// Write the completions for a shell to standard output.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    // Into memory first: `generate` panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "idgen", &mut script);
    let mut out = Output::open();
    out.write_all(&script)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
