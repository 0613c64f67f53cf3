//! Chooses the strategies that a load can have.

use idgen_record::{Column, Database, Workload};

use crate::own::Own;
use crate::runner::{check_existing, check_mix};
use crate::strategy::Strategy;
use crate::{Error, Result};

/// A load, for the choice of its strategies.
pub struct Fitting<'a> {
    /// The load.
    pub load: &'a Workload,
    /// The database that it runs on; `None` for RocksDB.
    pub database: Option<Database>,
    /// True if all strategies were to run, because none was named: those that do not fit are left out then,
    /// and are an error otherwise.
    pub all: bool,
    /// True if the table is the lab's with secondary indexes.
    pub indexed: bool,
}

impl Fitting<'_> {
    /// The strategies that fit the load.
    ///
    /// # Errors
    /// A strategy that was asked for does not fit, or none does; the error says what to choose.
    pub fn part_of(&self, strategies: Vec<&'static Strategy>) -> Result<Vec<&'static Strategy>> {
        self.those_of_the_table(self.those_of_the_rows(strategies)?)
    }

    /// The strategies whose column can hold the ids of the existing rows.
    fn those_of_the_rows(&self, mut strategies: Vec<&'static Strategy>) -> Result<Vec<&'static Strategy>> {
        let follows = |strategy: &Strategy| {
            check_existing(strategy, self.load)?;
            check_mix(strategy, self.load)
        };
        if self.all {
            strategies.retain(|strategy| follows(strategy).is_ok());
        }
        strategies.iter().try_for_each(|strategy| follows(strategy))?;
        if strategies.is_empty() {
            return Err(Error::config(
                "no strategy stores ids of the kind of --existing: choose another kind for it, such as v4",
            ));
        }
        Ok(strategies)
    }

    /// The strategies that the user's own table, or the lab's with secondary indexes, can have.
    fn those_of_the_table(&self, mut strategies: Vec<&'static Strategy>) -> Result<Vec<&'static Strategy>> {
        let (Some(own), Some(database)) = (&self.load.own, self.database) else { return Ok(strategies) };
        // SQLite counts only in a table with a hidden row id, and this table is `WITHOUT ROWID`.
        let cannot_count = database == Database::Sqlite && self.indexed;
        let counts = |strategy: &Strategy| cannot_count && strategy.column == Column::CountedInteger;
        if self.all {
            let own = Own::read(own, database)?;
            let fits =
                |strategy: &Strategy| strategy.column != Column::CountedInteger || own.can_count(database);
            strategies.retain(|strategy| Own::check(strategy).is_ok() && fits(strategy) && !counts(strategy));
        }
        for strategy in &strategies {
            Own::check(strategy)?;
            if counts(strategy) {
                return Err(Error::config(format!(
                    "SQLite cannot run {} with --secondary-indexes, because such a table has no row id that counts: choose device",
                    strategy.name
                )));
            }
        }
        Ok(strategies)
    }
}
