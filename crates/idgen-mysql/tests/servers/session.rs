//! Tests sessions and settings that would break the map's promise: they are overridden, or noticed and refused.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server, Wait};
use sqlx::{Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{assert_sound, connect, kill_connections, number, of_two, on_both, run, settings};
use crate::proxy::Proxy;

on_both!(a_server_with_adverse_settings, a_server_that_does_not_flush_is_refused);

/// One server for all of it, which no other test shares.
async fn a_server_with_adverse_settings(database: Database) {
    let server = Server::start(database, &settings()).unwrap();
    // Connections that were opened earlier keep their settings.
    let mut root = connect(server.url()).await;
    run(&mut root, "SET GLOBAL sql_select_limit = 1").await;
    run(&mut root, "SET GLOBAL completion_type = CHAIN").await;
    run(&mut root, "SET GLOBAL unique_checks = 0").await;
    let other = if database == Database::MariaDb { ",ORACLE" } else { "" };
    let modes = format!("ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES{other}");
    run(&mut root, format!("SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',{modes}')")).await;
    // This does not apply to users with all privileges.
    run(
        &mut root,
        "SET GLOBAL init_connect = 'SET sql_select_limit = 2, completion_type = 1, max_join_size = 1'",
    )
    .await;
    run(&mut root, "CREATE USER app@'%' IDENTIFIED BY 'Secret-7'").await;
    for index in [Index::Unique, Index::Dedup] {
        session_settings_change_nothing(&server, &mut root, index).await;
    }
    for index in [Index::Unique, Index::Dedup] {
        settings_changed_under_a_client_are_noticed(&server, &mut root, index).await;
        settings_changed_while_calls_wait_are_noticed(&server, &mut root, index).await;
    }
    for index in [Index::Unique, Index::Dedup] {
        a_known_uuid_takes_one_round_trip(&server, index).await;
    }
    run(&mut root, "SET GLOBAL log_output = 'TABLE'").await;
    for index in [Index::Unique, Index::Dedup] {
        single_calls_take_few_statements(&server, &mut root, index).await;
    }
    look_ups_are_ranges_of_the_index(&server, &mut root).await;
    if database == Database::MySql {
        a_member_outside_its_group_is_refused(&server, &mut root).await;
    }
}

async fn a_server_that_does_not_flush_is_refused(database: Database) {
    let server = Server::start(database, &settings().flush_method("nosync")).unwrap();
    let scratch = server.scratch().unwrap();
    let map = UuidMap::connect(scratch.url()).await.unwrap();
    let error = map.install().await.unwrap_err();
    assert!(
        error.is_unsafe_server() && error.to_string().contains("innodb_flush_method is nosync"),
        "{error}"
    );
}

async fn session_settings_change_nothing(server: &Server, root: &mut MySqlConnection, index: Index) {
    let scratch = server.scratch().unwrap();
    let builder = || UuidMap::builder().index(index).cache(0);
    let map = builder().connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let uuids: Vec<Uuid> = (0..300).map(|_| Uuid::new_v4()).collect();
    let ids = map.ids_of(&uuids).await.unwrap();
    run(root, format!("GRANT ALL ON {}.* TO app@'%'", scratch.name())).await;
    let (_, address) = scratch.url().rsplit_once('@').unwrap();
    let app = format!("mysql://app:Secret-7@{address}");
    let mut plain = connect(&app).await;
    assert_eq!(number(&mut plain, "SELECT @@sql_select_limit").await, Ok(2), "init_connect has no effect");
    let other = builder().connect(&app).await.unwrap();
    assert_eq!(other.ids_of(&uuids).await.unwrap(), ids);
    let found = other.find_many(&uuids).await.unwrap();
    assert_eq!(found.into_iter().collect::<Option<Vec<u64>>>(), Some(ids.clone()));
    for _ in 0..20 {
        other.id_of(Uuid::new_v4()).await.unwrap();
    }
    // Two imports; the second one does not wait until the first one's connection has ended.
    map.import(&[(5000, Uuid::new_v4())]).await.unwrap();
    other.import(&[(5001, Uuid::new_v4())]).await.unwrap();
    let pairs = format!("SELECT COUNT(*) FROM {}.uuid_map", scratch.name());
    assert_eq!(number(root, pairs).await, Ok(322), "acknowledged pairs are not committed");
    assert_sound(scratch.url()).await;
}

async fn settings_changed_under_a_client_are_noticed(
    server: &Server,
    root: &mut MySqlConnection,
    index: Index,
) {
    let scratch = server.scratch().unwrap();
    let builder = || UuidMap::builder().index(index).cache(0);
    let running = builder().connect(scratch.url()).await.unwrap();
    running.install().await.unwrap();
    running.id_of(Uuid::new_v4()).await.unwrap();
    // This client reserves ids for each new pair, and notices the change then.
    let reserving = builder().largest_block(1).connect(scratch.url()).await.unwrap();
    reserving.id_of(Uuid::new_v4()).await.unwrap();

    let reconnecting = builder().connect(scratch.url()).await.unwrap();

    let mut changes = vec![(
        "SET GLOBAL innodb_flush_log_at_trx_commit = 0",
        "SET GLOBAL innodb_flush_log_at_trx_commit = 1",
        "innodb_flush_log_at_trx_commit is 0",
        true,
    )];
    if server.database() == Database::MySql {
        changes.push(("SET GLOBAL sync_binlog = 0", "SET GLOBAL sync_binlog = 1", "sync_binlog is 0", true));
        changes.push((
            "ALTER INSTANCE DISABLE INNODB REDO_LOG",
            "ALTER INSTANCE ENABLE INNODB REDO_LOG",
            "Innodb_redo_log_enabled is OFF",
            false,
        ));
    }
    for (worse, better, words, at_once) in changes {
        reconnecting.id_of(Uuid::new_v4()).await.unwrap();
        run(root, worse).await;
        if at_once {
            let error = reserving.id_of(Uuid::new_v4()).await.unwrap_err();
            assert!(error.is_unsafe_server() && error.to_string().contains(words), "{error}");
        }
        // A new connection notices it too, as after a restart of the server.
        kill_connections(root, server.database(), scratch.name()).await;
        let error = reconnecting.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_unsafe_server() && error.to_string().contains(words), "{error}");
        // The other clients notice it within a second.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let error = running.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_unsafe_server() && error.to_string().contains(words), "{error}");
        assert!(running.server_report().await.unwrap_err().is_unsafe_server());
        run(root, better).await;
        running.id_of(Uuid::new_v4()).await.unwrap();
        reserving.id_of(Uuid::new_v4()).await.unwrap();
    }
}

