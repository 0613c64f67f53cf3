//! MySQL and MariaDB.

mod altered;
mod attached;
mod bigint;
mod catalog;
mod check;
mod checks;
mod dependent;
mod estimate;
pub(super) mod execute;
mod form;
mod from_now;
mod graph;
mod hidden;
mod ledger;
mod lost;
mod map;
mod names;
mod notes;
pub(super) mod pace;
mod quote;
mod references;
mod refuse;
mod session;
mod settings;
mod signature;
pub(super) mod status;
mod steps;
mod taken;
mod templates;
mod texts;
mod tool;
mod trial;
mod uuid_type;
mod watch;

use attached::Attached;
use catalog::Catalog;
use estimate::Estimates;
use graph::Graph;
use ledger::Order;
use map::Map;
use names::Names;
use session::Session;
use steps::Steps;
use templates::Templates;
use texts::{TableText, Texts};
use trial::Trial;

use crate::plan::data::{Engine, Plan, Target};
use crate::plan::identity;
use crate::plan::options::{KEEPS_VALUES, Options};
use idgen_database::{Error, Result};

/// The plan for a schema. It only reads.
pub(crate) async fn plan(url: &str, options: &Options) -> Result<Plan> {
    let mut session = Session::open(url, options.statement_time).await?;
    let plan = with_session(&mut session, url, options).await;
    session.close().await;
    plan
}

async fn with_session(session: &mut Session, url: &str, options: &Options) -> Result<Plan> {
    can(session, options.to)?;
    tool::refuse(options)?;
    if options.to == Target::Integer && options.keep_text {
        return Err(Error::new(
            "--keep-text is not needed with --to integer: the ids stay as they are, in a unique column. The columns that refer to them \
             become integers, and a generated column cannot read an id from another table. Plan without --keep-text",
        ));
    }
    if options.to == Target::Bigint && options.keep_text {
        return Err(Error::new(KEEPS_VALUES));
    }
    if options.to == Target::V7FromNow {
        let catalog = Catalog::read(session).await?;
        return from_now::plan(session, options, &catalog).await;
    }
    one_node_writes(session).await?;
    no_replica(session).await?;
    cascades_in_innodb(session).await?;
    let catalog = Catalog::read(session).await?;
    let graph = match options.to {
        Target::Bigint => Graph::of_integers(&catalog, &options.table)?,
        _ => Graph::find(session, &catalog, &options.table).await?,
    };
    refuse::check(session, &catalog, &graph, options).await?;
    tool::refuse_graph(options, &catalog, &graph)?;
    copying(session, url, options, &catalog, &graph).await
}

/// Refuses a server that is too old for the plan, or does not have the type.
fn can(session: &Session, to: Target) -> Result<()> {
    let version = session.version;
    let shown = version.map(|part| part.to_string()).join(".");
    let (least, name) = match session.engine {
        // CREATE TRIGGER IF NOT EXISTS
        Engine::MySql => ([8, 0, 29], "MySQL 8.0.29"),
        // CAST … AS UUID
        _ => ([10, 7, 0], "MariaDB 10.7"),
    };
    if version < least {
        return Err(Error::new(format!("the server is version {shown}: the plan needs {name} or later")));
    }
    if to == Target::Uuid && session.engine == Engine::MySql {
        return Err(Error::new("MySQL has no type for UUIDs: use --to binary16"));
    }
    if to == Target::Uuid && uuid_type::compares_otherwise(version) {
        return Err(Error::new(format!(
            "the server is version {shown}, which compares UUIDs in another order than its indexes have (MDEV-31926): update it to \
             10.10.7, 10.11.6, 11.0.4, 11.1.3, 11.2.2 or later first"
        )));
    }
    Ok(())
}

/// MySQL 9.6 and later cascade outside of InnoDB unless the server was started otherwise. There, 9.7.4 acknowledges a statement
/// whose cascade ended in a lock wait timeout or a deadlock, and changes nothing; the statement of a trigger fails in the same
/// way without an error, while the change that it should repeat is made.
async fn cascades_in_innodb(session: &mut Session) -> Result<()> {
    let native = session.rows("SHOW VARIABLES LIKE 'innodb_native_foreign_keys'").await?;
    if native.iter().any(|row| row.last().is_some_and(|value| value == "OFF")) {
        return Err(Error::new(
            "innodb_native_foreign_keys is OFF: this MySQL server cascades foreign keys outside of InnoDB, and reports no error when a \
             cascade ends in a lock wait timeout or a deadlock, so the triggers of a plan would lose changes. Start the server \
             with --innodb-native-foreign-keys=ON, at least until the change is finished",
        ));
    }
    Ok(())
}

