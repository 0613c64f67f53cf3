//! Rights that later steps need are named before anything is copied, with the statements that grant them.

use idgen_migrate::plan::{Options, Plan, Target, plan};
use idgen_server::Scratch;
use sqlx::PgConnection;

use crate::psql::{Files, database, execute, text};

/// A role that owns tables, and its URL.
async fn owner(name: &str, tables: &str) -> (Scratch, PgConnection, String) {
    let role = format!("CREATE ROLE {name} LOGIN PASSWORD 'owns-and-rests'; {tables}");
    let (scratch, connection) = database(role).await;
    let (scheme, rest) = scratch.url().split_once("://").unwrap();
    let (_, address) = rest.rsplit_once('@').unwrap();
    let user = name.trim_matches('"').replace('\'', "%27");
    let url = format!("{scheme}://{user}:owns-and-rests@{address}");
    (scratch, connection, url)
}

async fn planned(url: &str, target: Target) -> Result<Plan, String> {
    plan(url, &Options::new("orders", target)).await.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_missing_right_is_named_by_the_plan_and_by_the_first_files() {
    let tables = "CREATE TABLE orders (id char(36) PRIMARY KEY); CREATE TABLE lines (order_id char(36) REFERENCES orders);
        INSERT INTO orders SELECT gen_random_uuid()::text; INSERT INTO lines SELECT id FROM orders;
        ALTER TABLE orders OWNER TO \"app's\"; ALTER TABLE lines OWNER TO \"app's\"";
    let (_scratch, mut connection, url) = owner("\"app's\"", tables).await;
    execute(&mut connection, "REVOKE CREATE ON SCHEMA public FROM PUBLIC").await;
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    let grants = [format!("CREATE ON DATABASE {database}"), "CREATE ON SCHEMA public".to_owned()];
    let refused = planned(&url, Target::Uuid).await.unwrap_err();
    for grant in &grants {
        assert!(refused.contains(&format!("GRANT {grant} TO \"app's\"")), "{refused}");
        execute(&mut connection, format!("GRANT {grant} TO \"app's\"")).await;
    }
    let files = Files::to(Target::Uuid, &url, "orders").await;
    // Without this one no file can be executed at all, so only the plan can name it.
    execute(&mut connection, "REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC").await;
    let refused = planned(&url, Target::Uuid).await.unwrap_err();
    execute(&mut connection, "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC").await;
    assert!(refused.contains("GRANT USAGE ON LANGUAGE plpgsql TO \"app's\""), "{refused}");
    let from = "\"app's\"";
    for right in ["CREATE ON SCHEMA public", "UPDATE ON public.orders"] {
        execute(&mut connection, format!("REVOKE {right} FROM {from}")).await;
        for step in ["check", "prepare"] {
            let output = files.attempt(files.step(step));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let grant =
                format!("GRANT {} TO \"app's\"", right.replace("public.orders", "\"public\".\"orders\""));
            assert!(!output.status.success() && said.contains(&grant), "{step} without {right}: {said}");
            assert_eq!(said.matches("GRANT ").count(), 1, "{said}");
        }
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'idgen_%'";
        assert_eq!(text(&mut connection, schemas).await, "0");
        execute(&mut connection, format!("GRANT {right} TO {from}")).await;
    }
    files.run_all(&files.names);
    let key = "SELECT data_type FROM information_schema.columns WHERE table_name = 'lines' AND column_name = 'order_id'";
    assert_eq!(text(&mut connection, key).await, "uuid");
    execute(&mut connection, "DROP OWNED BY \"app's\"; DROP ROLE \"app's\"").await;
}

/// The value of a sequence that the owner of the table may not read is not taken for none.
#[tokio::test(flavor = "multi_thread")]
async fn a_sequence_that_the_owner_may_not_read_is_named() {
    let tables = "CREATE SEQUENCE numbers; SELECT setval('numbers', 2000000000);
        CREATE TABLE orders (id int DEFAULT nextval('numbers') PRIMARY KEY); ALTER TABLE orders OWNER TO counts_nothing;
        GRANT CREATE ON SCHEMA public TO counts_nothing";
    let (_scratch, mut connection, url) = owner("counts_nothing", tables).await;
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    execute(&mut connection, format!("GRANT CREATE ON DATABASE {database} TO counts_nothing")).await;
    let unread = "There may be fewer: the values of these sequences were not read, which needs SELECT on them: public.numbers.";
    let has = |plan: &Plan| plan.notes.iter().any(|note| note.contains(unread));
    let notes = planned(&url, Target::Bigint).await.unwrap();
    assert!(has(&notes), "{:?}", notes.notes);
    execute(&mut connection, "GRANT SELECT ON SEQUENCE numbers TO counts_nothing").await;
    let notes = planned(&url, Target::Bigint).await.unwrap();
    assert!(!has(&notes), "{:?}", notes.notes);
    assert!(
        notes.notes.iter().any(|note| note.contains("147,483,647") || note.contains("147483647")),
        "{:?}",
        notes.notes
    );
    execute(&mut connection, "DROP OWNED BY counts_nothing; DROP ROLE counts_nothing").await;
}
