//! After the switch, clients insert rows again, roles lose rights and files end half-way: the way back and the last step still work, or say which
//! file is missing.

use idgen_migrate::plan::status::Reader;
use idgen_migrate::plan::{Statement, Target};
use idgen_server::Scratch;
use sqlx::PgConnection;

use crate::psql::{Files, connect, database, execute, execute_needed, text};

/// Two ids, and the rows that refer to them. The letters of the first id are capitals.
const TABLES: &str = "
    CREATE TABLE parents (id varchar(36) PRIMARY KEY, name text);
    CREATE TABLE children (parent_id varchar(36) PRIMARY KEY REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE grandchildren (child_id varchar(36) REFERENCES children, parent_id varchar(36) REFERENCES parents DEFERRABLE);
    INSERT INTO parents VALUES ('000000B2-0000-4000-8000-000000000000', 'b'), ('000000a1-0000-4000-8000-000000000000', 'a');
    INSERT INTO children SELECT id FROM parents; INSERT INTO grandchildren SELECT id, id FROM parents";

/// Deletes a parent and inserts it again, in a transaction that looks for its children only at its end.
const AGAIN: &str = "BEGIN; SET CONSTRAINTS ALL DEFERRED; DELETE FROM parents WHERE name = 'b';
    INSERT INTO parents (id, name) VALUES ('000000b2-0000-4000-8000-000000000000', 'b'); COMMIT";

/// The tables after the switch.
async fn switched() -> (Scratch, PgConnection, Files) {
    let (scratch, connection) = database(TABLES).await;
    let files = Files::to(Target::Uuid, scratch.url(), "parents").await;
    files.run_before("finish");
    (scratch, connection, files)
}

/// Executes the way back from the switch until it would validate an old foreign key.
async fn go_half_back(files: &Files, url: &str) {
    let step = files.plan.steps.iter().find(|step| step.name == "switch").unwrap();
    let is_before = |statement: &&Statement| !statement.sql.contains("VALIDATE CONSTRAINT");
    execute_needed(&mut connect(url).await, step.undo.iter().take_while(is_before)).await;
}

/// The number of the old foreign keys, which the way back has made.
const OLD_KEYS: &str = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conname LIKE '%\\_old'";

#[tokio::test(flavor = "multi_thread")]
async fn the_last_step_ends_a_way_back_that_ended_half_way() {
    let (scratch, mut connection, files) = switched().await;
    go_half_back(&files, scratch.url()).await;
    assert_eq!(text(&mut connection, OLD_KEYS).await, "3");
    files.run(files.step("finish"));
    let types = "SELECT string_agg(data_type, ' ') FROM information_schema.columns WHERE table_schema = 'public' AND column_name ~ 'id'";
    assert_eq!(text(&mut connection, types).await, "uuid uuid uuid uuid");
    for step in ["prepare", "switch"] {
        files.refused(&format!("undo/{}", files.step(step)), "this plan is finished");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_is_inserted_again_does_not_stop_the_way_back() {
    let (scratch, mut connection, files) = switched().await;
    let back = format!("undo/{}", files.step("switch"));
    execute(&mut connection, AGAIN).await;
    let before = "SELECT concat_ws(' ', (SELECT array_agg(id ORDER BY id) FROM parents), (SELECT array_agg(parent_id ORDER BY parent_id) FROM children), \
        (SELECT array_agg((child_id, parent_id) ORDER BY child_id) FROM grandchildren))";
    let rows = text(&mut connection, before).await;
    files.run(&back);
    assert_eq!(text(&mut connection, before).await, rows);
    let types = "SELECT string_agg(DISTINCT data_type, ' ') FROM information_schema.columns WHERE table_schema = 'public' AND column_name IN ('id', 'parent_id', 'child_id')";
    assert_eq!(text(&mut connection, types).await, "character varying");

    // The same must hold after old foreign keys were made that are not valid, as by a run that ended then.
    files.run_steps(&["indexes", "constraints", "verify", "switch"]);
    let id = &files.id;
    let capitals = format!(
        "SET session_replication_role = replica; UPDATE parents SET id_{id}_old = upper(id_{id}_old); RESET session_replication_role"
    );
    go_half_back(&files, scratch.url()).await;
    execute(&mut connection, capitals).await;
    assert_eq!(text(&mut connection, OLD_KEYS).await, "3");
    files.run(&back);
    assert_eq!(text(&mut connection, before).await, rows);
    assert_eq!(text(&mut connection, types).await, "character varying");
}

/// The trigger that keeps the old columns current reads parents as the role that executed the switch.
#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_can_no_longer_read_a_parent_is_named() {
    let (scratch, mut connection, files) = switched().await;
    let blocked = async || {
        let mut reader = Reader::open(scratch.url()).await.unwrap();
        let status = reader.read_one(&files.id).await.unwrap().unwrap();
        reader.close().await;
        assert!(status.unread.is_empty(), "{:?}", status.unread);
        status.blocked
    };
    assert!(blocked().await.is_empty());
    let given = format!(
        "CREATE ROLE reads_no_parents; GRANT USAGE ON SCHEMA idgen_{0} TO reads_no_parents; DO $$ DECLARE f regprocedure; BEGIN
           FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'idgen_{0}'::regnamespace AND prosecdef LOOP
             EXECUTE format('ALTER FUNCTION %s OWNER TO reads_no_parents', f); END LOOP; END $$",
        files.id
    );
    execute(&mut connection, given).await;
    let found = blocked().await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with(
            "The role reads_no_parents, which executed the switch, cannot read children any more"
        ) && found[1].ends_with("GRANT SELECT ON public.parents TO reads_no_parents."),
        "{found:?}"
    );
    execute(&mut connection, "GRANT SELECT ON parents, children TO reads_no_parents").await;
    assert!(blocked().await.is_empty());
    files.run(files.step("finish"));
    execute(&mut connection, "DROP OWNED BY reads_no_parents; DROP ROLE reads_no_parents").await;
}
