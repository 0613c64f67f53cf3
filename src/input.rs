//! The ids that a command reads, from its arguments or from standard input.

use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use idgen::Uuid;
use idgen::codec::{Format, literal, simple};

use crate::failure::{note, report, report_input, usage};
use crate::lines::{LONGEST, Lines, Piece};
use crate::values;

#[derive(clap::Args)]
pub struct Input {
    /// The ids. Without any, each line of standard input is an id. Put -- before ids that begin with a hyphen.
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// The format of the ids [default: detected for each id].
    #[arg(long, value_name = "FORMAT", value_parser = values::format(), ignore_case = true)]
    from: Option<Format>,
}

/// The ids, one after the other. Bad ones are reported on standard error, and the next ones are still read.
pub struct Ids {
    source: Source,
    from: Option<Format>,
    hex: bool,
    code: ExitCode,
}

enum Source {
    Arguments(std::vec::IntoIter<String>),
    Lines(Lines, u64),
    Records(Lines, u64),
}

impl Input {
    /// # Errors
    /// If `hex` is set, but neither the input nor the output (see `writes_bytes`) has one of the two binary
    /// formats.
    pub fn check_hex(&self, hex: bool, writes_bytes: bool) -> anyhow::Result<()> {
        if hex && !writes_bytes && self.from.is_none_or(Format::is_text) {
            return Err(usage("--hex is for the formats binary and swapped, and neither of them is named"));
        }
        Ok(())
    }

    /// Opens the input. In the formats binary and swapped, standard input consists of raw bytes, 16 for each id;
    /// with `hex`, and as arguments, ids have 32 hexadecimal digits.
    pub fn open(self, hex: bool) -> Ids {
        let Input { ids, from } = self;
        let is_raw = !hex && from.is_some_and(|format| !format.is_text());
        let source = match (ids.is_empty(), is_raw) {
            (false, _) => Source::Arguments(ids.into_iter()),
            (true, false) => Source::Lines(Lines::new(), 0),
            (true, true) => Source::Records(Lines::new(), 0),
        };
        if ids_come_from_a_person(&source) {
            note("reading ids from the terminal, one per line; end with Ctrl-D");
        }
        let hex = !matches!(source, Source::Records(..));
        Ids { source, from, hex, code: ExitCode::SUCCESS }
    }
}

/// The error about an id that begins with a hyphen, if clap did not accept the arguments because of one: clap
/// reads such an id as options, and `-h` would print the help and succeed.
pub fn taken_for_options(program: &mut clap::Command) -> Option<clap::Error> {
    let given: Vec<String> = std::env::args_os()
        .skip(1)
        .filter_map(|argument| argument.into_string().ok())
        .take_while(|argument| argument != "--")
        .collect();
    let id = given.iter().find(|text| text.starts_with('-') && Format::decode_any(text).is_ok())?;
    let command = subcommand(program, given.iter().map(String::as_str));
    let takes_ids = command.get_positionals().any(|argument| argument.get_id() == "ids");
    takes_ids.then(|| {
        let message = format_args!(
            "the id '{id}' begins with a hyphen and was read as options: put -- before the ids, or pass \
             them on standard input"
        );
        command.error(ErrorKind::UnknownArgument, message)
    })
}

/// The error about a file that stands where `idgen check` takes no argument: it reads standard input.
pub fn file_as_argument(error: &clap::Error, program: &mut clap::Command) -> Option<clap::Error> {
    let Some(ContextValue::String(file)) = error.get(ContextKind::InvalidArg) else { return None };
    let given: Vec<_> =
        std::env::args_os().skip(1).map_while(|argument| argument.into_string().ok()).collect();
    let command = subcommand(program, given.iter().map(String::as_str));
    if error.kind() != ErrorKind::UnknownArgument
        || command.get_name() != "check"
        || !Path::new(file).is_file()
    {
        return None;
    }
    let message = format_args!(
        "unexpected argument '{file}', which is a file: to read its ids, put < before its name, or use \
         --stream NAME=FILE"
    );
    Some(command.error(ErrorKind::UnknownArgument, message))
}

