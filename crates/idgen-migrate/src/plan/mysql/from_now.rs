//! Ids of version 7 from now on: the column of the key gets another default, and no row is copied.

mod notes;

use super::attached::Attached;
use super::catalog::{Catalog, Column, Table};
use super::check::Check;
use super::checks;
use super::form::{Conversion, Form};
use super::hidden;
use super::ledger;
use super::names::Names;
use super::quote::name;
use super::refuse;
use super::session::Session;
use super::settings;
use super::templates::Templates;
use super::uuid_type;
use crate::plan::data::{Engine, Plan, Statement, Step, Target};
use crate::plan::identity;
use crate::plan::options::Options;
use crate::plan::reasons::of_reasons;
use idgen_database::catalog::ForeignKey;
use idgen_database::{Error, Result};

/// Rows that are read to see which ids the table holds.
const SAMPLE: usize = 500;

/// The first MariaDB with `UUID_v7()`.
const FIRST_WITH_V7: [u32; 3] = [11, 7, 0];

/// The form in which the column holds ids.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// MariaDB's type UUID.
    Uuid,
    /// Text or bytes.
    In(Form),
}

/// The key, and what was read of it.
struct Key<'a> {
    table: &'a Table,
    column: &'a Column,
    held: Held,
    /// The server makes the ids with a function of its own.
    has_function: bool,
    /// 32 hexadecimal digits of each row that was read.
    sample: Vec<String>,
}

pub(super) async fn plan(session: &mut Session, options: &Options, catalog: &Catalog) -> Result<Plan> {
    let key = Key::find(session, catalog, &options.table).await?;
    key.refuse(session)?;
    let of_table = |of: &&ForeignKey| [&of.table, &of.to_table].contains(&&key.table.name);
    let mut reasons: Vec<_> =
        catalog.foreign.iter().filter(of_table).filter_map(|of| hidden::rules(catalog, of)).collect();
    reasons.extend(hidden::conditions(session, catalog, std::slice::from_ref(&key.table.name)).await?);
    of_reasons(&reasons)?;
    let made = key.made(session.engine);
    let before = key.column.default.clone();
    let attached = Attached::read(session).await?;
    let lines = attached.now(session, &key.table.name).await?;
    let id = identity::new();
    let names = Names::new(session.engine, &id, false);
    let largest = format!("SELECT MAX({}) > {made} FROM {}", name(&key.column.name), name(&key.table.name));
    let is_exceeded = session.text(&largest).await? == "1";
    let checks = [
        checks::as_read(&attached, &key.table.name, &key.column.name, &lines),
        checks::column_as_read(&key.table.name, key.column),
    ];
    Ok(Plan {
        id,
        engine: session.engine,
        target: options.to,
        tables: vec![key.table.name.clone()],
        facts: key.facts(is_exceeded),
        notes: key.notes(session.engine, catalog, !before.is_empty()),
        unread: hidden::of_triggers(session, catalog).await.into_iter().collect(),
        session: settings::clean(session.engine),
        steps: vec![key.step(session.engine, &names, &checks, &made, &before)?],
        scripts: Vec::new(),
        command: None,
    })
}

