//! Doubly linked lists in one array of links, in which moving an entry takes a few writes.

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// The neighbors of each entry, whatever list it is on.
#[derive(Debug)]
pub(crate) struct Links(Vec<(u32, u32)>);

/// The ends of one list. An entry is on at most one of the lists that share its [`Links`].
#[derive(Debug)]
pub(crate) struct List {
    head: u32,
    tail: u32,
    pub(crate) len: usize,
}

impl Links {
    pub(crate) fn new(entries: usize) -> Links {
        Links(vec![(NONE, NONE); entries])
    }

    /// Changes the number of entries.
    pub(crate) fn grow(&mut self, entries: usize) {
        self.0.resize(entries, (NONE, NONE));
    }

    /// The entry nearer to the head.
    pub(crate) fn before(&self, entry: u32) -> Option<u32> {
        Some(self.0[entry as usize].0).filter(|&before| before != NONE)
    }
}

impl List {
    pub(crate) fn new() -> List {
        List { head: NONE, tail: NONE, len: 0 }
    }

    pub(crate) fn head(&self) -> Option<u32> {
        Some(self.head).filter(|&entry| entry != NONE)
    }

    pub(crate) fn tail(&self) -> Option<u32> {
        Some(self.tail).filter(|&entry| entry != NONE)
    }

    pub(crate) fn push_head(&mut self, links: &mut Links, entry: u32) {
        links.0[entry as usize] = (NONE, self.head);
        match self.head {
            NONE => self.tail = entry,
            head => links.0[head as usize].0 = entry,
        }
        self.head = entry;
        self.len += 1;
    }

    pub(crate) fn push_tail(&mut self, links: &mut Links, entry: u32) {
        links.0[entry as usize] = (self.tail, NONE);
        match self.tail {
            NONE => self.head = entry,
            tail => links.0[tail as usize].1 = entry,
        }
        self.tail = entry;
        self.len += 1;
    }

    pub(crate) fn remove(&mut self, links: &mut Links, entry: u32) {
        let (before, after) = links.0[entry as usize];
        match before {
            NONE => self.head = after,
            before => links.0[before as usize].1 = after,
        }
        match after {
            NONE => self.tail = before,
            after => links.0[after as usize].0 = before,
        }
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order() {
        let (mut links, mut list) = (Links::new(5), List::new());
        for entry in [2, 1, 0] {
            list.push_head(&mut links, entry);
        }
        list.push_tail(&mut links, 3);
        list.remove(&mut links, 1);
        let order = |list: &List, links: &Links| {
            let mut order: Vec<u32> =
                std::iter::successors(list.tail(), |&entry| links.before(entry)).collect();
            order.reverse();
            order
        };
        assert_eq!(order(&list, &links), [0, 2, 3]);
        for entry in [0, 3, 2] {
            list.remove(&mut links, entry);
        }
        assert_eq!((list.head(), list.tail(), list.len), (None, None, 0));
    }
}
