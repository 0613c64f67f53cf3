//! Statements that clients prepared before the switch.

use idgen_migrate::plan::Target;
use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::psql::{Files, database, execute, text};

/// They fail at each execution, as the README of the plan says, and work after they are prepared again.
#[tokio::test(flavor = "multi_thread")]
async fn prepared_statements_fail_until_they_are_prepared_again() {
    let (_scratch, mut client, files) = crate::written(40).await;
    let prepare = "PREPARE read AS SELECT n FROM orders WHERE id = $1; PREPARE write AS INSERT INTO orders (id) VALUES ($1); \
        PREPARE key AS SELECT id FROM orders LIMIT 1";
    let id = "EXECUTE read ('0190163d-8694-739b-aea5-966c26f8ad91')";
    let new = "EXECUTE write ('0190163d-8694-739b-aea5-966c26f8ad92')";
    execute(&mut client, format!("{prepare}; {id}; EXECUTE key")).await;
    files.run_before("finish");
    for (statement, part) in [
        (id, "operator does not exist: uuid = character"),
        (new, "column \"id\" is of type uuid but expression is of type character"),
        ("EXECUTE key", "cached plan must not change result type"),
    ] {
        // At the second execution, too.
        for _ in 0..2 {
            let refused = client.execute(sqlx::raw_sql(statement)).await.unwrap_err().to_string();
            assert!(refused.contains(part), "{statement}: {refused}");
        }
    }
    execute(&mut client, format!("DEALLOCATE ALL; {prepare}; {id}; {new}; EXECUTE key")).await;
}

/// A client that reads the list of columns once and inserts into all of them, as some frameworks do. It fails when the columns of the
/// plan are gone; if it leaves them out, as the README of the plan says, it never does.
#[tokio::test(flavor = "multi_thread")]
async fn a_cached_list_of_columns_works_while_the_columns_are_there() {
    let (_scratch, mut client, files) = crate::written(40).await;
    let own = format!("_{}_", files.id);
    let is_named = |note: &String| note.contains("self.ignored_columns") && note.contains(&own);
    assert!(files.plan.notes.iter().any(is_named));
    // The lists that were read after each step, and after which one.
    let mut lists = vec![("the beginning".to_owned(), columns(&mut client).await)];
    for name in files.names.iter().take_while(|name| *name != files.step("finish")) {
        files.run(name);
        for (after, list) in &lists {
            insert(&mut client, list).await.unwrap_or_else(|error| panic!("{after}, {name}: {error}"));
        }
        lists.push((name.clone(), columns(&mut client).await));
    }
    files.run(files.step("finish"));
    for (after, list) in &lists {
        let of_plan = list.iter().any(|column| column.contains(&own));
        // It does not matter where a client was started again, as long as the columns are in its list.
        let inserted = insert(&mut client, list).await;
        assert_eq!(inserted.is_err(), of_plan, "{after}: {inserted:?}");
        assert!(inserted.err().is_none_or(|error| error.contains("does not exist")), "{after}");
        let left_out: Vec<_> = list.iter().filter(|column| !column.contains(&own)).cloned().collect();
        insert(&mut client, &left_out).await.unwrap_or_else(|error| panic!("{after}: {error}"));
    }
    assert!(lists.iter().any(|(_, list)| list.iter().any(|column| column.contains(&own))));
}

async fn columns(client: &mut PgConnection) -> Vec<String> {
    let sql = "SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'orders' \
        AND table_schema = 'public' AND is_generated = 'NEVER'";
    text(client, sql).await.split(' ').map(str::to_owned).collect()
}

/// Inserts an order into all columns of a list; those that the client does not know are empty.
async fn insert(client: &mut PgConnection, columns: &[String]) -> Result<(), String> {
    let values: Vec<_> = columns
        .iter()
        .map(|column| match column.as_str() {
            "id" => "gen_random_uuid()",
            "n" => "1",
            _ => "NULL",
        })
        .collect();
    let sql = format!("INSERT INTO orders ({}) VALUES ({})", columns.join(", "), values.join(", "));
    client.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop).map_err(|error| error.to_string())
}

/// COPY and INSERT … SELECT * without a list of columns fail from the preparation on, as the README of the plan says, and an INSERT of values from
/// the switch on. With a list they work at any time.
#[tokio::test(flavor = "multi_thread")]
async fn statements_without_a_list_of_columns_fail_when_the_plan_says_so() {
    let (scratch, mut client) = database(
        "CREATE TABLE orders (id char(36) PRIMARY KEY, n bigint); CREATE TABLE archive (id text, n bigint)",
    )
    .await;
    let files = Files::to(Target::Uuid, scratch.url(), "orders").await;
    let plan = &files.plan;
    let before = "COPY FROM without a list of columns fails";
    let prepare = plan.steps.iter().find(|step| step.name == "prepare").unwrap();
    assert!(prepare.purpose.contains(before), "{}", prepare.purpose);
    assert!(
        plan.notes.iter().any(|note| note.contains("must be changed before 02-prepare.sql")),
        "{:?}",
        plan.notes
    );
    let at = |step: &str| files.names.iter().position(|name| name == files.step(step)).unwrap();
    let (prepared, switched) = (at("prepare"), at("switch"));
    for (place, name) in files.names.iter().enumerate() {
        files.run(name);
        let has_columns = place >= prepared && *name != files.step("finish");
        for (columns, may_fail) in [("", has_columns), (" (id, n)", false)] {
            let copied = copy(&mut client, columns).await;
            match may_fail {
                true => assert!(
                    copied.as_ref().is_err_and(|error| error.contains("missing data for column")),
                    "{name}: {copied:?}"
                ),
                // The key is the last column after the last step.
                false if *name == files.step("finish") && columns.is_empty() => {
                    assert!(copied.is_err(), "{name}")
                }
                false => copied.unwrap_or_else(|error| panic!("{name}: {error}")),
            }
        }
        for (sql, fails, part) in [
            ("INSERT INTO archive SELECT * FROM orders", has_columns, "more expressions than target columns"),
            ("INSERT INTO orders VALUES (gen_random_uuid()::text, 1)", place >= switched, ""),
        ] {
            // Columns in another order are of other types.
            if !fails && *name == files.step("finish") {
                continue;
            }
            let done = client.execute(sqlx::raw_sql(sql)).await.map_err(|error| error.to_string());
            match fails {
                true => {
                    assert!(done.as_ref().is_err_and(|error| error.contains(part)), "{name}: {sql}: {done:?}")
                }
                false => _ = done.unwrap_or_else(|error| panic!("{name}: {sql}: {error}")),
            }
        }
        execute(&mut client, "INSERT INTO archive (id, n) SELECT id::text, n FROM orders").await;
    }
}

/// Copies an order from a client.
async fn copy(client: &mut PgConnection, columns: &str) -> Result<(), String> {
    let line = format!("{},1\n", uuid::Uuid::new_v4());
    let said = |error: sqlx::Error| error.to_string();
    let mut copy =
        client.copy_in_raw(&format!("COPY orders{columns} FROM STDIN (FORMAT csv)")).await.map_err(said)?;
    copy.send(line.as_bytes()).await.map_err(said)?;
    copy.finish().await.map(drop).map_err(said)
}
