//! How a command ends: the message on standard error, and the exit code.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

use crate::output;

/// A command line that means nothing: exit code 2, with the usage.
#[derive(Debug)]
struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error of the command line: options that do not go together, or a value that is refused.
pub fn usage(message: impl fmt::Display) -> anyhow::Error {
    Usage(message.to_string()).into()
}

/// Says on standard error what went wrong.
pub fn report(message: impl fmt::Display) {
    // Where standard error is gone there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

/// Says on standard error what is worth knowing, though nothing failed.
pub fn note(message: impl fmt::Display) {
    let _ = writeln!(std::io::stderr(), "note: {message}");
}

/// 0 after success and where the reader of the output went away, 2 after a wrong command line, else 1.
pub fn exit_code(result: anyhow::Result<ExitCode>, command: &mut clap::Command) -> ExitCode {
    let error = match result {
        Ok(code) => return code,
        Err(error) if output::is_closed(&error) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    if let Some(Usage(message)) = error.downcast_ref() {
        command.error(clap::error::ErrorKind::ValueValidation, message).exit();
    }
    report(format_args!("{error:#}"));
    ExitCode::FAILURE
}
