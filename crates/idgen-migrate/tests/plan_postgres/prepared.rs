//! Statements that clients prepared before the switch.

use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::psql::{Files, SERVER, connect, execute, text};
use crate::{planned, rows, run};

/// They fail at each execution, as the README of the plan says, and work after they are prepared again.
#[tokio::test(flavor = "multi_thread")]
async fn prepared_statements_fail_until_they_are_prepared_again() {
    let (_scratch, mut client, files) = crate::written(40).await;
    let prepare = "PREPARE read AS SELECT n FROM orders WHERE id = $1; PREPARE write AS INSERT INTO orders (id) VALUES ($1); \
        PREPARE key AS SELECT id FROM orders LIMIT 1";
    let id = "EXECUTE read ('0190163d-8694-739b-aea5-966c26f8ad91')";
    let new = "EXECUTE write ('0190163d-8694-739b-aea5-966c26f8ad92')";
    execute(&mut client, format!("{prepare}; {id}; EXECUTE key")).await;
    crate::run_before(&files, files.step("finish")).await;
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
    let scratch = SERVER.scratch().unwrap();
    let mut client = connect(scratch.url()).await;
    rows::fill(&mut client, 40).await;
    let plan = planned(scratch.url()).await;
    let own = format!("_{}_", plan.id);
    assert!(plan.notes.iter().any(|note| note.contains("self.ignored_columns") && note.contains(&own)));
    let files = Files::write(&plan, scratch.url());
    // The lists that were read after each step, and after which one.
    let mut lists = vec![("the beginning".to_owned(), columns(&mut client).await)];
    for name in files.names.iter().take_while(|name| *name != files.step("finish")) {
        run(&files, name).await;
        for (after, list) in &lists {
            insert(&mut client, list).await.unwrap_or_else(|error| panic!("{after}, {name}: {error}"));
        }
        lists.push((name.clone(), columns(&mut client).await));
    }
    run(&files, files.step("finish")).await;
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
