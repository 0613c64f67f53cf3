//! The order of ids in MariaDB's type UUID, which depends on the version of the server. The versions are those of
//! MariaDB's changelogs and release notes.

/// Returns true if ids of version 7 are ordered by their time. They are stored in this order since MDEV-29959 (10.9.8,
/// 10.10.6, 10.11.5, 11.0.3, 11.1.2, 11.2.1), and compared in it since MDEV-31926 (10.10.7, 10.11.6, 11.0.4, 11.1.3,
/// 11.2.2).
pub(super) fn orders_version_7(version: [u32; 3]) -> bool {
    match version {
        [10, 10, patch] => patch >= 7,
        [10, 11, patch] => patch >= 6,
        [11, 0, patch] => patch >= 4,
        [11, 1, patch] => patch >= 3,
        [11, 2, patch] => patch >= 2,
        _ => version >= [11, 3, 0],
    }
}

/// Returns true if the server compares ids in another order than its indexes have, even where both are stored in the
/// same way: the releases between the two changes.
pub(super) fn compares_otherwise(version: [u32; 3]) -> bool {
    matches!(version, [10, 9, 8] | [10, 10, 6] | [10, 11, 5] | [11, 0, 3] | [11, 1, 2] | [11, 2, 0 | 1])
}

/// Returns true if an id of version 1 to 5 and one of version 6 or later are compared as they are stored. Otherwise
/// conditions on ranges of a column that has both lose rows. Before MDEV-29959, all were stored in the same way;
/// MDEV-35468 (10.11.11, 11.4.5, 11.7.2, 11.8.1) corrected the comparison.
pub(super) fn compares_all(version: [u32; 3]) -> bool {
    let before = !orders_version_7(version) && !compares_otherwise(version);
    let after = match version {
        [10, 11, patch] => patch >= 11,
        [11, 4, patch] => patch >= 5,
        [11, 7, patch] => patch >= 2,
        _ => version >= [11, 8, 1],
    };
    before || after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_depends_on_the_version() {
        assert!(!orders_version_7([10, 11, 5]) && orders_version_7([10, 11, 6]));
        assert!(!orders_version_7([11, 1, 2]) && orders_version_7([11, 1, 3]));
        assert!(!orders_version_7([11, 2, 1]) && orders_version_7([11, 2, 2]));
        assert!(!orders_version_7([10, 9, 9]) && orders_version_7([11, 3, 0]));
        assert!(compares_otherwise([10, 11, 5]) && !compares_otherwise([10, 11, 6]));
        assert!(!compares_otherwise([10, 11, 4]));
    }

    #[test]
    fn ids_that_are_stored_in_two_ways_are_compared_correctly_by_some_versions() {
        assert!(compares_all([10, 11, 4]) && !compares_all([10, 11, 5]));
        assert!(!compares_all([10, 11, 10]) && compares_all([10, 11, 11]));
        assert!(!compares_all([11, 4, 4]) && compares_all([11, 4, 5]));
        assert!(!compares_all([11, 6, 2]) && !compares_all([11, 7, 1]) && compares_all([11, 7, 2]));
        assert!(compares_all([11, 8, 3]) && compares_all([12, 0, 0]));
    }
}
