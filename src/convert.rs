//! `idgen convert`: converts ids to another format.

use std::io::Write;
use std::process::ExitCode;

use idgen::codec::Format;

use crate::form::{BATCH, Form};
use crate::input::Input;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen convert --to base64 6ccd780c-baba-1026-9564-5b8c656024db
  idgen convert --to hyphenated bM14DLq6ECaVZFuMZWAk2w 3CSNW0SENT20K9AS2VHHJP096V
  idgen convert --to swapped --hex 6ccd780c-baba-1026-9564-5b8c656024db
  idgen convert --from swapped --to hyphenated 1026baba6ccd780c95645b8c656024db
  idgen new v7 -n 1000 | idgen convert --to ordered64
  idgen convert --to hyphenated -- -P6xMXtjRo1C2gQBJY5OyV
  idgen convert --to simple < ids.txt > simple.txt

Texts in ordered64 and base64url can begin with a hyphen; all v7 ids and ULIDs in ordered64 do, until \
the year 2109. As arguments, put them after --, because they would be read as options otherwise.

The format is detected by length, then by characters. 22 characters are standard base64 unless they can \
only be base64url or ordered64; 26 are base32; 32 hexadecimal digits are simple, even if all are \
decimal; any other decimal number is int. Raw bytes are never detected: name their format with --from.

Each line of standard input is an id; it may end with LF or CRLF. A bad line (also an empty one, or \
one of more than 1024 bytes) is reported with its number; all others are still converted, and the \
exit code is 1. With --from binary or swapped, and without --hex, every 16 bytes are an id.";

/// Convert ids to another format.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: Input,

    /// The format to write.
    #[arg(short, long, value_name = "FORMAT", value_parser = values::format(), ignore_case = true)]
    to: Format,

    /// Read and write the formats binary and swapped as 32 hexadecimal digits per line.
    #[arg(long)]
    hex: bool,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { input, to, hex } = args;
    input.check_hex(hex, !to.is_text())?;
    let form = Form::new(to, hex && !to.is_text())?;
    form.check_terminal()?;

    let mut given = input.open(hex);
    let (mut ids, mut buffer) = (Vec::with_capacity(BATCH), Vec::new());
    let mut out = Output::open();
    while let Some(id) = given.next(|text, named| named.map_or_else(|| Format::decode_any(text), Ok))? {
        ids.extend(id.map(|(_, id)| id));
        if ids.len() == BATCH || given.may_wait() {
            form.write(&ids, &mut buffer, &mut out)?;
            ids.clear();
        }
        if given.may_wait() {
            out.flush()?;
        }
    }
    form.write(&ids, &mut buffer, &mut out)?;
    out.finish()?;
    Ok(given.code())
}
