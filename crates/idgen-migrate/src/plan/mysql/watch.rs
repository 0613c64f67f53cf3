//! The program that lets the copy wait while a replica is behind. The source does not know how far its replicas are.

use crate::plan::data::{Engine, Script};
use crate::plan::mysql::checks;

pub(super) fn script(engine: Engine, control: &str, steps: &str) -> Script {
    let program = if engine == Engine::MySql { "mysql" } else { "mariadb" };
    Script {
        name: "watch-replicas.sh".into(),
        purpose: format!(
            "Lets the copy wait while a replica is behind. Start it after the step `new-tables`, beside the steps: `sh \
                  watch-replicas.sh DATABASE SOURCE:PORT REPLICA:PORT …`. It reads the login from the section [client] of \
                  ~/.my.cnf. Each second it writes the time to {control}.beat on the source, and reads it on each \
                  replica; the oldest one that it reads is how far the replicas are behind, and the copy waits while that is more \
                  than {control}.max_replica_lag seconds. It also waits if a replica does not answer, or if this program \
                  has ended: start it again, or set {control}.watched to NULL to copy without it. Let it run until the step `rename`, which is then refused \
                  while a transaction on a replica began before the rows of the copy were there. The program ends when \
                  the last step has removed the table."
        ),
        text: include_str!("templates/watch-replicas.sh")
            .replace("PROGRAM", program)
            .replace("CONTROL", control)
            .replace("STEPS", steps)
            .replace("EARLIEST", &checks::earliest("trx_started")),
    }
}