/// The innermost subcommand that the first words name.
pub fn subcommand<'a, 'w>(
    mut command: &'a mut clap::Command,
    words: impl Iterator<Item = &'w str>,
) -> &'a mut clap::Command {
    for name in words {
        if command.find_subcommand(name).is_none() {
            break;
        }
        command = command.find_subcommand_mut(name).expect("it was found");
    }
    command
}

fn ids_come_from_a_person(source: &Source) -> bool {
    matches!(source, Source::Lines(..)) && std::io::stdin().is_terminal()
}

impl Ids {
    /// Reads the next id with `read`, which gets its text and, if the command line names the format, the format
    /// and the value. `Some(None)` stands for a bad id, which was reported.
    ///
    /// # Errors
    /// If standard input cannot be read, or if the reader of the output closed it before a bad id was reported.
    pub fn next<T>(
        &mut self,
        read: impl FnOnce(&[u8], Option<(Format, Uuid)>) -> idgen::Result<T>,
    ) -> anyhow::Result<Option<Option<T>>> {
        let (from, hex) = (self.from, self.hex);
        let read = |text: &[u8]| named(from, hex, text).and_then(|named| read(text, named));
        let (what, number, piece) = match &mut self.source {
            Source::Arguments(ids) => {
                let Some(text) = ids.next() else { return Ok(None) };
                let failed = |error: idgen::Error| {
                    report(Hinted(&error, text.as_bytes(), from));
                    if Path::new(&text).is_file() {
                        note(format_args!("{text} is a file: to read its ids, put < before its name"));
                    }
                };
                return Ok(Some(read(text.as_bytes()).map_err(failed).map_err(|()| self.fail()).ok()));
            }
            Source::Lines(lines, number) => {
                *number += 1;
                ("line", *number, lines.next_line()?)
            }
            Source::Records(lines, number) => {
                *number += 1;
                ("record", *number, lines.next_record(size_of::<Uuid>())?)
            }
        };
        let bad = match piece {
            None => return Ok(None),
            Some(Piece::Whole([])) => anyhow!("the line is empty: remove it, or put an id there"),
            Some(Piece::TooLong) => anyhow!("the line is longer than {LONGEST} bytes, and no id is so long"),
            Some(Piece::Whole(text)) => match read(text) {
                Ok(id) => return Ok(Some(Some(id))),
                Err(error) => anyhow!("{}", Hinted(&error, text, from)),
            },
        };
        self.fail();
        report_input(format_args!("{what} {number}: {bad}"))?;
        Ok(Some(None))
    }

    /// Returns whether the next id may take long to arrive: finished output should be written before.
    pub fn may_wait(&self) -> bool {
        match &self.source {
            Source::Arguments(_) => false,
            Source::Lines(lines, _) | Source::Records(lines, _) => lines.may_wait(),
        }
    }

    /// The exit code: a failure if any id was bad.
    pub fn code(&self) -> ExitCode {
        self.code
    }

    fn fail(&mut self) {
        self.code = ExitCode::FAILURE;
    }
}

/// An error about a text, with the formats that would read the text if they were named.
struct Hinted<'a>(&'a idgen::Error, &'a [u8], Option<Format>);

impl fmt::Display for Hinted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Hinted(error, text, from) = self;
        write!(f, "{error}")?;
        if from.is_some() || !error.is_parse() {
            return Ok(());
        }
        let is_reader = |format: &&Format| format.is_text() && format.decode(text).is_ok();
        let readers: Vec<_> = Format::ALL.iter().filter(is_reader).map(|format| format.name()).collect();
        if readers.is_empty() {
            return Ok(());
        }
        write!(f, " (--from {})", readers.join(" or --from "))
    }
}

fn named(from: Option<Format>, hex: bool, text: &[u8]) -> idgen::Result<Option<(Format, Uuid)>> {
    let Some(format) = from else { return Ok(None) };
    let id = match hex && !format.is_text() {
        true => format.decode(literal::decode(text).or_else(|_| simple::decode(text))?.as_bytes()),
        false => format.decode(text),
    };
    Ok(Some((format, id?)))
}
