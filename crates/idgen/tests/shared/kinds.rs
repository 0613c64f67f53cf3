//! The content of `kinds.json`: the table of kinds.

use idgen::{Kind, Setting, Span};
use serde_json::{Value, json};

pub fn vectors() -> Value {
    json!({ "kinds": Kind::ALL.iter().map(|&kind| row(kind)).collect::<Vec<_>>() })
}

fn row(kind: Kind) -> Value {
    let facts = kind.facts();
    let settings = [
        ("clock", Setting::Clock),
        ("state", Setting::State),
        ("policy", Setting::Policy),
        ("node", Setting::Node),
    ];
    let settings: Vec<_> = settings.iter().filter(|(_, one)| kind.has(*one)).map(|(name, _)| *name).collect();
    assert_eq!(settings.len(), facts.settings.len(), "each setting has a name");
    let bounds = facts.span.map(|span| match span {
        Span::Ids => "ids",
        Span::Swapped => "swapped",
        Span::Intervals => "intervals",
    });
    json!({
        "name": kind.name(),
        "doc": facts.doc.trim(),
        "about": kind.about(),
        "bits": kind.bits(),
        "text": facts.text.name(),
        "version": facts.version,
        "ascending": facts.is_ascending,
        "bounds": bounds,
        "rows": kind.has_rows(),
        "settings": settings,
        "c": facts.c,
        "layout": facts.layout,
    })
}
