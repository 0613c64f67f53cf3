//! Statements that clients prepared before the switch.

use sqlx::Executor;

use crate::psql::{Files, SERVER, connect, execute};
use crate::{planned, rows, run};

/// They fail at each execution, as the README of the plan says, and work after they are prepared again.
#[tokio::test(flavor = "multi_thread")]
async fn prepared_statements_fail_until_they_are_prepared_again() {
    let scratch = SERVER.scratch().unwrap();
    let mut client = connect(scratch.url()).await;
    rows::fill(&mut client, 40).await;
    let files = Files::write(&planned(scratch.url()).await, scratch.url());
    let prepare = "PREPARE read AS SELECT n FROM orders WHERE id = $1; PREPARE write AS INSERT INTO orders (id) VALUES ($1); \
        PREPARE key AS SELECT id FROM orders LIMIT 1";
    let id = "EXECUTE read ('0190163d-8694-739b-aea5-966c26f8ad91')";
    let new = "EXECUTE write ('0190163d-8694-739b-aea5-966c26f8ad92')";
    execute(&mut client, format!("{prepare}; {id}; EXECUTE key")).await;
    for name in files.names.iter().take_while(|name| *name != files.step("finish")) {
        run(&files, name).await;
    }
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
