//! The tables of a survey as texts: a terminal and a page show the same ones.

use idgen_check::grouped;

use crate::survey::judge::arrival::ArrivalBy;
use crate::survey::judge::changes::{self, Change, Prediction};
use crate::survey::judge::costs::{Cost, FillFrom};
use crate::survey::report::{ColumnReport, Survey};

/// A table of a survey, as texts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Section {
    /// The title of the table.
    pub heading: String,
    /// Sentences about it.
    pub notes: Vec<String>,
    /// The names of the columns.
    pub head: Vec<&'static str>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
    /// The columns that are words. The others are numbers.
    pub texts: Vec<usize>,
}

impl Survey {
    /// The tables that have rows: the predictions, the columns of ids, and the bytes of keys.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("shop.db");
    /// # let connection = rusqlite::Connection::open(&path)?;
    /// # connection.execute_batch("CREATE TABLE orders (id TEXT PRIMARY KEY) WITHOUT ROWID;
    /// #     INSERT INTO orders VALUES ('6ccd780c-baba-4026-9564-5b8c656024db');")?;
    /// # let url = format!("sqlite:{}", path.display());
    /// let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// let survey = runtime.block_on(idgen_migrate::survey::survey(&url, &idgen_migrate::survey::Options::default()))?;
    /// let sections = survey.sections();
    /// assert_eq!(sections[0].heading, "Columns of ids");
    /// assert_eq!(sections[0].rows[0][0], "orders");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sections(&self) -> Vec<Section> {
        let all = [self.predicted(), self.columns(), self.watched(), self.costs()];
        all.into_iter().filter(|section| !section.rows.is_empty()).collect()
    }

    /// The lists of sentences, with their headings; they can be empty.
    pub fn lists(&self) -> [(&'static str, &[String]); 3] {
        [
            ("Not predicted", &self.not_predicted),
            ("Privileges used", &self.privileges),
            ("Not seen", &self.unseen),
        ]
    }

    /// Summarizes the survey in one sentence.
    pub fn summary(&self) -> String {
        format!(
            "{} {}: {} tables, {} of them with ids or findings; {} rows read with {} statements",
            self.engine.name(),
            self.server,
            grouped(self.tables_seen as u64),
            grouped(self.tables.len() as u64),
            grouped(self.rows_read),
            grouped(self.statements.len() as u64)
        )
    }

    fn predicted(&self) -> Section {
        let has_log =
            self.predictions.iter().flat_map(|one| &one.changes).any(|one| one.images_per_1k.is_some());
        let mut head = vec!["key", "rows", "new rows with", "size", "fill"];
        head.extend(["read", "written"]);
        head.extend(has_log.then_some("pages logged"));
        head.push("saved");
        let rows = self.predictions.iter().flat_map(|one| predicted_rows(one, has_log));
        let mut notes = vec![
            "Predicted by a model, for the time when each table has twice its rows; pages are those of 1,000 inserts.".to_owned(),
        ];
        if let Some(bytes) = self.pool_bytes {
            notes.push(format!(
                "The buffer pool is that of this server, {}, for each table alone.",
                size(bytes)
            ));
        }
        let assumed = self.predictions.iter().find(|one| one.question.rate.is_none());
        if let Some(assumed) = assumed {
            let rate = grouped(assumed.assumed_rate.round() as u64);
            notes.push(format!(
                "Where inserts were not counted, it assumes {rate} per second; --watch counts them."
            ));
        }
        if changes::is_per_second(&self.predictions) {
            notes.push("Tables are in the order of the pages that they would save each second.".to_owned());
        }
        Section {
            heading: "Where the most pages are to be gained".to_owned(),
            notes,
            head,
            rows: rows.collect(),
            texts: vec![0, 2],
        }
    }

    fn columns(&self) -> Section {
        let (mut rows, mut notes) = (Vec::new(), Vec::new());
        for found in &self.tables {
            notes.extend(found.other_engine().map(|engine| of_engine(&found.table, engine)));
            for column in &found.columns {
                rows.push(vec![
                    found.table.clone(),
                    rows_text(found.rows, found.whole),
                    grouped(found.rows_read),
                    column.column.clone(),
                    typed(column),
                    kinds(column, found.whole),
                    arrival(column),
                ]);
            }
        }
        Section {
            heading: "Columns of ids".to_owned(),
            notes,
            head: vec!["table", "rows", "read", "column", "type", "kinds", "new ids"],
            rows,
            texts: vec![0, 3, 4, 5, 6],
        }
    }

    fn watched(&self) -> Section {
        let mut rows = Vec::new();
        let mut seconds: f64 = 0.0;
        for table in &self.tables {
            let Some(watched) = &table.watched else { continue };
            seconds = seconds.max(watched.seconds);
            let rate = watched.inserts_per_second();
            let more = if watched.or_more { " or more" } else { "" };
            rows.push(vec![
                table.table.clone(),
                watched.inserted.map_or("-".to_owned(), grouped),
                rate.map_or("-".to_owned(), |rate| format!("{rate:.1}")),
                format!("{}{more}", grouped(watched.at_right_edge)),
                format!("{} to {}", grouped(watched.in_sample), grouped(watched.sampled)),
            ]);
        }
        Section {
            heading: format!("New rows within {seconds:.0} seconds"),
            notes: Vec::new(),
            head: vec!["table", "inserted", "each second", "at the right edge", "came to rows of the sample"],
            rows,
            texts: vec![0],
        }
    }

    fn costs(&self) -> Section {
        let mut costs: Vec<(String, &Cost)> = Vec::new();
        for found in &self.tables {
            for column in &found.columns {
                if let Some(cost) = &column.cost {
                    costs.push((format!("{}.{}", found.table, column.column), cost));
                }
            }
        }
        let all = costs.len();
        costs.retain(|(_, cost)| cost.bytes() > 0);
        let empty = all - costs.len();
        costs.sort_by_key(|(_, cost)| {
            let shrinks = cost.bytes() - cost.bytes_as_16.unwrap_or(cost.bytes()).min(cost.bytes());
            std::cmp::Reverse((shrinks, cost.bytes()))
        });
        let or_dash = |bytes: Option<u64>| bytes.map_or("-".to_owned(), size);
        let row = |(key, cost): &(String, &Cost)| {
            vec![
                key.clone(),
                format!("{:.1} B", cost.value_bytes),
                size(cost.table_bytes),
                format!("{} in {}", size(cost.index_bytes), cost.indexes),
                format!("{} in {}", size(cost.reference_bytes), cost.references),
                size(cost.bytes()),
                or_dash(cost.bytes_as_16),
                or_dash(cost.bytes_as_8),
                cost.leaf_pages.map_or("-".to_owned(), grouped),
                fill(cost),
            ]
        };
        let head =
            ["key", "a value", "table", "indexes", "references", "together", "as 16 bytes", "as 8 bytes"];
        Section {
            heading: "Bytes of keys, those first that would shrink most with 16 bytes".to_owned(),
            notes: match empty {
                0 => Vec::new(),
                1 => vec!["The key of an empty table is left out.".to_owned()],
                _ => vec![format!("The keys of {empty} empty tables are left out.")],
            },
            head: head.into_iter().chain(["leaf pages", "fill"]).collect(),
            rows: costs.iter().map(row).collect(),
            texts: vec![0],
        }
    }
}

