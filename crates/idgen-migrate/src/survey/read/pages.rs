//! Leaf pages and page fill of the keys of ids, where the database can count them: pgstattuple on PostgreSQL, dbstat on
//! SQLite. Both read every page of an index, so only indexes of a limited size are counted.

use crate::survey::judge::columns::IdColumn;
use crate::survey::judge::costs;
use crate::survey::read::sample::Sample;
use crate::survey::schema::{Catalog, Table};
use crate::survey::session::{Cell, Engine, Session};
use crate::survey::sql;

/// Indexes that are counted, at most.
const MOST_INDEXES: usize = 200;
/// Pages that an index of PostgreSQL, or a file of SQLite, may have to be counted: 512 MiB, or 256 MiB.
const MOST_PAGES: u64 = 65_536;

/// Counts the pages of keys of ids.
pub(crate) async fn measure(
    session: &mut Session,
    catalog: &mut Catalog,
    found: &[(Option<Sample>, Vec<IdColumn>)],
    unseen: &mut Vec<String>,
) {
    let mut keys = Vec::new();
    // The pages of an empty table show nothing.
    let is_empty = |sample: &Option<Sample>| {
        sample.as_ref().is_some_and(|sample| sample.whole && sample.rows.is_empty())
    };
    let with_rows = found.iter().filter(|(sample, _)| !is_empty(sample));
    for ids in with_rows.flat_map(|(_, columns)| columns) {
        let table = &catalog.tables[ids.table];
        if let Some(key) = costs::index_of(table, ids.column).filter(|&key| !keys.contains(&(ids.table, key)))
            && table.unreadable.is_none()
        {
            keys.push((ids.table, key));
        }
    }
    match session.engine {
        Engine::Postgres => postgres(session, catalog, &keys, unseen).await,
        Engine::Sqlite => sqlite(session, catalog, &keys, unseen).await,
        Engine::MySql | Engine::MariaDb => {}
    }
}

async fn postgres(
    session: &mut Session,
    catalog: &mut Catalog,
    keys: &[(usize, usize)],
    unseen: &mut Vec<String>,
) {
    let sql = "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
               WHERE e.extname = 'pgstattuple'";
    let found = session.rows("whether pgstattuple is installed", sql, &[]).await.ok();
    let Some(schema) = found.and_then(|rows| rows.first()?.first()?.text()) else { return };
    let sql = format!(
        "SELECT leaf_pages::text, round(avg_leaf_density * 100)::bigint::text FROM {}.pgstatindex($1::text::regclass)",
        sql::name(Engine::Postgres, &schema)
    );
    let pages =
        |catalog: &Catalog, (table, key): (usize, usize)| catalog.tables[table].keys[key].pages.unwrap_or(0);
    let mut sized: Vec<_> =
        keys.iter().copied().filter(|&key| (1..=MOST_PAGES).contains(&pages(catalog, key))).collect();
    sized.sort_by_key(|&key| std::cmp::Reverse(pages(catalog, key)));
    for (at, key) in sized.into_iter().take(MOST_INDEXES) {
        let table = &mut catalog.tables[at];
        let index = &mut table.keys[key];
        let quoted = format!(
            "{}.{}",
            sql::name(Engine::Postgres, &table.schema),
            sql::name(Engine::Postgres, &index.name)
        );
        match session.rows(&format!("pages of {}", index.name), &sql, &[Cell::Text(quoted)]).await {
            Ok(rows) => {
                let number = |at: usize| rows.first()?.get(at)?.text()?.parse::<u64>().ok();
                // An empty index has no density.
                if let (Some(leaves), Some(density)) = (number(0), number(1)) {
                    index.leaf_pages = Some(leaves);
                    index.fill = Some(density as f64 / 10_000.0);
                }
            }
            Err(refused) if refused.is_late => {}
            Err(refused) => {
                let need = "EXECUTE on pgstatindex, as the role pg_stat_scan_tables has it";
                unseen.push(format!("page fill by pgstattuple: {}; it needs {need}", refused.why));
                return;
            }
        }
    }
}

async fn sqlite(
    session: &mut Session,
    catalog: &mut Catalog,
    keys: &[(usize, usize)],
    unseen: &mut Vec<String>,
) {
    let size = session.rows("pages of the file", "SELECT page_count FROM pragma_page_count", &[]).await;
    let size = size.ok().and_then(|rows| rows.first()?.first()?.text()?.parse::<u64>().ok());
    if size.is_none_or(|pages| pages > MOST_PAGES) {
        unseen.push(format!("page fill: dbstat reads every page, and the file has more than {MOST_PAGES}"));
        return;
    }
    let sql = "SELECT l.name, i.name FROM pragma_table_list l JOIN pragma_index_list(l.name) i \
               WHERE l.schema = 'main' AND l.type = 'table' AND i.origin = 'pk'";
    let named = session.rows("indexes of primary keys", sql, &[]).await.unwrap_or_default();
    // The name of the tree in which a key is.
    let tree = |table: &Table, key: usize| match (&table.keys[key], table.clustered) {
        (key, true) if key.primary => table.name.clone(),
        (key, false) if key.primary => {
            let of = |row: &&Vec<Cell>| row.first().and_then(Cell::text).as_deref() == Some(&table.name);
            let index = named.iter().find(of).and_then(|row| row.get(1)?.text());
            index.unwrap_or_else(|| table.name.clone())
        }
        (key, _) => key.name.clone(),
    };
    let sql = "SELECT count(*), sum(unused), sum(pgsize), sum(payload), sum(ncell) FROM dbstat WHERE name = ? AND pagetype = 'leaf'";
    for &(at, key) in keys.iter().take(MOST_INDEXES) {
        let name = tree(&catalog.tables[at], key);
        let Ok(rows) = session.rows(&format!("pages of {name}"), sql, &[Cell::Text(name)]).await else {
            unseen.push("page fill: this SQLite has no dbstat".to_owned());
            return;
        };
        let number = |at: usize| rows.first()?.get(at)?.text()?.parse::<u64>().ok();
        if let (Some(leaves), Some(unused), Some(bytes)) = (number(0), number(1), number(2)) {
            let table = &mut catalog.tables[at];
            table.keys[key].leaf_pages = Some(leaves);
            table.keys[key].fill = Some(1.0 - unused as f64 / bytes.max(1) as f64);
            if let (true, true, Some(payload), Some(rows @ 1..)) =
                (table.clustered, table.keys[key].primary, number(3), number(4))
            {
                table.bytes_per_row = Some(payload as f64 / rows as f64);
            }
        }
    }
}
