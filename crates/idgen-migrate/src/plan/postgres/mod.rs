//! PostgreSQL: new columns beside the old ones, triggers, a copy in chunks, and one short transaction that switches.

mod abandon;
mod bigint;
mod catalog;
pub(super) mod change;
mod estimate;
pub(super) mod execute;
mod graph;
mod names;
mod notes;
pub(super) mod pace;
mod references;
mod refuse;
mod render;
mod session;
mod settings;
mod spelling;
pub(super) mod status;
mod steps;
mod taken;
mod texts;
mod trial;

use self::catalog::{Catalog, Table};
use self::change::Change;
use self::estimate::Reading;
use self::names::quoted;
use self::render::Templates;
use self::session::Session;
use self::spelling::Spelling;
use crate::plan::data::{Engine, Plan, Target};
use crate::plan::duration;
use crate::plan::options::{KEEPS_VALUES, Options};
use crate::plan::reasons::of_reasons;
use idgen_database::{Error, Result};

/// The first version with `uuidv7()`.
const FIRST_WITH_V7: i32 = 180_000;

/// Reads the catalog, and plans.
pub(crate) async fn plan(url: &str, options: &Options) -> Result<Plan> {
    if let Some(why) = refused(options.to) {
        return Err(Error::new(why));
    }
    if options.to == Target::Bigint && options.keep_text {
        return Err(Error::new(KEEPS_VALUES));
    }
    let mut session = Session::open(url, options.statement_time).await?;
    let planned = with(&mut session, url, options).await;
    session.close().await;
    planned
}

/// Targets that PostgreSQL has something better for.
fn refused(to: Target) -> Option<&'static str> {
    match to {
        Target::Binary16 => Some(
            "on PostgreSQL, uuid has the same 16 bytes as bytea without a length before them, and shows ids as text: use --to uuid",
        ),
        Target::Swapped => Some(
            "PostgreSQL has no function that swaps the time of version 1, and its indexes do not need it: use --to uuid, and \
             --to v7-from-now for new rows",
        ),
        Target::Integer => Some(
            "--to integer takes the integers from the map of idgen-mysql, whose tables are on MySQL or MariaDB, so triggers on PostgreSQL \
             cannot ask it: use --to uuid, which has 16 bytes and orders version 7 by time",
        ),
        Target::Uuid | Target::V7FromNow | Target::Bigint => None,
    }
}

async fn with(session: &mut Session, url: &str, options: &Options) -> Result<Plan> {
    let catalog = Catalog::read(session).await?;
    let root = catalog.find(&options.table)?;
    match options.to {
        Target::V7FromNow => from_now(session, &catalog, root, options).await,
        _ => of_type(session, url, &catalog, root, options).await,
    }
}

async fn of_type(
    session: &mut Session,
    url: &str,
    catalog: &Catalog,
    root: &Table,
    options: &Options,
) -> Result<Plan> {
    let is_bigint = options.to == Target::Bigint;
    let graph = match is_bigint {
        true => graph::of_integers(catalog, root)?,
        false => graph::find(session, catalog, root.id).await?,
    };
    refuse::check(catalog, &graph)?;
    let mut change = Change::of(catalog, &graph, root, session.version, options);
    taken::check(session, catalog, &change).await?;
    let templates = Templates::new()?;
    let lacking = steps::lacking(&templates, &change)?;
    of_reasons(&session.texts("the rights that the steps need", &lacking).await?)?;
    let shape = session.texts("what depends on the keys", &steps::shape(&templates, &change)?).await?;
    change.complete(shape)?;
    let reading = estimate::measure(session, catalog, &graph).await;
    let trial = match options.measure {
        true => Some(trial::run(url, options, &templates, &change, catalog).await?),
        false => None,
    };
    let steps = steps::of_type(&templates, &change, reading, trial.as_ref())?;
    let tried = trial.map(|_| duration::TRIALS.to_owned());
    let references = match is_bigint {
        true => bigint::notes(session, catalog, &graph, root).await?,
        false => references::notes(session, catalog, &graph).await?,
    };
    let times = reading.map(|_| Reading::fact());
    let mut plan = Plan {
        id: change.id.clone(),
        engine: Engine::Postgres,
        target: options.to,
        tables: change.tables.iter().map(|table| table.shown.clone()).collect(),
        facts: notes::facts(catalog, &graph).into_iter().chain(times).chain(tried).collect(),
        notes: notes::of(catalog, &graph, &change, references),
        unread: Vec::new(),
        session: settings::of_plan(&change.id),
        steps,
        scripts: Vec::new(),
        command: None,
    };
    plan.scripts.push(abandon::script(&templates, &steps::Context::of(&change), &plan)?);
    Ok(plan)
}

/// The column stays; new rows without an id get one of version 7, as text where the column is text.
async fn from_now(session: &mut Session, catalog: &Catalog, root: &Table, options: &Options) -> Result<Plan> {
    let &[place] = &graph::key_of(catalog, root.id)[..] else {
        return Err(Error::new(format!("{} has no primary key of one column", root.shown())));
    };
    let column = catalog.column(place).ok_or_else(|| Error::new("the column of the primary key is gone"))?;
    let own = match column.kind.as_str() {
        "uuid" => "uuidv7()".to_owned(),
        "text" | "varchar" | "bpchar" | "citext" => {
            let values = session.sample(&root.written(), &quoted(&column.name)).await?;
            Spelling::of_most(&values).unwrap_or(Spelling::Hyphenated).of_uuid("uuidv7()")
        }
        "bytea" => Spelling::Bytes.of_uuid("uuidv7()"),
        other => {
            let shown = catalog.shown(place);
            return Err(Error::new(format!("{shown} is of type {other}, which holds no ids of version 7")));
        }
    };
    let steps = match session.version >= FIRST_WITH_V7 {
        true => vec![steps::of_default(&Templates::new()?, root, column, &own)?],
        false => Vec::new(),
    };
    Ok(Plan {
        id: names::identity(&[&root.schema, &root.name, options.to.name()]),
        engine: Engine::Postgres,
        target: options.to,
        tables: vec![root.shown()],
        facts: notes::facts_of([root]),
        notes: notes::of_v7(column, !steps.is_empty()),
        unread: Vec::new(),
        session: vec![settings::clean()],
        steps,
        scripts: Vec::new(),
        command: None,
    })
}
