//! The `idgen` command.

fn main() {}
