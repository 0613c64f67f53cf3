//! The templates of the statements, and the filters that quote names and texts.

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::quote;
use idgen_database::{Error, Result};

/// The longest message that SIGNAL can give.
const MESSAGE_CHARS: usize = 128;

macro_rules! templates {
    ($($name:literal),*) => { [$(($name, include_str!(concat!("templates/", $name)))),*] };
}

pub(super) struct Templates(Environment<'static>);

impl Templates {
    pub(super) fn new() -> Result<Templates> {
        let mut all = Environment::new();
        all.set_undefined_behavior(UndefinedBehavior::Strict);
        all.add_filter("name", |text: String| quote::name(&text));
        all.add_filter("text", |text: String| quote::text(&text));
        all.add_filter("message", |text: String| quote::literal(&cut(&text)));
        all.add_filter("line", |text: String| text.replace(['\n', '\r'], " "));
        all.add_filter("texts", |names: Vec<String>| {
            names.iter().map(|name| quote::text(name)).collect::<Vec<_>>().join(", ")
        });
        all.add_filter("literal", |text: String| quote::literal(&text));
        all.add_filter("names", |names: Vec<String>| {
            names.iter().map(|name| quote::name(name)).collect::<Vec<_>>().join(", ")
        });
        let files = templates![
            "failed.sql",
            "fresh.sql",
            "guard.sql",
            "checks.sql",
            "busy.sql",
            "work.sql",
            "ending.sql",
            "shadow.sql",
            "texts.sql",
            "foreign.sql",
            "references.sql",
            "position.sql",
            "counter.sql",
            "phase.sql",
            "isolated.sql",
            "trigger_delete.sql",
            "trigger_insert.sql",
            "trigger_update.sql",
            "chunk.sql",
            "asks.sql",
            "fill.sql",
            "claim.sql",
            "claims.sql",
            "bytes.sql",
            "reserve.sql",
            "copy.sql",
            "verify.sql",
            "rename.sql",
            "prepared.sql",
            "repair.sql"
        ];
        for (name, text) in files {
            all.add_template(name, text)
                .map_err(|error| Error::of(format!("the template {name} is wrong"), error))?;
        }
        Ok(Templates(all))
    }

    /// A statement of a template.
    pub(super) fn fill(&self, name: &str, context: Value) -> Result<String> {
        let wrong = |error| Error::of(format!("the template {name} cannot be filled"), error);
        let text = self.0.get_template(name).and_then(|template| template.render(context));
        text.map(|text| text.trim().to_owned()).map_err(wrong)
    }
}

/// A value for a template.
pub(super) fn value(of: impl Serialize) -> Value {
    Value::from(Serde(of))
}

/// SIGNAL refuses longer messages. The reader must need nothing of the rest, or get it in another way.
fn cut(text: &str) -> String {
    if text.chars().count() <= MESSAGE_CHARS {
        return text.to_owned();
    }
    text.chars().take(MESSAGE_CHARS - 1).chain(['…']).collect()
}
