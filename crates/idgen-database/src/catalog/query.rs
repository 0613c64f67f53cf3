//! A query of a catalog, for sessions of which the settings are known or not.

/// A query whose columns are expressions of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    list: Vec<String>,
    from: String,
}

impl Query {
    /// Returns the query of these expressions; `from` is what follows `FROM`.
    pub fn new(list: &[&str], from: impl Into<String>) -> Query {
        Query { list: list.iter().copied().map(str::to_owned).collect(), from: from.into() }
    }

    /// Returns the statement for a session whose settings are those that its owner chose.
    pub fn sql(&self) -> String {
        format!("SELECT {} FROM {}", self.list.join(", "), self.from)
    }

    /// Returns the statement for a session of MySQL or MariaDB with any settings. Each value comes as the bytes of its UTF-8 text,
    /// whatever `character_set_results` is, and all rows come, whatever `sql_select_limit` is.
    ///
    /// ```
    /// use idgen_database::catalog::Query;
    ///
    /// let query = Query::new(&["A", "IF(B, 1, 2)"], "t ORDER BY A");
    /// assert_eq!(query.sql(), "SELECT A, IF(B, 1, 2) FROM t ORDER BY A");
    /// assert_eq!(
    ///     query.in_bytes(),
    ///     "SELECT CAST(CONVERT(A USING utf8mb4) AS BINARY), CAST(CONVERT(IF(B, 1, 2) USING utf8mb4) AS BINARY) FROM t \
    ///      ORDER BY A LIMIT 18446744073709551615"
    /// );
    /// ```
    pub fn in_bytes(&self) -> String {
        let cast = |expression: &String| format!("CAST(CONVERT({expression} USING utf8mb4) AS BINARY)");
        let list: Vec<_> = self.list.iter().map(cast).collect();
        format!("SELECT {} FROM {} LIMIT {}", list.join(", "), self.from, u64::MAX)
    }
}
