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

/// A message with the characters of its input escaped that cannot be seen, or that would control the terminal. A byte
/// order mark is named.
pub fn visible(message: impl fmt::Display) -> String {
    let message = message.to_string();
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        // Debug escapes some characters although they can be seen.
        match matches!(c, '\n' | '"' | '\'' | '\\') || c.escape_debug().len() == 1 {
            true => shown.push(c),
            false => shown.extend(c.escape_default()),
        }
    }
    if message.contains('\u{feff}') && !message.contains("byte order mark") {
        let end = shown.find('\n').unwrap_or(shown.len());
        shown.insert_str(end, "; \\u{feff} is a byte order mark, which must be removed");
    }
    shown
}

/// Prints an error to standard error.
pub fn report(message: impl fmt::Display) {
    // If standard error is closed, nobody reads the message.
    let _ = writeln!(std::io::stderr(), "error: {}", visible(message));
}

/// Prints an error about a part of the input, after which the command continues.
///
/// # Errors
/// If the reader closed the pipe that gets the errors and the output: then nothing is left to do.
pub fn report_input(message: impl fmt::Display) -> io::Result<()> {
    match writeln!(io::stderr(), "error: {}", visible(message)) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe && output::gets_errors() => {
            Err(output::about_output(error))
        }
        _ => Ok(()),
    }
}

/// Prints a note to standard error: something to know, although nothing failed.
pub fn note(message: impl fmt::Display) {
    let _ = writeln!(std::io::stderr(), "note: {}", visible(message));
}

/// Ends the command with what clap says: the help, or an error in the command line.
pub fn exit(error: clap::Error) -> ! {
    if error.use_stderr() {
        let message = error.render().to_string();
        let shown = visible(&message);
        // The rendered message has no control characters, but on a terminal clap would write those of an argument.
        let controls = std::env::args_os().any(|text| text.to_string_lossy().contains(char::is_control));
        // Otherwise clap writes the message, in colors on a terminal.
        if controls || shown != message {
            let _ = write!(io::stderr(), "{shown}");
            std::process::exit(error.exit_code());
        }
    } else if let Err(failed) = error.print().and_then(|()| io::stdout().flush())
        && failed.kind() != io::ErrorKind::BrokenPipe
    {
        // clap would end with 0.
        report(output::about_output(failed));
        std::process::exit(1);
    } else {
        std::process::exit(error.exit_code());
    }
    error.exit()
}

/// 0 after success and if the reader of the output closed it, 2 after a wrong command line, otherwise 1.
pub fn exit_code(result: anyhow::Result<ExitCode>, command: &mut clap::Command) -> ExitCode {
    let error = match result {
        Ok(code) => return code,
        Err(error) if output::is_closed(&error) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    if let Some(Usage(message)) = error.downcast_ref() {
        exit(command.error(clap::error::ErrorKind::ValueValidation, message));
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

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn messages_show_what_cannot_be_seen() {
        for (message, shown) in [
            ("'it\\s' is \"not\" é 文\n  ^\n", "'it\\s' is \"not\" é 文\n  ^\n"),
            ("'\u{200b}5\u{1b}[2J\u{202e}\r'", r"'\u{200b}5\u{1b}[2J\u{202e}\r'"),
            (
                "'\u{feff}5' is bad\n\n--help\n",
                "'\\u{feff}5' is bad; \\u{feff} is a byte order mark, which must be removed\n\n--help\n",
            ),
            ("a byte order mark, '\u{feff}'", "a byte order mark, '\\u{feff}'"),
        ] {
            assert_eq!(visible(message), shown);
        }
    }
}
