//! A copy that is interrupted, or whose session is ended: `run` says so, and continues.

use std::process::Command;

use idgen_server::{Database, Server};

use crate::world::{World, said};

pub fn stop(server: &Server) {
    let database = server.database();
    let world = World::new(server);
    world.must(&["--until", world.of("triggers", "triggers-p")]);
    let copy = world.of("backfill", "copy-p");
    // The copy of the first table waits.
    let control = world.own(world.of("settings", "control"));
    let [pause, go_on] = match database {
        Database::Postgres => ["pause = '1 hour'", "pause = '0'"],
        _ => ["paused = 1", "paused = 0"],
    };
    world.sql(&format!("UPDATE {control} SET {pause}"));

    // Ctrl-C.
    let child = world.start(&[]);
    let shown = world.until(&format!("At work: {}", world.file(copy)));
    if database != Database::Postgres {
        assert!(shown.contains("The copy is paused: UPDATE"), "{shown}");
    }
    // The file is at work from its first statement on; the copy itself is what is to be canceled.
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let interrupted = said(child.wait_with_output().unwrap());
    assert_eq!(interrupted.code, 130, "{}{}", interrupted.out, interrupted.err);
    assert!(interrupted.err.contains("the same command continues"), "{}", interrupted.err);
    world.until("stopped");

    // Another session while one is at work, and then the end of that.
    let child = world.start(&[]);
    world.until(&format!("At work: {}", world.file(copy)));
    let sentence = world
        .of("executes a file of this plan: wait until it has ended", "executes a file of this plan: wait");
    world.refused(&[], sentence);
    let session = world.plan()["session"].as_str().unwrap().to_owned();
    world.sql(&match database {
        Database::Postgres => format!("SELECT pg_terminate_backend({session})"),
        _ => format!("KILL {session}"),
    });
    let killed = said(child.wait_with_output().unwrap());
    assert_eq!(killed.code, 1, "{}", killed.out);
    assert!(killed.err.contains(&world.file(copy)), "{}", killed.err);
    world.until("stopped");

    // One thread is running in any case: above the limit at which it aborts, the copy ends, and nobody has to watch it.
    world.sql(&format!("UPDATE {control} SET {go_on}"));
    let [most, abort] = match database {
        Database::Postgres => ["max_active", "abort_active"],
        _ => ["max_threads_running", "abort_threads_running"],
    };
    world.set(&[&format!("{most}=0"), &format!("{abort}=0")]);
    world.refused(&[], &format!("more than {abort} (0)"));
    world.set(&[&format!("{abort}=none"), "paused=1"]);
    let child = world.start(&[]);
    let shown = world.until("The copy waits while more than 0");
    assert!(shown.contains("The copy is paused: UPDATE"), "{shown}");
    world.set(&["paused=0", &format!("{most}=1000")]);
    let continued = said(child.wait_with_output().unwrap());
    assert!(
        continued.code == 0 && continued.out.starts_with(&world.file(copy)),
        "{}{}",
        continued.out,
        continued.err
    );
    let unknown = world.idgen(&["plan", "status", "--set", "speed=9"]);
    assert!(
        unknown.code == 1 && unknown.err.contains("no setting \"speed\": choose paused, "),
        "{}",
        unknown.err
    );

    // The rest.
    let out = world.must(&[]);
    assert!(out.starts_with("verify is done"), "{out}");
    world.must(&["--until", "finish", "--yes"]);
    assert!(world.status().is_empty());
}
