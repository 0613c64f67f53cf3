//! The stages of a survey: read, judge, report.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::survey::catalog;
use crate::survey::judge::arrival::ArrivalBy;
use crate::survey::judge::columns::{self, IdColumn};
use crate::survey::judge::costs;
use crate::survey::judge::dangers::{self, Context, Finding, Read, texts};
use crate::survey::judge::kinds::Kind;
use crate::survey::options::Options;
use crate::survey::read::facts;
use crate::survey::read::pages;
use crate::survey::read::sample::{self, Sample, Value, bound};
use crate::survey::read::watch::{Watch, Watched};
use crate::survey::report::{ColumnReport, KindShare, Survey, TableReport};
use crate::survey::schema::{Catalog, Class, Table};
use crate::survey::session::{self, Engine, Session};
use idgen_database::{Error, Result};

/// Surveys the database of this URL: `mysql://`, `mariadb://`, `postgres://`, or `sqlite:` and the path of a file.
///
/// It executes a fixed number of statements for the catalog, one for each table of less than `rows / starts` rows, and at
/// most `starts` for each other table, plus at most one for each column with several spellings. With
/// [`Options::watch`], there is one more for each table with ids. The pages of at most 200 indexes are counted, a statement
/// each, where the database can do that (PostgreSQL with pgstattuple, SQLite). Call it in a runtime of
/// tokio with time and I/O enabled.
///
/// # Errors
/// The URL is of no known database, the server refuses the connection, or the catalog cannot be read in time. A table
/// that cannot be read is not an error: [`Survey::unseen`] names it.
pub async fn survey(url: &str, options: &Options) -> Result<Survey> {
    if options.rows == 0 || options.starts == 0 {
        return Err(Error::new("a sample of 0 rows or from 0 ranges shows nothing: choose 1 or more"));
    }
    let mut session = session::open(url, options).await?;
    let result = with_session(&mut session, options).await;
    session.close().await;
    result
}

/// Reads, judges and reports. Between two reads, the judge says which columns hold ids, since more is read of these.
async fn with_session(session: &mut Session, options: &Options) -> Result<Survey> {
    let now = options.now.unwrap_or_else(clock);
    let mut catalog = catalog::read(session, options).await?;
    let mut unseen = std::mem::take(&mut catalog.unseen);
    if catalog.tables.is_empty() {
        unseen.push(
            "there is no table, or this user may see none: name the schema in the URL, and grant SELECT"
                .to_owned(),
        );
    }
    unseen.extend(unknown_counters(&catalog));
    let facts = facts::read(session, &catalog, options, &mut unseen).await;
    let watch = match options.watch {
        Some(_) => Some(Watch::begin(session, &mut unseen).await),
        None => None,
    };
    session.limit(options.statement_time)?;
    let samples = samples(session, &catalog, options, &mut unseen).await;
    let found = columns_of_all(session.engine, &catalog, samples, now);
    let unprobed = HashMap::new();
    let mut read = Read {
        engine: session.engine,
        catalog: &catalog,
        facts: &facts,
        now,
        show_values: options.show_values,
        to: options.to,
        probed: &unprobed,
    };
    let probed = probed(session, &read, &found).await;
    read.probed = &probed;
    let findings = dangers::find(&read, &found);
    let watched = match (watch, options.watch) {
        (Some(watch), Some(wait)) => {
            let of_ids = |(sample, columns): &'_ (Option<Sample>, Vec<IdColumn>)| {
                !columns.is_empty() && sample.is_some()
            };
            let samples: Vec<Option<&Sample>> =
                found.iter().map(|one| one.0.as_ref().filter(|_| of_ids(one))).collect();
            watch.end(session, &catalog, &samples, wait).await
        }
        _ => vec![None; found.len()],
    };
    pages::measure(session, &mut catalog, &found, &mut unseen).await;
    let rows_read = found.iter().flat_map(|(sample, _)| sample).map(|sample| sample.rows.len() as u64).sum();
    Ok(Survey {
        format: 1,
        engine: session.engine,
        server: session.version.clone(),
        tables: tables(session.engine, &catalog, &found, watched, &findings),
        tables_seen: catalog.tables.len(),
        page_bytes: catalog.page_bytes,
        pool_bytes: catalog.pool_bytes,
        rows_read,
        findings,
        privileges: std::mem::take(&mut catalog.used),
        unseen,
        predictions: Vec::new(),
        not_predicted: Vec::new(),
        statements: std::mem::take(&mut session.statements),
    })
}

