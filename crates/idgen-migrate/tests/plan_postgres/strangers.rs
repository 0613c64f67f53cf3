//! Functions, operators, types and casts that others made in the database: a survey, a planning and a status call none of them with the rights
//! of their user.

use idgen_migrate::plan::status::Reader;
use idgen_migrate::plan::{Options, Target, plan};
use idgen_migrate::survey;

use crate::psql::{Files, SERVER, connect, database, execute, text};

/// Functions and operators of all names and types that PostgreSQL's own have, and operators of `varchar` and `bpchar`, which PostgreSQL compares
/// as texts: each writes a file on the server. That works in a transaction that only reads.
const SHADOWS: &str = r#"
DO $do$
DECLARE f record; body text;
BEGIN
  FOR f IN SELECT p.oid, p.proname, pg_get_function_identity_arguments(p.oid) AS args, pg_get_function_result(p.oid) AS gives
    FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.provariadic = 0
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.typtype = 'p' AND t.oid = ANY (p.prorettype || p.proargtypes::oid[]))
  LOOP
    body := format('BEGIN PERFORM public.called(%L); RETURN; END', f.proname);
    body := CASE WHEN f.gives LIKE 'SETOF %' OR f.gives LIKE 'TABLE%' THEN body
      ELSE format('BEGIN PERFORM public.called(%L); RETURN NULL; END', f.proname) END;
    BEGIN
      EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.args, f.gives, body);
    EXCEPTION WHEN OTHERS THEN NULL; END;
  END LOOP;
  FOR f IN SELECT o.oprname, l.t AS l, r.t AS r, b.gives FROM
      (SELECT DISTINCT oprname, oprleft::regtype::text AS l, oprright::regtype::text AS r, oprresult::regtype::text AS gives
        FROM pg_catalog.pg_operator WHERE oprleft <> 0 UNION
       SELECT o, t, t, 'boolean' FROM unnest(ARRAY['=', '<>', '<', '<=', '>', '>=']) AS o, unnest(ARRAY['varchar', 'bpchar', 'name']) AS t) AS o (oprname, l, r, gives),
      LATERAL (SELECT o.l) AS l (t), LATERAL (SELECT o.r) AS r (t), LATERAL (SELECT o.gives) AS b (gives)
  LOOP
    BEGIN
      EXECUTE format('CREATE OR REPLACE FUNCTION public.shadow(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L', f.l, f.r, f.gives,
        format('BEGIN PERFORM public.called(%L); RETURN NULL; END', f.oprname));
      EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.shadow)', f.oprname, f.l, f.r);
    EXCEPTION WHEN OTHERS THEN NULL; END;
  END LOOP;
END $do$;
"#;

