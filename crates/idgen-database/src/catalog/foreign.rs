//! Foreign keys, of whichever database.

/// A foreign key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignKey {
    /// Its name, which is unique in its table.
    pub name: String,
    /// The schema of the table that has it.
    pub schema: String,
    /// The table that has it.
    pub table: String,
    /// Its columns in their order.
    pub columns: Vec<String>,
    /// The schema of the table that it refers to.
    pub to_schema: String,
    /// The table that it refers to.
    pub to_table: String,
    /// The columns that its columns refer to, in the same order.
    pub to_columns: Vec<String>,
    /// The rule for an update, such as `CASCADE`; empty if the query has no rules.
    pub on_update: String,
    /// The rule for a deletion, such as `SET NULL`; empty if the query has no rules.
    pub on_delete: String,
}

impl ForeignKey {
    /// Puts the columns of foreign keys together. A row is one column: the schema, the table and the name of the key, the column, the
    /// schema, the table and the column that it refers to, and the rules for updates and deletions where the query has them. The
    /// columns of a key follow each other in their order.
    ///
    /// ```
    /// use idgen_database::catalog::ForeignKey;
    ///
    /// let row = |column: &str, to: &str| ["shop", "lines", "of", column, "shop", "orders", to].map(str::to_owned).to_vec();
    /// let keys = ForeignKey::of_rows(&[row("year", "year"), row("number", "id")]);
    /// assert_eq!(keys.len(), 1);
    /// assert_eq!((&keys[0].columns[..], &keys[0].to_columns[1]), (&["year".to_owned(), "number".to_owned()][..], &"id".to_owned()));
    /// ```
    pub fn of_rows(rows: &[Vec<String>]) -> Vec<ForeignKey> {
        let mut keys: Vec<ForeignKey> = Vec::new();
        for row in rows {
            let [schema, table, name, column, to_schema, to_table, to_column, rules @ ..] = &row[..] else {
                continue;
            };
            let is_of =
                |last: &&mut ForeignKey| last.name == *name && last.table == *table && last.schema == *schema;
            if let Some(last) = keys.last_mut().filter(is_of) {
                last.columns.push(column.clone());
                last.to_columns.push(to_column.clone());
                continue;
            }
            let rule = |at: usize| rules.get(at).cloned().unwrap_or_default();
            keys.push(ForeignKey {
                name: name.clone(),
                schema: schema.clone(),
                table: table.clone(),
                columns: vec![column.clone()],
                to_schema: to_schema.clone(),
                to_table: to_table.clone(),
                to_columns: vec![to_column.clone()],
                on_update: rule(0),
                on_delete: rule(1),
            });
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_same_name_in_other_tables_and_schemas_are_other_keys() {
        let row = |schema: &str, table: &str| {
            [schema, table, "of", "a", "shop", "orders", "id", "CASCADE", "SET NULL"]
                .map(str::to_owned)
                .to_vec()
        };
        let keys = ForeignKey::of_rows(&[row("shop", "lines"), row("shop", "notes"), row("other", "notes")]);
        let places: Vec<_> = keys.iter().map(|key| (key.schema.as_str(), key.table.as_str())).collect();
        assert_eq!(places, [("shop", "lines"), ("shop", "notes"), ("other", "notes")]);
        assert!(
            keys.iter()
                .all(|key| (key.on_update.as_str(), key.on_delete.as_str()) == ("CASCADE", "SET NULL"))
        );
    }

    #[test]
    fn a_query_may_have_no_rules() {
        let row = ["", "lines", "of", "a", "", "orders", "id"].map(str::to_owned).to_vec();
        let keys = ForeignKey::of_rows(&[row, vec!["cut off".to_owned()]]);
        assert_eq!(keys.len(), 1);
        assert_eq!((keys[0].on_update.as_str(), keys[0].on_delete.as_str()), ("", ""));
    }
}
