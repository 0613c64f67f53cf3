//! Which server, which table.

use std::time::Duration;

use idgen_mysql::{Builder, UuidMap};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure;

#[derive(clap::Args)]
pub struct Connection {
    /// The server and schema, as mysql://user:password@host:port/schema. In the variable, the password shows
    /// in no process list.
    #[arg(long, value_name = "URL", env = "IDGEN_MAP_URL", hide_env_values = true)]
    url: String,
    /// The map's table.
    #[arg(long, value_name = "NAME", default_value = "uuid_map")]
    table: String,
    /// Go on although the server's settings may lose acknowledged pairs in a crash; says which.
    #[arg(long)]
    accept_unsafe_server: bool,
    /// How long to go on trying while the server fails in ways that pass.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    patience_secs: u64,
}

impl Connection {
    /// A map that remembers nothing: each UUID of a run is mostly asked for once.
    pub async fn open(&self) -> anyhow::Result<UuidMap> {
        self.open_with(|builder| builder).await
    }

    /// With further choices.
    pub async fn open_with(&self, choose: impl FnOnce(Builder) -> Builder) -> anyhow::Result<UuidMap> {
        let builder = UuidMap::builder()
            .table(&self.table)
            .cache(0)
            .connections(2)
            .patience(Duration::from_secs(self.patience_secs))
            .accept_unsafe_server(self.accept_unsafe_server);
        let map = choose(builder).connect(&self.url).await?;
        for concern in map.server_report().await?.concerns() {
            failure::note(format_args!("this server may lose acknowledged pairs: {concern}"));
        }
        Ok(map)
    }
}

/// Shows on standard error how far long work is, where a person looks at it.
pub fn progress(what: &'static str) -> ProgressBar {
    let template = format!("{{spinner}} {{human_pos}} {what}, {{per_sec}}, {{elapsed}}");
    // Falls back to the default style; the template above is a constant.
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}
