//! A schema with odd names and columns, beside a twin that no plan changes and that gets the same statements. Random schemas beside
//! such twins found what is in this one.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::{Servers, text};
use crate::pair::Pair;

/// A table whose renamed foreign keys nearly have 64 characters.
const LONG: &str = "lists_of_what_people_have_said_to_others_in_recent_years";

fn schema() -> String {
    let id = "VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin";
    format!(
        r"CREATE TABLE `a\b` (`it's` {id} PRIMARY KEY DEFAULT (UUID()) COMMENT 'a\\b''c', n INT NOT NULL, parent {id} NULL COMMENT '\\',
            changed TIMESTAMP(6) NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), KEY `by\n` (n),
            FOREIGN KEY (parent) REFERENCES `a\b` (`it's`) ON DELETE SET NULL);
          CREATE TABLE {LONG} (number INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, a {id} NOT NULL, b {id} NULL, c {id} NULL,
            german VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_german1_ci DEFAULT 'ä', swedish VARCHAR(9) CHARACTER SET latin1 DEFAULT 'ä',
            changed DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, KEY of_two (b, number) COMMENT 'it''s',
            FOREIGN KEY (a) REFERENCES `a\b` (`it's`) ON DELETE CASCADE ON UPDATE CASCADE,
            CONSTRAINT second FOREIGN KEY (b) REFERENCES `a\b` (`it's`) ON DELETE SET NULL ON UPDATE CASCADE,
            CONSTRAINT third FOREIGN KEY third_index (c) REFERENCES `a\b` (`it's`) ON DELETE SET NULL ON UPDATE CASCADE);"
    )
}

/// The statements of clients in one round, on rows of this and of earlier rounds.
fn statements(round: u32, id: &dyn Fn(u32) -> String) -> Vec<String> {
    let of = |place: u32| id(100 * round + place);
    let earlier = |place: u32| id(100 * round.saturating_sub(1) + place);
    vec![
        format!(
            r"INSERT INTO `a\b` (`it's`, n, parent) VALUES ({}, 1, NULL), ({}, 2, {})",
            of(1),
            of(2),
            earlier(1)
        ),
        format!(
            r"INSERT INTO `a\b` (`it's`, n, parent) VALUES ({}, 3, {}), ({}, 4, {})",
            of(3),
            of(1),
            of(4),
            of(2)
        ),
        format!(
            "INSERT INTO {LONG} (a, b, c) VALUES ({}, {}, {}), ({}, NULL, {})",
            of(1),
            of(2),
            of(3),
            of(4),
            of(2)
        ),
        format!("INSERT INTO {LONG} (number, a, b) VALUES ({}, {}, {})", 1000 * round, of(2), earlier(3)),
        // It changes nothing.
        r"UPDATE `a\b` SET n = n".to_owned(),
        format!("UPDATE {LONG} SET b = b, c = c"),
        // It changes every second row, and the time only.
        r"UPDATE `a\b` SET n = 4 WHERE n > 2".to_owned(),
        format!("UPDATE {LONG} SET changed = NOW() WHERE number % 2 = 0"),
        // Updates that are ignored for one or for several rows, by a primary key, by a foreign key and by one to the own table.
        format!(r"UPDATE IGNORE `a\b` SET `it's` = {}, n = 7 WHERE `it's` = {}", of(1), of(2)),
        format!(r"UPDATE IGNORE `a\b` SET n = n + 1, parent = IF(n > 2, {}, {}) WHERE n < 5", of(99), of(2)),
        format!("UPDATE IGNORE {LONG} SET number = number - 1 WHERE number > 1 ORDER BY number"),
        format!("UPDATE IGNORE {LONG} SET a = {}, german = 'o' WHERE number % 3 = 0", of(98)),
        format!("UPDATE IGNORE {LONG} SET german = IF(german = 'a', 'ä', 'a')"),
        format!("INSERT IGNORE INTO {LONG} (number, a) VALUES (1, {}), ({}, {})", of(2), 1000 * round, of(3)),
        format!(
            "INSERT IGNORE INTO {LONG} (number, a) VALUES (1, {}) ON DUPLICATE KEY UPDATE number = 2",
            of(2)
        ),
        format!("REPLACE INTO {LONG} (number, a, b) VALUES (1, {}, {})", of(1), of(2)),
        // Cascades change rows without triggers: they set no time.
        format!(r"DELETE FROM `a\b` WHERE `it's` = {}", earlier(1)),
        format!(r"UPDATE `a\b` SET `it's` = {} WHERE `it's` = {}", of(5), earlier(4)),
        format!("DELETE FROM {LONG} WHERE number = {}", 1000 * round),
    ]
}

