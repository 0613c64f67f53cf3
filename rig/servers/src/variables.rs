//! The settings of a running server.

use crate::error::Error;
use crate::server::Server;
use crate::settings::Settings;
use crate::settings::{same_postgres_value, same_value};
use crate::sql;

impl Server {
    /// Compares the requested settings with those of the server.
    pub(crate) fn check(&self, settings: &Settings) -> Result<(), Error> {
        for (name, wanted) in settings.options() {
            let found = self.variable(name)?;
            let same = if self.database().speaks_mysql() {
                found.as_deref().is_some_and(|found| same_value(found, wanted))
            } else {
                self.ask(&format!("SELECT setting, unit FROM pg_settings WHERE name = '{}'", plain(name)))?
                    .iter()
                    .any(|row| matches!(&row[..], [found, unit] if same_postgres_value(found, unit, wanted)))
            };
            if !same {
                return Err(Error::new(format!(
                    "{} runs with {name} = {}, not {wanted} as asked",
                    self.shown_url(),
                    found.as_deref().unwrap_or("(unknown variable)")
                )));
            }
        }
        Ok(())
    }

    /// The value of a global variable, `None` where the server has none of this name.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn variable(&self, name: &str) -> Result<Option<String>, Error> {
        let name = plain(name);
        let rows = self.ask(&if self.database().speaks_mysql() {
            format!("SHOW GLOBAL VARIABLES WHERE Variable_name = '{name}'")
        } else {
            format!("SELECT name, current_setting(name) FROM pg_settings WHERE name = '{name}'")
        })?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().nth(1)))
    }

    /// Runs one statement and returns the texts of its rows.
    pub(crate) fn ask(&self, statement: &str) -> Result<Vec<Vec<String>>, Error> {
        sql::rows(self.url(), statement).map_err(|error| Error::new(format!("{}: {error}", self.shown_url())))
    }

    /// Every variable that influences a measurement, with its current value, for the head of a report.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn shown_settings(&self) -> Result<Vec<(String, String)>, Error> {
        const MYSQL: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'innodb%' OR \
            Variable_name LIKE 'rocksdb%' OR Variable_name IN \
            ('binlog_format', 'sync_binlog', 'log_bin', 'transaction_isolation', 'tx_isolation', 'version', \
             'version_comment', 'sql_mode', 'character_set_server', 'collation_server', 'max_connections', \
             'auto_increment_increment', 'auto_increment_offset', 'flush', 'query_cache_type', 'thread_handling', \
             'key_buffer_size', 'performance_schema', 'default_storage_engine')";
        const POSTGRES: &str = "SELECT name, current_setting(name) FROM pg_settings \
            WHERE category LIKE 'Write-Ahead Log%' OR category LIKE 'Resource Usage%' OR name IN \
            ('autovacuum', 'block_size', 'data_checksums', 'default_transaction_isolation', 'lc_collate', \
             'max_connections', 'server_encoding', 'server_version', 'track_io_timing', 'wal_segment_size') \
            ORDER BY name";
        let rows = self.ask(if self.database().speaks_mysql() { MYSQL } else { POSTGRES })?;
        Ok(rows.into_iter().filter_map(|row| <[String; 2]>::try_from(row).ok().map(Into::into)).collect())
    }
}

/// The letters, digits and underscores of a variable's name.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}
