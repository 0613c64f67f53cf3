//! Two plans at the same time: those of the same tables exclude each other, and others share nothing.

use idgen_migrate::plan::{Options, Target, plan};

use crate::operator::Stage;
use crate::psql::{Files, SERVER, connect, execute, text};
use crate::{made, planned, run, shape};

/// Two plans in one database share nothing, whatever their tables and schemas are called.
#[tokio::test(flavor = "multi_thread")]
async fn two_plans_share_nothing() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    let long = "x".repeat(62);
    let names = [
        ("a", "b.c"),
        ("a.b", "d"),
        ("public", "orders"),
        ("other", "orders"),
        ("other", "Orders"),
        ("public", &format!("{long}1")),
        ("public", &format!("{long}2")),
        ("a\"b", "it's \"$idgen$"),
    ];
    let mut plans: Vec<(Files, String)> = Vec::new();
    for (schema, table) in names.iter().filter(|(_, table)| !table.contains("$idgen$")) {
        let quoted = format!("\"{}\".\"{}\"", schema.replace('"', "\"\""), table.replace('"', "\"\""));
        let sql = format!(
            "CREATE SCHEMA IF NOT EXISTS \"{schema}\"; CREATE TABLE {quoted} (id char(36) PRIMARY KEY, n int); \
            CREATE INDEX ON {quoted} (id, n); INSERT INTO {quoted} SELECT gen_random_uuid(), n FROM generate_series(1, 20) AS n"
        );
        execute(&mut connection, sql).await;
        plans.push((
            Files::write(&made(scratch.url(), &format!("{schema}.{table}")).await, scratch.url()),
            quoted,
        ));
    }
    let ids: std::collections::BTreeSet<String> = plans.iter().map(|(files, _)| files.id.clone()).collect();
    assert_eq!(ids.len(), plans.len());
    let switch = plans[0].0.names.iter().position(|name| name.ends_with("-switch.sql")).unwrap();
    // All in turn, then some back, the others to their end.
    for at in 0..=switch {
        for (files, _) in &plans {
            run(files, &files.names[at]).await;
        }
    }
    for (at, (files, table)) in plans.iter().enumerate() {
        match at % 2 {
            0 => drop(run(files, files.step("finish")).await),
            _ => {
                for name in files.names[..=switch].iter().rev().filter(|name| files.undo_of(name)) {
                    run(files, &format!("undo/{name}")).await;
                }
            }
        }
        let kind = text(
            &mut connection,
            &format!("SELECT count(*) || ' ' || min(pg_typeof(id)::text) FROM {table}"),
        )
        .await;
        assert_eq!(kind, if at % 2 == 0 { "20 uuid" } else { "20 character" });
    }
    assert_eq!(shape(&mut connection).await.1, "0");
}

/// Two plans for the same tables, and two of connected ones: the second has to wait for the first.
#[tokio::test(flavor = "multi_thread")]
async fn plans_of_the_same_tables_exclude_each_other() {
    let stage = Stage::new(40).await;
    let mut connection = connect(stage.scratch.url()).await;
    let url = stage.scratch.url();
    let of_lines = Files::write(&made(url, "lines").await, url);
    execute(&mut connection, "CREATE INDEX more ON lines (quantity, id)").await;
    let newer = Files::write(&planned(url).await, url);
    execute(&mut connection, "DROP INDEX more").await;
    stage.until("backfill").await;
    for (files, part) in
        [(&of_lines, "_new: type uuid"), (&newer, "this file is not of the plan that is at work")]
    {
        for step in ["check", "prepare"] {
            let output = tokio::task::block_in_place(|| files.attempt(files.step(step)));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && said.contains(part), "{step}: {said}");
        }
    }
    for table in ["lines", "orders"] {
        let error = plan(url, &Options::new(table, Target::Uuid)).await.unwrap_err().to_string();
        assert!(error.contains("has begun") || error.contains("another plan is at work"), "{error}");
    }
    stage.from("backfill").await;
}
