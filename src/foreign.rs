//! Ids of other generators: texts that no format of the library has, and other readings of an id.

use std::io::Write;

use idgen::codec::{guid, java_legacy};
use idgen::{ForeignId, Uuid};
use serde::Serialize;
use uuid::Variant;

/// A text of another generator, with each way to read it.
pub struct Foreign {
    text: String,
    readings: Vec<Reading>,
}

/// A way to read an id.
#[derive(Serialize)]
pub struct Reading {
    kind: &'static str,
    #[serde(skip)]
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<Uuid>,
}

impl Reading {
    /// The label of a line.
    pub fn label(&self) -> &'static str {
        if self.uuid.is_some() { "or a UUID" } else { "or" }
    }

    /// The reading in words.
    pub fn words(&self) -> String {
        let id = self.uuid.map(|id| format!("{id}, ")).unwrap_or_default();
        match &self.time {
            Some(time) => format!("made {time}: {}", self.description),
            None => format!("{id}{}", self.description),
        }
    }
}

/// The readings as they are printed.
pub fn readings_of(ids: impl Iterator<Item = ForeignId>) -> Vec<Reading> {
    ids.map(|id| Reading {
        kind: id.kind.name(),
        description: id.kind.describe(),
        time: id.time.map(|time| time.to_string()),
        uuid: id.uuid,
    })
    .collect()
}

/// The UUIDs of common versions that bytes are in the orders of other programs, if they are none as they are.
pub fn orders_of(id: &Uuid) -> Vec<Reading> {
    let is_known =
        |id: &Uuid| matches!(id.get_version_num(), 1 | 3..=8) && id.get_variant() == Variant::RFC4122;
    if is_known(id) || id.is_nil() || id.is_max() {
        return Vec::new();
    }
    let java = java_legacy::from_bytes(id.into_bytes());
    [
        (
            "dotnet-guid",
            guid::from_bytes(id.into_bytes()),
            "if the bytes are in the order of .NET's Guid.ToByteArray()",
        ),
        (
            "java-legacy",
            java,
            "if the bytes are in MongoDB's legacy order of Java (subtype 3), or in ClickHouse's binary form",
        ),
    ]
    .into_iter()
    .filter(|(_, other, _)| is_known(other) && matches!(other.get_version_num(), 1 | 4 | 7))
    .map(|(kind, uuid, description)| Reading { kind, description, time: None, uuid: Some(uuid) })
    .collect()
}

impl Foreign {
    /// The kinds that have the characters of a text, if there are any.
    pub fn of_text(text: &[u8]) -> Option<Self> {
        let readings = readings_of(idgen::foreign_texts(text));
        let text = String::from_utf8(text.to_vec()).ok()?;
        (!readings.is_empty()).then_some(Foreign { text, readings })
    }

    /// Writes what the text shows, as `idgen inspect` prints it.
    pub fn write(&self, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
        if json {
            let object = Json { kind: self.readings[0].kind, id: &self.text, readings: &self.readings };
            serde_json::to_writer(&mut *out, &object).map_err(std::io::Error::from)?;
            return Ok(out.write_all(b"\n")?);
        }
        writeln!(out, "{}", self.text)?;
        for (place, reading) in self.readings.iter().enumerate() {
            writeln!(out, "  {:<15} {}", if place == 0 { "kind" } else { "or" }, reading.description)?;
            if let Some(time) = &reading.time {
                writeln!(out, "  {:<15} {time}", "time")?;
            }
        }
        Ok(())
    }
}

/// A line of `--json`.
#[derive(Serialize)]
struct Json<'a> {
    kind: &'static str,
    id: &'a str,
    readings: &'a [Reading],
}