/// The rows of one table: what it has, and what it would have.
fn predicted_rows(prediction: &Prediction, has_log: bool) -> Vec<Vec<String>> {
    let question = &prediction.question;
    let row = |(at, change): (usize, &changes::Predicted)| {
        let first = at == 0;
        let pages = |pages: Option<f64>| pages.map_or("-".to_owned(), |pages| format!("{pages:.1}"));
        let name = if first { format!("{}.{}", question.table, question.column) } else { String::new() };
        let saved = prediction.saved_per_1k(change).filter(|_| change.change != Change::Stay);
        let mut cells = vec![
            name,
            if first { grouped(question.rows) } else { String::new() },
            change.change.title().to_owned(),
            size(change.bytes.round() as u64),
            format!("{:.0} %", change.fill * 100.0),
        ];
        cells.extend([change.reads_per_1k, change.writes_per_1k].map(|figure| pages(Some(figure))));
        cells.extend(has_log.then(|| pages(change.images_per_1k)));
        cells.push(match change.change {
            Change::Stay => "-".to_owned(),
            _ if prediction.too_small => "too small to differ".to_owned(),
            _ => pages(saved),
        });
        cells
    };
    prediction.changes.iter().enumerate().map(row).collect()
}

/// A page fill, with "about" if it is an estimate.
fn fill(cost: &Cost) -> String {
    match (cost.fill, cost.fill_from) {
        (Some(fill), Some(FillFrom::Pages)) => format!("{:.0} %", fill * 100.0),
        (Some(fill), _) => format!("about {:.0} %", fill * 100.0),
        (None, _) => "-".to_owned(),
    }
}

fn typed(column: &ColumnReport) -> String {
    match &column.collation {
        Some(collation) => format!("{} {collation}", column.type_text),
        None => column.type_text.clone(),
    }
}

/// Names the kinds of a column. Their shares are those of the table only if the `whole` table was read: otherwise they are
/// numbers of values, because the ranges of a sample are not equally large parts of the table.
fn kinds(column: &ColumnReport, whole: bool) -> String {
    let shares = column.kinds.iter().map(|share| match share.share {
        1.0 => share.kind.name().to_owned(),
        part if whole => format!("{} {:.1} %", share.kind.name(), part * 100.0),
        _ => format!("{} {}", share.kind.name(), grouped(share.values)),
    });
    let kinds = match shares.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "no value was read".to_owned(),
        kinds if column.kinds.len() > 1 && !whole => {
            format!("{kinds} of {} in the sample", grouped(column.values))
        }
        kinds => kinds,
    };
    match &column.form {
        Some(form) => format!("{kinds}: {form}"),
        None => kinds,
    }
}

/// Names the place at which new ids arrive, with the column that shows it.
fn arrival(column: &ColumnReport) -> String {
    let name = column.arrival.name();
    match &column.arrival_by {
        Some(ArrivalBy::Column(by)) => format!("{name}, by {by}"),
        _ => name.to_owned(),
    }
}

/// Describes what an engine other than InnoDB means for the key of a table.
fn of_engine(table: &str, engine: &str) -> String {
    let means = match engine.to_ascii_uppercase().as_str() {
        "ROCKSDB" => {
            "an LSM tree, which has no pages to fill: idgen lab advise --engine myrocks predicts what a key costs it"
        }
        _ => "for which there is no prediction",
    };
    format!("{table} is in {engine}, {means}.")
}

fn rows_text(rows: Option<u64>, exact: bool) -> String {
    match rows {
        Some(rows) if exact => grouped(rows),
        Some(rows) => format!("about {}", grouped(rows)),
        None => "unknown".to_owned(),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{} B", grouped(bytes)),
        10_240..10_485_760 => format!("{} KiB", grouped(bytes >> 10)),
        10_485_760..10_737_418_240 => format!("{} MiB", grouped(bytes >> 20)),
        _ => format!("{} GiB", grouped(bytes >> 30)),
    }
}
