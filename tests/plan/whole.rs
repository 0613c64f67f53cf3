//! A whole change: `run` and the server's own client in turns, refusals, and the status at each stage.

use std::fs;

use idgen_server::{Database, Server};

use crate::world::World;

pub fn change(server: &Server) {
    let database = server.database();
    let world = World::new(server);
    let (prepare, triggers) = (world.of("prepare", "new-tables"), world.of("triggers", "triggers-p"));
    let (rename, copy) = (world.of("switch", "rename"), world.of("backfill", "copy-p"));

    // Before.
    assert!(world.status().is_empty());
    let said = world.idgen(&["plan", "status"]);
    assert!(said.code == 0 && said.out.contains("No plan has a ledger here"), "{}", said.out);

    // Some files by `run`, one by the server's client.
    let out = world.must(&["--until", prepare]);
    assert!(out.contains(&format!("{}: done in", world.file("check"))), "{out}");
    assert!(out.ends_with(&format!("{prepare} is done. Next: {}\n", world.file(triggers))), "{out}");
    assert_eq!(world.plan()["next"], *world.file(triggers));
    world.native(&world.file(triggers));
    let plan = world.plan();
    assert_eq!((&plan["next"], &plan["session"]), (&world.file(copy).into(), &serde_json::Value::Null));
    assert_eq!(world.state(triggers), "done");
    assert_eq!(plan["tables"].as_array().unwrap().len(), 2, "{plan}");

    // A file that was changed by hand: nothing is executed.
    let changed = world.plan_folder().join(world.file(world.of("verify", "copy-c")));
    let text = fs::read_to_string(&changed).unwrap();
    fs::write(&changed, format!("{text}-- changed\n")).unwrap();
    world.refused(&[], "changed by hand, or written by another version");
    assert_eq!(world.plan()["next"], *world.file(copy));
    fs::write(&changed, text).unwrap();

    // The plan runs up to the verification.
    let out = world.must(&[]);
    assert!(out.contains("verify is done. Next:"), "{out}");
    assert_eq!(world.state("verify"), "done");
    let shown = world.idgen(&["plan", "status"]).out;
    assert!(shown.contains("100 %") && shown.contains("Next:"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");

    // Nobody agrees: nothing is executed, also not the steps before.
    world.refused(&["--until", rename], "add --yes");
    assert_eq!(world.state(rename), "new");

    // The server refuses, and nothing after it is executed.
    world.sql("CREATE INDEX later ON c (id, p_id)");
    let sentence = world
        .of("the tables were changed since the plan was made", "c is not as it was when the plan was made");
    let said = world.refused(&["--until", rename, "--yes"], sentence);
    assert!(said.err.contains(&world.file(rename)), "{}", said.err);
    assert!(!said.err.contains("Stack"), "{}", said.err);
    world.sql(world.of("DROP INDEX later", "ALTER TABLE c DROP KEY later"));

    // MySQL shows that the table was altered, and not that it is as before. Somebody compares, and says so.
    if database == Database::MySql {
        world.refused(&["--until", rename, "--yes"], "compare SHOW CREATE TABLE");
        assert_ne!(world.state(rename), "done");
        world.sql(&format!("DELETE FROM {}", world.own("altered")));
    }

    // A transaction that is older than the copy, or has a lock: the status names it.
    let mut other = world.open();
    if database == Database::Postgres {
        other.execute("BEGIN; LOCK TABLE p IN ACCESS SHARE MODE");
        world.until("The next file needs locks that process");
        other.execute("ROLLBACK");
    }

    // The renaming with its hooks.
    let marks = world.plan_folder().join("marks");
    let hook = |word: &str| format!("echo {word} $IDGEN_PLAN_ID >> '{}'", marks.display());
    let failing = ["--until", rename, "--yes", "--before-rename", "exit 3"];
    world.refused(&failing, "the command of --before-rename failed");
    // The refused file had begun on PostgreSQL.
    assert_ne!(world.state(rename), "done");
    world.must(&[
        "--until",
        rename,
        "--yes",
        "--before-rename",
        &hook("before"),
        "--after-rename",
        &hook("after"),
    ]);
    assert_eq!(fs::read_to_string(&marks).unwrap(), format!("before {0}\nafter {0}\n", world.id()));
    assert_eq!(world.state(rename), "done");

    // All the way back, with rows that were written since.
    let [bytes, text] = [world.of("'", "x'"), "'"].map(|quote| {
        let id = "00000009-0000-4000-8000-000000000000".to_owned();
        format!("{quote}{}'", if quote == "x'" { id.replace('-', "") } else { id })
    });
    world.sql(&format!("INSERT INTO p (id, n) VALUES ({bytes}, 9)"));
    world.refused(&["--back"], &format!("undo/{} is executed only", world.file(rename)));
    assert_eq!(world.state(rename), "done");
    assert_eq!(world.run(&["--back", "--until", "verify"]).code, 2);
    let out = world.must(&["--back", "--yes"]);
    assert!(out.starts_with(&format!("undo/{}: done in", world.file(rename))), "{out}");
    assert!(
        out.contains(&format!("undo/{}: done in", world.file(prepare)))
            && out.ends_with("All steps are undone.\n"),
        "{out}"
    );
    let texts =
        world.session(|mut session| session.texts(&format!("SELECT CONCAT(n) FROM p WHERE id = {text}")));
    assert_eq!(texts, ["9"]);
    world.refused(&["--back", "--yes"], "has no ledger of the plan");
    world.must(&["--until", rename, "--yes"]);

    // The plan runs to the end.
    world.refused(&["--until", "finish"], "add --yes");
    let out = world.must(&["--until", "finish", "--yes"]);
    assert!(out.ends_with("The plan is finished.\n"), "{out}");
    assert!(world.status().is_empty());
    let column = world.of("SELECT id::uuid FROM p", "SELECT BIN_TO_UUID(id) FROM p");
    if database != Database::MariaDb {
        world.sql(column);
    }
}
