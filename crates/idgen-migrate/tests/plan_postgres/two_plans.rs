//! Two plans at the same time: those of the same tables exclude each other, and others share nothing.

use idgen_migrate::plan::{Options, Target, plan};

use crate::psql::{Files, SERVER, connect, execute, text};
use crate::shape;

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
        plans.push((Files::to(Target::Uuid, scratch.url(), &format!("{schema}.{table}")).await, quoted));
    }
    let ids: std::collections::BTreeSet<String> = plans.iter().map(|(files, _)| files.id.clone()).collect();
    assert_eq!(ids.len(), plans.len());
    let switch = plans[0].0.names.iter().position(|name| name.ends_with("-switch.sql")).unwrap();
    // All in turn, then some back, the others to their end.
    for at in 0..=switch {
        for (files, _) in &plans {
            files.run(&files.names[at]);
        }
    }
    for (at, (files, table)) in plans.iter().enumerate() {
        match at % 2 {
            0 => drop(files.run(files.step("finish"))),
            _ => {
                files.go_back(&files.names[..=switch]);
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
    let (scratch, mut connection, at_work) = crate::written(40).await;
    let url = scratch.url();
    let of_lines = Files::to(Target::Uuid, url, "lines").await;
    execute(&mut connection, "CREATE INDEX more ON lines (quantity, id)").await;
    let newer = Files::with_texts(url).await;
    execute(&mut connection, "DROP INDEX more").await;
    at_work.run_before("backfill");
    for (files, part) in
        [(&of_lines, "_new: type uuid"), (&newer, "this file is not of the plan that is at work")]
    {
        for step in ["check", "prepare"] {
            files.refused(files.step(step), part);
        }
    }
    for table in ["lines", "orders"] {
        let error = plan(url, &Options::new(table, Target::Uuid)).await.unwrap_err().to_string();
        assert!(error.contains("has begun") || error.contains("another plan is at work"), "{error}");
    }
    at_work.run_from("backfill");
}
