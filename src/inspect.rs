//! `idgen inspect`: shows what can be read from ids.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use idgen::codec::{Format, swapped};
use idgen::{AnyId, Inspection, Interval, Kind, Nature, Timestamp, Uuid};

use crate::failure::usage;
use crate::foreign::{self, Foreign};
use crate::input::Input;
use crate::output::Output;
use crate::pasted::Strictness;
use crate::record::{Record, Swapped, Ulid, Week};
use crate::sealing::Id;
use crate::values;
use crate::weeks::Weeks;

const EXAMPLES: &str = "\
Examples:
  idgen inspect 1ec9414c-232a-6b00-b3c8-9f6bdeced846
  idgen inspect 01ARZ3NDEKTSV4RRFFQ69G5FAV 102176818768904192
  idgen inspect --weeks-from 2010-01-01 e34e4c5b-0c8f-4d8c-9b0f-1f3a5d7c9e2b
  idgen inspect --from swapped 1026baba6ccd780c95645b8c656024db
  idgen inspect --interval minute f12601c8-007b-8000-8100-006789abcdef
  idgen inspect -- -P6xMXtjRo1C2gQBJY5OyV      # an id that begins with a hyphen
  idgen inspect user_01h455vb4pex5vsknk084sn02q 0ujtsYcgvSTl8PAuAdqWYSMnLOv
  idgen inspect 175928847299117063
  idgen new prefixed -n 3 | idgen inspect --json

An id does not name the program that generated it. Counters and version 8 are read with idgen's layout, so \
they are wrong for ids of other programs. An id that could be a version 1 in the bytes of UUID_TO_BIN(id, 1) is also \
shown as that; if it is one, name --from swapped. A decimal number below 2^64 is read as a 64-bit id. \
It does not show its layout, so the times of all that are plausible are shown: Twitter, Discord, TSID, Instagram, Sonyflake. \
TypeID, KSUID, ObjectId, xid, cuid, cuid2, Nano ID, TSID and push ids of Firebase are recognized by their characters.";

