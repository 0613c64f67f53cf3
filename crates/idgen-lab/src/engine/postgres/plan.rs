//! The tables that a strategy needs, and their columns.

use crate::own::{Own, Slot};
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Database, IdKind, Role, Workload};

/// The tables of a strategy.
pub struct Plan {
    pub column: Column,
    pub ids: IdKind,
    pub payload_bytes: u32,
    pub statement_rows: usize,
    /// See [`Workload::serializable`].
    pub serializable: bool,
    /// Each statement returns the server's clock at each of its rows.
    pub timed: bool,
    /// The table of the rows.
    pub rows: String,
    /// The table that maps UUIDs to integers, if there is one.
    pub map: Option<String>,
    /// The user's own tables and statements, if they replace the lab's, and the index of the key.
    pub own: Option<(Own, String)>,
}

/// The column type of a key.
pub fn type_of(column: Column) -> &'static str {
    match column {
        Column::Binary16 | Column::Swapped16 => "uuid",
        Column::Bytea => "bytea",
        Column::Text36 | Column::Base64 | Column::Base32 => "text",
        _ => "bigint",
    }
}

impl Plan {
    /// # Errors
    /// The user's tables cannot be parsed.
    pub fn of(strategy: &Strategy, workload: &Workload, number: u32) -> Result<Self> {
        let own = Own::of(workload.own.as_ref(), Database::Postgres)?;
        let timed = workload.has_clients()
            && !workload.serializable
            && own.is_none()
            && !strategy.column.is_mapped()
            && strategy.column != Column::CountedInteger
            && !strategy.ids.is_server_made();
        Ok(Plan {
            timed,
            column: strategy.column,
            ids: strategy.ids,
            payload_bytes: workload.payload_bytes,
            statement_rows: workload.statement_rows.max(1) as usize,
            serializable: workload.serializable,
            rows: own.as_ref().map_or_else(|| format!("rows_{number}"), |own| own.table().to_owned()),
            map: strategy.column.is_mapped().then(|| format!("map_{number}")),
            own: own.map(|own| (own, String::new())),
        })
    }

    /// Returns whether the server generates the key.
    pub fn is_made(&self) -> bool {
        self.column == Column::CountedInteger || self.ids.is_server_made()
    }

    /// The columns of the key.
    pub fn key(&self) -> &str {
        if let Some((own, _)) = &self.own {
            return own.key_column();
        }
        if self.column == Column::TwoIntegers { "hi, lo" } else { "id" }
    }

    /// The statements that make the tables, each with its line number if the user wrote it.
    pub fn create(&self) -> Vec<(Option<usize>, String)> {
        let Some((own, _)) = &self.own else {
            return self.create_rows().into_iter().map(|sql| (None, sql)).collect();
        };
        let kind = match type_of(self.column) {
            // The collation of a language would compare by other rules, and slowly.
            "text" => "text COLLATE \"C\"",
            kind => kind,
        };
        let key = match self.column {
            Column::CountedInteger => "bigint GENERATED ALWAYS AS IDENTITY",
            _ => kind,
        };
        own.schema(key, kind).into_iter().map(|(line, sql)| (Some(line), sql)).collect()
    }

    /// The statements that insert this many rows into the user's own tables. If the server generates the key, the first
    /// statement leaves it out and returns it.
    pub fn own_inserts(&self, rows: usize) -> Vec<String> {
        let Some((own, _)) = &self.own else { return Vec::new() };
        let mut first = true;
        let mut all = Vec::new();
        for insert in own.inserts() {
            let mut bound = 0;
            let mut sql = insert.sql(rows, |slot| {
                let kind = match slot {
                    Slot::Key if first && self.is_made() => return "DEFAULT".to_owned(),
                    Slot::Key => type_of(self.column),
                    Slot::Row | Slot::Number { .. } => "bigint",
                    Slot::Text { .. } => "text",
                    Slot::Bytes { .. } => "bytea",
                };
                bound += 1;
                format!("${bound}::{kind}")
            });
            if first && self.is_made() {
                sql.push_str(" RETURNING ");
                sql.push_str(self.key());
            }
            first = false;
            all.push(sql);
        }
        all
    }

    fn create_rows(&self) -> Vec<String> {
        let kind = type_of(self.column);
        let id = match (self.ids, self.column) {
            (IdKind::ServerV4, _) => "id uuid DEFAULT gen_random_uuid()".to_owned(),
            (IdKind::ServerV7, _) => "id uuid DEFAULT uuidv7()".to_owned(),
            (_, Column::CountedInteger) => "id bigint GENERATED ALWAYS AS IDENTITY".to_owned(),
            (_, Column::TwoIntegers) => "hi bigint, lo bigint".to_owned(),
            // The collation of a language would compare by other rules, and slowly.
            _ if kind == "text" => "id text COLLATE \"C\"".to_owned(),
            _ => format!("id {kind}"),
        };
        let payload = match self.payload_bytes {
            0 => "",
            _ => ", payload bytea NOT NULL",
        };
        let (rows, key) = (&self.rows, self.key());
        let mut statements = vec![format!("CREATE TABLE {rows} ({id}{payload}, PRIMARY KEY ({key}))")];
        if self.payload_bytes > 0 {
            // Stored within the row at any width, never in a separate TOAST table. CREATE TABLE takes it since version 16.
            statements.push(format!("ALTER TABLE {rows} ALTER payload SET STORAGE PLAIN"));
        }
        if let Some(map) = &self.map {
            statements.push(format!("CREATE TABLE {map} (uuid uuid PRIMARY KEY, id bigint NOT NULL)"));
        }
        statements
    }

