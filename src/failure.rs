//! The end of a command: the message on standard error, and the exit code.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::output;

/// A wrong command line: exit code 2, with the usage.
#[derive(Debug)]
struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error in the command line: options that cannot be combined, or a value that is not allowed.
pub fn usage(message: impl fmt::Display) -> anyhow::Error {
    Usage(message.to_string()).into()
}

/// Prints an error to standard error.
pub fn report(message: impl fmt::Display) {
    // If standard error is closed, nobody reads the message.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

/// Prints an error about a part of the input, after which the command continues.
///
/// # Errors
/// If the reader closed the pipe that gets the errors and the output: then nothing is left to do.
pub fn report_input(message: impl fmt::Display) -> io::Result<()> {
    match writeln!(io::stderr(), "error: {message}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe && output::gets_errors() => {
            Err(output::about_output(error))
        }
        _ => Ok(()),
    }
}

/// Prints a note to standard error: something to know, although nothing failed.
pub fn note(message: impl fmt::Display) {
    let _ = writeln!(std::io::stderr(), "note: {message}");
}

/// 0 after success and if the reader of the output closed it, 2 after a wrong command line, otherwise 1.
pub fn exit_code(result: anyhow::Result<ExitCode>, command: &mut clap::Command) -> ExitCode {
    let error = match result {
        Ok(code) => return code,
        Err(error) if output::is_closed(&error) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    if let Some(Usage(message)) = error.downcast_ref() {
        command.error(clap::error::ErrorKind::ValueValidation, message).exit();
    }
    report(in_one_line(&error));
    ExitCode::FAILURE
}

/// An error and its causes, each once: most messages contain those of their causes.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line
}
