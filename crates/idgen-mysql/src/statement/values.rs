//! The rows of an answer, whichever driver read them.

use sqlx::Row;
use sqlx::mysql::MySqlRow;
use uuid::Uuid;

use crate::error::failure::{Attempt, Failure};
use crate::statement::sql::uuid_at;

/// A row of a statement's answer.
pub trait Values: Send + Sync {
    /// The number of columns.
    fn len(&self) -> usize;
    fn has(&self, name: &str) -> bool;
    fn place(&self, name: &str) -> Attempt<usize>;
    fn number(&self, at: usize) -> Attempt<Option<u64>>;
    fn bytes(&self, at: usize) -> Attempt<Option<Vec<u8>>>;
    fn uuid(&self, at: usize) -> Attempt<Uuid>;

    fn text(&self, at: usize) -> Attempt<Option<String>> {
        Ok(self.bytes(at)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

impl Values for MySqlRow {
    fn len(&self) -> usize {
        Row::len(self)
    }

    fn has(&self, name: &str) -> bool {
        self.try_column(name).is_ok()
    }

    fn place(&self, name: &str) -> Attempt<usize> {
        Ok(sqlx::Column::ordinal(self.try_column(name)?))
    }

    /// A column of a table of yours may be signed, and the union of two columns a `DECIMAL`.
    fn number(&self, at: usize) -> Attempt<Option<u64>> {
        Ok(self.try_get_unchecked(at)?)
    }

    /// Some servers give metadata as text, some as bytes.
    fn bytes(&self, at: usize) -> Attempt<Option<Vec<u8>>> {
        Ok(self.try_get_unchecked(at)?)
    }

    fn uuid(&self, at: usize) -> Attempt<Uuid> {
        Ok(uuid_at(self, at)?)
    }
}

/// A row that another driver read.
pub struct DriverRow {
    pub(super) columns: std::sync::Arc<[String]>,
    pub(super) values: Vec<Option<Vec<u8>>>,
}

impl DriverRow {
    fn value(&self, at: usize) -> Attempt<Option<&[u8]>> {
        let count = self.values.len();
        let missing = || Failure::Unreadable(format!("a row of {count} columns has no column {}", at + 1));
        Ok(self.values.get(at).ok_or_else(missing)?.as_deref())
    }

    fn unreadable(&self, at: usize, wanted: &str) -> Failure {
        let name = self.columns.get(at).map_or("", String::as_str);
        Failure::Unreadable(format!("the driver's value of column {name} is not {wanted}"))
    }
}

impl Values for DriverRow {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn has(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    fn place(&self, name: &str) -> Attempt<usize> {
        let missing = || Failure::Unreadable(format!("the driver gave no column {name}"));
        self.columns.iter().position(|column| column == name).ok_or_else(missing)
    }

    fn number(&self, at: usize) -> Attempt<Option<u64>> {
        let parse = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
        let value = self.value(at)?;
        value.map(|bytes| parse(bytes).ok_or_else(|| self.unreadable(at, "a number"))).transpose()
    }

    fn bytes(&self, at: usize) -> Attempt<Option<Vec<u8>>> {
        Ok(self.value(at)?.map(<[u8]>::to_vec))
    }

    fn uuid(&self, at: usize) -> Attempt<Uuid> {
        let uuid = self.value(at)?.and_then(|bytes| Uuid::from_slice(bytes).ok());
        uuid.ok_or_else(|| self.unreadable(at, "16 bytes"))
    }
}

/// The number in a column that is never NULL.
pub(crate) fn number_at(row: &impl Values, at: usize) -> Attempt<u64> {
    row.number(at)?.ok_or_else(|| Failure::Unreadable(format!("column {} is NULL", at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[Option<&[u8]>]) -> DriverRow {
        let columns: Vec<String> = ["id", "uuid"].map(str::to_owned).to_vec();
        DriverRow {
            columns: columns.into(),
            values: values.iter().map(|value| value.map(<[u8]>::to_vec)).collect(),
        }
    }

    #[test]
    fn values_of_another_driver_are_read_or_refused() {
        let good = row(&[Some(b"18446744073709551615"), Some(&[7; 16])]);
        assert_eq!(good.number(0).unwrap(), Some(u64::MAX));
        assert_eq!(good.uuid(1).unwrap(), Uuid::from_bytes([7; 16]));
        assert!(good.has("uuid") && !good.has("version"));
        assert!(good.number(1).is_err() && good.uuid(0).is_err() && good.uuid(2).is_err());
        let bad = row(&[None, Some(&[7; 15])]);
        assert_eq!(bad.number(0).unwrap(), None);
        assert!(number_at(&bad, 0).is_err() && bad.uuid(1).is_err());
        let negative = row(&[Some(b"-1")]);
        assert!(negative.number(0).unwrap_err().to_string().contains("id is not a number"));
    }
}
