//! `information_schema` of MySQL and MariaDB.
//!
//! A condition is about the table of a row, such as `TABLE_SCHEMA = DATABASE()`. Rows come in the order of schemas, tables, and
//! what they have.

use super::Query;

/// A column, as a row of [`columns`] describes it.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The schema of its table.
    pub schema: &'a str,
    /// Its table.
    pub table: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The type as a declaration writes it: `char(36)`.
    pub type_text: &'a str,
    /// The type without a length: `char`.
    pub data_type: &'a str,
    /// True if it may be NULL.
    pub nullable: bool,
    /// The character set; empty for a type without characters.
    pub charset: &'a str,
    /// The collation; empty for a type without characters.
    pub collation: &'a str,
    /// The most characters, or bytes of a type without characters. `None` if the type has no length.
    pub length: Option<u64>,
    /// Other properties in the server's words.
    pub extra: &'a str,
    /// The values of the columns that the caller added to the query.
    pub more: &'a [String],
}

/// Returns the query of the columns of tables. `more` lists further columns of the catalog.
pub fn columns(condition: &str, more: &[&str]) -> Query {
    let list = [
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "COLUMN_NAME",
        "COLUMN_TYPE",
        "DATA_TYPE",
        "IS_NULLABLE",
        "CHARACTER_SET_NAME",
        "COLLATION_NAME",
        "CAST(CHARACTER_MAXIMUM_LENGTH AS CHAR)",
        "EXTRA",
    ];
    Query::new(
        &[&list, more].concat(),
        format!(
            "information_schema.COLUMNS WHERE {condition} ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION"
        ),
    )
}

impl<'a> Column<'a> {
    /// Reads a row of [`columns`]; `None` if it has too few values.
    pub fn of_row(row: &'a [String]) -> Option<Column<'a>> {
        let [
            schema,
            table,
            name,
            type_text,
            data_type,
            nullable,
            charset,
            collation,
            length,
            extra,
            more @ ..,
        ] = row
        else {
            return None;
        };
        Some(Column {
            schema,
            table,
            name,
            type_text,
            data_type,
            nullable: nullable == "YES",
            charset,
            collation,
            length: length.parse().ok(),
            extra,
            more,
        })
    }

    /// Returns true for an `AUTO_INCREMENT` column, whose values the server counts.
    pub fn counts(&self) -> bool {
        self.extra.contains("auto_increment")
    }

    /// Returns true if each UPDATE that does not name it sets it to the time.
    pub fn is_stamped(&self) -> bool {
        self.extra.to_ascii_lowercase().contains("on update")
    }

    /// Returns true if `SELECT *` leaves it out.
    pub fn is_invisible(&self) -> bool {
        self.extra.to_ascii_uppercase().contains("INVISIBLE")
    }

    /// Returns true if its default is an expression and the server is MySQL. MariaDB does not tell such defaults from others.
    pub fn has_expression_default(&self) -> bool {
        self.extra.contains("DEFAULT_GENERATED")
    }
}

/// A part of an index, as a row of [`index_parts`] describes it.
#[derive(Clone, Copy, Debug)]
pub struct IndexPart<'a> {
    /// The schema of its table.
    pub schema: &'a str,
    /// Its table.
    pub table: &'a str,
    /// The name of the index: `PRIMARY` for the primary key.
    pub index: &'a str,
    /// True if the server refuses a second row with the same values of the whole index.
    pub is_unique: bool,
    /// Its column; empty for an expression.
    pub column: &'a str,
    /// The number of characters or bytes of the column that it has; `None` for all.
    pub prefix: Option<u64>,
    /// The kind of the index in the server's words: `BTREE`, `FULLTEXT`.
    pub kind: &'a str,
    /// The values of the columns that the caller added to the query.
    pub more: &'a [String],
}

/// Returns the query of the parts of indexes. `more` lists further columns of the catalog.
pub fn index_parts(condition: &str, more: &[&str]) -> Query {
    let list = [
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "INDEX_NAME",
        "CAST(NON_UNIQUE AS CHAR)",
        "COLUMN_NAME",
        "CAST(SUB_PART AS CHAR)",
        "INDEX_TYPE",
    ];
    Query::new(
        &[&list, more].concat(),
        format!(
            "information_schema.STATISTICS WHERE {condition} \
             ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX"
        ),
    )
}

impl<'a> IndexPart<'a> {
    /// The name of each primary key.
    pub const PRIMARY: &'static str = "PRIMARY";