/// Types with casts and checks that call functions, one of them with the name of a type of PostgreSQL, and a view with the name of the one that counts
/// statements.
const TYPES: &str = r"
CREATE FUNCTION public.called(what text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$ BEGIN
  EXECUTE format('COPY (SELECT %L::text) TO %L', what, current_setting('data_directory') || '/called-' || current_database()); END $$;
CREATE SCHEMA other;
CREATE TYPE other.uuid AS ENUM ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222');
CREATE FUNCTION other.cast_to(other.uuid) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM public.called('cast to text'); RETURN ''; END $$;
CREATE FUNCTION other.cast_from(text) RETURNS other.uuid LANGUAGE plpgsql AS $$ BEGIN PERFORM public.called('cast from text'); RETURN NULL; END $$;
CREATE CAST (other.uuid AS text) WITH FUNCTION other.cast_to; CREATE CAST (text AS other.uuid) WITH FUNCTION other.cast_from;
CREATE FUNCTION other.is_id(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM public.called('check of a domain'); RETURN true; END $$;
CREATE DOMAIN other.uid AS varchar(36); CREATE DOMAIN other.at AS timestamptz;
CREATE TABLE by_domain (id other.uid PRIMARY KEY, created_at other.at NOT NULL DEFAULT now());
CREATE TABLE by_enum (id other.uuid PRIMARY KEY, v uuid NOT NULL DEFAULT gen_random_uuid());
CREATE TABLE by_char (id char(36) PRIMARY KEY); CREATE TABLE by_varchar (id varchar(36) PRIMARY KEY, o varchar(36)); CREATE TABLE by_uuid (id uuid PRIMARY KEY);
CREATE TABLE by_number (id bigserial PRIMARY KEY, id_of bytea);
INSERT INTO by_domain SELECT gen_random_uuid() FROM generate_series(1, 3000);
INSERT INTO by_enum VALUES ('11111111-1111-4111-8111-111111111111'), ('22222222-2222-4222-8222-222222222222');
INSERT INTO by_char SELECT gen_random_uuid() FROM generate_series(1, 3000); INSERT INTO by_varchar SELECT gen_random_uuid(), id FROM by_domain;
INSERT INTO by_varchar SELECT upper(id), o FROM by_varchar LIMIT 50;
INSERT INTO by_uuid SELECT gen_random_uuid() FROM generate_series(1, 3000);
INSERT INTO by_number (id_of) SELECT uuid_send(gen_random_uuid()) FROM generate_series(1, 3000);
ALTER DOMAIN other.uid ADD CHECK (other.is_id(VALUE::text)) NOT VALID; ALTER DOMAIN other.at ADD CHECK (other.is_id(VALUE::text)) NOT VALID;
CREATE VIEW pg_stat_statements AS SELECT 1::bigint AS calls, 0::oid AS dbid, 'x'::text AS query, public.called('a view')::text AS called;
ANALYZE;
";

/// What was called last, if anything was.
const CALLED: &str = "SELECT COALESCE(pg_catalog.pg_read_file(pg_catalog.current_setting('data_directory') OPERATOR(pg_catalog.||) '/called-' \
                      OPERATOR(pg_catalog.||) pg_catalog.current_database(), true), '')";

#[tokio::test]
async fn nothing_of_others_is_called() {
    let (scratch, mut connection) = database(TYPES).await;
    execute(&mut connection, SHADOWS).await;
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    // The shadows are found: without a schema, a name means theirs.
    execute(&mut connection, format!("ALTER DATABASE {database} SET search_path = public, pg_catalog")).await;
    let mut user = connect(scratch.url()).await;
    execute(&mut user, "SELECT lower('X'), 'a'::varchar >= 'b'::varchar").await;
    assert_ne!(text(&mut connection, CALLED).await, "");
    let forget = "COPY (SELECT WHERE false) TO PROGRAM 'rm \"$PGDATA\"/called-*'";
    execute(&mut connection, forget).await;
    assert_eq!(text(&mut connection, CALLED).await, "");

    let options =
        survey::Options { watch: Some(std::time::Duration::from_millis(10)), ..survey::Options::default() };
    let found = survey::survey(scratch.url(), &options).await.unwrap();
    assert_eq!(text(&mut connection, CALLED).await, "", "the survey");
    // Five tables of 3,000 rows, of which up to 1,000 each are read.
    assert!(found.unseen.is_empty() && found.rows_read >= 4_000, "{} {:?}", found.rows_read, found.unseen);
    for table in ["by_varchar", "by_char"] {
        plan(scratch.url(), &Options::new(table, Target::Uuid)).await.unwrap();
        assert_eq!(text(&mut connection, CALLED).await, "", "the plan for {table}");
    }
    for table in ["by_domain", "by_enum"] {
        let refused = plan(scratch.url(), &Options::new(table, Target::Uuid)).await;
        assert!(refused.is_err(), "{table}");
        assert_eq!(text(&mut connection, CALLED).await, "", "the refusal of {table}");
    }
    // What looks like a plan, and belongs to a role that is no superuser.
    let role = format!("tenant_{database}").replace('"', "");
    let looks = format!(
        r#"CREATE ROLE "{role}"; CREATE SCHEMA idgen_abcd1234; CREATE VIEW idgen_abcd1234.steps AS SELECT public.called('a view')::text AS step;
        CREATE TABLE idgen_abcd1234.plan (); CREATE TABLE idgen_abcd1234.progress (); CREATE TABLE idgen_abcd1234.tables ();
        CREATE FUNCTION idgen_abcd1234.next_file() RETURNS text LANGUAGE sql AS $$ SELECT public.called('a function')::text $$;
        ALTER SCHEMA idgen_abcd1234 OWNER TO "{role}""#
    );
    execute(&mut connection, looks).await;
    let mut reader = Reader::open(scratch.url()).await.unwrap();
    let [status] = &reader.read().await.unwrap()[..] else { panic!("one plan") };
    assert!(status.unread[0].contains(&format!("belongs to the role {role}")), "{:?}", status.unread);
    assert_eq!(text(&mut connection, CALLED).await, "", "the status");
    let drop = format!(r#"DROP SCHEMA idgen_abcd1234 CASCADE; DROP ROLE "{role}""#);
    execute(&mut connection, drop).await;
}

/// Sessions of the application write rows while the plan is at work: its triggers take types, functions and operators of PostgreSQL, whatever
/// the session has in their place.
#[tokio::test(flavor = "multi_thread")]
async fn triggers_of_a_plan_call_nothing_of_others() {
    for kind in ["varchar(36)", "char(36)", "text", "bytea", "int"] {
        let scratch = SERVER.scratch().unwrap();
        let mut connection = connect(scratch.url()).await;
        let (id, target) = match kind {
            "int" => ("(random() * 1e9)::int", Target::Bigint),
            "bytea" => ("uuid_send(gen_random_uuid())", Target::Uuid),
            _ => ("gen_random_uuid()::text", Target::Uuid),
        };
        let tables = format!(
            "CREATE TABLE orders (id {kind} PRIMARY KEY, n int); CREATE TABLE lines (order_id {kind} REFERENCES orders ON UPDATE CASCADE, n int);
             INSERT INTO orders SELECT {id}, n FROM generate_series(1, 10) AS n; INSERT INTO lines SELECT * FROM orders"
        );
        execute(&mut connection, format!("{TYPES} {tables}")).await;
        let files = Files::to(target, scratch.url(), "orders").await;
        execute(&mut connection, SHADOWS).await;
        // Files are executed with the rights of their user, and find what this one has in its path.
        let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
        execute(&mut connection, format!("ALTER DATABASE {database} SET search_path = pg_catalog")).await;
        let mut connection = connect(scratch.url()).await;
        // The statements themselves must not call them either.
        let uuid = "pg_catalog.gen_random_uuid()";
        let [before, after] = match kind {
            "int" => ["(pg_catalog.random() OPERATOR(pg_catalog.*) 1e9)::int"; 2],
            "bytea" => ["pg_catalog.uuid_send(pg_catalog.gen_random_uuid())", uuid],
            _ => ["pg_catalog.gen_random_uuid()::pg_catalog.text", uuid],
        };
        for name in &files.names {
            files.run(name);
            let id = if name.as_str() < files.step("switch") { before } else { after };
            let write = format!(
                "INSERT INTO public.orders (id, n) SELECT {id}, 11; INSERT INTO public.lines (order_id, n) SELECT id, 11 FROM public.orders
                   WHERE n OPERATOR(pg_catalog.=) 11;
                 UPDATE public.orders SET id = {id} WHERE n OPERATOR(pg_catalog.=) 11; UPDATE public.lines SET n = 12 WHERE n OPERATOR(pg_catalog.=) 11;
                 DELETE FROM public.lines WHERE n OPERATOR(pg_catalog.=) 12; DELETE FROM public.orders WHERE n OPERATOR(pg_catalog.=) 11"
            );
            for path in ["public", "public, pg_catalog", "other, public, pg_catalog"] {
                let mut client = connect(scratch.url()).await;
                execute(&mut client, format!("CREATE TEMPORARY TABLE uuid (); CREATE TEMPORARY TABLE text (); SET search_path = {path}; {write}")).await;
                assert_eq!(text(&mut connection, CALLED).await, "", "{kind}, {path}, after {name}");
            }
        }
    }
}

/// The files keep the path of their session, which may have a type named `uuid` before that of PostgreSQL.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_makes_uuids_of_postgresql_where_the_path_has_others() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    let tables = format!(
        "CREATE SCHEMA app; CREATE DOMAIN app.uuid AS varchar(40); ALTER DATABASE {database} SET search_path = app, pg_catalog;
         CREATE TABLE app.orders (id varchar(40) PRIMARY KEY DEFAULT upper('{{' || gen_random_uuid()::text || '}}'), n int);
         CREATE TABLE app.lines (order_id varchar(40) REFERENCES app.orders); INSERT INTO app.orders (n) SELECT generate_series(1, 10);
         INSERT INTO app.lines SELECT id FROM app.orders"
    );
    execute(&mut connection, tables).await;
    let options = Options { keep_text: true, ..Options::new("app.orders", Target::Uuid) };
    let files = Files::of(scratch.url(), &options).await;
    let switch = files.step("switch").to_owned();
    let before = files.names.iter().take_while(|name| *name != files.step("finish"));
    for name in before.chain([&format!("undo/{switch}")]).chain(&files.names) {
        files.run(name);
        if *name == switch {
            execute(&mut connect(scratch.url()).await, "INSERT INTO app.orders DEFAULT VALUES").await;
        }
    }
    let types = "SELECT count(*) FROM pg_attribute WHERE attrelid IN ('app.orders'::regclass, 'app.lines'::regclass) AND attnum > 0
        AND atttypid = 'pg_catalog.uuid'::regtype";
    assert_eq!(text(&mut connection, types).await, "2");
}
