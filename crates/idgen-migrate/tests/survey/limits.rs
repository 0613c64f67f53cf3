//! Tests a survey on real servers at its limits: few privileges, keys of several columns, two looks at a table, and
//! many tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idgen_migrate::survey::{Arrival, Code, FillFrom, Finding, Level, NewIds, Options, Survey};
use idgen_server::{Database, Scratch, Server, Settings};

use crate::common::{as_user, run, surveyed, table};

/// A random id in the SQL of the server.
const V4_MYSQL: &str = "UNHEX(CONCAT(HEX(RANDOM_BYTES(6)), '4', SUBSTR(HEX(RANDOM_BYTES(2)), 2), 'a', \
                        SUBSTR(HEX(RANDOM_BYTES(8)), 2)))";

/// Inserts into both tables until it is dropped, and counts.
struct Inserts {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
    rows: Arc<AtomicU64>,
}

impl Inserts {
    fn begin(url: &str, sql: String) -> Inserts {
        let (stop, rows) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (url, is_over, count) = (url.to_owned(), stop.clone(), rows.clone());
        let thread = std::thread::spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                run(&url, &sql);
                count.fetch_add(10, Ordering::SeqCst);
            }
        });
        Inserts { stop, thread: Some(thread), rows }
    }
}

impl Drop for Inserts {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Two looks at tables into which rows arrive.
fn watch(scratch: &Scratch, has_counts: bool, inserts: String) {
    let options = Options { watch: Some(Duration::from_secs(4)), ..Options::default() };
    let running = Inserts::begin(scratch.url(), inserts);
    let survey = surveyed(scratch.url(), &options);
    let most = running.rows.load(Ordering::SeqCst) + 10;
    drop(running);
    for (name, arrival) in [("counted", Arrival::RightEdge), ("random", Arrival::Scattered)] {
        let table = table(&survey, name);
        let watched = table.watched.as_ref().unwrap();
        assert_eq!(table.columns[0].arrival, arrival, "{name}: {watched:?}");
        assert_eq!(watched.inserted.is_some(), has_counts, "{name}: {watched:?}");
        assert!(watched.inserted.is_none_or(|rows| (1..=most).contains(&rows)), "{most}: {watched:?}");
        assert!(watched.seconds >= 4.0, "{watched:?}");
    }
    let quiet = table(&survey, "quiet").watched.as_ref().unwrap();
    assert_eq!((quiet.at_right_edge, quiet.in_sample), (0, 0));
    assert!(quiet.inserted.is_none_or(|rows| rows == 0), "{quiet:?}");
}

#[test]
fn mysql_and_mariadb() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let scratch = server.scratch().unwrap();
        let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 \
                      UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
        let many =
            |times: usize| (0..times).map(|n| format!("{digits} AS d{n}")).collect::<Vec<_>>().join(", ");
        run(
            scratch.url(),
            &format!(
                "CREATE TABLE counted (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT);
                 CREATE TABLE random (id BINARY(16) PRIMARY KEY); CREATE TABLE quiet (id BINARY(16) PRIMARY KEY);
                 CREATE TABLE pairs (tenant BINARY(16), n INT, PRIMARY KEY (tenant, n));
                 CREATE TABLE inserted (id BINARY(16) PRIMARY KEY);
                 INSERT INTO counted (n) SELECT 1 FROM {};
                 INSERT INTO random SELECT {V4_MYSQL} FROM {}; INSERT INTO quiet SELECT * FROM random;
                 INSERT INTO pairs SELECT {V4_MYSQL}, 1 FROM {}; ANALYZE TABLE counted, random, quiet, pairs;",
                many(3),
                many(3),
                many(4)
            ),
        );
        // Two columns are one key.
        let all = surveyed(scratch.url(), &Options::default());
        let pairs = table(&all, "pairs");
        assert_eq!((pairs.key.join(","), pairs.rows_read, pairs.ranges), ("tenant,n".to_owned(), 1_000, 5));
        assert_eq!(pairs.columns[0].arrival, Arrival::Scattered);
        let mut enough = all.clone();
        for table in &mut enough.tables {
            table.rows = Some(10_000);
        }
        let (asked, left_out) = enough.questions(10);
        assert!(asked.iter().all(|question| !question.table.ends_with("pairs")), "{asked:?}");
        assert!(
            left_out.iter().any(|why| why.contains("pairs.tenant: the model has no keys of several")),
            "{left_out:?}"
        );
        assert_eq!(all.unseen, Vec::<String>::new());

