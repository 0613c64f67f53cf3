//! Keeps the operations that clients carry out at the same time apart.

use std::collections::HashMap;

/// The rows that the clients chose in a round. A row that one of them changes or deletes is not chosen by another one, so
/// every row that is chosen exists, and what a read must give is known.
#[derive(Default)]
pub struct Claims(HashMap<usize, Claim>);

#[derive(Clone, Copy)]
enum Claim {
    /// A single client chose the row, and changes or deletes it if `is_changed`.
    One { client: usize, is_changed: bool },
    /// Several clients read the row.
    Read,
}

impl Claims {
    /// Forgets all rows: a round begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns whether this client may read the row; if so, remembers that it does.
    pub fn read(&mut self, row: usize, client: usize) -> bool {
        match self.0.get(&row) {
            Some(Claim::One { client: first, is_changed }) if *first != client => {
                if *is_changed {
                    return false;
                }
                self.0.insert(row, Claim::Read);
            }
            Some(_) => {}
            None => {
                self.0.insert(row, Claim::One { client, is_changed: false });
            }
        }
        true
    }

    /// Returns whether this client may change or delete the row; if so, remembers that it does.
    pub fn change(&mut self, row: usize, client: usize) -> bool {
        match self.0.get(&row) {
            Some(Claim::One { client: first, .. }) if *first == client => {}
            Some(_) => return false,
            None => {}
        }
        self.0.insert(row, Claim::One { client, is_changed: true });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_share_rows_that_they_read_and_nothing_else() {
        let mut claims = Claims::default();
        assert!(claims.read(1, 0) && claims.read(1, 1) && claims.read(1, 0));
        assert!(!claims.change(1, 0) && !claims.change(1, 1));
        assert!(claims.change(2, 0) && claims.change(2, 0) && claims.read(2, 0));
        assert!(!claims.read(2, 1) && !claims.change(2, 1));
        assert!(claims.read(3, 1) && claims.change(3, 1) && !claims.read(3, 0));
        claims.clear();
        assert!(claims.change(1, 1) && claims.change(2, 1));
    }
}
