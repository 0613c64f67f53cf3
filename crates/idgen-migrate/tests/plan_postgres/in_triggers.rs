//! Rows that triggers of the application change: none of their updates is lost, and the actions of foreign keys do what they do without a plan.

use idgen_migrate::plan::Target;
use sqlx::PgConnection;

use crate::psql::{Files, connect, database, execute, text};
use crate::rows;

/// A trigger writes all columns of a row as a document has them, as replication and event sourcing do. A document knows no columns of the plan.
const DOCUMENTS: &str = r"
    CREATE TABLE orders (id text PRIMARY KEY, n int, note text);
    CREATE TABLE inbox (doc jsonb);
    CREATE FUNCTION apply(doc jsonb) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      columns text := (SELECT string_agg(format('%1$I = s.%1$I', attname), ', ') FROM pg_attribute
        WHERE attrelid = 'orders'::regclass AND attnum > 0 AND NOT attisdropped);
      found bigint;
    BEGIN
      EXECUTE format('UPDATE orders AS t SET %s FROM jsonb_populate_record(NULL::orders, $1) AS s WHERE t.id = s.id', columns) USING doc;
      GET DIAGNOSTICS found = ROW_COUNT;
      IF found <> 1 THEN
        RAISE EXCEPTION 'no row was updated';
      END IF;
    END $$;
    CREATE FUNCTION applies() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM apply(NEW.doc); RETURN NULL; END $$;
    CREATE TRIGGER applies AFTER INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION applies();
    INSERT INTO orders VALUES ('0190163d-8694-739b-aea5-966c26f8ad91', 1, 'first')";

#[tokio::test(flavor = "multi_thread")]
async fn an_update_in_a_trigger_that_knows_no_columns_of_the_plan_is_kept() {
    let (scratch, _connection) = database(DOCUMENTS).await;
    let files = Files::to(Target::Uuid, scratch.url(), "orders").await;
    let mut n = 1;
    for name in &there_and_back(&files) {
        files.run(name);
        let mut client = connect(scratch.url()).await;
        // By a trigger, and by the client itself. The second document says what the row has already.
        for send in ["INSERT INTO inbox VALUES (DOC)", "INSERT INTO inbox VALUES (DOC)", "SELECT apply(DOC)"]
        {
            n += i32::from(!send.starts_with("INSERT") || n % 2 == 1);
            let doc = format!(
                "'{{\"id\": \"0190163d-8694-739b-aea5-966c26f8ad91\", \"n\": {n}, \"note\": \"{n}\"}}'"
            );
            execute(&mut client, send.replace("DOC", &doc)).await;
            let stored = text(&mut client, "SELECT concat_ws(' ', id::text, n, note) FROM orders").await;
            assert_eq!(stored, format!("0190163d-8694-739b-aea5-966c26f8ad91 {n} {n}"), "{name}: {send}");
        }
    }
}

/// The files up to the switch, its way back, and those from the indexes on to the switch again.
fn there_and_back(files: &Files) -> Vec<String> {
    let switch = files.names.iter().position(|name| name == files.step("switch")).unwrap();
    let back = format!("undo/{}", files.names[switch]);
    [&files.names[..=switch], &[back], &files.names[switch - 3..]].concat()
}

/// Orders of tenants. Triggers count the versions of each row before those of the plan see it, and one of them writes another row of its table in
/// all columns, before the row of the action is written.
const ACTIONS: &str = r"
    CREATE TABLE orders (tenant int, id text PRIMARY KEY, n int, UNIQUE (tenant, id));
    CREATE TABLE lines (order_id text REFERENCES orders ON UPDATE CASCADE ON DELETE SET NULL, n int, version int DEFAULT 0, seen int);
    CREATE TABLE parts (tenant int, order_id text, n int, version int DEFAULT 0,
      FOREIGN KEY (tenant, order_id) REFERENCES orders (tenant, id) ON UPDATE CASCADE ON DELETE SET NULL);
    CREATE TRIGGER counts BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION public.counts();
    CREATE TRIGGER counts BEFORE UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION public.counts();
    CREATE TRIGGER others BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION public.writes_another();
    CREATE TRIGGER logs AFTER UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION public.logs();
    CREATE TRIGGER logs AFTER UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION public.logs();
    INSERT INTO orders VALUES (0, '0190163d-8694-739b-aea5-966c26f8ad90', 0);
    INSERT INTO lines VALUES ('0190163d-8694-739b-aea5-966c26f8ad90', 0);";

