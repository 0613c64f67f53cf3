//! The `idgen` command.
//!
//! Each subcommand has its own file with its arguments and a `run` function that calls the library.

#![forbid(unsafe_code)]

mod check;
mod cli;
mod completions;
mod convert;
mod failure;
mod form;
mod input;
mod inspect;
mod key_file;
mod lab;
mod lines;
mod map;
mod new;
mod odds;
mod output;
mod record;
mod seal_file;
mod sql;
mod values;
mod weeks;

fn main() -> std::process::ExitCode {
    cli::main()
}
