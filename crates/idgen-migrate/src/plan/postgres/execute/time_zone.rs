//! The time zone that the server's own client would have. The driver asks for UTC, but triggers of users, which the copy fires, may
//! convert times.

use sqlx::postgres::PgConnection;
use tokio::sync::mpsc::UnboundedSender;

use super::value;
use idgen_database::Result;

/// The setting of the role in this database, of the role, of the database, or of all.
const OF_ROLE: &str = "SELECT pg_catalog.substr(c.line, 10) FROM (SELECT s.setrole, s.setdatabase, pg_catalog.unnest(s.setconfig) AS line FROM \
    pg_catalog.pg_db_role_setting AS s) AS c WHERE c.setrole IN (0, (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = session_user)) \
    AND c.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())) \
    AND pg_catalog.lower(c.line) LIKE 'timezone=%' ORDER BY c.setrole <> 0 DESC, c.setdatabase <> 0 DESC LIMIT 1";
/// The setting of the server, or its default.
const OF_SERVER: &str = "SELECT COALESCE((SELECT f.setting FROM pg_catalog.pg_file_settings AS f WHERE pg_catalog.lower(f.name) = 'timezone' \
    AND f.applied ORDER BY f.seqno DESC LIMIT 1), (SELECT s.boot_val FROM pg_catalog.pg_settings AS s WHERE s.name = 'TimeZone'))";

/// Sets it. Where the role may not read it, UTC stays, and a line says so.
pub(super) async fn restore(connection: &mut PgConnection, said: &UnboundedSender<String>) -> Result<()> {
    let zone = match value(connection, OF_ROLE).await? {
        Some(zone) => Some(zone),
        // Without the privilege for the files, there is no answer.
        None => value(connection, OF_SERVER).await.unwrap_or_default(),
    };
    let Some(zone) = zone else {
        // Nobody listens any more, for instance after Ctrl-C.
        let _ = said.send(
            "This role may not read the server's TimeZone, so triggers of yours that the copy fires see UTC. ALTER ROLE … SET TimeZone \
             sets another one."
                .to_owned(),
        );
        return Ok(());
    };
    let zone = zone.replace('\'', "''");
    value(connection, &format!("SELECT pg_catalog.set_config('TimeZone', '{zone}', false)")).await.map(drop)
}
