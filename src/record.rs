//! The facts about an id, as a JSON object on one line.

use std::io::Write;

use crate::foreign::Reading;
use idgen::{AnyId, DeviceFields, Inspection, MysqlShortFields, Nature, Uuid};
use serde::Serialize;
use uuid::Variant;

/// A line of `--json`. Fields that an id does not have are left out.
#[derive(Serialize)]
pub struct Record<'a> {
    pub kind: &'static str,
    /// The id as a text: 64-bit ids too, as they exceed what JSON readers hold exactly.
    pub id: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub prefix_of_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_sequence: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multicast: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weeks: Option<Vec<Week>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer_tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction_ns: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub or_ulid: Option<Ulid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub or_swapped: Option<Swapped>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mysql: Option<Mysql>,
}

/// A week whose md5-week prefix an id may have.
#[derive(Serialize)]
pub struct Week {
    pub year: i32,
    pub week: u8,
}

/// A text of 26 characters, read as a ULID although it looks like a UUID.
#[derive(Serialize)]
pub struct Ulid {
    pub time: String,
    pub counter: u32,
}

/// The version 1 UUID in these 16 bytes, if they were stored swapped.
#[derive(Serialize)]
pub struct Swapped {
    pub uuid: Uuid,
    pub time: String,
}

/// A 64-bit id, read as the device layout.
#[derive(Serialize)]
pub struct Device {
    pub time: String,
    pub node: String,
    pub counter: u16,
}

/// A 64-bit id, read as MySQL's layout.
#[derive(Serialize)]
pub struct Mysql {
    pub server_id: u8,
    pub startup: String,
    pub counter: u32,
}

impl<'a> Record<'a> {
    /// All that the bits of an id show.
    pub fn seen(id: &'a str, seen: &Inspection) -> Self {
        let (uuid, short) = match seen.id {
            AnyId::Uuid(uuid) => (Some(uuid), None),
            AnyId::Short(short) => (None, Some(short)),
        };
        let is_special = matches!(seen.nature, Nature::Nil | Nature::Max);
        Record {
            kind: seen.nature.name(),
            id,
            prefix_of_type: None,
            format: seen.format.map(|format| format.name()),
            uuid,
            version: seen.version,
            // Nil and max are values of their own: their variant bits mean nothing.
            variant: seen.variant.filter(|_| !is_special).map(variant),
            time: seen.timestamp.map(|moment| moment.to_string()),
            clock_sequence: seen.clock_sequence,
            node: seen.node.map(|node| node.to_string()),
            multicast: seen.node.map(|node| node.is_multicast()),
            prefix: seen.prefix.map(|prefix| format!("{prefix:04x}")),
            weeks: None,
            tail_time: seen.tail_time.map(|moment| moment.to_string()),
            writer_tag: seen.writer_tag.map(|tag| format!("{tag:03x}")),
            round: seen.round,
            offset_ms: seen.offset.map(|span| span.as_millis() as u64),
            fraction_ns: seen.fraction.map(|fraction| fraction.subsec_nanos()),
            counter: seen.counter,
            or_ulid: None,
            or_swapped: None,
            readings: Vec::new(),
            device: short.map(|short| short.device().into()),
            mysql: short.map(|short| short.mysql().into()),
        }
    }

    /// Writes the object and a line end.
    pub fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        serde_json::to_writer(&mut *out, self).map_err(std::io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    }
}

fn variant(variant: Variant) -> &'static str {
    match variant {
        Variant::NCS => "NCS",
        Variant::RFC4122 => "RFC 9562",
        Variant::Microsoft => "Microsoft",
        _ => "reserved",
    }
}

impl From<DeviceFields> for Device {
    fn from(fields: DeviceFields) -> Self {
        Device {
            time: fields.timestamp().to_string(),
            node: format!("{:04x}", fields.node),
            counter: fields.counter,
        }
    }
}

impl From<MysqlShortFields> for Mysql {
    fn from(fields: MysqlShortFields) -> Self {
        Mysql { server_id: fields.server_id, startup: fields.startup().to_string(), counter: fields.counter }
    }
}
