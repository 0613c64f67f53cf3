//! A survey says the same wherever sessions begin with unusual settings.

use idgen_migrate::survey::Options;
use idgen_server::{Database, Server, Settings};
use serde_json::Value;

use crate::common::{run, surveyed};

/// Returns the parts of a survey that must be the same twice. Statements have times, and the pool is read from the
/// server.
fn found(url: &str) -> (Value, Value, usize) {
    let survey = surveyed(url, &Options::default());
    assert_eq!(survey.unseen, Vec::<String>::new());
    let json = serde_json::to_value(&survey).unwrap();
    (json["tables"].clone(), json["findings"].clone(), survey.rows_read as usize)
}

const MYSQL: &str = "CREATE TABLE a (id CHAR(36) PRIMARY KEY, n BIGINT AUTO_INCREMENT UNIQUE);
    CREATE TABLE b (at TIMESTAMP, id BINARY(16), o CHAR(36), PRIMARY KEY (at, id), FOREIGN KEY (o) REFERENCES a (id));
    CREATE TABLE c (id CHAR(40) COLLATE utf8mb4_general_ci, x DOUBLE PRIMARY KEY); CREATE TABLE d (id CHAR(36) PRIMARY KEY); CREATE TABLE e (n INT);
    INSERT INTO a (id) VALUES (UUID()), (UUID()), (UPPER(UUID()));
    INSERT INTO b SELECT '2026-10-25 00:30:00' + INTERVAL n HOUR, RANDOM_BYTES(16), id FROM a; INSERT INTO c SELECT id, n / 3 FROM a;
    INSERT INTO d SELECT id FROM a;";
const ODD_MYSQL: &str = "SET GLOBAL autocommit = 0; SET GLOBAL sql_select_limit = 1; SET GLOBAL sql_big_selects = 0; SET GLOBAL max_join_size = 2;
    SET GLOBAL sql_auto_is_null = 1; SET GLOBAL time_zone = '+05:00'; SET GLOBAL group_concat_max_len = 4; SET GLOBAL completion_type = 2;";

#[test]
fn mysql_and_mariadb() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let scratch = server.scratch().unwrap();
        // The server makes a primary key for `e`, and may hide it.
        let own_key = match database {
            Database::MySql => "SET SESSION sql_generate_invisible_primary_key = 1;",
            _ => "",
        };
        run(scratch.url(), &format!("{own_key} {MYSQL} ANALYZE TABLE a, b, c, d, e"));
        let usual = found(scratch.url());
        assert_eq!(usual.0.as_array().unwrap().len(), 5, "{database}");
        let more = match database {
            Database::MySql => {
                "SET GLOBAL sql_mode = 'ANSI,PAD_CHAR_TO_FULL_LENGTH,NO_BACKSLASH_ESCAPES'; SET GLOBAL max_execution_time = 1; \
                 SET GLOBAL show_gipk_in_create_table_and_information_schema = 0"
            }
            _ => {
                "SET GLOBAL sql_mode = 'ORACLE,PAD_CHAR_TO_FULL_LENGTH'; SET GLOBAL max_statement_time = 0.05"
            }
        };
        run(scratch.url(), &format!("{ODD_MYSQL}{more}"));
        assert_eq!(found(scratch.url()), usual, "{database}");
    }
}

const POSTGRES: &str = "CREATE TABLE a (id text PRIMARY KEY, n bigserial UNIQUE); CREATE TABLE b (at timestamptz, id uuid, o text REFERENCES a,
      PRIMARY KEY (at, id)); CREATE TABLE c (id bytea, x float8 PRIMARY KEY); CREATE TABLE d (i interval PRIMARY KEY, id uuid UNIQUE);
    INSERT INTO a (id) SELECT gen_random_uuid() FROM generate_series(1, 2000);
    INSERT INTO b SELECT '2026-10-02'::timestamptz + n * interval '1 hour', id::uuid, id FROM a;
    INSERT INTO c SELECT uuid_send(id::uuid), n / 3.0 FROM a; INSERT INTO d SELECT n * interval '1 day', id::uuid FROM a; ANALYZE;
    CREATE SCHEMA odd; CREATE FUNCTION odd.left(text, int) RETURNS text LANGUAGE sql AS $f$ SELECT 'wrong' $f$;
    CREATE FUNCTION odd.encode(bytea, text) RETURNS text LANGUAGE sql AS $f$ SELECT 'wrong' $f$;";
const ODD_POSTGRES: [&str; 9] = [
    "search_path = odd, pg_catalog, public",
    "transaction_timeout = '2 s'",
    "transform_null_equals = on",
    "standard_conforming_strings = off",
    "\"DateStyle\" = 'German, DMY'",
    "\"IntervalStyle\" = 'sql_standard'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
    "default_transaction_isolation = 'serializable'",
];

#[test]
fn postgres() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    run(scratch.url(), POSTGRES);
    let usual = found(scratch.url());
    assert_eq!(usual.0.as_array().unwrap().len(), 4);
    for setting in ODD_POSTGRES {
        let setting = setting.replace('\'', "''");
        let sql = format!(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {setting}', current_database()); END $$"
        );
        run(scratch.url(), &sql);
    }
    assert_eq!(found(scratch.url()), usual);
}
