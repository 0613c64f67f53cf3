//! `idgen convert`: converts ids to another format.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen::codec::Format;
use idgen::{Nature, Uuid};

use crate::failure::usage;
use crate::form::{BATCH, Form, Target};
use crate::input::Input;
use crate::output::Output;
use crate::pasted::Strictness;
use crate::sealing::{Id, Opened, Sealing};
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen convert --to base64 6ccd780c-baba-1026-9564-5b8c656024db
  idgen convert --to simple bM14DLq6ECaVZFuMZWAk2w 3CSNW0SENT20K9AS2VHHJP096V
  idgen convert --to swapped --hex 6ccd780c-baba-1026-9564-5b8c656024db
  idgen convert --from swapped --to hyphenated 1026baba6ccd780c95645b8c656024db
  idgen new v7 -n 1000 | idgen convert --to ordered64
  idgen convert --to hyphenated -- -P6xMXtjRo1C2gQBJY5OyV
  idgen convert --to simple < ids.txt > simple.txt
  idgen convert --to typed --type user 01890a5d-ac96-774b-bcce-b302099a8057
  idgen convert --to hyphenated user_01h455vb4pex5vsknk084sn02q
  idgen convert --seal seal.key -t simple 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
  idgen convert --seal seal.key --to typed --type user 42

Texts in ordered64 and base64url can begin with a hyphen. All v7 ids and ULIDs in ordered64 do so until \
the year 2109. As arguments, put such ids after --, because they would be read as options otherwise.

The format is detected by length, then by characters. 22 characters are standard base64 unless they can \
only be base64url or ordered64; 26 are base32; 32 hexadecimal digits are simple, even if all are \
decimal, and also if a server printed them as 0x…, \\x… or X'…'; any other decimal number is int, unless it has 22, \
26, 31 or 33 to 36 digits, which could be another format: name it with --from. A TypeID has a prefix and _. Quotation marks around an id, and the padding of base64, are taken off with a note. Raw bytes are never detected: name their format with --from.

Each line of standard input is an id; it may end with LF or CRLF. A bad line (an empty line and one \
of more than 1024 bytes are bad too) is reported with its number. All others are still converted, and the \
exit code is 1; with --keep-lines, an empty line stands for it. With --from binary or swapped, and without --hex, every 16 bytes are an id.";

/// Convert ids to another format.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    strictness: Strictness,

    /// The format to write.
    #[arg(short, long, value_name = "FORMAT", value_parser = values::target(), ignore_case = true)]
    to: Target,

    /// The prefix of the format typed, such as user: letters from a to z, with _ between them; or "" for none. A TypeID
    /// with another prefix is an error.
    #[arg(id = "type", long = "type", value_name = "PREFIX")]
    prefix: Option<String>,

    /// Read and write the formats binary and swapped as 32 hexadecimal digits per line.
    #[arg(long)]
    hex: bool,

    /// Write hexadecimal digits, and the prefix of a URN, in capitals.
    #[arg(long)]
    upper: bool,

    /// Write an empty line for each bad line, so that the lines of the output belong to those of the input.
    #[arg(long)]
    keep_lines: bool,

    /// Convert ids of version 7 to ids that look like version 4 and hide the time, by a permutation. Its key is the
    /// bytes of KEYFILE, at least 16, without the line end after them; hexadecimal digits and base64 are not decoded. A file
    /// whose first line is "idgen seal ring" has
    /// a key on each further line: "begin SECRET", then "2027-01-01T00:00:00Z SECRET" for the ids that are created from
    /// that moment on. With --type, integers below 2^64 are sealed too, and each type has keys of its own.
    #[arg(long, value_name = "KEYFILE", conflicts_with = "open")]
    seal: Option<PathBuf>,

    /// Convert ids that were sealed with the keys in KEYFILE back to version 7, or to integers (--to int). TypeIDs are
    /// opened with the keys of their type, and with --type so are all others.
    #[arg(long, value_name = "KEYFILE")]
    open: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { input, strictness, to, prefix, hex, upper, keep_lines, seal, open } = args;
    let sealing = Sealing::new(seal.as_deref(), open.as_deref(), prefix.as_deref())?;
    if prefix.is_some() && to != Target::Typed && open.is_none() {
        return Err(usage("--type is for --to typed, and for --open: leave it out"));
    }
    input.check_hex(hex, !to.is_text())?;
    let form = Form::of(to, prefix.as_deref(), hex && !to.is_text(), upper)?;
    if keep_lines && !form.is_text() {
        return Err(usage("--keep-lines is for text, and the output is raw bytes: add --hex"));
    }
    form.check_terminal()?;

    let (mut given, pasted) = (input.open(hex), strictness.pasted());
    let (mut ids, mut buffer) = (Vec::with_capacity(BATCH), Vec::new());
    let mut out = Output::open();
    let read = |text: &[u8], named: Option<(Format, Uuid)>| {
        let id = match named {
            Some((format, id)) => Id { id, format: Some(format), prefix: None },
            None => Id::detect(&pasted, text)?,
        };
        id.check_type(text, prefix.as_deref())?;
        sealing.apply(id)
    };
    let (mut others, mut misread) = (0u64, 0);
    while let Some(id) = given.next(read)? {
        let is_int = matches!(id, Some(Opened::Int(_)));
        if is_int && form.format() != Some(Format::Int) {
            return Err(usage("the sealed id is one of an integer: write it with --to int"));
        }
        let id = id.map(|id| match id {
            Opened::Uuid(id) => id,
            Opened::Int(number) => Uuid::from_u128(number.into()),
        });
        ids.extend(id);
        others += u64::from(id.is_some_and(|id| idgen::inspect_uuid(id).nature != Nature::V1));
        let keep = keep_lines && id.is_none();
        if ids.len() == BATCH || given.may_wait() || keep {
            misread += form.count_misread(&ids);
            form.write(&ids, &mut buffer, &mut out)?;
            ids.clear();
        }
        if keep {
            out.write_all(b"\n")?;
        }
        if given.may_wait() {
            out.flush()?;
        }
    }
    misread += form.count_misread(&ids);
    form.write(&ids, &mut buffer, &mut out)?;
    out.finish()?;
    pasted.note();
    form.note_if_misread(misread);
    if others > 0 {
        form.note_if_swapped(format_args!("the {others} ids of another version"));
    }
    Ok(given.code())
}