        let (schema, host) = (scratch.name(), "'%'");
        run(
            server.url(),
            &format!(
                "CREATE USER few@{host} IDENTIFIED BY 'reads-and-rests'; GRANT SELECT ON {schema}.random TO few@{host};
                 GRANT INSERT ON {schema}.inserted TO few@{host};"
            ),
        );
        let few = surveyed(&as_user(scratch.url(), "few"), &Options::default());
        assert_eq!(few.tables_seen, 2, "{database}");
        assert!(table(&few, "random").rows_read > 500);
        for part in
            ["on which this user has no privilege", "inserted: this user may not read", "innodb_index_stats"]
        {
            assert!(few.unseen.iter().any(|line| line.contains(part)), "{database} {part}: {:?}", few.unseen);
        }
        run(server.url(), &format!("DROP USER few@{host}"));

        let ten = (0..10).map(|_| format!("({V4_MYSQL})")).collect::<Vec<_>>().join(", ");
        let inserts = format!(
            "INSERT INTO counted (n) VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10); INSERT INTO random VALUES {ten};"
        );
        watch(&scratch, database == Database::MySql, inserts);
    }
}

#[test]
fn postgres() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    run(
        scratch.url(),
        "CREATE TABLE counted (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int);
         CREATE TABLE random (id uuid PRIMARY KEY); CREATE TABLE quiet (id uuid PRIMARY KEY);
         CREATE TABLE large (id uuid PRIMARY KEY);
         CREATE TABLE pairs (tenant uuid, n int, PRIMARY KEY (tenant, n));
         INSERT INTO counted (n) SELECT 1 FROM generate_series(1, 1000);
         INSERT INTO random SELECT gen_random_uuid() FROM generate_series(1, 1000); INSERT INTO quiet SELECT * FROM random;
         INSERT INTO large SELECT gen_random_uuid() FROM generate_series(1, 50000);
         INSERT INTO pairs SELECT gen_random_uuid(), 1 FROM generate_series(1, 10000);
         ANALYZE;",
    );
    let all = surveyed(scratch.url(), &Options::default());
    let pairs = table(&all, "pairs");
    assert_eq!((pairs.key.join(","), pairs.rows_read, pairs.ranges), ("tenant,n".to_owned(), 1_000, 5));
    let (asked, left_out) = all.questions(10);
    assert_eq!(asked.iter().map(|question| question.table.as_str()).collect::<Vec<_>>(), ["large"]);
    assert!(left_out.iter().any(|why| why.starts_with("pairs.tenant: ")), "{left_out:?}");
    let cost = |survey: &Survey| table(survey, "large").columns[0].cost.clone().unwrap();
    let estimated = cost(&all);
    assert_eq!(estimated.fill_from, Some(FillFrom::Estimate));

    run(scratch.url(), "CREATE EXTENSION pgstattuple");
    let counted = cost(&surveyed(scratch.url(), &Options::default()));
    assert_eq!(counted.fill_from, Some(FillFrom::Pages));
    // All pages but the inner ones and the first one are leaves, at most two in a hundred are inner ones.
    let (pages, leaves) = (counted.pages.unwrap(), counted.leaf_pages.unwrap());
    assert!(leaves < pages && leaves * 50 > pages * 49, "{counted:?}");
    let fills = (estimated.fill.unwrap(), counted.fill.unwrap());
    assert!((fills.0 - fills.1).abs() < 0.05, "{fills:?}");

    run(
        scratch.url(),
        "DROP ROLE IF EXISTS few; CREATE ROLE few LOGIN PASSWORD 'reads-and-rests'; GRANT SELECT ON large, quiet TO few;
         ALTER TABLE quiet ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON quiet USING (false);",
    );
    let few = surveyed(&as_user(scratch.url(), "few"), &Options::default());
    assert_eq!(table(&few, "large").rows_read, 1_000);
    assert_eq!(table(&few, "quiet").rows_read, 0);
    for part in [
        "rows of random: they need SELECT on it",
        "page fill by pgstattuple",
        "rows of quiet that its policies hide: row-level security is active for this user, so the survey sees what the policies show",
    ] {
        assert_eq!(
            few.unseen.iter().filter(|line| line.contains(part)).count(),
            1,
            "{part}: {:?}",
            few.unseen
        );
    }
    run(
        scratch.url(),
        "DROP POLICY none ON quiet; ALTER TABLE quiet DISABLE ROW LEVEL SECURITY; DROP OWNED BY few; DROP ROLE few;",
    );

    let inserts = "INSERT INTO counted (n) SELECT 1 FROM generate_series(1, 10);
                   INSERT INTO random SELECT gen_random_uuid() FROM generate_series(1, 10);";
    watch(&scratch, true, inserts.to_owned());
}

