//! The pages in the pool that hold other things than the table: rollback segments and undo logs.
//!
//! Transactions use the rollback segments in turn (`trx_assign_rseg_low` in MariaDB's `trx0trx.cc`, `get_next_redo_rseg`
//! in MySQL's). So a transaction changes the pages of one segment, and the next transaction that changes them comes after
//! all other segments have had their turn.

use std::ops::Range;

use crate::server::Server;

/// Chooses the pages that each transaction changes.
#[derive(Debug)]
pub(crate) struct Others {
    pages: u64,
    segments: u64,
    /// Inserts from the beginning of a transaction to that of the next.
    commit_rows: u64,
    /// Inserts left in this transaction.
    left: u64,
    segment: u64,
}

impl Others {
    /// `pages` is the number of other pages, and `commit_rows` the number of inserts in a transaction.
    pub(crate) fn new(server: &Server, pages: u32, commit_rows: u64) -> Others {
        Others {
            pages: pages.into(),
            segments: server.rollback_segments.into(),
            commit_rows,
            left: 0,
            segment: 0,
        }
    }

    /// The pages that the transaction of the next insert changes, if it is the first insert of a transaction.
    pub(crate) fn next_pages(&mut self) -> Range<u32> {
        if self.left > 0 {
            self.left -= 1;
            return 0..0;
        }
        self.left = self.commit_rows - 1;
        let first = |segment: u64| (segment * self.pages / self.segments) as u32;
        let pages = first(self.segment)..first(self.segment + 1);
        self.segment = (self.segment + 1) % self.segments;
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_use_the_segments_in_turn() {
        let server = Server { rollback_segments: 4, ..Server::mysql(128 << 20) };
        let mut others = Others::new(&server, 10, 3);
        let mut first_of = || {
            let pages = others.next_pages();
            assert!(others.next_pages().is_empty() && others.next_pages().is_empty());
            pages
        };
        let turn: Vec<_> = (0..5).map(|_| first_of()).collect();
        assert_eq!(turn, [0..2, 2..5, 5..7, 7..10, 0..2], "each page once, then the first segment again");
    }
}
