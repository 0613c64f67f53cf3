//! The errors of other drivers than sqlx.

use std::fmt;

/// An error that the server or another driver than sqlx reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverError {
    number: u16,
    message: String,
}

impl DriverError {
    /// The error's number, as MySQL's reference lists them, and its text. Numbers from 2000 on are those of the client
    /// library, such as 2013 for a lost connection.
    pub fn new(number: u16, message: impl Into<String>) -> DriverError {
        DriverError { number, message: message.into() }
    }

    /// The error's number.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The error's text, without its number.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.number)
    }
}

impl std::error::Error for DriverError {}