/// A call may wait for another transaction after it has checked the server. If the settings become unsafe meanwhile, what it
/// then stores may be lost in a crash, although the clients that begin have noticed.
async fn settings_changed_while_calls_wait_are_noticed(
    server: &Server,
    root: &mut MySqlConnection,
    index: Index,
) {
    let scratch = server.scratch().unwrap();
    let map = UuidMap::builder().index(index).cache(0).answer_limit(Duration::from_secs(60));
    let map = map.timeout(Duration::from_secs(180)).connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let mut other = connect(scratch.url()).await;
    for worse in [false, true] {
        let uuids: Vec<Uuid> = (0..4).map(|_| Uuid::new_v4()).collect();
        map.id_of(Uuid::new_v4()).await.unwrap();
        run(&mut other, "START TRANSACTION").await;
        for (uuid, id) in uuids[..3].iter().zip(1_000_000_u64..) {
            let bytes = uuid.simple();
            run(
                &mut other,
                match index {
                    Index::Unique => format!("INSERT INTO uuid_map (id, uuid) VALUES ({id}, 0x{bytes})"),
                    _ => format!("INSERT INTO uuid_map_claim (uuid) VALUES (0x{bytes})"),
                },
            )
            .await;
        }
        // MySQL's innodb_trx can fail where a statement has bytes.
        let waiting = of_two(
            server.database(),
            "SELECT COUNT(DISTINCT requesting_thread_id) FROM performance_schema.data_lock_waits",
            "SELECT COUNT(DISTINCT requesting_trx_id) FROM information_schema.innodb_lock_waits",
        );
        let begin_to_wait = async {
            let wait = Wait::until("three calls wait for the transaction");
            while number(root, waiting).await != Ok(3) {
                wait.check();
                // MariaDB makes this table again only if nobody has read it for a tenth of a second.
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            if worse {
                run(root, "SET GLOBAL innodb_flush_log_at_trx_commit = 2").await;
            }
            // The reading that the calls began with is older then.
            tokio::time::sleep(Duration::from_millis(2100)).await;
            run(&mut other, "ROLLBACK").await;
        };
        let many = [uuids[1], uuids[3]];
        let given = [(2_000_000 + u64::from(worse), uuids[2])];
        let (one, many, given, ()) =
            tokio::join!(map.id_of(uuids[0]), map.ids_of(&many), map.import(&given), begin_to_wait);
        let answers = [one.map(drop), many.map(drop), given.map(drop)];
        for (answer, call) in answers.into_iter().zip(["id_of", "ids_of", "import"]) {
            match answer {
                Ok(()) => assert!(!worse, "{call} acknowledged what a crash may lose"),
                Err(error) => assert!(worse && error.is_unsafe_server(), "{call}: {error}"),
            }
        }
        run(root, "SET GLOBAL innodb_flush_log_at_trx_commit = 1").await;
        let ids = map.ids_of(&uuids).await.unwrap();
        assert_eq!(map.ids_of(&uuids).await.unwrap(), ids);
    }
    assert_sound(scratch.url()).await;
}

/// The member accepts writes that its group never receives.
async fn a_member_outside_its_group_is_refused(server: &Server, root: &mut MySqlConnection) {
    let scratch = server.scratch().unwrap();
    UuidMap::connect(scratch.url()).await.unwrap().install().await.unwrap();
    run(root, "INSTALL PLUGIN group_replication SONAME 'group_replication.so'").await;
    run(root, "SET GLOBAL group_replication_group_name = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'").await;
    let fresh = UuidMap::builder().timeout(Duration::from_secs(5)).connect(scratch.url()).await.unwrap();
    let error = fresh.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_unsafe_server() && error.to_string().contains("member_state is"), "{error}");
}

