//! The errors of the predicted page fill for loads of several clients that no constant of the model was
//! derived from.
//!
//! `hold_out_clients.tsv` has one line per run of docs/results/hold-out-order and docs/results/hold-out-stalls. The test
//! `hold_out_clients` recomputes it from the recorded files.

use idgen_record::Database;

use crate::forecast::{Clients, Load};

const RECORDED: &str = include_str!("hold_out_clients.tsv");

/// The runs of version 7 on these databases.
fn runs<'a>(recorded: &'a str, databases: &'a [Database]) -> impl Iterator<Item = Run> + Clone + 'a {
    recorded.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [server, "v7-binary", clients, statement_rows, .., error] = fields[..] else { return None };
        databases.iter().any(|database| database.id() == server).then_some(())?;
        Some(Run {
            clients: clients.parse().ok()?,
            statement_rows: statement_rows.parse().ok()?,
            error: error.parse().ok()?,
        })
    })
}

#[derive(Clone, Copy)]
struct Run {
    clients: u64,
    statement_rows: u64,
    /// Percentage points by which the predicted page fill was too high.
    error: f64,
}

/// Says which errors the model had for the recorded runs most like this load; `None` if rows arrive in the
/// order of their ids.
pub(super) fn sentence(databases: &[Database], load: &Load) -> Option<String> {
    sentence_of(RECORDED, databases, load.writers, load.clients?)
}

fn sentence_of(recorded: &str, databases: &[Database], writers: u64, asked: Clients) -> Option<String> {
    let all = runs(recorded, databases);
    let nearest = |of: fn(&Run) -> u64, asked: u64| {
        let far = |run: &Run| (of(run) as f64 / asked as f64).ln().abs();
        all.clone().min_by(|one, other| far(one).total_cmp(&far(other))).map(|run| of(&run))
    };
    let writers = nearest(|run| run.clients, writers)?;
    let rows = nearest(|run| run.statement_rows, asked.statement_rows)?;
    let errors: Vec<f64> = all
        .clone()
        .filter(|run| (run.clients, run.statement_rows) == (writers, rows))
        .map(|run| run.error)
        .collect();
    let (least, most) = errors
        .iter()
        .fold((f64::MAX, f64::MIN), |(least, most), error| (least.min(*error), most.max(*error)));
    let names: Vec<String> = databases.iter().map(Database::to_string).collect();
    let each = if rows == 1 { "one row".to_owned() } else { format!("{rows} rows") };
    (!errors.is_empty()).then(|| {
        format!(
            "How full pages are depends on how long ids wait until they are inserted: --delay takes the time \"insert\" that a \
             run of the lab reports. In the {} hold-out runs of version 7 that are most like this load ({writers} clients with {each} \
             in a statement, {}), whose delay the model was given, the predicted page fill was off by {least:+.1} to {most:+.1} \
             points.",
            errors.len(),
            names.join(" and ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use btree_model::Server;

    use crate::forecast::Delay;

    const LINES: &str = "mysql\tv7-binary\t8\t1\t400\t400\t500\t900\t90.0\t89.0\t-1.0\n\
        mysql\tv7-binary\t8\t1\t0\t4000\t500\t900\t70.0\t74.5\t+4.5\n\
        mariadb\tv7-binary\t8\t1\t0\t4000\t500\t900\t70.0\t68.0\t-2.0\n\
        mysql\tv4-binary\t8\t1\t0\t4000\t500\t900\t70.0\t60.0\t-10.0\n\
        mysql\tv7-binary\t64\t1\t0\t4000\t500\t900\t70.0\t78.0\t+8.0\n\
        mysql\tv7-binary\t8\t100\t0\t4000\t500\t900\t70.0\t79.0\t+9.0\n";

    #[test]
    fn the_runs_most_like_a_load_say_how_far_the_model_is_off() {
        let clients = Clients { statement_rows: 2, delay: Delay::RECORDED, span: None };
        let databases = [Database::MySql, Database::MariaDb];
        assert_eq!(sentence(&databases, &Load::new(20_000, Server::mysql(1 << 30))), None);
        let said = sentence_of(LINES, &databases, 12, clients).unwrap();
        assert!(
            said.contains("3 hold-out runs") && said.contains("(8 clients with one row in a statement"),
            "{said}"
        );
        assert!(said.contains("off by -2.0 to +4.5 points"), "{said}");
        assert_eq!(sentence_of(LINES, &[Database::Postgres], 12, clients), None);
    }

    #[test]
    fn every_line_of_version_7_is_a_run() {
        for (database, name) in
            [(Database::MySql, "mysql"), (Database::MariaDb, "mariadb"), (Database::Postgres, "postgres")]
        {
            let lines =
                RECORDED.lines().filter(|line| line.starts_with(name) && line.contains("v7-binary")).count();
            assert!(lines > 0 && runs(RECORDED, &[database]).count() == lines, "{name}: {lines}");
        }
    }
}
