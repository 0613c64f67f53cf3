//! The order in which the rows of a sample came to their table, as a counter or a time in it tells.

use crate::survey::judge::integers;
use crate::survey::read::sample::{Sample, Value};
use crate::survey::schema::Table;
use crate::survey::session::Engine;

/// The order in which the rows of a sample came to their table.
pub(crate) struct Came {
    /// The column that tells it.
    pub(super) column: usize,
    pub(super) name: String,
    /// The rank of each row of the sample; `None` for a row without a value.
    pub(super) places: Vec<Option<f64>>,
}

/// A row has a later time than another one in as many cases as this, or the times tell nothing: a table that was loaded at once.
pub(super) const LEAST_TIMES: usize = 10;

impl Came {
    /// Finds the order by a counter, or else by a time at which rows are made; `None` if no column shows it.
    pub(crate) fn of(engine: Engine, table: &Table, sample: &Sample) -> Option<Came> {
        let counters = (0..table.columns.len()).filter(|&at| is_counter(engine, table, at));
        let times = (0..table.columns.len()).filter(|&at| table.columns[at].is_creation_time());
        // A program chose the row ids of SQLite if they are far from each other.
        let is_chosen = |at: &usize| {
            let numbers = sample.values(*at).into_iter().filter_map(|(_, value)| match value {
                Value::Int(number) => Some(*number),
                _ => None,
            });
            !table.is_counted(*at) && integers::is_far(&numbers.collect::<Vec<_>>())
        };
        let (chosen, counted): (Vec<usize>, Vec<usize>) = counters.partition(is_chosen);
        counted.into_iter().chain(times).chain(chosen).find_map(|at| {
            let place = sample.columns.iter().position(|&of| of == at)?;
            let negative = |row: &&Vec<Value>| matches!(row[place], Value::Int(..0));
            if is_counter(engine, table, at)
                && sample.rows.iter().filter(negative).count() * 2 > sample.rows.len()
            {
                return None;
            }
            let places = ranks(&sample.rows.iter().map(|row| &row[place]).collect::<Vec<_>>());
            let mut distinct: Vec<f64> = places.iter().flatten().copied().collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let is_telling = distinct.len() >= LEAST_TIMES.max(sample.rows.len() / 20);
            is_telling.then(|| Came { column: at, name: table.columns[at].name.clone(), places })
        })
    }

    /// The place of a row of the sample among all; one without a time is before them.
    pub(crate) fn place(&self, row: usize) -> f64 {
        self.places[row].unwrap_or(-1.0)
    }
}

/// Returns true if the database counts a column up with each row.
pub(super) fn is_counter(engine: Engine, table: &Table, at: usize) -> bool {
    let is_rowid = engine == Engine::Sqlite
        && !table.clustered
        && table.primary().is_some_and(|key| key.columns == [at])
        && table.columns[at].type_text.eq_ignore_ascii_case("INTEGER");
    is_rowid || table.is_counted(at)
}

/// The place of each value in the order of all; equal values have the same one.
fn ranks(values: &[&Value]) -> Vec<Option<f64>> {
    let key = |value: &Value| match value {
        Value::Int(number) => Some((0, *number, String::new())),
        // A time begins with its year.
        Value::Text(text) if text.bytes().take(4).filter(u8::is_ascii_digit).count() == 4 => {
            Some((1, 0, text.clone()))
        }
        Value::Text(_) | Value::Null | Value::Bytes(_) => None,
    };
    ranked(&values.iter().map(|value| key(value)).collect::<Vec<_>>())
}

/// The place of each key in the order of all, from 0; equal keys have the mean of theirs.
pub(super) fn ranked<K: Ord>(keys: &[Option<K>]) -> Vec<Option<f64>> {
    let mut order: Vec<usize> = (0..keys.len()).filter(|&at| keys[at].is_some()).collect();
    order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
    let mut ranks = vec![None; keys.len()];
    let mut begin = 0;
    while begin < order.len() {
        let end = begin + order[begin..].iter().take_while(|&&at| keys[at] == keys[order[begin]]).count();
        for &at in &order[begin..end] {
            ranks[at] = Some((begin + end - 1) as f64 / 2.0);
        }
        begin = end;
    }
    ranks
}