/// The checks need no round trip of their own, except once per second.
async fn single_calls_take_few_statements(server: &Server, root: &mut MySqlConnection, index: Index) {
    const CALLS: usize = 50;
    let scratch = server.scratch().unwrap();
    // On a single connection, because each connection is set up and checked.
    let builder = UuidMap::builder().index(index).cache(0).connections(1);
    let map = builder.connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    map.id_of(Uuid::new_v4()).await.unwrap();
    let logged = |what: &str| {
        format!(
            "SELECT COUNT(*) FROM mysql.general_log WHERE command_type IN ('Query', 'Execute') \
             AND argument NOT LIKE '%general_log%' AND argument LIKE '{what}'"
        )
    };
    let wait = Wait::until("a round of calls is not the one after which the client clears claims away");
    let checks = loop {
        wait.check();
        run(root, "TRUNCATE mysql.general_log").await;
        run(root, "SET GLOBAL general_log = ON").await;
        let begin = std::time::Instant::now();
        for _ in 0..CALLS {
            map.id_of(Uuid::new_v4()).await.unwrap();
        }
        let checks = begin.elapsed().as_secs() as i64 + 1;
        run(root, "SET GLOBAL general_log = OFF").await;
        // It does this once for 2,000 claims, and begins at a random one.
        if number(root, logged("DELETE FROM uuid_map_claim %")).await == Ok(0) {
            break checks;
        }
    };
    // A text of several statements is logged once for each of them; a check has six, on MySQL seven, and one for the
    // definition of each table. The next new pair is read back, and with `dedup` its claim.
    let of_a_check = if server.database() == Database::MySql { 7 } else { 6 };
    let (each, defined, read_back) = match index {
        Index::Dedup => (6, 3, 2),
        _ => (1, 2, 1),
    };
    let of_a_check = of_a_check + defined + read_back;
    let found = number(root, logged("%")).await.unwrap();
    assert!(found <= CALLS as i64 * each + checks * of_a_check, "{found} statements for {CALLS} calls");
    assert!(found >= CALLS as i64, "{found} statements were logged");
}

