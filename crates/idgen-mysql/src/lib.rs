//! Maps UUIDs to integers in MySQL and MariaDB.
