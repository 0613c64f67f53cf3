//! A client with `--force` executes the whole file, also if it was refused or one of its statements failed.

use idgen_server::Database;

use crate::client::Client;
use crate::ledger::world::{Servers, World, text};

/// Changes of an application, which must be possible at any time. They leave the rows as they are.
fn write(servers: &Servers, world: &World, of: &str) {
    let id = text(90);
    for sql in [
        format!("INSERT INTO p (id) VALUES ('{id}')"),
        format!("UPDATE p SET n = n + 1 WHERE id = '{id}'"),
        format!("INSERT INTO c (id, p_id, v) VALUES ('{id}', '{id}', 1)"),
        format!("DELETE FROM p WHERE id = '{id}'"),
    ] {
        let done = servers.sql(&world.scratch, &sql);
        assert_eq!(done, Ok(1), "{} {of}: {sql}", servers.server.database());
    }
}

/// Returns the output of the client. MySQL's client ends without an error then.
fn said(forced: &Client, file: &str) -> String {
    let output = forced.start(file).wait_with_output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn a_file_that_is_refused_changes_nothing_with_force_either() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let world = servers.world();
        let forced = Client::new(&servers.server, world.scratch.name(), world.folder.path()).with_force();
        let refuse_all = |done: &str| {
            let next = if done.is_empty() { String::new() } else { world.file(done) };
            let files = world.client.files("");
            let later = files.iter().filter(|file| **file > next).skip(1).cloned().collect::<Vec<_>>();
            // The way back of the last change.
            let back = if done == "verify" { world.file("own-references") } else { next };
            let undo = world.client.files("undo").into_iter().filter(|file| *file != back);
            for file in later.into_iter().chain(undo.map(|file| format!("undo/{file}"))) {
                let text = said(&forced, &file);
                assert!(text.contains("ERROR 1644"), "{database} after {done}: {file}: {text}");
                write(&servers, &world, &format!("after {done}, {file}"));
            }
        };
        let mut executed = String::new();
        let steps = ["check", "new-tables", "triggers-p", "copy-p", "triggers-c", "copy-c", "own-references"];
        for step in steps {
            refuse_all(&executed);
            world.must(step);
            executed = step.to_owned();
        }
        // A verification that fails is not recorded as done.
        let new = world.beside(&servers, "c", "new");
        let [gone, back] = [
            format!(
                "CREATE TABLE gone AS SELECT * FROM {new} LIMIT 1; DELETE FROM {new} WHERE id = (SELECT id FROM gone)"
            ),
            format!("INSERT INTO {new} SELECT * FROM gone; DROP TABLE gone"),
        ];
        servers.sql(&world.scratch, &gone).unwrap();
        let text = said(&forced, &world.file("verify"));
        assert!(text.contains("missing or different"), "{database}: {text}");
        let done = format!(
            "SELECT COUNT(*) FROM {} WHERE step = 'verify' AND state = 'done'",
            world.client.own("steps")
        );
        assert_eq!(servers.number(&world.scratch, &done), 0, "{database}");
        servers.sql(&world.scratch, &back).unwrap();
        for step in ["verify", "triggers-back"] {
            world.must(step);
            refuse_all(step);
        }
        world.between("rename", "finish");
        let text = said(&forced, "undo/02-new-tables.sql");
        assert!(text.contains("ERROR 1644"), "{database}: {text}");
        let count = servers.number(&world.scratch, "SELECT COUNT(*) FROM c");
        world.must("finish");
        servers.assert_rows(&world, "c", count, "force");
    }
}