/// All rows, with ids as they were and times.
fn rows(text: &dyn Fn(&str) -> String) -> String {
    let [id, parent, a, b, c] = ["`it's`", "parent", "a", "b", "c"].map(text);
    format!(
        r"SELECT CONCAT_WS(' ', {id}, n, {parent}, changed) AS shown FROM `a\b` UNION ALL
          SELECT CONCAT_WS(' ', number, {a}, COALESCE({b}, 'none'), COALESCE({c}, 'none'), HEX(german), changed) FROM {LONG} ORDER BY shown"
    )
}

const INDEXES: &str = "SELECT CONCAT_WS(' ', TABLE_NAME, INDEX_NAME, GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX), MAX(INDEX_COMMENT)) \
                       FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() GROUP BY TABLE_NAME, INDEX_NAME ORDER BY 1";
const COLUMNS: &str = "SELECT CONCAT_WS(' ', TABLE_NAME, COLUMN_NAME, COLUMN_COMMENT, COLUMN_DEFAULT IS NULL, EXTRA) \
                       FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME NOT LIKE '%\\_text' ORDER BY 1";

#[test]
fn tables_end_as_a_twin_that_no_plan_changed() {
    for (database, to, keep_text) in [
        (Database::MySql, Target::Binary16, true),
        (Database::MariaDb, Target::Binary16, true),
        (Database::MariaDb, Target::Uuid, false),
    ] {
        let servers = Servers::start(database);
        let mut pair = Pair::new(&servers, "");
        let first = r"INSERT INTO `a\b` (`it's`, n) VALUES ('00000001-0000-4000-8000-000000000000', 0), ('00000003-0000-4000-8000-000000000000', 0)";
        pair.must(|_| vec![schema(), first.to_owned()]);
        change(&mut pair, false);
        servers.plan(&pair.main, &Options { keep_text, ..Options::new(r"a\b", to) });
        let files = pair.main.client.files("");
        let [rename, finish] = ["rename", "finish"].map(|step| pair.main.file(step));
        let rename = files.iter().position(|file| *file == rename).unwrap();
        // The type UUID takes the same texts.
        let to_bytes = to == Target::Binary16;
        for (at, file) in files.iter().enumerate() {
            pair.main.client.must(file);
            change(&mut pair, to_bytes && at >= rename);
            if at == rename {
                pair.main.client.must(&format!("undo/{file}"));
                change(&mut pair, false);
                pair.main.client.must(file);
                change(&mut pair, to_bytes);
            }
        }
        assert_eq!(files.last(), Some(&finish));
        pair.assert_equal(INDEXES, INDEXES);
        pair.assert_equal(COLUMNS, COLUMNS);
        servers.assert_nothing_left(&pair.main);
        // The counter of the highest row, which was deleted, is not given again.
        pair.must(|_| vec![format!(r"INSERT INTO {LONG} (a) SELECT MAX(`it's`) FROM `a\b`")]);
        let number = format!("SELECT CAST(MAX(number) AS CHAR) FROM {LONG}");
        pair.assert_equal(&number, &number);
    }
}

/// A round of changes, after which both have the same rows.
fn change(pair: &mut Pair<'_>, has_bytes: bool) {
    pair.round += 1;
    let id = |is_main: bool, number: u32| match is_main && has_bytes {
        true => format!("x'{}'", text(number).replace('-', "")),
        false => format!("'{}'", text(number)),
    };
    pair.must(|is_main| statements(pair.round, &|number| id(is_main, number)));
    let digits = |column: &str| format!("REPLACE({column}, '-', '')");
    let shown = |column: &str| match has_bytes {
        true => format!("LOWER(HEX({column}))"),
        false => digits(&format!("CAST({column} AS CHAR)")),
    };
    pair.assert_equal(&rows(&shown), &rows(&digits));
}