/// They do not count the updates of the copy, which psql executes.
const FUNCTIONS: &str = r"
    CREATE TABLE log (of text, n int, version int);
    CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.version := OLD.version + CASE WHEN current_setting('application_name') = 'psql' THEN 0 ELSE 1 END; RETURN NEW; END $$;
    CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF current_setting('application_name') <> 'psql' THEN
        INSERT INTO public.log VALUES (concat_ws('.', TG_TABLE_SCHEMA, TG_TABLE_NAME), NEW.n, NEW.version); END IF; RETURN NULL; END $$;
    CREATE FUNCTION writes_another() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE columns text := (SELECT string_agg(format('%1$I = s.%1$I', attname), ', ') FROM pg_attribute
        WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped);
    BEGIN
      IF NEW.n > 0 AND current_setting('application_name') <> 'psql' THEN
        EXECUTE format('UPDATE %1$s AS t SET %2$s FROM jsonb_populate_record(NULL::%1$s, $1) AS s WHERE t.n = 0', TG_RELID::regclass, columns)
          USING jsonb_build_object('order_id', '0190163d-8694-739b-aea5-966c26f8ad90', 'n', 0, 'seen', NEW.n, 'version', 0);
      END IF;
      RETURN NEW;
    END $$;";

/// The row that the trigger writes has as many versions as the trigger was called: also for an action that the plan skips, because the one of the
/// other foreign key follows.
const CONTENT: &str = "SELECT string_agg(r, E'\\n' ORDER BY r) FROM (
    SELECT concat_ws(' ', 'order', tenant, id::uuid, n) FROM S.orders
    UNION ALL SELECT concat_ws(' ', 'line', order_id::uuid, n, CASE WHEN n > 0 THEN version END, seen) FROM S.lines
    UNION ALL SELECT concat_ws(' ', 'part', tenant, order_id::uuid, n, version) FROM S.parts
    UNION ALL SELECT concat_ws(' ', replace(of, 'S.', ''), n, version, count(*)) FROM public.log WHERE of LIKE 'S.%' AND n > 0 GROUP BY of, n, version) AS a (r)";

/// Changes keys of orders that lines and parts refer to.
async fn act(connection: &mut PgConnection, n: i32) {
    let id = |last: i32| format!("0190163d-8694-739b-aea5-{last:012x}");
    let [first, second, third] = [0, 1, 2].map(|more| n * 10 + more);
    let made = |n: i32| {
        format!(
            "INSERT INTO orders (tenant, id, n) VALUES (1, '{0}', {n}); INSERT INTO lines (order_id, n) VALUES ('{0}', {n});
             INSERT INTO parts (tenant, order_id, n) VALUES (1, '{0}', {n})",
            id(n)
        )
    };
    let changes = format!(
        "UPDATE orders SET id = '{}' WHERE n = {first}; UPDATE orders SET id = '{}', tenant = 2 WHERE n = {second};
         UPDATE orders SET tenant = 3 WHERE n = {second}; DELETE FROM orders WHERE n = {third}",
        id(first + 5),
        id(second + 5).to_uppercase()
    );
    let made = format!("{}; {}; {}", made(first), made(second), made(third));
    // Rows of the same transaction, whose foreign keys are checked once more, and older ones.
    let statements = match n % 3 {
        0 => ["BEGIN".to_owned(), made, changes, "COMMIT".into()],
        1 => [made, "BEGIN".into(), changes, "COMMIT".into()],
        _ => [made, "BEGIN ISOLATION LEVEL REPEATABLE READ".into(), changes, "COMMIT".into()],
    };
    for schema in ["public", "plain"] {
        execute(connection, format!("SET search_path = {schema}")).await;
        for statement in &statements {
            execute(connection, statement).await;
        }
    }
}

async fn act_while_the_plan_is_executed(old_keys_act_last: bool) {
    let (scratch, mut connection) =
        database(format!("{FUNCTIONS} {ACTIONS} CREATE SCHEMA plain; SET search_path = plain; {ACTIONS}"))
            .await;
    if old_keys_act_last {
        rows::let_the_old_keys_act_last(&mut connection).await;
    }
    let files = Files::to(Target::Uuid, scratch.url(), "public.orders").await;
    let mut n = 0;
    for name in &there_and_back(&files) {
        files.run(name);
        let mut client = connect(scratch.url()).await;
        for _ in 0..3 {
            n += 1;
            act(&mut client, n).await;
            let [found, expected] = ["public.", "plain."].map(|schema| CONTENT.replace("S.", schema));
            assert_eq!(
                text(&mut client, &found).await,
                text(&mut client, &expected).await,
                "{n}, after {name}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_of_foreign_keys_count_as_one_update() {
    act_while_the_plan_is_executed(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_of_foreign_keys_count_as_one_update_where_the_old_ones_act_last() {
    act_while_the_plan_is_executed(true).await;
}
