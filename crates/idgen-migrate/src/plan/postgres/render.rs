//! Fills the templates, and cuts them into statements.

use std::fmt::Write;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, ErrorKind, Output, State, UndefinedBehavior};
use serde::Serialize;

use super::names::{literal, quoted};
use super::spelling::Spelling;
use crate::plan::data::Statement;
use idgen_database::{Error, Result};

const TEMPLATES: &[(&str, &str)] = &[
    ("macros.sql", include_str!("templates/macros.sql")),
    ("attached.sql", include_str!("templates/attached.sql")),
    ("state.sql", include_str!("templates/state.sql")),
    ("sequences.sql", include_str!("templates/sequences.sql")),
    ("rights.sql", include_str!("templates/rights.sql")),
    ("lacking.sql", include_str!("templates/lacking.sql")),
    ("check.sql", include_str!("templates/check.sql")),
    ("prepare.sql", include_str!("templates/prepare.sql")),
    ("triggers.sql", include_str!("templates/triggers.sql")),
    ("backfill.sql", include_str!("templates/backfill.sql")),
    ("indexes.sql", include_str!("templates/indexes.sql")),
    ("constraints.sql", include_str!("templates/constraints.sql")),
    ("verify.sql", include_str!("templates/verify.sql")),
    ("text.sql", include_str!("templates/text.sql")),
    ("switch.sql", include_str!("templates/switch.sql")),
    ("finish.sql", include_str!("templates/finish.sql")),
    ("abandon.sql", include_str!("templates/abandon.sql")),
    ("trial.sql", include_str!("templates/trial.sql")),
    ("default.sql", include_str!("templates/default.sql")),
    ("shape.sql", include_str!("templates/shape.sql")),
];

/// Begins a statement, with its purpose; the second kind goes back.
const FORWARD: &str = "--! ";
const UNDO: &str = "--< ";
/// Follows such a line, with the query that says whether the statement is needed.
const ONLY_IF: &str = "--? ";

/// The templates. A string in one is written as a quoted name, unless a filter says otherwise.
pub(super) struct Templates(Environment<'static>);

/// The statements of a step, and those that go back.
pub(super) struct Rendered {
    pub(super) statements: Vec<Statement>,
    pub(super) undo: Vec<Statement>,
}

impl Templates {
    pub(super) fn new() -> Result<Templates> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|error| Error::of("cannot set up the templates", error))?);
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("sql".into()));
        environment.set_formatter(format);
        environment.add_filter("literal", |text: String| Value::from_safe_string(literal(&text)));
        environment.add_filter("literals", |texts: Vec<String>| {
            let texts: Vec<String> = texts.iter().map(|text| literal(text)).collect();
            Value::from_safe_string(format!("ARRAY[{}]::text[]", texts.join(", ")))
        });
        environment.add_filter("names", |names: Vec<String>| {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            Value::from_safe_string(names.join(", "))
        });
        environment.add_filter("written", |uuid: String, spelling: Serde<Spelling>| {
            Value::from_safe_string(spelling.0.of_uuid(&uuid))
        });
        for (name, text) in TEMPLATES {
            environment
                .add_template(name, text)
                .map_err(|error| Error::of(format!("cannot read the template {name}"), error))?;
        }
        Ok(Templates(environment))
    }

    /// The only statement of a template.
    pub(super) fn query(&self, name: &str, context: impl Serialize) -> Result<String> {
        let statements = self.render(name, context)?.statements;
        Ok(statements.into_iter().map(|statement| statement.sql).collect())
    }

    pub(super) fn render(&self, name: &str, context: impl Serialize) -> Result<Rendered> {
        let failed = |error| Error::of(format!("cannot fill the template {name}"), error);
        let text =
            self.0.get_template(name).and_then(|template| template.render(Serde(context))).map_err(failed)?;
        let mut rendered = Rendered { statements: Vec::new(), undo: Vec::new() };
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let (list, purpose) = match (line.strip_prefix(FORWARD), line.strip_prefix(UNDO)) {
                (Some(purpose), _) => (&mut rendered.statements, purpose),
                (_, Some(purpose)) => (&mut rendered.undo, purpose),
                _ => continue,
            };
            let only_if = lines.next_if(|line| line.starts_with(ONLY_IF)).map(|line| &line[ONLY_IF.len()..]);
            let mut sql = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with(FORWARD) && !line.starts_with(UNDO))
            {
                if !line.trim().is_empty() {
                    _ = writeln!(sql, "{}", line.trim_end());
                }
            }
            let statement = Statement::new(purpose, sql.trim_end());
            list.push(match only_if {
                Some(query) => statement.only_if(query),
                None => statement,
            });
        }
        Ok(rendered)
    }
}

fn format(
    out: &mut Output<'_>,
    _state: &mut State<'_, '_>,
    value: &Value,
) -> std::result::Result<(), minijinja::Error> {
    match value.as_str() {
        Some(name) if !value.is_safe() => Ok(out.write_str(&quoted(name))?),
        Some(text) => Ok(out.write_str(text)?),
        None if value.is_number() => Ok(write!(out, "{value}")?),
        // Neither a missing field nor a list has a form in SQL.
        None => Err(minijinja::Error::new(
            ErrorKind::InvalidOperation,
            format!("no name and no number: {value:?}"),
        )),
    }
}
