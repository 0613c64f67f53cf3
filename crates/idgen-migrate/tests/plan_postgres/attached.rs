//! Everything that is attached to a key is compared: under the lock of the switch with what the plan was made for, and before the way
//! back with what the switch left.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::psql::{Files, SERVER, connect, execute, text};
use crate::rows;

/// A change, a part of the line that names it, and what takes it back. `TEXT` is the type of the keys at that time.
const CHANGES: &[(&str, &str, &str)] = &[
    (
        "COMMENT ON COLUMN orders.id IS 'a key'",
        "new: orders.id: comment a key",
        "COMMENT ON COLUMN orders.id IS NULL",
    ),
    (
        "COMMENT ON CONSTRAINT lines_once ON lines IS 'x'",
        "new: lines: constraint lines_once of public.lines: comment x",
        "COMMENT ON CONSTRAINT lines_once ON lines IS NULL",
    ),
    (
        "COMMENT ON INDEX orders_parent IS 'x'",
        "new: orders: index public.orders_parent: comment x",
        "COMMENT ON INDEX orders_parent IS NULL",
    ),
    (
        "ALTER TABLE orders ALTER id SET STATISTICS 77",
        "new: orders.id: attstattarget 77",
        "ALTER TABLE orders ALTER id SET STATISTICS -1",
    ),
    (
        "ALTER TABLE orders ALTER id SET (n_distinct = -1)",
        "new: orders.id: attoptions [\"n_distinct=-1\"]",
        "ALTER TABLE orders ALTER id RESET (n_distinct)",
    ),
    (
        "ALTER TABLE lines CLUSTER ON lines_pkey",
        "new: lines: index public.lines_pkey: indisclustered true",
        "ALTER TABLE lines SET WITHOUT CLUSTER",
    ),
    (
        "ALTER TABLE lines REPLICA IDENTITY FULL",
        "new: lines: relreplident f",
        "ALTER TABLE lines REPLICA IDENTITY DEFAULT",
    ),
    (
        "ALTER TABLE lines REPLICA IDENTITY USING INDEX lines_pkey",
        "new: lines: index public.lines_pkey: indisreplident true",
        "ALTER TABLE lines REPLICA IDENTITY DEFAULT",
    ),
    (
        "ALTER INDEX lines_pkey SET (fillfactor = 50)",
        "WITH (fillfactor='50')",
        "ALTER INDEX lines_pkey RESET (fillfactor)",
    ),
    (
        "ALTER INDEX orders_parent RENAME TO other",
        "gone: orders: index public.orders_parent",
        "ALTER INDEX other RENAME TO orders_parent",
    ),
    (
        "ALTER TABLE lines RENAME CONSTRAINT lines_order_id_fkey TO other",
        "new: lines: constraint other of public.lines",
        "ALTER TABLE lines RENAME CONSTRAINT other TO lines_order_id_fkey",
    ),
    (
        "ALTER TABLE lines ALTER CONSTRAINT lines_order_id_fkey DEFERRABLE",
        "condeferrable true",
        "ALTER TABLE lines ALTER CONSTRAINT lines_order_id_fkey NOT DEFERRABLE",
    ),
    (
        "ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey, ADD CONSTRAINT lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders ON UPDATE CASCADE ON DELETE RESTRICT",
        "ON DELETE RESTRICT",
        "ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey, ADD CONSTRAINT lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders ON UPDATE CASCADE ON DELETE CASCADE",
    ),
    (
        "CREATE TABLE children (o TEXT REFERENCES orders)",
        "new: orders: constraint children_o_fkey of public.children: FOREIGN KEY",
        "DROP TABLE children",
    ),
    (
        "GRANT SELECT (id) ON orders TO PUBLIC",
        "new: orders.id: attacl",
        "REVOKE SELECT (id) ON orders FROM PUBLIC",
    ),
    (
        "ALTER TABLE payments ALTER order_id SET DEFAULT gen_random_uuid()",
        "new: payments.order_id: default",
        "ALTER TABLE payments ALTER order_id DROP DEFAULT",
    ),
    (
        "CREATE STATISTICS s ON id, n FROM orders",
        "new: orders: statistics public.s: CREATE STATISTICS",
        "DROP STATISTICS s",
    ),
    (
        "CREATE STATISTICS s ON (id::text || 'x') FROM orders",
        "new: orders: statistics public.s: CREATE STATISTICS",
        "DROP STATISTICS s",
    ),
    (
        "ALTER TABLE lines ADD CONSTRAINT c CHECK (lines::text <> '')",
        "new: lines: constraint c of public.lines: CHECK",
        "ALTER TABLE lines DROP CONSTRAINT c",
    ),
    (
        "CREATE INDEX later ON lines (quantity) WHERE lines IS NOT NULL",
        "new: lines: index public.later: CREATE INDEX",
        "DROP INDEX later",
    ),
    (
        "CREATE POLICY p ON lines WITH CHECK (lines::text <> '')",
        "new: lines: policy p: polwithcheck",
        "DROP POLICY p ON lines",
    ),
    (
        "CREATE TABLE archive (kept lines)",
        "new: lines: table column public.archive.kept",
        "DROP TABLE archive",
    ),
    ("CREATE DOMAIN d AS lines", "new: lines: type public.d", "DROP DOMAIN d"),
    ("CREATE VIEW v AS SELECT id FROM orders", "new: orders.id: rule \"_RETURN\" on public.v", "DROP VIEW v"),
    (
        "CREATE POLICY p ON lines USING (order_id IS NOT NULL)",
        "new: lines: policy p: polqual",
        "DROP POLICY p ON lines",
    ),
    (
        "ALTER TABLE lines FORCE ROW LEVEL SECURITY",
        "new: lines: relforcerowsecurity true",
        "ALTER TABLE lines NO FORCE ROW LEVEL SECURITY",
    ),
    (
        "CREATE RULE r AS ON UPDATE TO lines DO ALSO NOTIFY changed",
        "new: lines: rule r: CREATE RULE",
        "DROP RULE r ON lines",
    ),
    (
        "CREATE TABLE more () INHERITS (lines)",
        "new: lines: inheritance: public.more of public.lines",
        "DROP TABLE more",
    ),
    (
        "CREATE PUBLICATION p FOR TABLE orders (id)",
        "new: orders: publication p: prattrs",
        "DROP PUBLICATION p",
    ),
    (
        "CREATE INDEX later ON lines (quantity, order_id)",
        "new: lines: index public.later: CREATE INDEX",
        "DROP INDEX later",
    ),
    (
        "CREATE INDEX later ON lines (quantity) WHERE order_id IS NOT NULL",
        "new: lines: index public.later: CREATE INDEX",
        "DROP INDEX later",
    ),
    (
        "ALTER TABLE lines ADD UNIQUE (order_id, quantity, id)",
        "new: lines: constraint lines_order_id_quantity_id_key of public.lines: UNIQUE",
        "ALTER TABLE lines DROP CONSTRAINT lines_order_id_quantity_id_key",
    ),
    (
        "ALTER TABLE lines ADD CONSTRAINT c CHECK (order_id IS NOT NULL)",
        "new: lines: constraint c of public.lines: CHECK",
        "ALTER TABLE lines DROP CONSTRAINT c",
    ),
    (
        "CREATE TRIGGER t BEFORE INSERT ON lines FOR EACH ROW EXECUTE FUNCTION touch()",
        "new: lines: trigger t: CREATE TRIGGER",
        "DROP TRIGGER t ON lines",
    ),
    (
        "ALTER TABLE orders DISABLE TRIGGER touched",
        "new: orders: trigger touched: tgenabled D",
        "ALTER TABLE orders ENABLE TRIGGER touched",
    ),
    (
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM orders; END",
        "new: orders.id: function public.f()",
        "DROP FUNCTION f",
    ),
    (
        "CREATE TABLE other (o text); CREATE POLICY p ON other USING (EXISTS (SELECT FROM orders WHERE id::text = o))",
        "new: orders.id: policy p on public.other",
        "DROP TABLE other",
    ),
    (
        "CREATE POLICY p ON payments USING (EXISTS (SELECT FROM orders AS o WHERE o.id::text = current_user))",
        "new: orders.id: policy p on public.payments",
        "DROP POLICY p ON payments",
    ),
    (
        "CREATE TABLE log (what text); CREATE RULE r AS ON DELETE TO log DO ALSO DELETE FROM orders WHERE id::text = old.what",
        "new: orders.id: rule r on public.log",
        "DROP TABLE log",
    ),
    (
        "CREATE MATERIALIZED VIEW v AS SELECT order_id FROM lines",
        "new: lines.order_id: rule \"_RETURN\" on public.v",
        "DROP MATERIALIZED VIEW v",
    ),
    (
        "ALTER TABLE orders ADD COLUMN short text GENERATED ALWAYS AS (left(id::text, 8)) STORED",
        "new: orders.id: default value for public.orders.short",
        "ALTER TABLE orders DROP COLUMN short",
    ),
    (
        "CREATE TRIGGER t BEFORE UPDATE OF id ON orders FOR EACH ROW EXECUTE FUNCTION touch()",
        "new: orders: trigger t: CREATE TRIGGER",
        "DROP TRIGGER t ON orders",
    ),
    (
        "CREATE TRIGGER t BEFORE UPDATE ON orders FOR EACH ROW WHEN (NEW.id IS NOT NULL) EXECUTE FUNCTION touch()",
        "new: orders: trigger t: CREATE TRIGGER",
        "DROP TRIGGER t ON orders",
    ),
    (
        "CREATE PUBLICATION p FOR TABLE orders WHERE (id IS NOT NULL)",
        "new: orders.id: publication relation public.orders in publication p",
        "DROP PUBLICATION p",
    ),
    (
        "CREATE INDEX later ON lines (upper(order_id::text))",
        "new: lines: index public.later: CREATE INDEX",
        "DROP INDEX later",
    ),
    (
        "ALTER INDEX orders_parent DEPENDS ON EXTENSION plpgsql",
        "new: orders: index public.orders_parent: depends on extensions plpgsql",
        "ALTER INDEX orders_parent NO DEPENDS ON EXTENSION plpgsql",
    ),
];

