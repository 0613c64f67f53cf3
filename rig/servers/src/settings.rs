//! The settings of a server.

use crate::memory::{self, Memory};
use idgen_database::Database;

/// Settings of a server that this crate starts. An external server is taken as it is, and
/// [`Server::start`](crate::Server::start) then refuses settings that it does not have.
///
/// ```
/// use idgen_server::Settings;
///
/// let settings = Settings::new()
///     .buffer_pool_mib(128)
///     .flush_method("O_DIRECT")
///     .option("innodb_flush_log_at_trx_commit", "1");
/// assert_eq!(settings.wanted("innodb_flush_method"), Some("O_DIRECT"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    options: Vec<(String, String)>,
    read_iops: Option<u32>,
    write_iops: Option<u32>,
    tls: bool,
    memory: Memory,
    plugin: Option<String>,
    zone: Option<String>,
}

impl Settings {
    /// The server's own defaults.
    pub fn new() -> Self {
        Settings::default()
    }

    /// Size of the InnoDB buffer pool in MiB (`innodb_buffer_pool_size`).
    pub fn buffer_pool_mib(self, mib: u64) -> Self {
        self.option("innodb_buffer_pool_size", (mib << 20).to_string())
    }

    /// Sets how InnoDB reads and writes files (`innodb_flush_method`), `O_DIRECT` for measurements.
    pub fn flush_method(self, method: &str) -> Self {
        self.option("innodb_flush_method", method)
    }

    /// Size of PostgreSQL's buffer pool in MiB (`shared_buffers`).
    pub fn shared_buffers_mib(self, mib: u64) -> Self {
        self.option("shared_buffers", format!("{mib}MB"))
    }

    /// Any server variable that can be set on the server's command line, by its name with underscores.
    /// The last value of a name is used.
    pub fn option(mut self, name: &str, value: impl Into<String>) -> Self {
        self.options.retain(|(present, _)| present != name);
        self.options.push((name.to_owned(), value.into()));
        self
    }

    /// A plug-in that a server of MariaDB loads at its start, by the name of its library, such as `ha_rocksdb`.
    pub fn plugin(mut self, library: &str) -> Self {
        self.plugin = Some(library.to_owned());
        self
    }

    /// The time zone of a container, as the variable `TZ` has it: a name, or rules such as `AAA0BBB-1,0/0,333/22:19`.
    pub fn zone(mut self, zone: impl Into<String>) -> Self {
        self.zone = Some(zone.into());
        self
    }

    pub(crate) fn time_zone(&self) -> Option<&str> {
        self.zone.as_deref()
    }

    /// Limits reads and writes from and to the disk, each in operations per second. Only containers can be
    /// limited (through the engine's block-device throttles), and the limit only has an effect with `O_DIRECT`.
    pub fn iops(mut self, read: u32, write: u32) -> Self {
        self.read_iops = Some(read);
        self.write_iops = Some(write);
        self
    }

    /// Limits the memory of a container to this many MiB. By default it is limited to its buffer pool, a quarter of that
    /// and 1,536 MiB: a server that takes more is ended by the kernel, instead of the machine. Processes and external
    /// servers are not limited.
    pub fn memory_mib(mut self, mib: u64) -> Self {
        self.memory = Memory::Mib(mib);
        self
    }

    /// Does not limit the memory of a container: for measurements that include pages of files that the kernel keeps
    /// in memory, which a limit would make fewer.
    pub fn unlimited_memory(mut self) -> Self {
        self.memory = Memory::Unlimited;
        self
    }

    /// The most memory that a container may take, in MiB.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        match self.memory {
            Memory::Mib(mib) => Some(mib),
            Memory::Unlimited => None,
            Memory::OfPool => {
                let pool = self.wanted("innodb_buffer_pool_size").or_else(|| self.wanted("shared_buffers"));
                let mib = pool.and_then(bytes_of).map(|bytes| bytes.div_ceil(1 << 20));
                Some(memory::for_pool(mib.unwrap_or(memory::DEFAULT_POOL_MIB)))
            }
        }
    }

    /// Encrypts the connections: the server gets a certificate that is made for it, and
    /// [`Server::url`](crate::Server::url) demands it. An external server stays as it is.
    pub fn tls(mut self, on: bool) -> Self {
        self.tls = on;
        self
    }

    pub(crate) fn wants_tls(&self) -> bool {
        self.tls
    }

    /// The value set for an option, if any.
    pub fn wanted(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(present, _)| present == name).map(|(_, value)| value.as_str())
    }

    /// All options with their values.
    pub fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Read and write limits in operations per second, when set.
    pub fn iops_limits(&self) -> Option<(u32, u32)> {
        self.read_iops.zip(self.write_iops)
    }

    /// Returns the arguments of the server's command line.
    ///
    /// MySQL rounds a pool up to a multiple of its chunks, 128 MiB by default: it gets one chunk, as large as the
    /// pool (Reference Manual, Configuring InnoDB Buffer Pool Size). MariaDB takes any number of MiB.
    pub(crate) fn arguments(&self, database: Database) -> impl Iterator<Item = String> {
        let prefix = if database == Database::Postgres { "-c" } else { "--" };
        let pool = self.wanted("innodb_buffer_pool_size").filter(|_| database == Database::MySql);
        let whole = pool.into_iter().flat_map(|bytes| {
            [
                "--innodb_buffer_pool_instances=1".to_owned(),
                format!("--innodb_buffer_pool_chunk_size={bytes}"),
            ]
        });
        let plugin = self.plugin.iter().map(|library| format!("--plugin-load-add={library}"));
        // The last of two counts: the user's own.
        whole
            .chain(plugin)
            .chain(self.options.iter().map(move |(name, value)| format!("{prefix}{name}={value}")))
    }
}

