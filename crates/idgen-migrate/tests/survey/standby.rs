//! The survey of a standby, which has no rows of unlogged tables and counts no inserts.

use std::time::Duration;

use idgen_migrate::survey::{FillFrom, Options};
use idgen_server::{Database, Server, Settings};

use crate::common::{run, surveyed, table};

/// A server becomes a standby by a file in its directory. It needs no other server to answer queries.
#[test]
fn what_a_standby_does_not_have_is_named() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    run(
        scratch.url(),
        "CREATE EXTENSION pgstattuple;
         CREATE UNLOGGED TABLE unlogged (id uuid PRIMARY KEY); CREATE TABLE logged (id uuid PRIMARY KEY);
         INSERT INTO unlogged SELECT gen_random_uuid() FROM generate_series(1, 5000);
         INSERT INTO logged SELECT gen_random_uuid() FROM generate_series(1, 2000); ANALYZE unlogged, logged;
         DO $$ BEGIN EXECUTE format('COPY (SELECT 1 WHERE false) TO %L', current_setting('data_directory') || '/standby.signal'); END $$;",
    );
    let options = Options { watch: Some(Duration::from_secs(1)), ..Options::default() };
    let before = surveyed(scratch.url(), &options);
    assert_eq!(before.unseen, Vec::<String>::new());
    assert_eq!(table(&before, "logged").watched.as_ref().unwrap().inserted, Some(0));

    server.stop().unwrap();
    server.start_again().unwrap();
    let on_standby = surveyed(scratch.url(), &options);
    assert_eq!(
        on_standby.unseen,
        [
            "the server's count of inserts: a standby counts none, so watch the primary; nor does a server with track_counts = off",
            "rows of unlogged: it is unlogged, so a standby has none of its rows: survey the primary",
        ]
    );
    let logged = table(&on_standby, "logged");
    // The index of the other table is larger, and was not read.
    assert_eq!(logged.columns[0].cost.as_ref().unwrap().fill_from, Some(FillFrom::Pages));
    assert_eq!(logged.watched.as_ref().unwrap().inserted, None);
}
