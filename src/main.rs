//! The `idgen` command.
//!
//! Each subcommand is a file of its own: its arguments, and a `run` that hands them to the library.

mod cli;
mod completions;
mod convert;
mod failure;
mod form;
mod input;
mod inspect;
mod lab;
mod lines;
mod map;
mod new;
mod odds;
mod output;
mod record;
mod sql;
mod values;
mod weeks;

fn main() -> std::process::ExitCode {
    cli::main()
}