/// Show what can be read from ids: kind, time, node, counter, prefix.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    strictness: Strictness,

    /// Read the formats binary and swapped as 32 hexadecimal digits per line.
    #[arg(long)]
    hex: bool,

    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,

    /// Read version 8 ids as prefixed ids with a keyed prefix of this interval and an ascending tail, and show
    /// round, offset in the interval and counter. Without this option, tails are read as those of other
    /// prefixes, which begin with the time. The ids do not show which of the two layouts they have.
    #[arg(long, value_name = "INTERVAL")]
    interval: Option<Interval>,

    /// With --interval: read the tail as that of a writer with a name, which begins with the writer's tag.
    #[arg(long, requires = "interval")]
    named: bool,

    /// With --named: the prefix is sequential and not keyed, so that the id shows its time.
    #[arg(long, requires = "named")]
    sequential: bool,

    /// The first day of the weeks whose md5-week prefix is compared.
    #[arg(long, value_name = "DATE", value_parser = values::date, default_value = "2000-01-01")]
    weeks_from: Timestamp,

    /// The day before which the comparison ends [default: a year from now].
    #[arg(long, value_name = "DATE", value_parser = values::date)]
    weeks_to: Option<Timestamp>,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { input, strictness, hex, json, interval, named: has_name, sequential, weeks_from, weeks_to } =
        args;
    if let Some(interval) = interval {
        // Refuses an interval that no keyed prefix can have before the first id is read.
        idgen::inspect_uuid(Uuid::nil()).keyed(interval).map_err(usage)?;
    }
    let weeks_to =
        weeks_to.unwrap_or_else(|| Timestamp::from(SystemTime::now() + Duration::from_secs(366 * 86_400)));
    if weeks_from >= weeks_to {
        return Err(usage(format_args!(
            "no week would be compared: the weeks end before {weeks_to} (--weeks-to), and begin on {weeks_from} \
             (--weeks-from)"
        )));
    }
    input.check_hex(hex, false)?;
    let mut weeks = Weeks::between(weeks_from, weeks_to);
    let (mut given, pasted) = (input.open(hex), strictness.pasted());
    let mut out = Output::open();
    let now = Timestamp::from(SystemTime::now());
    let read = |text: &[u8], named: Option<(Format, Uuid)>| {
        let found = match named {
            Some((format, id)) => Id { id, format: Some(format), prefix: None },
            // A text that no format could have written may be of another generator.
            None => match Id::detect(&pasted, text) {
                Err(error) => match Foreign::of_text(text) {
                    Some(foreign) => return Ok(Seen::Foreign(foreign)),
                    None => return Err(error),
                },
                Ok(found) => found,
            },
        };
        let format = found.format.unwrap_or(Format::Base32);
        let seen = match found.prefix {
            Some(_) => idgen::inspect_uuid(found.id),
            None => idgen::inspect_decoded(format, found.id),
        };
        let seen = match interval {
            Some(interval) if sequential => seen.sequential_named(interval)?,
            Some(interval) if has_name => seen.keyed_named(interval)?,
            Some(interval) => seen.keyed(interval)?,
            None => seen,
        };
        // Sixteen raw bytes can be valid text by chance, or contain characters that garble the terminal.
        let is_text = format.is_text() || text.len() > size_of::<Uuid>();
        Ok(Seen::Own {
            text: String::from_utf8(text.to_vec()).ok().filter(|_| is_text),
            prefix: found.prefix.map(str::to_owned),
            seen,
        })
    };
    while let Some(id) = given.next(read)? {
        if let Some(Seen::Foreign(foreign)) = &id {
            foreign.write(json, &mut out)?;
        }
        if let Some(Seen::Own { text, prefix, seen }) = id {
            let text = text.unwrap_or_else(|| match seen.id {
                AnyId::Uuid(id) => id.to_string(),
                AnyId::Short(id) => id.to_string(),
            });
            let mut record = Record::seen(&text, &seen);
            record.weeks = seen.prefix.map(|prefix| {
                weeks.of_prefix(prefix).iter().map(|&(year, week)| Week { year, week }).collect()
            });
            record.or_ulid = or_ulid(&seen);
            record.or_swapped = or_swapped(&seen);
            record.prefix_of_type = prefix.as_deref();
            if prefix.is_some() {
                record.format = Some("typed");
            }
            record.readings = match seen.id {
                AnyId::Short(id) => foreign::readings_of(idgen::foreign_numbers(id.get(), now)),
                AnyId::Uuid(id) => foreign::orders_of(&id),
            };
            if json {
                record.write(&mut out)?;
            } else {
                write_text(&record, &seen, &mut out)?;
            }
        }
        if given.may_wait() {
            out.flush()?;
        }
    }
    out.finish()?;
    pasted.note();
    Ok(given.code())
}

/// The id that was read from a text.
enum Seen {
    Own {
        /// The text, unless it is raw bytes.
        text: Option<String>,
        /// The prefix of a TypeID.
        prefix: Option<String>,
        seen: Inspection,
    },
    Foreign(Foreign),
}

/// The alternative reading of a base32 text whose bits look like a UUID of a known version. This applies to one
/// ULID in thirteen, and to one in eight of idgen's own.
fn or_ulid(seen: &Inspection) -> Option<Ulid> {
    match seen.id {
        AnyId::Uuid(id) if seen.format == Some(Format::Base32) && seen.version.is_some() => {
            let ulid = idgen::inspect_ulid(id);
            Some(Ulid { time: ulid.timestamp?.to_string(), counter: ulid.counter? })
        }
        _ => None,
    }
}

/// The alternative reading of bytes that `UUID_TO_BIN(id, 1)` stored and that were read without swapping them back: a
/// version 1 of a time from 1990 to ten years from now. One random id in 1,500 looks like that.
fn or_swapped(seen: &Inspection) -> Option<Swapped> {
    let AnyId::Uuid(id) = seen.id else { return None };
    if matches!(seen.format, Some(Format::Swapped)) {
        return None;
    }
    let uuid = swapped::from_bytes(id.into_bytes());
    let other = idgen::inspect_uuid(uuid);
    let time = other.timestamp.filter(|_| other.nature == Nature::V1)?;
    let soon = Timestamp::from(SystemTime::now()).saturating_add(Duration::from_secs(10 * 366 * 86_400));
    (Timestamp::from_date(1990, 1, 1) <= time && time < soon)
        .then(|| Swapped { uuid, time: time.to_string() })
}

