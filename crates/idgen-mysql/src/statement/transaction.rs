//! The connections on which a caller has begun a transaction.

use sqlx::MySql;
use sqlx::mysql::MySqlConnection;
use sqlx::pool::PoolConnection;

use crate::statement::driver::DriverConnection;

/// A connection on which the caller has begun a transaction: a connection of sqlx, by itself, in a
/// [`Transaction`](sqlx::Transaction) or in a [`PoolConnection`], or one of another driver that implements
/// [`DriverConnection`].
pub trait CallerConnection: private::Caller {}

impl<C: private::Caller> CallerConnection for C {}

pub(crate) mod private {
    use crate::statement::caller::Connection;

    /// Runs the statements.
    pub trait Caller: Send {
        type On: Connection;

        fn on(&mut self) -> &mut Self::On;
    }
}

impl private::Caller for MySqlConnection {
    type On = MySqlConnection;

    fn on(&mut self) -> &mut MySqlConnection {
        self
    }
}

impl private::Caller for sqlx::Transaction<'_, MySql> {
    type On = MySqlConnection;

    fn on(&mut self) -> &mut MySqlConnection {
        self
    }
}

impl private::Caller for PoolConnection<MySql> {
    type On = MySqlConnection;

    fn on(&mut self) -> &mut MySqlConnection {
        self
    }
}

impl<C: DriverConnection> private::Caller for C {
    type On = C;

    fn on(&mut self) -> &mut C {
        self
    }
}
