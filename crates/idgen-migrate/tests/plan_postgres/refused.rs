//! Tests that objects which a change of the key's column would lose, and which the plan does not support, are named
//! before anything is changed.

use idgen_migrate::plan::{Options, Target, plan};

use crate::psql::{Files, database, execute, text};
use crate::rows;

/// Objects that make a plan impossible, the part of the message that names them, and the statements that make the plan
/// possible again.
const KINDS: &[(&str, &str, &str)] = &[
    ("CREATE VIEW v AS SELECT id FROM orders", "view public.v depends on orders.id: drop it", "DROP VIEW v"),
    (
        "CREATE VIEW v AS SELECT l.quantity FROM lines AS l JOIN orders AS o ON o.id = l.order_id WHERE o.n > 0",
        "view public.v depends on lines.order_id",
        "DROP VIEW v",
    ),
    (
        "CREATE MATERIALIZED VIEW v AS SELECT id FROM lines",
        "materialized view public.v depends on lines.id",
        "DROP MATERIALIZED VIEW v",
    ),
    (
        "CREATE RULE r AS ON UPDATE TO lines DO ALSO NOTIFY changed",
        "the table lines has rules, which change the statements of the plan, too: drop them for the change (r)",
        "DROP RULE r ON lines",
    ),
    (
        "CREATE TABLE log (what text); CREATE RULE r AS ON DELETE TO log DO ALSO DELETE FROM orders WHERE id = old.what",
        "rule r on table public.log depends on orders.id",
        "DROP TABLE log",
    ),
    (
        "CREATE POLICY p ON lines USING (order_id = current_setting('app.order'))",
        "policy p on table public.lines depends on lines.order_id",
        "DROP POLICY p ON lines",
    ),
    (
        "CREATE POLICY p ON payments USING (EXISTS (SELECT FROM orders AS o WHERE o.id = current_user))",
        "policy p on table public.payments depends on orders.id",
        "DROP POLICY p ON payments",
    ),
    ("ALTER TABLE lines FORCE ROW LEVEL SECURITY", "the table lines has FORCE ROW LEVEL SECURITY", "ALTER TABLE lines NO FORCE ROW LEVEL SECURITY"),
    (
        "ALTER TABLE orders ADD CONSTRAINT c CHECK (length(id) = 36)",
        "constraint c on table public.orders depends on orders.id",
        "ALTER TABLE orders DROP CONSTRAINT c",
    ),
    (
        "ALTER TABLE orders ADD COLUMN short text GENERATED ALWAYS AS (left(id, 8)) STORED",
        "column short of table public.orders depends on orders.id",
        "ALTER TABLE orders DROP COLUMN short",
    ),
    (
        "CREATE STATISTICS s ON id, order_id FROM lines",
        "statistics object public.s depends on lines.id",
        "DROP STATISTICS s",
    ),
    (
        "CREATE STATISTICS s ON (id || 'x') FROM lines",
        "statistics object public.s depends on lines.id",
        "DROP STATISTICS s",
    ),
    (
        "ALTER TABLE orders ADD CONSTRAINT c CHECK (orders::text <> '')",
        "constraint c on table public.orders depends on orders.id",
        "ALTER TABLE orders DROP CONSTRAINT c",
    ),
    (
        "CREATE POLICY p ON orders USING (orders::text <> '')",
        "policy p on table public.orders depends on orders.id",
        "DROP POLICY p ON orders",
    ),
    (
        "CREATE INDEX i ON payments (amount) WHERE payments IS NOT NULL",
        "index public.i depends on payments.order_id",
        "DROP INDEX i",
    ),
    (
        "CREATE SEQUENCE s OWNED BY orders.id",
        "sequence public.s depends on orders.id",
        "DROP SEQUENCE s",
    ),
    (
        "CREATE PUBLICATION p FOR TABLE orders (id, n)",
        "publication of table public.orders in publication p depends on orders.id",
        "DROP PUBLICATION p",
    ),
    (
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM orders; END",
        "function public.f() depends on orders.id",
        "DROP FUNCTION f",
    ),
    (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
         CREATE TRIGGER t AFTER UPDATE ON lines FOR EACH ROW WHEN (old.order_id <> new.order_id) EXECUTE FUNCTION f()",
        "trigger t on table public.lines depends on lines.order_id",
        "DROP FUNCTION f CASCADE",
    ),
    (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id := lower(NEW.id); RETURN NEW; END';
         CREATE TRIGGER zzz_lower BEFORE INSERT ON lines FOR EACH ROW EXECUTE FUNCTION f()",
        "the table lines has BEFORE triggers that fire after the triggers of the plan and could change a key: give them names before zzz \
         (zzz_lower)",
        "DROP FUNCTION f CASCADE",
    ),
    ("GRANT UPDATE (order_id) ON lines TO PUBLIC", "lines.order_id has privileges of its own", "REVOKE UPDATE (order_id) ON lines FROM PUBLIC"),
    (
        "SET allow_system_table_mods = on; INSERT INTO pg_seclabel VALUES ('orders'::regclass, 'pg_class'::regclass, 1, 'test', 'secret')",
        "orders.id has a security label",
        "SET allow_system_table_mods = on; DELETE FROM pg_seclabel",
    ),
    (
        "CREATE TABLE archive (kept orders)",
        "the table orders is the type of other columns, whose rows would lose their keys: change their type before (column kept of table \
         public.archive)",
        "DROP TABLE archive",
    ),
    (
        "CREATE TABLE archive (kept lines[])",
        "the table lines is the type of other columns, whose rows would lose their keys: change their type before (column kept of table \
         public.archive)",
        "DROP TABLE archive",
    ),
    (
        "CREATE TABLE more () INHERITS (lines)",
        "the table lines is partitioned or inherits",
        "DROP TABLE more",
    ),
    (
        "CREATE TABLE parts (order_id char(36) REFERENCES orders, at date) PARTITION BY RANGE (at)",
        "the table parts is partitioned or inherits",
        "DROP TABLE parts",
    ),
    (
        "CREATE TYPE noted AS (order_id char(36)); CREATE TABLE notes OF noted; ALTER TABLE notes ADD FOREIGN KEY (order_id) REFERENCES orders",
        "the table notes is of a composite type: turn it into a plain table",
        "DROP TABLE notes; DROP TYPE noted",
    ),
    (
        "CREATE TABLE notes (order_id char(36) DEFAULT 'none' REFERENCES orders ON UPDATE SET DEFAULT)",
        "the foreign key notes_order_id_fkey of notes has SET DEFAULT",
        "DROP TABLE notes",
    ),
    (
        "ALTER TABLE payments ALTER order_id SET DEFAULT 'none'",
        "the default of payments.order_id is 'none'::bpchar, which is no id: drop it first \
         (ALTER TABLE \"public\".\"payments\" ALTER COLUMN \"order_id\" DROP DEFAULT)",
        "ALTER TABLE payments ALTER order_id DROP DEFAULT",
    ),
    (
        "CREATE TABLE notes (order_id char(36)); ALTER TABLE notes ADD FOREIGN KEY (order_id) REFERENCES orders NOT VALID",
        "the foreign key notes_order_id_fkey of notes is not valid: validate it",
        "DROP TABLE notes",
    ),
    (
        "CREATE TABLE notes (order_id char(36) REFERENCES orders NOT ENFORCED)",
        "the foreign key notes_order_id_fkey of notes is not enforced",
        "DROP TABLE notes",
    ),
    (
        "ALTER TABLE payments DISABLE TRIGGER ALL",
        "the table payments has disabled triggers of foreign keys",
        "ALTER TABLE payments ENABLE TRIGGER ALL",
    ),
    (
        "ALTER TABLE payments ADD CONSTRAINT known NOT NULL order_id NOT VALID",
        "payments.order_id has a NOT NULL constraint that is not valid: validate it",
        "ALTER TABLE payments DROP CONSTRAINT known",
    ),
    (
        "ALTER TABLE lines ADD CONSTRAINT u UNIQUE (quantity, id) DEFERRABLE",
        "the index u of lines is deferrable, which the index beside it could not be until the switch",
        "ALTER TABLE lines DROP CONSTRAINT u",
    ),
    (
        "ALTER TABLE lines ADD CONSTRAINT x EXCLUDE (id WITH =)",
        "the index x of lines belongs to an exclusion constraint",
        "ALTER TABLE lines DROP CONSTRAINT x",
    ),
    (
        "CREATE UNIQUE INDEX i ON lines (id, quantity); ALTER TABLE lines REPLICA IDENTITY USING INDEX i",
        "the index i of lines is the replica identity: use REPLICA IDENTITY DEFAULT or FULL",
        "ALTER TABLE lines REPLICA IDENTITY DEFAULT; DROP INDEX i",
    ),
    ("CREATE INDEX i ON lines (lower(order_id))", "the index i of lines has an expression or condition with an id", "DROP INDEX i"),
    ("CREATE INDEX i ON lines (quantity) WHERE order_id > '8'", "the index i of lines has an expression or condition", "DROP INDEX i"),
    (
        "CREATE INDEX i ON lines (order_id) WHERE quantity::text <> E'two\\nlines'",
        "the index i of lines has a condition with a line break",
        "DROP INDEX i",
    ),
    ("CREATE INDEX i ON lines USING brin (order_id)", "the index i of lines is no plain index of btree or hash", "DROP INDEX i"),
    ("CREATE INDEX i ON lines (order_id bpchar_pattern_ops, quantity)", "the index i of lines is no plain index", "DROP INDEX i"),
    ("ALTER EXTENSION plpgsql ADD TABLE lines", "the table lines belongs to an extension", "ALTER EXTENSION plpgsql DROP TABLE lines"),
    (
        "ALTER TABLE lines ADD COLUMN order_id_%ID%_new uuid",
        "the plan needs names that are taken: rename the column lines.order_id_%ID%_new",
        "ALTER TABLE lines DROP COLUMN order_id_%ID%_new",
    ),
    (
        "ALTER TABLE orders ADD COLUMN id_text text",
        "rename the column orders.id_text",
        "ALTER TABLE orders DROP COLUMN id_text",
    ),
    ("CREATE VIEW lines_pkey_%ID%_new AS SELECT 1", "rename view public.lines_pkey_%ID%_new", "DROP VIEW lines_pkey_%ID%_new"),
    (
        "ALTER TABLE lines ADD CONSTRAINT id_%ID%_not_null CHECK (quantity > -1)",
        "rename the constraint id_%ID%_not_null of public.lines",
        "ALTER TABLE lines DROP CONSTRAINT id_%ID%_not_null",
    ),
    ("CREATE SCHEMA idgen_%ID%", "another change of these keys has begun", "DROP SCHEMA idgen_%ID%"),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_that_would_be_lost_is_named() {
    let (scratch, mut connection) = rows::filled(40).await;
    let mut options = Options::new("orders", Target::Uuid);
    options.keep_text = true;
    let id = plan(scratch.url(), &options).await.unwrap().id;
    let mut wrong = Vec::new();
    for kind in KINDS {
        let [make, part, unmake] = &<[&str; 3]>::from(*kind).map(|text| text.replace("%ID%", &id));
        execute(&mut connection, make.clone()).await;
        match plan(scratch.url(), &options).await {
            Ok(_) => wrong.push(format!("{make}: there is a plan")),
            Err(error) if error.to_string().contains(part.as_str()) => {}
            Err(error) => wrong.push(format!("{make}: {error}")),
        }
        execute(&mut connection, unmake.clone()).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    plan(scratch.url(), &options).await.unwrap();
}

/// A key of several columns, of which one holds ids.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_composite_key_only_ids_change() {
    let tables = "CREATE TABLE tags (order_id char(36), tag varchar(20), n int, PRIMARY KEY (order_id, tag));
        INSERT INTO tags SELECT gen_random_uuid(), t, 1 FROM unnest('{a,b,c}'::text[]) AS t;
        CREATE DOMAIN code AS text; CREATE TABLE coded (id text PRIMARY KEY); CREATE TABLE uses (id code REFERENCES coded)";
    let (scratch, mut connection) = database(tables).await;
    let files = Files::to(Target::Uuid, scratch.url(), "tags").await;
    files.run_all(&files.names);
    let types = "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attname) FROM pg_attribute \
        WHERE attrelid = 'tags'::regclass AND attnum > 0 AND NOT attisdropped";
    assert_eq!(text(&mut connection, types).await, "n integer, order_id uuid, tag character varying(20)");
    let key = "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'tags'::regclass AND contype = 'p'";
    assert_eq!(text(&mut connection, key).await, "PRIMARY KEY (order_id, tag)");
    let error = plan(scratch.url(), &Options::new("coded", Target::Uuid)).await.unwrap_err().to_string();
    assert!(
        error.contains("do not all have a type of text: coded.id (text), uses.id (public.code)"),
        "{error}"
    );
}

/// Objects that are made after the plan would be dropped with the old columns. The files notice it.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_changed_since_the_plan_is_named() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    let index = "new: lines: index public.later: CREATE INDEX later ON public.lines";
    execute(&mut connection, "CREATE INDEX later ON lines (order_id, quantity)").await;
    files.refused(files.step("check"), index);
    execute(&mut connection, "DROP INDEX later; CREATE RULE r AS ON UPDATE TO lines DO ALSO NOTIFY changed")
        .await;
    files.refused(files.step("check"), "new: lines: rule r");
    execute(&mut connection, "DROP RULE r ON lines; ALTER TABLE orders ALTER id SET DEFAULT 'none'").await;
    files.refused(files.step("check"), "gone: orders.id: default (gen_random_uuid())::text");
    execute(&mut connection, "ALTER TABLE orders ALTER id SET DEFAULT gen_random_uuid()::text").await;
    files.run_before("verify");
    execute(&mut connection, "CREATE INDEX later ON lines (order_id, quantity)").await;
    files.refused(files.step("verify"), index);
    execute(&mut connection, "DROP INDEX later").await;
    files.run_steps(&["verify", "text"]);
    let index = "CREATE INDEX later ON lines (order_id, quantity); CREATE VIEW v AS SELECT id FROM orders";
    execute(&mut connection, index).await;
    files.refused(files.step("switch"), "new: orders.id: rule \"_RETURN\" on public.v");
    execute(&mut connection, "DROP INDEX later; DROP VIEW v").await;
    files.run_steps(&["switch", "finish"]);
}