/// The counters of which it is not known how far they are, in one line for each reason.
fn unknown_counters(catalog: &Catalog) -> Vec<String> {
    let mut of_reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for table in &catalog.tables {
        for counter in &table.counters {
            let Err(why) = &counter.used else { continue };
            let column = &table.columns[counter.column].name;
            of_reasons.entry(why).or_default().push(format!("{}.{column}", table.shown()));
        }
    }
    let line = |(why, names): (&str, Vec<String>)| {
        format!("how far the counters of these columns are: {} ({why})", names.join(", "))
    };
    of_reasons.into_iter().map(line).collect()
}

/// The columns of ids of each table, beside its sample.
fn columns_of_all(
    engine: Engine,
    catalog: &Catalog,
    samples: Vec<Option<Sample>>,
    now: i64,
) -> Vec<(Option<Sample>, Vec<IdColumn>)> {
    let of_table = |(at, sample): (usize, Option<Sample>)| {
        let columns = columns::find(catalog, at, sample.as_ref().unwrap_or(&Sample::default()), engine, now);
        (sample, columns)
    };
    samples.into_iter().enumerate().map(of_table).collect()
}

/// Looks up ids of columns with several spellings. Without an answer, a finding is about the spellings alone.
async fn probed(
    session: &mut Session,
    read: &Read<'_>,
    found: &[(Option<Sample>, Vec<IdColumn>)],
) -> HashMap<(usize, usize), Vec<String>> {
    let mut probed = HashMap::new();
    for ids in found.iter().flat_map(|(_, columns)| columns) {
        let Some(probe) = texts::probe(&Context::of(read, ids)) else { continue };
        let binds: Vec<_> =
            probe.texts.iter().map(|text| bound(read.engine, Value::Text(text.clone()))).collect();
        let purpose = format!("ids of {} in another spelling", read.catalog.tables[ids.table].shown());
        if let Ok(rows) = session.rows(&purpose, &probe.sql, &binds).await {
            let texts = rows.iter().filter_map(|row| row.first()?.text()).collect();
            probed.insert((ids.table, ids.column), texts);
        }
    }
    probed
}

/// The tables with columns of ids or findings, those with the most bytes of keys first.
fn tables(
    engine: Engine,
    catalog: &Catalog,
    found: &[(Option<Sample>, Vec<IdColumn>)],
    mut watched: Vec<Option<Watched>>,
    findings: &[Finding],
) -> Vec<TableReport> {
    let rows: Vec<Option<u64>> = catalog
        .tables
        .iter()
        .zip(found)
        .map(|(table, (sample, _))| match sample {
            Some(sample) if sample.whole => Some(sample.rows.len() as u64),
            _ => table.rows,
        })
        .collect();
    let values_in = |table: usize, column: usize| {
        let filled = found[table].0.as_ref().and_then(|sample| sample.filled(column)).unwrap_or(1.0);
        Some((rows[table]? as f64 * filled).round() as u64)
    };
    let with_findings: HashSet<&str> = findings.iter().map(|finding| finding.table.as_str()).collect();
    let mut tables = Vec::new();
    for (at, (sample, columns)) in found.iter().enumerate() {
        let table = catalog.tables[at].shown();
        if columns.is_empty() && !with_findings.contains(table.as_str()) {
            continue;
        }
        tables.push(TableReport {
            rows: rows[at],
            rows_read: sample.as_ref().map_or(0, |sample| sample.rows.len() as u64),
            ranges: sample.as_ref().map_or(0, |sample| sample.ranges),
            whole: sample.as_ref().is_some_and(|sample| sample.whole),
            key: key(&catalog.tables[at]),
            clustered: catalog.tables[at].clustered,
            storage: catalog.tables[at].storage.clone(),
            bytes_per_row: catalog.tables[at].bytes_per_row,
            columns: columns
                .iter()
                .map(|ids| column_report(engine, catalog, ids, &values_in, watched[at].as_ref()))
                .collect(),
            watched: watched[at].take(),
            table,
        });
    }
    tables.sort_by_key(|table| {
        let costs = table.columns.iter().filter_map(|column| column.cost.as_ref());
        std::cmp::Reverse(costs.map(costs::Cost::bytes).sum::<u64>())
    });
    tables
}