/// Also without a binary log, where the client has to know that the pair is on disk.
async fn a_known_uuid_takes_one_round_trip(server: &Server, index: Index) {
    const CALLS: usize = 5;
    let scratch = server.scratch().unwrap();
    let owner = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
    owner.install().await.unwrap();
    let uuid = Uuid::new_v4();
    let id = owner.id_of(uuid).await.unwrap();
    let proxy = Proxy::start(scratch.url()).await;
    let map = UuidMap::builder().cache(0).connections(1).connect(proxy.url()).await.unwrap();
    for _ in 0..CALLS {
        assert_eq!(map.id_of(uuid).await.unwrap(), id);
    }
    let mut fewest = usize::MAX;
    // In some rounds, the client checks the map, which it does once a second, or the server writes its log. On a busy machine,
    // these are many.
    for _ in 0..200 {
        let before = proxy.commands();
        for _ in 0..CALLS {
            assert_eq!(map.id_of(uuid).await.unwrap(), id);
        }
        fewest = fewest.min(proxy.commands() - before);
        if fewest == CALLS {
            break;
        }
    }
    assert_eq!(fewest, CALLS, "round trips of {CALLS} calls");
}

/// On a map that had just been filled, MariaDB read all of it in three of six cases.
async fn look_ups_are_ranges_of_the_index(server: &Server, root: &mut MySqlConnection) {
    for _ in 0..3 {
        let scratch = server.scratch().unwrap();
        let map = UuidMap::builder().index(Index::Dedup).cache(0).connect(scratch.url()).await.unwrap();
        map.install().await.unwrap();
        let uuids: Vec<Uuid> = (0..4 * 999).map(|_| Uuid::new_v4()).collect();
        map.ids_of(&uuids).await.unwrap();
        run(root, "TRUNCATE mysql.general_log").await;
        run(root, "SET GLOBAL general_log = ON").await;
        map.find_many(&uuids[..999]).await.unwrap();
        run(root, "SET GLOBAL general_log = OFF").await;
        let look = "SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log \
            WHERE argument LIKE 'SELECT id, uuid FROM `uuid_map`%'";
        let row = root.fetch_one(sqlx::raw_sql(look)).await.unwrap();
        let statement: String = row.try_get_unchecked(0).unwrap();
        let mut connection = connect(scratch.url()).await;
        // The map's sessions have this mode. In the mode ORACLE, the plan of a union is another one.
        run(&mut connection, "SET sql_mode = 'STRICT_ALL_TABLES'").await;
        let format = if server.database() == Database::MySql { "FORMAT=TRADITIONAL" } else { "" };
        let explain = format!("EXPLAIN {format} {statement}");
        let plan = connection.fetch_one(sqlx::raw_sql(sqlx::AssertSqlSafe(explain))).await.unwrap();
        let column = |name: &str| plan.try_get_unchecked::<String, _>(name).unwrap();
        assert_eq!((column("type"), column("key")), ("range".to_owned(), "hash".to_owned()));
        assert!(statement.contains("FORCE INDEX (hash)"), "the plan is left to chance");
    }
}
