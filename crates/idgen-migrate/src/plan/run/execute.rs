//! Executes one file of a plan in a session of its own.

use tokio::sync::mpsc::UnboundedSender;

use super::cancel::{Flag, until_canceled};
use super::folder::Folder;
use crate::plan::data::{Direction, Engine, Plan, Statement};
use crate::plan::{mysql, postgres};
use idgen_database::{Error, Result};

/// The end of a file that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was executed to its end.
    Done,
    /// It was canceled. Executed again, it continues.
    Canceled,
}

/// A session that executes a file.
enum Session {
    MySql(mysql::execute::Session),
    Postgres(postgres::execute::Session),
}

/// Executes a file of a step. Lines that the server says meanwhile are sent to `said`. When `canceled` ends, the running statement
/// is canceled.
///
/// # Errors
///
/// The server is not reached or is not of the plan, or it refuses a statement: the message is the server's sentence.
pub async fn execute(
    url: &str,
    folder: &Folder,
    at: usize,
    direction: Direction,
    said: &UnboundedSender<String>,
    canceled: impl Future<Output = ()>,
) -> Result<Outcome> {
    let plan = folder.plan();
    let Some((step, file)) = folder.step(at, direction) else { return Ok(Outcome::Done) };
    let mut session = Session::open(url, plan, said).await?;
    let (number, flag) = (session.number(), Flag::default());
    // A KILL in the middle of RENAME TABLE can damage triggers of MariaDB. It ends by itself.
    let can_stop = !(plan.engine == Engine::MariaDb && step.name == "rename");
    let statements = plan.session.iter().chain(step.in_direction(direction));
    let work = async {
        for statement in statements {
            if flag.is_set() && can_stop {
                return Ok(Outcome::Canceled);
            }
            match session.execute(statement, said).await {
                Ok(()) => {}
                Err(_) if flag.is_set() && can_stop => return Ok(Outcome::Canceled),
                Err(error) => return Err(Error::of(&file, error)),
            }
        }
        Ok(Outcome::Done)
    };
    let stop = async || match can_stop {
        true => Session::cancel(url, plan.engine, &number).await,
        false => {
            _ = said.send("RENAME TABLE is not interrupted on MariaDB: it ends within a minute.".to_owned())
        }
    };
    let outcome = until_canceled(work, &flag, canceled, stop).await;
    session.close().await;
    outcome
}

impl Session {
    async fn open(url: &str, plan: &Plan, said: &UnboundedSender<String>) -> Result<Session> {
        Ok(match plan.engine {
            Engine::MySql | Engine::MariaDb => {
                Session::MySql(mysql::execute::Session::open(url, plan.engine).await?)
            }
            Engine::Postgres => Session::Postgres(postgres::execute::Session::open(url, said).await?),
        })
    }

    /// The number by which the server knows it.
    fn number(&self) -> String {
        match self {
            Session::MySql(session) => session.number.clone(),
            Session::Postgres(session) => session.number.clone(),
        }
    }

    async fn execute(&mut self, statement: &Statement, said: &UnboundedSender<String>) -> Result<()> {
        match self {
            Session::MySql(session) => session.execute(&statement.sql, said).await,
            Session::Postgres(session) => session.execute(statement, said).await,
        }
    }

    /// Ends the running statement of a session. Where that fails, the server ends it when the connection is closed, or later.
    async fn cancel(url: &str, engine: Engine, number: &str) {
        // It is tried again.
        let _ = match engine {
            Engine::MySql | Engine::MariaDb => mysql::execute::cancel(url, number).await,
            Engine::Postgres => postgres::execute::cancel(url, number).await,
        };
    }

    async fn close(self) {
        match self {
            Session::MySql(session) => session.close().await,
            Session::Postgres(session) => session.close().await,
        }
    }
}
