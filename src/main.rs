//! The `idgen` command.
//!
//! Each subcommand is a file of its own: its arguments, and a `run` that hands them to the library.

mod cli;
mod completions;
mod failure;
mod form;
mod new;
mod output;
mod values;

fn main() -> std::process::ExitCode {
    cli::main()
}
