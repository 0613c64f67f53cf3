//! Sequences of PostgreSQL, which fill columns.

use super::super::rows::{Places, column};
use super::super::sequence::{NEEDS_SELECT, Sequence};
use super::OWN;
use crate::survey::schema::{Catalog, Class, Counter};
use crate::survey::session::Session;
use idgen_database::{Cell, Result};

/// Reads the sequences that a column owns, or that its default calls. The sequence of a partitioned table fills all its partitions.
///
/// The value of a sequence can be read with `SELECT` or `USAGE` on it, which `SELECT` on the table does not include. Without a value
/// since its last start, only the sequence itself says where it begins. Its row is read in the text of another query, since the names are
/// known only when this one is executed.
pub(super) async fn read(
    session: &mut Session,
    catalog: &mut Catalog,
    places: &Places,
    is_of_some: bool,
) -> Result<()> {
    let sql = format!(
        "WITH RECURSIVE above (leaf, relation, height) AS (SELECT c.oid, c.oid, 0 FROM pg_class c WHERE c.relkind IN ('r', 'p', 'f') \
         UNION ALL SELECT b.leaf, i.inhparent, b.height + 1 FROM above b JOIN pg_inherits i ON i.inhrelid = b.relation \
         JOIN pg_class p ON p.oid = i.inhparent AND p.relkind = 'p'), \
         uses (sequence, relation, place) AS (SELECT objid, refobjid, refobjsubid FROM pg_depend \
         WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i') \
         UNION ALL SELECT d.refobjid, f.adrelid, f.adnum FROM pg_attrdef f JOIN pg_depend d \
         ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass), \
         filled AS (SELECT b.leaf, a.attname, u.sequence, (array_agg(b.relation ORDER BY b.height DESC))[1] AS top \
         FROM uses u JOIN pg_class s ON s.oid = u.sequence AND s.relkind = 'S' JOIN above b ON b.relation = u.relation \
         JOIN pg_attribute a ON a.attrelid = u.relation AND a.attnum = u.place GROUP BY 1, 2, 3) \
         SELECT n.nspname::text, c.relname::text, w.attname::text, s.relname::text, \
         CASE WHEN w.top <> w.leaf THEN tn.nspname::text ELSE '' END, CASE WHEN w.top <> w.leaf THEN t.relname::text ELSE '' END, \
         coalesce(v.last::text, CASE WHEN v.is_read THEN substring(query_to_xml(format('SELECT last_value FROM %I.%I', sn.nspname, \
         s.relname), false, false, '')::text FROM '<last_value>(-?[0-9]+)</last_value>') END), \
         q.seqmin::text, q.seqmax::text, q.seqincrement::text, q.seqcycle::text, v.is_elsewhere::text FROM filled w \
         JOIN pg_class c ON c.oid = w.leaf JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_class t ON t.oid = w.top JOIN pg_namespace tn ON tn.oid = t.relnamespace \
         JOIN pg_class s ON s.oid = w.sequence JOIN pg_namespace sn ON sn.oid = s.relnamespace \
         JOIN pg_sequence q ON q.seqrelid = s.oid \
         CROSS JOIN LATERAL (SELECT s.relpersistence = 't' OR s.relpersistence = 'u' AND pg_is_in_recovery() AS is_elsewhere) e \
         CROSS JOIN LATERAL (SELECT e.is_elsewhere, \
         CASE WHEN NOT e.is_elsewhere AND has_sequence_privilege(s.oid, 'SELECT, USAGE') THEN pg_sequence_last_value(s.oid) END AS last, \
         NOT e.is_elsewhere AND has_sequence_privilege(s.oid, 'SELECT') AND has_schema_privilege(sn.oid, 'USAGE') AS is_read) v \
         WHERE {OWN} AND (c.relkind = 'r' OR NOT EXISTS (SELECT FROM above b JOIN pg_class l ON l.oid = b.leaf AND l.relkind = 'r' \
         WHERE b.relation = c.oid)) ORDER BY 1, 2, 3, 4"
    );
    for row in session.catalog("sequences", &sql).await? {
        let [schema, table, of, sequence, top_schema, top, last, min, max, increment, cycles, is_elsewhere] =
            &Cell::texts(&row)[..]
        else {
            continue;
        };
        let state = Sequence::of([last, min, max, increment], cycles == "true");
        let used = |class| match &state {
            Some(state) => Ok(state.used(class)),
            None if is_elsewhere == "true" => {
                Err("they are temporary, or unlogged on a replica, so this session cannot read them"
                    .to_owned())
            }
            None => Err(NEEDS_SELECT.to_owned()),
        };
        let Some(table_at) = places.get(schema, table) else {
            if !is_of_some {
                let used = match used(Class::Other) {
                    Ok(used) => format!("{:.1} % of its values are used", used * 100.0),
                    Err(why) => format!("it could not be read: {why}"),
                };
                catalog.unseen.push(format!(
                    "whether the counter {sequence} of {schema}.{table}.{of} ends before its column, since the table has no rows of its own \
                     here: {used}"
                ));
            }
            continue;
        };
        let table = &mut catalog.tables[table_at];
        let Some(at) = column(table, of) else { continue };
        let class = table.columns[at].class;
        table.counters.push(Counter {
            column: at,
            name: sequence.clone(),
            used: used(class),
            parent: (!top.is_empty()).then(|| (top_schema.clone(), top.clone())),
        });
    }
    Ok(())
}