    /// Reads a row of [`index_parts`]; `None` if it has too few values.
    pub fn of_row(row: &'a [String]) -> Option<IndexPart<'a>> {
        let [schema, table, index, is_repeated, column, prefix, kind, more @ ..] = row else { return None };
        Some(IndexPart {
            schema,
            table,
            index,
            is_unique: is_repeated == "0",
            column,
            prefix: prefix.parse().ok(),
            kind,
            more,
        })
    }

    /// Returns true if the index is ordered by values of columns.
    pub fn is_tree(&self) -> bool {
        self.kind == "BTREE"
    }
}

/// Returns the query of the columns of foreign keys, for [`ForeignKey::of_rows`](super::ForeignKey::of_rows). The condition is about
/// `k`, a row of `KEY_COLUMN_USAGE`.
pub fn foreign_keys(condition: &str) -> Query {
    Query::new(&FOREIGN, format!("information_schema.KEY_COLUMN_USAGE k {}", of_foreign(condition)))
}

/// Returns the query of [`foreign_keys`] with their rules, which are in another view of the catalog. MariaDB shows that view only to
/// accounts with another privilege than `SELECT` on the table: the rules are empty where it is hidden, and there is a foreign key in any case.
pub fn foreign_keys_with_rules(condition: &str) -> Query {
    Query::new(
        &[&FOREIGN[..], &["r.UPDATE_RULE", "r.DELETE_RULE"]].concat(),
        format!(
            "information_schema.KEY_COLUMN_USAGE k \
             LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA \
             AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME {}",
            of_foreign(condition)
        ),
    )
}

const FOREIGN: [&str; 7] = [
    "k.TABLE_SCHEMA",
    "k.TABLE_NAME",
    "k.CONSTRAINT_NAME",
    "k.COLUMN_NAME",
    "k.REFERENCED_TABLE_SCHEMA",
    "k.REFERENCED_TABLE_NAME",
    "k.REFERENCED_COLUMN_NAME",
];

/// The schemas of the servers themselves, for a condition with `NOT IN`.
pub const OF_SERVER: &str = "('mysql', 'sys', 'information_schema', 'performance_schema', 'ndbinfo')";

/// Returns the statement for views, routines, events and triggers: the kind in small letters, the schema, the name, the table of a trigger,
/// and the text, which is empty where the account may not see it. The condition is about `{schema}`.
pub fn programs(condition: &str) -> String {
    let part = |view: &str, kind: &str, schema: &str, name: &str, table: &str, body: &str| {
        let list = [kind, schema, name, table, body]
            .map(|column| format!("CONVERT({column} USING utf8mb4) COLLATE utf8mb4_bin"));
        format!(
            "SELECT {} FROM information_schema.{view} WHERE {}",
            list.join(", "),
            condition.replace("{schema}", schema)
        )
    };
    let parts = [
        part("VIEWS", "'view'", "TABLE_SCHEMA", "TABLE_NAME", "''", "VIEW_DEFINITION"),
        part("ROUTINES", "LOWER(ROUTINE_TYPE)", "ROUTINE_SCHEMA", "ROUTINE_NAME", "''", "ROUTINE_DEFINITION"),
        part("EVENTS", "'event'", "EVENT_SCHEMA", "EVENT_NAME", "''", "EVENT_DEFINITION"),
        part(
            "TRIGGERS",
            "'trigger'",
            "TRIGGER_SCHEMA",
            "TRIGGER_NAME",
            "EVENT_OBJECT_TABLE",
            "ACTION_STATEMENT",
        ),
    ];
    format!("{} ORDER BY 2, 1, 4, 3", parts.join(" UNION ALL "))
}

fn of_foreign(condition: &str) -> String {
    format!(
        "WHERE k.REFERENCED_TABLE_NAME IS NOT NULL AND ({condition}) \
         ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION"
    )
}

/// Returns an expression of the catalog of MySQL as a statement writes it: MySQL shows a backslash before each quote and each backslash.
/// MariaDB shows expressions as they are written.
///
/// ```
/// use idgen_database::catalog::mysql;
///
/// assert_eq!(mysql::unescaped(r"concat(`a`,_utf8mb4\'\\n\')"), r"concat(`a`,_utf8mb4'\n')");
/// ```
pub fn unescaped(shown: &str) -> String {
    let mut characters = shown.chars().peekable();
    let mut written = String::new();
    while let Some(character) = characters.next() {
        let next = characters.next_if(|next| character == '\\' && matches!(next, '\'' | '\\'));
        written.push(next.unwrap_or(character));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_column_says_what_the_servers_write_in_different_letters() {
        let of = |extra: &str| row(["shop", "orders", "at", "datetime", "datetime", "NO", "", "", "", extra]);
        let mysql = of("DEFAULT_GENERATED on update CURRENT_TIMESTAMP INVISIBLE");
        let mysql = Column::of_row(&mysql).unwrap();
        assert!(mysql.is_stamped() && mysql.is_invisible() && mysql.has_expression_default());
        let mariadb = of("on update current_timestamp(), INVISIBLE");
        let mariadb = Column::of_row(&mariadb).unwrap();
        assert!(mariadb.is_stamped() && mariadb.is_invisible() && !mariadb.has_expression_default());
        assert!(!mysql.counts() && !mysql.nullable && mysql.length.is_none());
        let counted = of("auto_increment");
        assert!(Column::of_row(&counted).unwrap().counts());
    }

    #[test]
    fn quotes_of_an_expression_are_written_again() {
        assert_eq!(unescaped(r"concat(_utf8mb4\'it\\\'s\')"), r"concat(_utf8mb4'it\'s')");
    }

    #[test]
    fn added_columns_follow_those_of_each_reader() {
        let cells = row(["s", "t", "id", "char(36)", "char", "YES", "ascii", "ascii_bin", "36", "", "=x"]);
        let column = Column::of_row(&cells).unwrap();
        assert_eq!((column.length, column.nullable, column.more), (Some(36), true, &["=x".to_owned()][..]));
        assert!(columns("1", &["COLUMN_COMMENT"]).sql().contains("EXTRA, COLUMN_COMMENT FROM"));
        assert!(Column::of_row(&cells[..9]).is_none());
    }

    #[test]
    fn a_part_may_be_an_expression_or_the_beginning_of_a_column() {
        let cells = row(["s", "t", "PRIMARY", "0", "id", "", "BTREE"]);
        let whole = IndexPart::of_row(&cells).unwrap();
        assert!(whole.is_unique && whole.is_tree() && whole.prefix.is_none());
        assert_eq!(whole.index, IndexPart::PRIMARY);
        let cells = row(["s", "t", "words", "1", "", "8", "FULLTEXT"]);
        let part = IndexPart::of_row(&cells).unwrap();
        assert_eq!((part.is_unique, part.is_tree(), part.column, part.prefix), (false, false, "", Some(8)));
    }
}