impl<'a> Key<'a> {
    async fn find(session: &mut Session, catalog: &'a Catalog, table: &str) -> Result<Key<'a>> {
        let table = catalog.table(table)?;
        let [column] = &table.primary[..] else {
            return Err(Error::new(format!(
                "{} has no primary key of one column, nor another unique key of one column without NULL",
                table.name
            )));
        };
        let shown = format!("{}.{column}", table.name);
        let column = table.column(column).ok_or_else(|| Error::new(format!("{shown} is not visible")))?;
        let held = match column.data_type.as_str() {
            "uuid" => Held::Uuid,
            _ => Held::In(Form::of(session, &table.name, column).await?.ok_or_else(|| {
                Error::new(format!(
                    "{shown} of type {} holds no ids of 128 bits as text, bytes or UUID, so it has no place for version 7",
                    column.type_text
                ))
            })?),
        };
        let as_text = match held {
            Held::In(Form::Bytes) => format!("HEX({})", name(&column.name)),
            _ => format!("CAST({} AS CHAR)", name(&column.name)),
        };
        let rows =
            session.rows(&format!("SELECT {as_text} FROM {} LIMIT {SAMPLE}", name(&table.name))).await?;
        let sample = rows.concat().iter().map(|id| id.replace('-', "").to_ascii_lowercase()).collect();
        let has_function = session.engine == Engine::MariaDb && session.version >= FIRST_WITH_V7;
        Ok(Key { table, column, held, has_function, sample })
    }

    fn refuse(&self, session: &Session) -> Result<()> {
        let shown = format!("{}.{}", self.table.name, self.column.name);
        if self.column.is_generated() {
            return Err(Error::new(format!("{shown} is a generated column, which has no default")));
        }
        if self.column.has_hidden_default {
            return Err(Error::new(refuse::hidden_default(self.table, self.column)));
        }
        if session.engine == Engine::MariaDb && session.version < [10, 10, 0] {
            return Err(Error::new(
                "this server has neither UUID_v7() (MariaDB 11.7) nor RANDOM_BYTES() (10.10): make the ids of version 7 in the \
                 application, for example with `idgen new v7` or a library of idgen",
            ));
        }
        if self.held == Held::Uuid && !uuid_type::orders_version_7(session.version) {
            return Err(Error::new(format!(
                "{shown}: this MariaDB stores or compares the parts of a UUID in another order, so version 7 does not sort by time in \
                 this type. Update to 10.10.7, 10.11.6, 11.0.4, 11.1.3, 11.2.2 or later first"
            )));
        }
        let is_mixed = self.count(12, b"12345") > 0;
        if self.held == Held::Uuid && is_mixed && !uuid_type::compares_all(session.version) {
            return Err(Error::new(format!(
                "{shown} holds ids of versions 1 to 5. This MariaDB compares them and ids of version 7 in another order than its \
                 indexes have (MDEV-35468), so conditions on ranges would lose rows. Update to 10.11.11, 11.4.5, 11.7.2, 11.8.1 \
                 or later first"
            )));
        }
        if self.held == Held::In(Form::Bytes) && self.is_swapped() {
            return Err(Error::new(format!(
                "the ids in {shown} have their time first, as UUID_TO_BIN(id, 1) writes them. Read in this order, version 7 does \
                 not sort by time, and one column cannot have two orders. Version 1 sorts by time as it is; to change to \
                 version 7, first write all ids of this column and of those that refer to it in the order of UUID_TO_BIN(id)"
            )));
        }
        Ok(())
    }

    /// Counts the rows of the sample that have one of these digits at a place.
    fn count(&self, at: usize, digits: &[u8]) -> usize {
        let has = |id: &&String| id.as_bytes().get(at).is_some_and(|digit| digits.contains(digit));
        self.sample.iter().filter(has).count()
    }

    /// Returns true if nearly all ids have the version in the first byte, and not at its place in the order of the
    /// text.
    fn is_swapped(&self) -> bool {
        let most = |at| self.count(at, b"1467") * 10 > self.sample.len() * 9;
        most(0) && !most(12)
    }

    /// An expression that makes an id of version 7 as the column holds it.
    fn made(&self, engine: Engine) -> String {
        let (value, to) = match self.has_function {
            true => ("UUID_v7()".to_owned(), Target::Uuid),
            false => (bytes_of_v7(), Target::Binary16),
        };
        let form = match self.held {
            Held::Uuid if self.has_function => return value,
            Held::Uuid => return format!("CAST({value} AS UUID)"),
            Held::In(form) => form,
        };
        let (charset, collation) = (self.column.charset.clone(), self.column.collation.clone());
        let declared = self.column.type_text.clone();
        Conversion { engine, form, to, declared, charset, collation }.backward(&value)
    }

    fn step(
        &self,
        engine: Engine,
        names: &Names,
        checks: &[Check],
        made: &str,
        before: &str,
    ) -> Result<Step> {
        let alter = |default: &str| {
            let column = name(&self.column.name);
            let what = match (engine, default) {
                (Engine::MySql, _) => format!("MODIFY COLUMN {}", self.column.definition(default)),
                (_, "") => format!("ALTER COLUMN {column} DROP DEFAULT"),
                _ => format!("ALTER COLUMN {column} SET DEFAULT {default}"),
            };
            format!("ALTER TABLE {} {what}, ALGORITHM = INSTANT", name(&self.table.name))
        };
        let templates = Templates::new()?;
        let work = |purpose: &str, sql: String| {
            let mut all = ledger::busy(&templates, names, vec![self.table.name.clone()])?;
            all.extend(ledger::work(&templates, names, &names.work, &[Statement::new(purpose, sql)])?);
            all.push(ledger::drop_procedure(&names.busy));
            Result::Ok(all)
        };
        let mut statements = ledger::checks(&templates, &names.checks, checks)?;
        statements.push(Statement::new("Checks.", format!("CALL {}()", names.checks)));
        statements.push(ledger::drop_procedure(&names.checks));
        statements.extend(work("New rows without an id get one of version 7.", alter(&format!("({made})")))?);
        statements.push(Statement::new("Shows an id as the default makes it.", example(self.held, made)));
        Ok(Step {
            name: "default".into(),
            purpose: "New rows without an id get one of version 7 from the server. Rows that are there keep their ids; nothing is \
                      copied."
                .into(),
            statements,
            undo: work("The default is what it was.", alter(before))?,
            locks: "The metadata lock of the table for an instant. If it is not free within a second, the step lets clients pass, and \
                    tries again."
                .into(),
            duration: Some("less than a second, once it has the lock: only the table's definition changes".into()),
            stop: "Stop the client; execute the file again.".into(),
        })
    }
}

/// An id with its digits, also where the column holds bytes.
fn example(held: Held, made: &str) -> String {
    match held {
        Held::In(Form::Bytes) => format!("SELECT HEX({made}) AS example"),
        _ => format!("SELECT {made} AS example"),
    }
}

/// Version 7 of RFC 9562 with the fraction of the millisecond in the 12 bits after the version (section 6.2, method 3). In UTC,
/// since local times are repeated when summer time ends.
fn bytes_of_v7() -> String {
    const MICROS: &str = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    format!(
        "UNHEX(CONCAT(LPAD(HEX({MICROS} DIV 1000), 12, '0'), '7', LPAD(HEX({MICROS} MOD 1000 * 4096 DIV 1000), 3, '0'), \
         ELT(1 + (ORD(RANDOM_BYTES(1)) & 3), '8', '9', 'a', 'b'), SUBSTR(HEX(RANDOM_BYTES(8)), 2)))"
    )
}
