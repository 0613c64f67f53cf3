//! SQLite's page cache: which pages are in memory, and when a changed page is written (`pcache.c`, `pcache1.c` and
//! `pager.c`).
//!
//! Changed pages stay in memory until the transaction commits. If they take up nine tenths of the cache, one of them is
//! written for each page that is read (it *spills*), by preference one whose old content the journal has on disk already.
//! Unchanged pages are evicted in the order of their last use.

use crate::list::{Links, List};
use crate::pool::Counters;
use crate::tree::Trace;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Absent,
    Clean,
    Dirty,
}

/// The state of a page of the file.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    state: State,
    /// Used by the current insert, so it can be neither evicted nor spilled.
    is_held: bool,
    /// The journal must be synchronized before the page may be written (`PGHDR_NEED_SYNC`).
    needs_sync: bool,
    /// The last transaction in which the page was changed.
    transaction: u64,
}

/// A cache under the load of one connection.
#[derive(Debug)]
pub(super) struct Cache {
    most: usize,
    pages: Vec<Page>,
    /// Pages in the cache.
    len: usize,
    links: Links,
    /// Unchanged pages that are not held. The head is the one that was used last.
    clean: List,
    dirty: List,
    held: Vec<u32>,
    /// The changed page from which the search for one that needs no synchronized journal goes towards the
    /// head (`pSynced`).
    synced: Option<u32>,
    /// Numbers the transactions, from 1.
    transaction: u64,
    /// True if the current transaction has written to the file.
    is_written: bool,
    pub(super) counters: Counters,
}

impl Cache {
    /// Makes an empty cache of this many pages.
    pub(super) fn new(pages: u32) -> Cache {
        Cache {
            most: pages as usize,
            pages: Vec::new(),
            len: 0,
            links: Links::new(0),
            clean: List::new(),
            dirty: List::new(),
            held: Vec::new(),
            synced: None,
            transaction: 1,
            is_written: false,
            counters: Counters::default(),
        }
    }

    /// The insert is done: the pages that it used can be evicted and spilled.
    pub(super) fn release(&mut self) {
        for page in std::mem::take(&mut self.held) {
            self.page(page).is_held = false;
            match self.page(page).state {
                State::Clean => self.clean.push_head(&mut self.links, page),
                State::Dirty => {
                    self.remove_dirty(page);
                    self.add_dirty(page);
                }
                State::Absent => {}
            }
        }
    }

    /// Writes every changed page. The page that was changed first is the one used last afterwards.
    pub(super) fn commit(&mut self) {
        while let Some(page) = self.dirty.head() {
            self.write(page);
        }
        self.transaction += 1;
        self.is_written = false;
    }

    fn page(&mut self, page: u32) -> &mut Page {
        let at = page as usize;
        if self.pages.len() <= at {
            self.pages.resize(at + 1, Page::default());
            self.links.grow(at + 1);
        }
        &mut self.pages[at]
    }

    /// `pcacheManageDirtyList`.
    fn add_dirty(&mut self, page: u32) {
        self.dirty.push_head(&mut self.links, page);
        if self.synced.is_none() && !self.page(page).needs_sync {
            self.synced = Some(page);
        }
    }

    fn remove_dirty(&mut self, page: u32) {
        if self.synced == Some(page) {
            self.synced = self.links.before(page);
        }
        self.dirty.remove(&mut self.links, page);
    }

    /// Writes a changed page, which stays in the cache.
    fn write(&mut self, page: u32) {
        self.counters.written += 1;
        self.remove_dirty(page);
        let of = self.page(page);
        (of.state, of.needs_sync) = (State::Clean, false);
        if !of.is_held {
            self.clean.push_head(&mut self.links, page);
        }
    }

    /// Makes room for a page that is not in the cache (`pcache1FetchStage2`, `sqlite3PcacheFetchStress`).
    fn make_room(&mut self) {
        let pinned = self.len - self.clean.len;
        if pinned >= self.most * 9 / 10 {
            self.spill();
        }
        if self.len + 1 >= self.most
            && let Some(oldest) = self.clean.tail()
        {
            self.clean.remove(&mut self.links, oldest);
            self.page(oldest).state = State::Absent;
            self.len -= 1;
        }
    }