/// Servers write switches and sizes in more than one way.
pub(crate) fn same_value(found: &str, wanted: &str) -> bool {
    let plain = |text: &str| match text.to_ascii_uppercase().as_str() {
        "ON" | "TRUE" => "1".to_owned(),
        "OFF" | "FALSE" => "0".to_owned(),
        other => other.trim_end_matches(".000000").to_owned(),
    };
    plain(found) == plain(wanted) || bytes_of(wanted).is_some_and(|wanted| found == wanted.to_string())
}

/// A number of bytes, as servers write it: `134217728`, `128M`, or PostgreSQL's `128MB`.
fn bytes_of(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
    let unit = unit.to_ascii_uppercase();
    let shift = match unit.strip_suffix('B').unwrap_or(&unit) {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Returns true if a setting of PostgreSQL has the wanted value. `found` is the column `setting` of `pg_settings`, in
/// units of the column `unit`, such as `8kB`; `wanted` may name another unit (PostgreSQL manual, section "Parameter
/// Names and Values").
pub(crate) fn same_postgres_value(found: &str, unit: &str, wanted: &str) -> bool {
    /// The number, in bytes or microseconds.
    fn amount(text: &str) -> Option<f64> {
        let text = text.trim();
        let (digits, unit) =
            text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
        let factor = match unit {
            "B" => 1.0,
            "kB" => 1024.0,
            "MB" => 1024.0 * 1024.0,
            "GB" => 1024.0 * 1024.0 * 1024.0,
            "TB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            "us" => 1.0,
            "ms" => 1e3,
            "s" => 1e6,
            "min" => 60e6,
            "h" => 3_600e6,
            "d" => 86_400e6,
            _ => return None,
        };
        // A unit alone, such as `kB`, is one of it.
        if digits.is_empty() { Some(factor) } else { Some(digits.trim().parse::<f64>().ok()? * factor) }
    }
    let found_amount = amount(unit).zip(found.parse::<f64>().ok()).map(|(unit, found)| unit * found);
    same_value(found, wanted) || found_amount.is_some_and(|found| amount(wanted) == Some(found))
}

#[cfg(test)]
mod tests {
    use super::{Settings, same_postgres_value, same_value};

    #[test]
    fn the_memory_follows_the_buffer_pool() {
        let limit = |settings: Settings| settings.memory_limit();
        assert_eq!(limit(Settings::new()), Some(128 + 32 + 1536));
        assert_eq!(limit(Settings::new().buffer_pool_mib(1024)), Some(1024 + 256 + 1536));
        assert_eq!(limit(Settings::new().shared_buffers_mib(64)), Some(64 + 16 + 1536));
        let in_gib = Settings::new().option("innodb_buffer_pool_size", "2G");
        assert_eq!(limit(in_gib), Some(2048 + 512 + 1536));
        assert_eq!(limit(Settings::new().buffer_pool_mib(1024).memory_mib(700)), Some(700));
        assert_eq!(limit(Settings::new().unlimited_memory()), None);
    }

    #[test]
    fn values_of_postgres_are_compared_by_meaning() {
        assert!(same_postgres_value("16384", "8kB", "128MB"));
        assert!(same_postgres_value("16384", "8kB", "16384"));
        assert!(same_postgres_value("1024", "MB", "1GB"));
        assert!(same_postgres_value("300", "s", "5min"));
        assert!(same_postgres_value("off", "", "off"));
        assert!(!same_postgres_value("16384", "8kB", "129MB"));
        assert!(!same_postgres_value("300", "s", "5 parsecs"));
        assert!(!same_postgres_value("on", "", "off"));
    }

    #[test]
    fn values_are_compared_by_meaning() {
        assert!(same_value("ON", "1"));
        assert!(same_value("134217728", "128M"));
        assert!(same_value("O_DIRECT", "o_direct"));
        assert!(!same_value("1", "2"));
        assert!(!same_value("ON", "OFF"));
    }
}
