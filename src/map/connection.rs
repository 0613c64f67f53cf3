//! The options that name the server and the table.

use std::time::Duration;

use idgen_mysql::{Builder, UuidMap};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure;
use crate::number;
use crate::values;

#[derive(clap::Args)]
pub struct Connection {
    /// The server and schema, as mysql://user:password@host:port/schema. Use the environment variable to keep the
    /// password out of process lists.
    #[arg(long, value_name = "URL", env = "IDGEN_MAP_URL", hide_env_values = true, value_parser = values::url)]
    url: String,
    /// The map's table.
    #[arg(long, value_name = "NAME", default_value = "uuid_map")]
    table: String,
    /// Continue although the server's settings may lose acknowledged pairs in a crash; a note names them.
    #[arg(long)]
    accept_unsafe_server: bool,
    /// How long to retry after failures of the server that may be temporary.
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u64>(0..=u64::MAX), default_value_t = 30)]
    timeout_secs: u64,
}

impl Connection {
    /// A map without a cache, because a run usually asks for each UUID once.
    pub async fn open(&self) -> anyhow::Result<UuidMap> {
        self.open_with(|builder| builder).await
    }

    /// Opens the map with further settings.
    pub async fn open_with(&self, choose: impl FnOnce(Builder) -> Builder) -> anyhow::Result<UuidMap> {
        let builder = UuidMap::builder()
            .table(&self.table)
            .cache(0)
            .connections(2)
            .timeout(Duration::from_secs(self.timeout_secs))
            .accept_unsafe_server(self.accept_unsafe_server);
        let map = choose(builder).connect(&self.url).await?;
        for concern in map.server_report().await?.concerns() {
            failure::note(format_args!("this server may lose acknowledged pairs: {concern}"));
        }
        Ok(map)
    }
}

/// Shows progress on standard error, if it is a terminal.
pub fn progress(what: &'static str) -> ProgressBar {
    let template = format!("{{spinner}} {{human_pos}} {what}, {{per_sec}}, {{elapsed}}");
    // Falls back to the default style; the template above is a constant.
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}
