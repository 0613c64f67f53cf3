//! The `idgen` command.
//!
//! Each subcommand has its own file with its arguments and a `run` function that calls the library.

#![forbid(unsafe_code)]

mod bounds;
mod check;
mod cli;
mod completions;
mod convert;
mod failure;
mod foreign;
mod form;
mod input;
mod inspect;
mod key_file;
mod lab;
mod layout;
mod lines;
mod map;
mod named;
mod new;
mod number;
mod odds;
mod output;
mod pasted;
mod plan;
mod record;
mod seal_file;
mod sealing;
mod signals;
mod sql;
mod survey;
mod text_file;
mod values;
mod weeks;

fn main() -> std::process::ExitCode {
    cli::main()
}
