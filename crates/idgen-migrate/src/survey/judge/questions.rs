//! Questions to a model, about the keys that are scattered, or wider than an id has to be.

use crate::survey::judge::arrival::Arrival;
use crate::survey::judge::changes::{Order, Prediction, Question, rank};
use crate::survey::judge::columns::FoundBy;
use crate::survey::judge::kinds::Kind;
use crate::survey::report::{ColumnReport, Survey, TableReport};
use crate::survey::session::Engine;

/// A table with fewer rows has nothing to gain.
const LEAST_ROWS: u64 = 10_000;
/// A key is of a kind if this share of its values is.
const CLEARLY: f64 = 0.9;
/// Bytes of an id of 128 bits, with the byte for its length that some types have.
const WIDE: f64 = 17.0;
/// Bytes of the row beside the key, where the database does not tell.
const ROW_BYTES: u32 = 100;
/// Bytes that InnoDB adds to a row: its header, and the two columns of the system.
const INNODB_ROW: f64 = 18.0;
/// The page fill where random keys arrive, and where keys ascend.
const FILLS: (f64, f64) = (0.69, 0.93);

impl Survey {
    /// Returns the questions to a model, about primary keys that are scattered, or wider than an id has to be, those
    /// with the most bytes of keys first, and at most `most` of them. The second list names the keys that are left out,
    /// with the reasons.
    pub fn questions(&self, most: usize) -> (Vec<Question>, Vec<String>) {
        let (mut asked, mut left_out) = (Vec::new(), Vec::new());
        for table in &self.tables {
            let hurts =
                |column: &&ColumnReport| column.found_by.contains(&FoundBy::PrimaryKey) && hurts(column);
            let Some(column) = table.columns.iter().find(hurts) else { continue };
            match question(self.engine, table, column) {
                Ok(Some(question)) => asked.push(question),
                Ok(None) => {}
                Err(why) => left_out.push(format!("{}.{}: {why}", table.table, column.column)),
            }
        }
        if asked.len() > most {
            let others = asked.len() - most;
            let tables = if others == 1 { "table" } else { "tables" };
            left_out.push(format!("{others} smaller {tables}: ask for more with --predict"));
            asked.truncate(most);
        }
        (asked, left_out)
    }

    /// Takes what a model answered, and which keys it left out and why.
    pub fn add_predictions(&mut self, mut predictions: Vec<Prediction>, left_out: Vec<String>) {
        for prediction in &mut predictions {
            prediction.too_small = prediction.has_no_flush(self.page_bytes);
        }
        rank(&mut predictions);
        self.predictions = predictions;
        self.not_predicted = left_out;
    }
}

/// Returns true if new ids are scattered, or an id takes more bytes than it has to.
fn hurts(column: &ColumnReport) -> bool {
    let is_wide = column.cost.as_ref().is_some_and(|cost| cost.value_bytes > WIDE);
    column.arrival == Arrival::Scattered || is_wide
}

/// `None` if the table is too small.
fn question(
    engine: Engine,
    table: &TableReport,
    column: &ColumnReport,
) -> Result<Option<Question>, &'static str> {
    let rows = table.rows.ok_or("its number of rows is not known")?;
    if rows < LEAST_ROWS {
        return Ok(None);
    }
    if table.key.len() != 1 {
        return Err("the model has no keys of several columns");
    }
    if table.other_engine().is_some() {
        return Err("the model has InnoDB only");
    }
    let share = column.kinds.first().filter(|share| share.share >= CLEARLY);
    let order = match share.ok_or("its ids are of several kinds")?.kind {
        Kind::V4 | Kind::OtherUuid | Kind::Other128 => Order::Random,
        Kind::V1 => Order::LowTimeFirst,
        Kind::V6 | Kind::V7 | Kind::V1Swapped | Kind::Ulid => Order::TimeFirst,
        _ => return Err("the model has no such ids"),
    };
    let value_bytes = column.cost.as_ref().ok_or("its bytes are not known")?.value_bytes;
    let key_bytes = value_bytes.round() as u32;
    if key_bytes < 16 {
        return Err("its ids have fewer than 128 bits");
    }
    let row_bytes = row_bytes(engine, table, order, value_bytes);
    let rate = table.watched.as_ref().and_then(|watched| watched.inserts_per_second());
    let (table, column) = (table.table.clone(), column.column.clone());
    Ok(Some(Question { table, column, rows, order, key_bytes, row_bytes, rate }))
}

/// Bytes beside the key in the tree that the key orders, from the bytes that the table takes for each row.
fn row_bytes(engine: Engine, table: &TableReport, order: Order, value_bytes: f64) -> u32 {
    match (engine, table.bytes_per_row) {
        (Engine::MySql | Engine::MariaDb, Some(bytes)) => {
            let fill = if order == Order::Random { FILLS.0 } else { FILLS.1 };
            // Bytes of overflow pages are counted too; a row on its page is smaller than half a page.
            (bytes * fill - value_bytes - INNODB_ROW).clamp(0.0, 7_000.0) as u32
        }
        // The index beside the table has the row id.
        (Engine::Sqlite, _) if !table.clustered => 4,
        (Engine::Sqlite, Some(bytes)) => (bytes - value_bytes).clamp(0.0, 7_000.0) as u32,
        _ => ROW_BYTES,
    }
}
