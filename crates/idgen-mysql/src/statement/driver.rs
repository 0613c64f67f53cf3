//! The caller's connection if another driver than sqlx made it, such as one of Python's.

use crate::error::driver::DriverError;

/// A connection of another driver than sqlx, which is in a transaction on the map's server and schema.
///
/// [`UuidMap::id_of_within`](crate::UuidMap::id_of_within) and the similar methods run their statements on
/// it, one at a time, as text without parameters, and with the same checks as on a connection of sqlx. The wheel of idgen
/// implements it for the connections of Python's drivers.
///
/// ```no_run
/// use idgen_mysql::{DriverAnswer, DriverConnection, DriverError, UuidMap};
/// # mod other { pub struct Connection; pub struct Error { pub code: u16, pub text: String }
/// #     pub struct Done { pub names: Vec<String>, pub rows: Vec<Vec<Option<Vec<u8>>>>, pub changed: u64 }
/// #     impl Connection { pub async fn query(&mut self, _: &str) -> Result<Done, Error> { unimplemented!() } } }
///
/// struct Other(other::Connection);
///
/// impl DriverConnection for Other {
///     async fn run(&mut self, statement: &str) -> Result<DriverAnswer, DriverError> {
///         match self.0.query(statement).await {
///             Ok(done) => Ok(DriverAnswer { columns: done.names, rows: done.rows, affected: done.changed }),
///             Err(error) => Err(DriverError::new(error.code, error.text)),
///         }
///     }
/// }
///
/// # async fn example(map: UuidMap, transaction: &mut Other, uuid: uuid::Uuid) -> idgen_mysql::Result<()> {
/// let id = map.id_of_within(transaction, uuid).await?;
/// # Ok(())
/// # }
/// ```
pub trait DriverConnection: Send {
    /// Runs one statement and returns its whole result.
    ///
    /// # Errors
    /// The error that the server or the driver reports. The map reacts to its number: a duplicate key (1062), for example, is
    /// an expected result.
    fn run(
        &mut self,
        statement: &str,
    ) -> impl Future<Output = std::result::Result<DriverAnswer, DriverError>> + Send;
}

/// The result of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverAnswer {
    /// The names of the columns; empty if the statement returns no rows.
    pub columns: Vec<String>,
    /// The rows, with a value for each column: text and binary columns as their bytes, numbers in decimal digits.
    pub rows: Vec<Vec<Option<Vec<u8>>>>,
    /// Rows that the statement changed; 0 if it only reads.
    pub affected: u64,
}
