//! What a running server says about its settings.

use crate::settings::same_value;
use crate::{Error, Server, Settings, sql};

impl Server {
    /// Compares the settings asked for with those the server runs with.
    pub(crate) fn check(&self, settings: &Settings) -> Result<(), Error> {
        for (name, wanted) in settings.options() {
            let found = self.variable(name)?;
            if !found.as_deref().is_some_and(|found| same_value(found, wanted)) {
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
    /// The server cannot be asked.
    pub fn variable(&self, name: &str) -> Result<Option<String>, Error> {
        let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let rows = sql::rows(self.url(), &format!("SHOW GLOBAL VARIABLES WHERE Variable_name = '{plain}'"))
            .map_err(|error| Error::new(format!("{}: {error}", self.shown_url())))?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().nth(1)))
    }

    /// Every variable that moves a measurement, with the value in force, for the head of a report.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn shown_settings(&self) -> Result<Vec<(String, String)>, Error> {
        let statement = "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'innodb%' OR Variable_name IN \
            ('binlog_format', 'sync_binlog', 'log_bin', 'transaction_isolation', 'tx_isolation', 'version', \
             'version_comment', 'sql_mode', 'character_set_server', 'collation_server', 'max_connections', \
             'auto_increment_increment', 'auto_increment_offset', 'flush', 'query_cache_type', 'thread_handling', \
             'key_buffer_size', 'performance_schema')";
        let rows = sql::rows(self.url(), statement)
            .map_err(|error| Error::new(format!("{}: {error}", self.shown_url())))?;
        Ok(rows.into_iter().filter_map(|row| <[String; 2]>::try_from(row).ok().map(Into::into)).collect())
    }
}