/// On a cluster whose nodes all take writes, a row that the copy has locked can be changed on another node. That node's triggers do
/// not find its copy, which is not committed yet, and the cluster accepts both: the change is lost in the new table.
async fn one_node_writes(session: &mut Session) -> Result<()> {
    let found = session.rows(&checks::one_node_writes(session.engine).rows).await?;
    let Some([variable, value]) = found.first().map(Vec::as_slice) else { return Ok(()) };
    Err(Error::new(format!(
        "{variable} is {value}: several nodes of this cluster take writes, and a lock of one does not hold on the others, so the copy \
         would lose changes. With Group Replication, switch to one primary (group_replication_switch_to_single_primary_mode) until \
         the change is finished; with Galera, make it while the server is the only one and no node of a cluster"
    )))
}

/// MariaDB 11.6 and later have it on by default, and newer versions of older series have it, too.
async fn has_snapshot_isolation(session: &mut Session) -> Result<bool> {
    Ok(!session.rows("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'").await?.is_empty())
}

/// The triggers of a plan would not see what a replica receives.
async fn no_replica(session: &mut Session) -> Result<()> {
    let replicates = !session.rows(&checks::no_replica(session.engine).rows).await?.is_empty();
    if replicates {
        return Err(Error::new(
            "this server is a replica: the changes that it receives fire no triggers, so the copy would lose them. Make the plan for its \
             source, whose new tables the replicas get, or STOP REPLICA until the change is finished",
        ));
    }
    Ok(())
}

async fn copying(
    session: &mut Session,
    url: &str,
    options: &Options,
    catalog: &Catalog,
    graph: &Graph,
) -> Result<Plan> {
    let map = match options.to {
        Target::Integer => Some(Map::read(session, catalog, &options.map).await?),
        _ => None,
    };
    let id = identity::new();
    let names = Names::new(session.engine, &id, has_snapshot_isolation(session).await?);
    let texts = Texts {
        names: &names,
        catalog,
        graph,
        options,
        engine: session.engine,
        version: session.version,
        map: map.as_ref(),
    };
    let mut estimates = Estimates::default();
    let mut tables: Vec<TableText> = Vec::new();
    let attached = Attached::read(session).await?;
    let mut planned = Vec::new();
    for table in graph.order.iter().filter_map(|name| catalog.tables.get(name)) {
        estimates.measure(session, table).await?;
        planned.push(attached.now(session, &table.name).await?);
        tables.extend(texts.table(table));
    }
    let templates = Templates::new()?;
    if options.measure {
        let mut trial = Trial::open(url, session.engine, options.statement_time).await?;
        for table in &tables {
            let rows = estimates.rows_of_trial(&table.now, trial::ROWS);
            estimates.add_trial(&table.now, trial.copy(&templates, table, rows).await?);
        }
        trial.close().await;
    }
    taken::check(&texts, &tables)?;
    let references = match options.to {
        Target::Bigint => bigint::notes(session, catalog, graph, &options.table).await?,
        _ => references::notes(session, catalog, graph).await?,
    };
    let steps = Steps {
        engine: session.engine,
        to: options.to,
        templates,
        names: &names,
        order: Order::new(options.to.name(), &tables, map.is_some()),
        tables: &tables,
        estimates: &estimates,
        map: map.as_ref(),
        attached: &attached,
        planned: &planned,
    };
    let checks = checks::of_data(&texts);
    let command = tool::command(&texts)?;
    let mut unread = hidden::sentences(session, catalog).await?;
    let lost = if command.is_some() { Vec::new() } else { lost::notes(session, &texts).await };
    if command.is_none() {
        unread.extend(lost::unread(session, &texts).await);
    }
    Ok(Plan {
        id: id.clone(),
        engine: session.engine,
        target: options.to,
        tables: graph.order.clone(),
        facts: estimates.facts(),
        session: [settings::clean(session.engine), vec![settings::marker(&names.session)]].concat(),
        notes: if command.is_some() {
            tool::notes(references.into_iter().chain(notes::programs(catalog, graph)).collect())
        } else {
            notes::all(&texts, &tables, &planned, [lost, references].concat())
        },
        unread,
        steps: match command {
            Some(_) => vec![steps.check_alone(&checks)?],
            None => steps.all(&checks)?,
        },
        scripts: if command.is_some() {
            Vec::new()
        } else {
            vec![watch::script(session.engine, &names.control, &names.steps)]
        },
        command,
    })
}
