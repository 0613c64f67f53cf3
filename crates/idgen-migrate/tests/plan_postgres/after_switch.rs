//! After the switch, clients insert rows again, roles lose rights and files end half-way: the way back and the last step still work, or say which
//! file is missing.

use idgen_migrate::plan::status::Reader;
use idgen_migrate::plan::{Options, Plan, Target, plan};
use idgen_server::Scratch;
use sqlx::PgConnection;

use crate::psql::{Files, SERVER, connect, execute, text};
use crate::run;

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

struct Stage {
    scratch: Scratch,
    connection: PgConnection,
    plan: Plan,
    files: Files,
    switch: String,
    back: String,
}

/// The tables after the switch.
async fn switched() -> Stage {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    execute(&mut connection, TABLES).await;
    let plan = plan(scratch.url(), &Options::new("parents", Target::Uuid)).await.unwrap();
    let files = Files::write(&plan, scratch.url());
    let switch = files.step("switch").to_owned();
    crate::run_before(&files, &switch).await;
    run(&files, &switch).await;
    let back = format!("undo/{switch}");
    Stage { scratch, connection, plan, files, switch, back }
}

impl Stage {
    /// Executes the way back from the switch until it would validate an old foreign key.
    async fn go_half_back(&self) {
        let mut session = connect(self.scratch.url()).await;
        let step = self.plan.steps.iter().find(|step| step.name == "switch").unwrap();
        for statement in
            step.undo.iter().take_while(|statement| !statement.sql.contains("VALIDATE CONSTRAINT"))
        {
            let needed = match &statement.only_if {
                Some(query) => text(&mut session, query).await == "true",
                None => true,
            };
            if needed {
                execute(&mut session, statement.sql.clone()).await;
            }
        }
    }

    /// The old foreign keys, which the way back has made.
    async fn old_keys(&mut self) -> String {
        text(
            &mut self.connection,
            "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conname LIKE '%\\_old'",
        )
        .await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_step_ends_a_way_back_that_ended_half_way() {
    let mut stage = switched().await;
    stage.go_half_back().await;
    assert_eq!(stage.old_keys().await, "3");
    run(&stage.files, stage.files.step("finish")).await;
    let types = "SELECT string_agg(data_type, ' ') FROM information_schema.columns WHERE table_schema = 'public' AND column_name ~ 'id'";
    assert_eq!(text(&mut stage.connection, types).await, "uuid uuid uuid uuid");
    for step in ["prepare", "switch"] {
        let output =
            tokio::task::block_in_place(|| stage.files.attempt(&format!("undo/{}", stage.files.step(step))));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("this plan is finished"), "{step}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_is_inserted_again_does_not_stop_the_way_back() {
    let mut stage = switched().await;
    execute(&mut stage.connection, AGAIN).await;
    let before = "SELECT concat_ws(' ', (SELECT array_agg(id ORDER BY id) FROM parents), (SELECT array_agg(parent_id ORDER BY parent_id) FROM children), \
        (SELECT array_agg((child_id, parent_id) ORDER BY child_id) FROM grandchildren))";
    let rows = text(&mut stage.connection, before).await;
    run(&stage.files, &stage.back).await;
    assert_eq!(text(&mut stage.connection, before).await, rows);
    let types = "SELECT string_agg(DISTINCT data_type, ' ') FROM information_schema.columns WHERE table_schema = 'public' AND column_name IN ('id', 'parent_id', 'child_id')";
    assert_eq!(text(&mut stage.connection, types).await, "character varying");

    // The same must hold after old foreign keys were made that are not valid, as by a run that ended then.
    for step in ["indexes", "constraints", "verify", "switch"] {
        run(&stage.files, stage.files.step(step)).await;
    }
    let id = &stage.files.id;
    let capitals = format!(
        "SET session_replication_role = replica; UPDATE parents SET id_{id}_old = upper(id_{id}_old); RESET session_replication_role"
    );
    stage.go_half_back().await;
    execute(&mut stage.connection, capitals).await;
    assert_eq!(stage.old_keys().await, "3");
    run(&stage.files, &stage.back).await;
    assert_eq!(text(&mut stage.connection, before).await, rows);
    assert_eq!(text(&mut stage.connection, types).await, "character varying");
    assert!(stage.back.ends_with(&stage.switch));
}

/// The trigger that keeps the old columns current reads parents as the role that executed the switch.
#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_can_no_longer_read_a_parent_is_named() {
    let mut stage = switched().await;
    let blocked = async || {
        let mut reader = Reader::open(stage.scratch.url()).await.unwrap();
        let status = reader.read_one(&stage.files.id).await.unwrap().unwrap();
        reader.close().await;
        assert!(status.unread.is_empty(), "{:?}", status.unread);
        status.blocked
    };
    assert!(blocked().await.is_empty());
    let given = format!(
        "CREATE ROLE reads_no_parents; GRANT USAGE ON SCHEMA idgen_{0} TO reads_no_parents; DO $$ DECLARE f regprocedure; BEGIN
           FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'idgen_{0}'::regnamespace AND prosecdef LOOP
             EXECUTE format('ALTER FUNCTION %s OWNER TO reads_no_parents', f); END LOOP; END $$",
        stage.files.id
    );
    execute(&mut stage.connection, given).await;
    let found = blocked().await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with(
            "The role reads_no_parents, which executed the switch, cannot read children any more"
        ) && found[1].ends_with("GRANT SELECT ON public.parents TO reads_no_parents."),
        "{found:?}"
    );
    execute(&mut stage.connection, "GRANT SELECT ON parents, children TO reads_no_parents").await;
    assert!(blocked().await.is_empty());
    run(&stage.files, stage.files.step("finish")).await;
    execute(&mut stage.connection, "DROP OWNED BY reads_no_parents; DROP ROLE reads_no_parents").await;
}