    /// `sqlite3PcacheFetchStress` and `pagerStress`.
    fn spill(&mut self) {
        let pages = &self.pages;
        let held = |page: u32| pages[page as usize].is_held;
        let newer = |from: Option<u32>| std::iter::successors(from, |&page| self.links.before(page));
        let found = newer(self.synced).find(|&page| !held(page) && !pages[page as usize].needs_sync);
        let spilled = found.or_else(|| newer(self.dirty.tail()).find(|&page| !held(page)));
        self.synced = found;
        let Some(page) = spilled else { return };
        if self.page(page).needs_sync || !self.is_written {
            self.synchronize();
        }
        self.write(page);
    }

    /// `syncJournal`: the old contents of all changed pages are on disk then.
    fn synchronize(&mut self) {
        let mut next = self.dirty.tail();
        while let Some(page) = next {
            self.page(page).needs_sync = false;
            next = self.links.before(page);
        }
        self.synced = self.dirty.tail();
        self.is_written = true;
    }

    /// Adds a page that was absent, held by the current insert.
    fn add(&mut self, page: u32) {
        self.make_room();
        self.len += 1;
        let of = self.page(page);
        (of.state, of.is_held) = (State::Clean, true);
        self.held.push(page);
    }
}

impl Trace for Cache {
    fn touch(&mut self, page: u32) {
        let of = *self.page(page);
        if of.state == State::Absent {
            self.add(page);
            self.counters.read += 1;
        } else if !of.is_held {
            if of.state == State::Clean {
                self.clean.remove(&mut self.links, page);
            }
            self.page(page).is_held = true;
            self.held.push(page);
        }
    }

    fn change(&mut self, page: u32) {
        self.touch(page);
        let transaction = self.transaction;
        if self.page(page).state == State::Clean {
            self.page(page).state = State::Dirty;
            self.add_dirty(page);
        }
        let of = self.page(page);
        if std::mem::replace(&mut of.transaction, transaction) != transaction {
            // The journal gets the old content.
            of.needs_sync = true;
        }
    }

    /// A new page has no old content, but the journal must store the old length of the file before it is written.
    fn create(&mut self, page: u32) {
        if self.page(page).state == State::Absent {
            self.add(page);
        }
        self.counters.created += 1;
        self.touch(page);
        let (transaction, is_written) = (self.transaction, self.is_written);
        if self.page(page).state == State::Clean {
            self.page(page).state = State::Dirty;
            self.add_dirty(page);
        }
        let of = self.page(page);
        (of.transaction, of.needs_sync) = (transaction, !is_written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(cache: &mut Cache, page: u32) {
        cache.change(page);
        cache.release();
    }

    fn read(cache: &mut Cache, page: u32) {
        cache.touch(page);
        cache.release();
    }

    #[test]
    fn a_page_is_written_once_in_a_transaction() {
        let mut cache = Cache::new(100);
        for _ in 0..5 {
            change(&mut cache, 1);
        }
        assert_eq!((cache.counters.read, cache.counters.written), (1, 0));
        cache.commit();
        cache.commit();
        assert_eq!((cache.counters.read, cache.counters.written), (1, 1));
    }

    #[test]
    fn the_page_that_was_not_used_for_longest_is_evicted() {
        let mut cache = Cache::new(100);
        (0..98).for_each(|page| read(&mut cache, page));
        for page in [0, 98, 99] {
            read(&mut cache, page);
        }
        assert_eq!(cache.counters.read, 100);
        read(&mut cache, 0);
        assert_eq!(cache.counters.read, 100, "page 0 should still be there");
        read(&mut cache, 1);
        assert_eq!(cache.counters.read, 101, "page 1 should have been evicted");
    }

    #[test]
    fn changed_pages_spill_if_they_take_up_nine_tenths() {
        let mut cache = Cache::new(100);
        (0..90).for_each(|page| change(&mut cache, page));
        assert_eq!(cache.counters.written, 0);
        change(&mut cache, 90);
        assert_eq!((cache.counters.written, cache.page(0).state), (1, State::Clean));
        cache.commit();
        assert_eq!(cache.counters.written, 91);
    }

    /// The journal has page 0 since it was changed for the first time, and must be synchronized before page 90 is
    /// written, although that one was not used for longer.
    #[test]
    fn a_page_that_the_journal_has_spills_first() {
        let mut cache = Cache::new(100);
        (0..=90).chain([0]).for_each(|page| change(&mut cache, page));
        (200..289).for_each(|page| change(&mut cache, page));
        assert_eq!((cache.page(0).state, cache.page(90).state), (State::Dirty, State::Dirty));
        change(&mut cache, 289);
        assert_eq!((cache.page(0).state, cache.page(90).state), (State::Clean, State::Dirty));
    }
}