/// The condition under which the reading of a tail with --sequential is right.
const OF_WRITER: &str = "if it is of a named writer and the prefix is sequential with this interval";

fn write_text(record: &Record<'_>, seen: &Inspection, out: &mut impl Write) -> anyhow::Result<()> {
    let is_ours = |value: String| format!("{value}, if idgen made it");
    let node = record.node.as_ref().map(|node| match record.multicast {
        Some(true) => format!("{node} (multicast bit set: random)"),
        _ => format!("{node} (multicast bit clear: a network card's)"),
    });
    let prefix = record.prefix.as_ref().map(|prefix| match seen.version {
        Some(4) => format!("{prefix}, if it is {} or {}", Kind::Week, Kind::Prefixed),
        _ => format!("{prefix}, if it is {} or {}", Kind::Prefixed, Kind::FixedPrefix),
    });
    let weeks = record.weeks.as_ref().filter(|weeks| !weeks.is_empty()).map(|weeks| {
        let weeks: Vec<_> = weeks.iter().map(|Week { year, week }| format!("{year} week {week}")).collect();
        format!("{}, if the prefix is md5-week", weeks.join(", "))
    });
    let device = record
        .device
        .as_ref()
        .map(|id| format!("made {}, node {}, counter {}", id.time, id.node, id.counter));
    let mysql = record
        .mysql
        .as_ref()
        .map(|id| format!("server id {}, started {}, counter {}", id.server_id, id.startup, id.counter));
    let ulid = record.or_ulid.as_ref().map(|id| format!("made {}, counter {}", id.time, id.counter));
    // Only after a sequential prefix do round and offset tell the time.
    let is_sequential = seen.tail_time.is_some() && seen.round.is_some();
    let if_ours = if is_sequential { OF_WRITER } else { "if idgen made it and its prefix is not keyed" };
    let tail_time = record.tail_time.as_ref().map(|time| format!("{time}, {if_ours}"));
    let if_tail = if is_sequential { OF_WRITER } else { "if the prefix is keyed and has this interval" };
    let of_tail = |value: String| format!("{value}, {if_tail}");
    let offset = seen.offset.map(|span| of_tail(format!("{} s", span.as_secs_f64())));

    writeln!(out, "{}", record.id)?;
    let mut line = |label: &str, value: Option<String>| match value {
        Some(value) => writeln!(out, "  {label:<15} {value}"),
        None => Ok(()),
    };
    line("kind", Some(seen.nature.describe().into()))?;
    // The other descriptions name their version.
    let version = seen.version.filter(|_| seen.nature == Nature::OtherVersion);
    line("version", version.map(|version| version.to_string()))?;
    line("type", record.prefix_of_type.map(Into::into))?;
    line("format", record.format.map(Into::into))?;
    line("uuid", record.uuid.map(|id| id.to_string()).filter(|id| id != record.id))?;
    line("variant", record.variant.map(Into::into))?;
    line("time", record.time.clone())?;
    line("clock sequence", record.clock_sequence.map(|number| number.to_string()))?;
    line("node", node)?;
    line("prefix", prefix)?;
    line("week", weeks)?;
    line("time in tail", tail_time)?;
    line("writer tag", record.writer_tag.clone().map(of_tail))?;
    line("round", record.round.map(|round| of_tail(round.to_string())))?;
    line("offset", offset)?;
    let if_shown = if seen.version == Some(7) {
        "if the generator shows it (RFC 9562 section 6.2, method 3)"
    } else {
        if_ours
    };
    let after_ms = record
        .fraction_ns
        .map(|nanos| format!("{:?} after the millisecond, {if_shown}", Duration::from_nanos(nanos.into())));
    line("fraction", after_ms)?;
    line("counter", record.counter.map(|number| is_ours(number.to_string())))?;
    line("or a ULID", ulid)?;
    let unswapped = record.or_swapped.as_ref().map(|id| format!("{}, made {}", id.uuid, id.time));
    line("or swapped v1", unswapped)?;
    // The seconds of small numbers are those of 1970, so what others could mean by the number is more plausible.
    for reading in &record.readings {
        line(reading.label(), Some(reading.words()))?;
    }
    line("as device id", device)?;
    line("as UUID_SHORT()", mysql)?;
    Ok(())
}