/// The copy updates each row. What the server or a trigger would not let it do is named, with what to do.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_the_copy_cannot_update_are_named() {
    let (scratch, mut connection) = database("CREATE TABLE customers (id char(36) PRIMARY KEY, n int);
         CREATE TABLE visits (customer_id char(36) REFERENCES customers, n int);
         INSERT INTO customers SELECT gen_random_uuid(), 1; INSERT INTO visits SELECT id, g FROM customers, generate_series(-1, 1) AS g").await;
    let options = Options::new("customers", Target::Uuid);
    let publish = "CREATE PUBLICATION everything FOR ALL TABLES";
    execute(&mut connection, publish).await;
    let error = plan(scratch.url(), &options).await.unwrap_err().to_string();
    assert!(
        error.contains("the table visits is published (everything) and has no replica identity"),
        "{error}"
    );
    assert!(error.contains("REPLICA IDENTITY FULL"), "{error}");
    execute(&mut connection, "DROP PUBLICATION everything").await;
    let files = Files::of(scratch.url(), &options).await;
    execute(&mut connection, publish).await;
    files.refused(files.step("check"), "visits is published (everything) and has no replica identity");
    execute(
        &mut connection,
        "DROP PUBLICATION everything; ALTER TABLE visits ADD CONSTRAINT positive CHECK (n > 0) NOT VALID",
    )
    .await;
    files.refused(files.step("check"), "2 rows of visits break its constraint positive");
    execute(&mut connection, "UPDATE visits SET n = 1").await;
    files.run_before("backfill");
    execute(
        &mut connection,
        "CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER frozen BEFORE UPDATE ON visits FOR EACH ROW EXECUTE FUNCTION skip()",
    )
    .await;
    files.refused(
        files.step("backfill"),
        "rows of visits were not changed by the copy: a BEFORE UPDATE trigger has skipped them or changed their keys (frozen)",
    );
    execute(&mut connection, "DROP TRIGGER frozen ON visits").await;
    files.run_steps(&["backfill", "indexes", "constraints", "verify", "switch", "finish"]);
    assert_eq!(text(&mut connection, "SELECT count(customer_id) FROM visits").await, "3");
}
