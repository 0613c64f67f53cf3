//! Spatial indexes, instant columns and undo tablespaces in files that a server has just written.

use idgen_server::{Database, Server, Settings};
use innodb_pages::{Options, SpaceKind, Survey, Tablespace};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

const ROWS: u64 = 3_000;
/// Numbers from 1 to 3,000 on both servers.
const NUMBERS: &str = "SELECT (a.n * 100 + b.n) + 1 AS i FROM (SELECT d.n * 10 + e.n AS n FROM digit d, digit e \
                       WHERE d.n < 3) AS a, (SELECT d.n * 10 + e.n AS n FROM digit d, digit e) AS b";

struct Table {
    name: &'static str,
    sql: Vec<String>,
}

fn tables(database: Database) -> Vec<Table> {
    let srid = if database == Database::MySql { "SRID 0" } else { "" };
    let places = Table {
        name: "places",
        sql: vec![
            format!(
                "CREATE TABLE places (id INT NOT NULL PRIMARY KEY, at POINT NOT NULL {srid}, \
                 SPATIAL KEY around (at)) ENGINE=InnoDB"
            ),
            format!(
                "INSERT INTO places SELECT i, ST_GeomFromText(CONCAT('POINT(', i * 7919 % 1000, ' ', \
                 i * 104729 % 1000, ')')) FROM ({NUMBERS}) AS s"
            ),
        ],
    };
    let altered = |name, format: &str, change: &str| Table {
        name,
        sql: vec![
            format!(
                "CREATE TABLE {name} (id INT NOT NULL PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB ROW_FORMAT={format}"
            ),
            format!("INSERT INTO {name} SELECT i, i FROM ({NUMBERS}) AS s"),
            format!("ALTER TABLE {name} {change}, ALGORITHM=INSTANT"),
        ],
    };
    vec![
        places,
        altered("added", "DYNAMIC", "ADD COLUMN late INT NOT NULL DEFAULT 5"),
        altered("dropped", "DYNAMIC", "DROP COLUMN n"),
        altered("redundant", "REDUNDANT", "ADD COLUMN late INT NOT NULL DEFAULT 5"),
    ]
}

fn compared(database: Database, undo: Option<&str>) {
    let server = Server::start(database, &Settings::new().buffer_pool_mib(64)).unwrap();
    let scratch = server.scratch().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let read = |file: &str| {
        let copy = directory.path().join("copy.ibd");
        server.copy_data_file(file, &copy).unwrap();
        Survey::of(&Tablespace::open(copy, Options::default()).unwrap().scan().unwrap())
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        connection.execute("CREATE TABLE digit (n INT PRIMARY KEY)").await.unwrap();
        connection.execute("INSERT INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)").await.unwrap();
        for Table { name, sql } in tables(database) {
            for sql in sql {
                let done = connection.execute(AssertSqlSafe(sql.clone())).await;
                done.unwrap_or_else(|error| panic!("{sql}: {error}"));
            }
            let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM {name}"));
            let rows: i64 = connection.fetch_one(count).await.unwrap().get(0);
            assert_eq!(rows.cast_unsigned(), ROWS);
            connection.execute(AssertSqlSafe(format!("FLUSH TABLES {name} FOR EXPORT"))).await.unwrap();
            let survey = read(&format!("{}/{name}.ibd", scratch.name()));
            connection.execute("UNLOCK TABLES").await.unwrap();

            assert_eq!(survey.kind, SpaceKind::Tables, "{name}");
            assert_eq!(survey.clustered().unwrap().records, ROWS, "{name}");
            for index in &survey.indexes {
                assert_eq!(index.spatial, name == "places" && !index.clustered, "{name} {}", index.id);
                assert_eq!(index.records, ROWS, "{name} {}", index.id);
                assert!(index.levels.len() > 1, "{name} {}", index.id);
            }
            assert_eq!(survey.indexes.len(), if name == "places" { 2 } else { 1 }, "{name}");
        }
    });
    // The files of the server itself are whole only while it does not run.
    server.stop().unwrap();
    if let Some(undo) = undo.map(read) {
        assert_eq!((undo.kind, undo.clustered()), (SpaceKind::Undo, None));
    }
    assert_eq!(read("ibdata1").kind, SpaceKind::System);
    server.start_again().unwrap();
}

#[test]
fn special_files_of_mysql() {
    compared(Database::MySql, Some("undo_001"));
}

#[test]
fn special_files_of_mariadb() {
    // MariaDB 10.11 keeps its undo logs in ibdata1.
    compared(Database::MariaDb, None);
}
