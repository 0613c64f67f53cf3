//! A session that stays open, on a thread of its own: a lock lives as long as the session that took it.

use std::fmt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;

use crate::plain::Plain;
use crate::sql::{self, Link, Rows, TIMEOUT};

/// The longest time for which the session is idle: networks drop connections without traffic, and servers end idle
/// sessions.
const IDLE: Duration = Duration::from_secs(20);

/// A session. It runs the statements of its beginning again if its connection was lost.
pub(crate) struct Session {
    questions: Option<Sender<Question>>,
    thread: Option<JoinHandle<()>>,
}

struct Question {
    statement: String,
    limit: Duration,
    answer: Sender<Result<Rows, sqlx::Error>>,
}

impl Session {
    /// Connects, and runs these statements.
    pub(crate) fn open(url: &str, begin: Vec<String>) -> Result<Session, Plain> {
        let (questions, asked) = mpsc::channel();
        let (opened, is_open) = mpsc::channel();
        let url = url.to_owned();
        let thread = thread::spawn(move || {
            let runtime = match sql::runtime() {
                Ok(runtime) => runtime,
                Err(error) => return drop(opened.send(Err(error))),
            };
            match connect(&runtime, &url, &begin) {
                Ok(link) => {
                    let _ = opened.send(Ok(()));
                    serve(&runtime, link, &asked, || connect(&runtime, &url, &begin));
                }
                Err(error) => drop(opened.send(Err(error))),
            }
        });
        let session = Session { questions: Some(questions), thread: Some(thread) };
        is_open.recv().unwrap_or_else(|_| Err(ended())).map_err(Plain::from)?;
        Ok(session)
    }

    /// Runs a statement and returns its rows.
    pub(crate) fn rows(&self, statement: &str, limit: Duration) -> Result<Rows, Plain> {
        let (answer, answered) = mpsc::channel();
        let question = Question { statement: statement.to_owned(), limit, answer };
        let sent = self.questions.as_ref().is_some_and(|questions| questions.send(question).is_ok());
        let rows = if sent { answered.recv().unwrap_or_else(|_| Err(ended())) } else { Err(ended()) };
        rows.map_err(Plain::from)
    }
}

fn ended() -> sqlx::Error {
    sqlx::Error::WorkerCrashed
}

fn connect(runtime: &Runtime, url: &str, begin: &[String]) -> Result<Link, sqlx::Error> {
    sql::within(runtime, TIMEOUT, async {
        let mut link = Link::open(url).await?;
        for statement in begin {
            link.rows(statement).await?;
        }
        Ok(link)
    })
}

/// Answers until nobody can ask any more.
fn serve(
    runtime: &Runtime,
    mut link: Link,
    asked: &Receiver<Question>,
    connect: impl Fn() -> Result<Link, sqlx::Error>,
) {
    loop {
        match asked.recv_timeout(IDLE) {
            Ok(Question { statement, limit, answer }) => {
                let _ = answer.send(sql::within(runtime, limit, link.rows(&statement)));
            }
            Err(RecvTimeoutError::Timeout) => {
                let lives = sql::within(runtime, TIMEOUT, link.rows("SELECT 1")).is_ok();
                // The next attempt follows if this one fails.
                if !lives && let Ok(new) = connect() {
                    link = new;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let _ = sql::within(runtime, TIMEOUT, link.close());
}

impl Drop for Session {
    fn drop(&mut self) {
        self.questions = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}