/// The sample of each table. The largest tables are the first, as far as their sizes are known, in case that the time ends.
async fn samples(
    session: &mut Session,
    catalog: &Catalog,
    options: &Options,
    unseen: &mut Vec<String>,
) -> Vec<Option<Sample>> {
    let begin = Instant::now();
    let mut order: Vec<usize> = (0..catalog.tables.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(catalog.tables[at].rows.unwrap_or(u64::MAX)));
    let mut samples: Vec<Option<Sample>> = std::iter::repeat_with(|| None).take(order.len()).collect();
    for (done, &at) in order.iter().enumerate() {
        if begin.elapsed() > options.sample_time {
            unseen.push(format!(
                "rows of {} tables, which are not larger than the others: there was no time for them; allow more with \
                 --sample-seconds",
                order.len() - done
            ));
            break;
        }
        samples[at] = sampled(session, (catalog, at), options, unseen).await;
    }
    samples
}

/// The sample of a table. What keeps it from being read is added to what was not seen.
async fn sampled(
    session: &mut Session,
    (catalog, at): (&Catalog, usize),
    options: &Options,
    unseen: &mut Vec<String>,
) -> Option<Sample> {
    let table = &catalog.tables[at];
    if let Some(why) = table.unreadable {
        unseen.push(format!("rows of {}: {why}", table.shown()));
        return None;
    }
    match sample::take(session, catalog, at, options).await {
        Ok(sample) => Some(sample),
        Err(refused) => {
            unseen.push(format!("rows of {}: {}", table.shown(), refused.why));
            None
        }
    }
}

/// The columns of the key that identifies rows.
fn key(table: &Table) -> Vec<String> {
    let columns = table.identity().map(|key| key.columns.as_slice()).unwrap_or_default();
    columns.iter().map(|&at| table.columns[at].name.clone()).collect()
}

fn column_report(
    engine: Engine,
    catalog: &Catalog,
    ids: &IdColumn,
    values_in: &dyn Fn(usize, usize) -> Option<u64>,
    watched: Option<&Watched>,
) -> ColumnReport {
    let table = &catalog.tables[ids.table];
    let is_key = table.identity().is_some_and(|key| key.columns == [ids.column]);
    let column = &catalog.tables[ids.table].columns[ids.column];
    let count = ids.readings.len() as u64;
    let kinds = ids.shares().into_iter().map(|(kind, values)| KindShare {
        kind,
        values: values as u64,
        share: values as f64 / count.max(1) as f64,
    });
    let mut kinds: Vec<KindShare> = kinds.collect();
    if kinds.is_empty() && matches!(column.class, Class::Int { bits: ..=32, .. }) {
        kinds.push(KindShare { kind: Kind::Counted, values: 0, share: 1.0 });
    }
    // Two looks show more than one.
    let second = watched.filter(|_| is_key).and_then(Watched::arrival);
    ColumnReport {
        column: column.name.clone(),
        type_text: column.type_text.clone(),
        charset: column.charset.clone(),
        collation: column.collation.clone(),
        found_by: ids.found_by.clone(),
        values: count,
        kinds,
        form: ids.form.clone(),
        arrival: second.unwrap_or(ids.arrival),
        arrival_by: if second.is_some() { Some(ArrivalBy::SecondLook) } else { ids.arrival_by.clone() },
        cost: costs::of_column(engine, catalog, ids, values_in),
    }
}

fn clock() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_millis() as i64,
        Err(_) => 0,
    }
}
