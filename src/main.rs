//! The `idgen` command.
//!
//! Each subcommand has its own file with its arguments and a `run` function that calls the library.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "databases", feature = "lab")),
    allow(dead_code, reason = "what commands share has parts for those that are absent")
)]

mod absent;
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
#[cfg(feature = "lab")]
mod lab;
mod layout;
mod lines;
#[cfg(feature = "databases")]
mod map;
mod named;
mod new;
mod number;
mod odds;
mod output;
mod pasted;
#[cfg(feature = "databases")]
mod plan;
mod record;
mod seal_file;
mod sealing;
#[cfg(any(feature = "databases", feature = "lab"))]
mod signals;
#[cfg(feature = "databases")]
mod sql;
#[cfg(feature = "databases")]
mod survey;
mod text_file;
mod values;
mod weeks;

fn main() -> std::process::ExitCode {
    cli::main()
}
