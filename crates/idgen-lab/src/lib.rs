//! Measures what each kind of key costs a database.

pub mod innodb;
