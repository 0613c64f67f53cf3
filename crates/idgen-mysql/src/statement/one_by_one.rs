//! The statements of a transaction on a node of a Galera cluster.
//!
//! When another node commits a change of the same row, this node rolls the transaction back, at any moment, and reports
//! a deadlock for the next statement. In a text of several statements, MariaDB 10.11.18 may not report it: it continues
//! with the next statement of the text, which then commits by itself, and even runs it twice. Two transactions that
//! claimed one UUID both stored a pair so, in about one of 500 races. As a command of its own, a statement either
//! belongs to the transaction or fails.

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;

/// A connection in a transaction. On a node of a Galera cluster, it sends each statement as a command of its own.
pub(crate) struct OneByOne<'c, C> {
    connection: &'c mut C,
    is_in_galera: bool,
}

impl<'c, C: Connection> OneByOne<'c, C> {
    pub(crate) fn new(connection: &'c mut C, is_in_galera: bool) -> Self {
        OneByOne { connection, is_in_galera }
    }
}

impl<C: Connection> Connection for OneByOne<'_, C> {
    type Row = C::Row;

    const CONNECTS_AGAIN: bool = C::CONNECTS_AGAIN;

    async fn run_one(&mut self, statement: &str) -> Attempt<u64> {
        self.connection.run_one(statement).await
    }

    async fn read(&mut self, statement: String) -> Attempt<Vec<C::Row>> {
        self.connection.read(statement).await
    }

    async fn execute_after(&mut self, checks: &[String], statement: &str) -> Attempt<u64> {
        match self.is_in_galera {
            true => Apart(self.connection).execute_after(checks, statement).await,
            false => self.connection.execute_after(checks, statement).await,
        }
    }

    async fn insert_after(
        &mut self,
        checks: &[String],
        statement: &str,
        ignore: bool,
        inserted: &mut bool,
    ) -> Attempt<Option<u64>> {
        match self.is_in_galera {
            true => Apart(self.connection).insert_after(checks, statement, ignore, inserted).await,
            false => self.connection.insert_after(checks, statement, ignore, inserted).await,
        }
    }

    async fn execute_each(&mut self, statements: &[String], done: &mut usize) -> Attempt<()> {
        match self.is_in_galera {
            true => Apart(self.connection).execute_each(statements, done).await,
            false => self.connection.execute_each(statements, done).await,
        }
    }

    async fn read_each(&mut self, statements: &[String]) -> Attempt<Vec<C::Row>> {
        match self.is_in_galera {
            true => Apart(self.connection).read_each(statements).await,
            false => self.connection.read_each(statements).await,
        }
    }

    async fn read_after(&mut self, statements: &[String], read: String) -> Attempt<(u64, Vec<C::Row>)> {
        match self.is_in_galera {
            true => Apart(self.connection).read_after(statements, read).await,
            false => self.connection.read_after(statements, read).await,
        }
    }
}

/// A connection that never puts statements together.
struct Apart<'c, C>(&'c mut C);

impl<C: Connection> Connection for Apart<'_, C> {
    type Row = C::Row;

    const CONNECTS_AGAIN: bool = C::CONNECTS_AGAIN;

    async fn run_one(&mut self, statement: &str) -> Attempt<u64> {
        self.0.run_one(statement).await
    }

    async fn read(&mut self, statement: String) -> Attempt<Vec<C::Row>> {
        self.0.read(statement).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::values::DriverRow;

    /// Records its commands, and puts statements together where it can.
    #[derive(Default)]
    struct Recorder(Vec<String>);

    impl Connection for Recorder {
        type Row = DriverRow;

        const CONNECTS_AGAIN: bool = false;

        async fn run_one(&mut self, statement: &str) -> Attempt<u64> {
            self.0.push(statement.to_owned());
            Ok(1)
        }

        async fn read(&mut self, statement: String) -> Attempt<Vec<DriverRow>> {
            self.0.push(statement);
            Ok(Vec::new())
        }

        async fn execute_after(&mut self, checks: &[String], statement: &str) -> Attempt<u64> {
            self.run_one(&format!("{}; {statement}", checks.join("; "))).await
        }

        async fn insert_after(
            &mut self,
            checks: &[String],
            statement: &str,
            _: bool,
            _: &mut bool,
        ) -> Attempt<Option<u64>> {
            self.execute_after(checks, statement).await.map(Some)
        }

        async fn execute_each(&mut self, statements: &[String], _: &mut usize) -> Attempt<()> {
            self.run_one(&statements.join("; ")).await.map(drop)
        }

        async fn read_each(&mut self, statements: &[String]) -> Attempt<Vec<DriverRow>> {
            self.read(statements.join("; ")).await
        }

        async fn read_after(
            &mut self,
            statements: &[String],
            read: String,
        ) -> Attempt<(u64, Vec<DriverRow>)> {
            Ok((0, self.read(format!("{}; {read}", statements.join("; "))).await?))
        }
    }

    #[tokio::test]
    async fn statements_are_kept_apart_on_galera_alone() {
        let statements = ["a".to_owned(), "b".to_owned()];
        for (is_in_galera, commands) in [(true, 13), (false, 5)] {
            let mut recorder = Recorder::default();
            let mut connection = OneByOne::new(&mut recorder, is_in_galera);
            let (mut inserted, mut done) = (false, 0);
            connection.execute_after(&statements, "c").await.unwrap();
            connection.insert_after(&statements, "c", false, &mut inserted).await.unwrap();
            connection.execute_each(&statements, &mut done).await.unwrap();
            connection.read_each(&statements).await.unwrap();
            let (changed, _) = connection.read_after(&statements, "c".to_owned()).await.unwrap();
            assert_eq!(recorder.0.len(), commands, "{:?}", recorder.0);
            assert_eq!(recorder.0.iter().any(|command| command.contains(';')), !is_in_galera);
            assert_eq!((inserted, done, changed), if is_in_galera { (true, 2, 2) } else { (false, 0, 0) });
        }
    }
}
