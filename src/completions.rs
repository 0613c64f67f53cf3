//! `idgen completions`: prints a script with which a shell completes commands and options.

use std::io::Write;
use std::process::ExitCode;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen completions bash > ~/.local/share/bash-completion/completions/idgen
  idgen completions zsh > ~/.zfunc/_idgen          # with ~/.zfunc in fpath
  idgen completions fish > ~/.config/fish/completions/idgen.fish
  idgen completions powershell >> $PROFILE";

/// Print the completions for a shell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Prints the completions of this command.
pub fn run(args: Args, mut command: clap::Command) -> anyhow::Result<ExitCode> {
    // `generate` panics if it cannot write, so it writes into memory first.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "idgen", &mut script);
    let mut out = Output::open();
    out.write_all(&script)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