#[test]
fn tables_of_mysql_take_a_statement_each_and_the_catalog_the_same_few() {
    const TABLES: usize = 500;
    let settings = Settings::new().option("innodb_flush_log_at_trx_commit", "0").option("sync_binlog", "0");
    let server = Server::start(Database::MySql, &settings).unwrap();
    let scratch = server.scratch().unwrap();
    run(scratch.url(), "CREATE TABLE first (id BINARY(16) PRIMARY KEY, n INT)");
    let (statement_time, sample_time) = (Duration::from_secs(60), Duration::from_secs(3_600));
    let options = Options { statement_time, sample_time, ..Options::default() };
    let one = surveyed(scratch.url(), &options);
    for first in (1..TABLES).step_by(250) {
        let tables: String = (first..(first + 250).min(TABLES))
            .map(|n| format!("CREATE TABLE t{n} (id BINARY(16) PRIMARY KEY, n INT);"))
            .collect();
        run(scratch.url(), &tables);
    }
    let begin = Instant::now();
    let all = surveyed(scratch.url(), &options);
    eprintln!("{TABLES} tables were surveyed in {:?}", begin.elapsed());
    assert_eq!(all.tables_seen, TABLES);
    assert_eq!(all.statements.len(), one.statements.len() + TABLES - 1);
}

/// A view pages by the key, in the same schema or in another one, and a user with `SELECT` sees neither.
#[test]
fn programs_that_a_user_may_not_see_are_not_seen() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let (scratch, rep) = (server.scratch().unwrap(), server.scratch().unwrap());
        let schema = scratch.name();
        run(
            scratch.url(),
            "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); INSERT INTO orders VALUES ('6ccd780c-baba-4026-9564-5b8c656024db')",
        );
        let pages = format!("SELECT id FROM {schema}.orders ORDER BY id DESC LIMIT 1");
        run(rep.url(), &format!("CREATE VIEW newest AS {pages}"));
        let to_v7 = Options { to: Some(NewIds::V7), ..Options::default() };
        let level = |survey: &Survey| {
            let of = |one: &&Finding| one.code == Code::CursorById;
            survey.findings.iter().find(of).map(|one| (one.level, one.what.clone()))
        };
        let (found, what) = level(&surveyed(scratch.url(), &to_v7)).unwrap();
        assert_eq!(found, Level::Danger, "{database}: {what}");
        run(rep.url(), "DROP VIEW newest");
        run(rep.url(), &format!("CREATE PROCEDURE newest() {pages}"));
        // What the server counted comes first: the statement that made the procedure, too.
        if database == Database::MySql {
            run(scratch.url(), "TRUNCATE performance_schema.events_statements_summary_by_digest");
        }
        let all = surveyed(scratch.url(), &to_v7);
        let (found, what) = level(&all).unwrap();
        assert_eq!(found, Level::Danger, "{database}: {what}");
        assert!(what.contains(&format!("the procedure {}.newest", rep.name())), "{database}: {what}");
        assert!(!all.unseen.concat().contains(" lacks "), "{database}: {:?}", all.unseen);
        let is_counted = all.unseen.iter().any(|line| line.contains("it has counted none"));
        assert_eq!(is_counted, database == Database::MariaDb, "{:?}", all.unseen);

        run(scratch.url(), "CREATE VIEW last AS SELECT id FROM orders ORDER BY id DESC LIMIT 1");
        let user =
            format!("CREATE USER blind IDENTIFIED BY 'reads-and-rests'; GRANT SELECT ON {schema}.* TO blind");
        run(server.url(), &user);
        let blind = surveyed(&as_user(scratch.url(), "blind"), &to_v7);
        assert_eq!(level(&blind).unwrap().0, Level::Warning, "{database}");
        let routines = if database == Database::MySql { "SHOW_ROUTINE" } else { "SELECT on mysql.proc" };
        for part in [
            format!(
                "the view last, the routines, the events and the triggers of the schema {schema}, of which some may page by an id: this user \
                 lacks SHOW VIEW, {routines}, EVENT and TRIGGER"
            ),
            "statements that the server counted, of which some may page by an id: they need SELECT on performance_schema".to_owned(),
            "in schemas that this user does not see".to_owned(),
        ] {
            assert!(blind.unseen.iter().any(|line| line.contains(&part)), "{database} {part}: {:?}", blind.unseen);
        }
        run(server.url(), "DROP USER blind");
    }
}