    /// The statement that drops everything.
    pub fn remove(&self) -> String {
        let tables: Vec<&str> = self.tables().collect();
        format!("DROP TABLE IF EXISTS {}", tables.join(", "))
    }

    /// The tables, the table of the rows first.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().flat_map(|(own, _)| own.tables());
        let others = own.filter(|table| **table != self.rows);
        [Some(&self.rows), self.map.as_ref()].into_iter().flatten().chain(others).map(String::as_str)
    }

    /// The indexes that are measured, the index of the rows first.
    pub fn trees(&self) -> Vec<(Role, String)> {
        if let Some((_, index)) = &self.own {
            return vec![(Role::Rows, index.clone())];
        }
        let roles = [Role::Rows, Role::Map];
        roles.into_iter().zip(self.tables()).map(|(role, table)| (role, format!("{table}_pkey"))).collect()
    }

    /// The index of the primary key of a table, as an expression of the type `oid`.
    pub fn index_of(&self, table: &str) -> String {
        match &self.own {
            None => format!("'{table}_pkey'::regclass"),
            Some(_) => {
                format!(
                    "(SELECT indexrelid FROM pg_index WHERE indrelid = '{table}'::regclass AND indisprimary)"
                )
            }
        }
    }

    /// The statement that returns the keys of a tree in its order, and the column that holds them.
    pub fn keys(&self, role: Role) -> Result<(String, Column)> {
        match (role, &self.map) {
            (Role::Rows, _) => {
                let (key, rows) = (self.key(), &self.rows);
                let order = self.own.as_ref().map_or_else(|| key.to_owned(), |(own, _)| own.sorted_by());
                Ok((format!("SELECT {key} FROM {rows} ORDER BY {order}"), self.column))
            }
            (Role::Map, Some(map)) => Ok((format!("SELECT uuid FROM {map} ORDER BY uuid"), Column::Binary16)),
            (Role::Map | Role::Pairs | Role::Secondary, _) => {
                Err(Error::unverified(format!("this strategy has no tree \"{role:?}\"")))
            }
        }
    }

    /// The statement that counts rows, bytes of payload, and pairs whose row is missing.
    pub fn contents(&self) -> String {
        let rows = &self.rows;
        let bytes =
            if self.payload_bytes > 0 { "coalesce(sum(length(payload)), 0)::int8" } else { "0::int8" };
        let unmapped = self.map.as_ref().map_or("0::int8".to_owned(), |map| {
            format!(
                "(SELECT count(*) FROM {map} m WHERE NOT EXISTS (SELECT FROM {rows} r WHERE r.id = m.id))"
            )
        });
        format!("SELECT count(*), {bytes}, {unmapped} FROM {rows}")
    }

    /// The query that looks for the bound keys. It must find none before they are inserted.
    pub fn find(&self) -> String {
        let (kind, rows) = (type_of(self.column), &self.rows);
        match self.column {
            Column::TwoIntegers => format!(
                "SELECT 1 FROM {rows} WHERE (hi, lo) IN (SELECT * FROM unnest($1::{kind}[], $2::{kind}[])) LIMIT 1"
            ),
            _ => format!("SELECT 1 FROM {rows} WHERE id = ANY ($1::{kind}[]) LIMIT 1"),
        }
    }

    /// An `INSERT` of as many rows as the arrays bound to it have elements: the keys, unless the server generates them,
    /// then the payloads. If there are neither, the number of rows is bound instead.
    pub fn insert(&self) -> String {
        let kind = type_of(self.column);
        let mut columns: Vec<(&str, &str)> = match (self.is_made(), self.column) {
            (true, _) => Vec::new(),
            (false, Column::TwoIntegers) => vec![("hi", kind), ("lo", kind)],
            (false, _) => vec![("id", kind)],
        };
        if self.payload_bytes > 0 {
            columns.push(("payload", "bytea"));
        }
        let returning = match (self.is_made(), self.timed) {
            (true, _) => " RETURNING id",
            (_, true) => " RETURNING (extract(epoch FROM clock_timestamp()) * 1000000)::int8",
            _ => "",
        };
        if columns.is_empty() {
            return format!("INSERT INTO {} SELECT FROM generate_series(1, $1::int8){returning}", self.rows);
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let arrays: Vec<String> =
            columns.iter().zip(1..).map(|((_, kind), number)| format!("${number}::{kind}[]")).collect();
        format!(
            "INSERT INTO {} ({}) SELECT * FROM unnest({}){returning}",
            self.rows,
            names.join(", "),
            arrays.join(", ")
        )
    }
}