/// Changes that survive the switch and its way back, since the table stays the same: they are named, and do not stop it.
const OTHERS: &str = "COMMENT ON TABLE orders IS 'who orders'; GRANT SELECT ON orders TO PUBLIC; ALTER TABLE orders ADD COLUMN more text;
    UPDATE orders SET more = 'x'; CREATE INDEX of_more ON orders (more); ALTER TABLE orders ALTER n SET STATISTICS 9";

const TOUCH: &str = "CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER touched BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch()";

/// The function that the files call under their lock.
async fn found(connection: &mut PgConnection, id: &str, moment: &str) -> String {
    let sql = format!("SELECT idgen_{id}.unchanged('{moment}', false)");
    match connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await {
        Ok(_) => String::new(),
        Err(error) => error
            .as_database_error()
            .and_then(|error| error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>())
            .and_then(|error| error.detail())
            .unwrap_or_default()
            .to_owned(),
    }
}

async fn all_are_named(connection: &mut PgConnection, id: &str, moment: &str, kind: &str) {
    let mut wrong = Vec::new();
    for (make, part, unmake) in CHANGES {
        execute(connection, make.replace("TEXT", kind)).await;
        let detail = found(connection, id, moment).await;
        if !detail.contains(part) {
            wrong.push(format!("{make}: {detail}"));
        }
        execute(connection, *unmake).await;
        let left = found(connection, id, moment).await;
        assert!(left.is_empty(), "{unmake} leaves: {left}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_of_a_key_is_named_before_the_switch_and_before_the_way_back() {
    let (scratch, mut connection) = rows::filled(40).await;
    execute(&mut connection, TOUCH).await;
    let files = Files::with_texts(scratch.url()).await;
    let switch = files.step("switch").to_owned();
    files.run_before("switch");
    all_are_named(&mut connection, &files.id, "plan", "char(36)").await;
    execute(&mut connection, CHANGES[0].0).await;
    files.refused(&switch, "and the change would be lost");
    execute(&mut connection, CHANGES[0].2).await;
    execute(&mut connection, OTHERS).await;
    let said = files.run(&switch);
    assert!(
        said.contains("changed since the plan was made, and kept:")
            && said.contains("new: orders: comment who orders"),
        "{said}"
    );
    all_are_named(&mut connection, &files.id, "switched", "uuid").await;
    let index = "CREATE INDEX later ON orders (id, more)";
    execute(&mut connection, index).await;
    files.refused(&format!("undo/{switch}"), "new: orders: index public.later");
    execute(&mut connection, "DROP INDEX later; COMMENT ON TABLE orders IS 'who ordered'").await;
    files.run(&format!("undo/{switch}"));
    // The last step would drop what hangs on the old columns, and the first way back what hangs on the new ones.
    for name in &files.names[files.names.iter().position(|name| name.ends_with("-indexes.sql")).unwrap()..] {
        if name.ends_with("-finish.sql") {
            execute(&mut connection, format!("CREATE INDEX later ON orders (id_{}_old)", files.id)).await;
            files.refused(name, "something else hangs on the columns");
            execute(&mut connection, "DROP INDEX later").await;
            let policy = format!(
                "CREATE TABLE other (o text); CREATE POLICY p ON other USING (EXISTS (SELECT FROM orders WHERE id_{}_old::text = o))",
                files.id
            );
            execute(&mut connection, policy).await;
            files.refused(name, "something else hangs on the columns");
            execute(&mut connection, "DROP TABLE other").await;
        }
        files.run(name);
    }
    let kept = "SELECT concat_ws(' ', obj_description('orders'::regclass), has_table_privilege('public', 'orders', 'SELECT'), count(*) = count(more), \
        to_regclass('of_more')) FROM orders";
    assert_eq!(text(&mut connection, kept).await, "who ordered t t of_more");
}

/// The fields of the catalog that hang on a table, each of which is compared or left out. The list is checked against the server, so a
/// version with a new field fails here until somebody has thought about it.
#[tokio::test(flavor = "multi_thread")]
async fn no_field_of_the_catalog_is_forgotten() {
    let template = include_str!("../../src/plan/postgres/templates/attached.sql");
    let listed: BTreeMap<&str, (&str, &str)> = include_str!("catalog.txt")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let (name, what) = (words.next().unwrap(), words.next().unwrap());
            (name, (what, words.next().unwrap_or_default()))
        })
        .collect();
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    let catalogs: BTreeSet<&str> = listed.keys().map(|name| name.split_once('.').unwrap().0).collect();
    let names: Vec<String> = catalogs.iter().map(|name| format!("'pg_catalog.{name}'")).collect();
    let sql = format!(
        "SELECT string_agg(c.relname || '.' || a.attname, ' ') FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
         WHERE a.attnum > 0 AND a.attrelid = ANY (ARRAY[{}]::regclass[])",
        names.join(", ")
    );
    let there = text(&mut connection, &sql).await;
    for field in there.split(' ') {
        assert!(
            listed.contains_key(field),
            "{field} is new: compare it in attached.sql, or say in catalog.txt why not"
        );
    }
    // Left out in the template is what is listed so.
    let left: BTreeSet<&str> =
        template.split("- '{").skip(1).flat_map(|part| part.split_once('}').unwrap().0.split(", ")).collect();
    for (name, (what, why)) in &listed {
        let field = name.split_once('.').unwrap().1;
        match *what {
            "compared" => assert!(!left.contains(field), "{name} is left out of attached.sql"),
            "left" => assert!(
                left.contains(field) && !why.is_empty(),
                "{name} is compared by attached.sql, or there is no reason"
            ),
            other => panic!("{name}: {other}"),
        }
    }
}
