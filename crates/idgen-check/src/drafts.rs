//! Layouts that go by the name of version 7 but are not that of RFC 9562 section 5.7: those of drafts, and of bytes in
//! another order. The times of such ids are wrong, and another reading of the same bits is right.

/// Another layout, and how it holds the time.
pub(crate) struct Draft {
    /// Its name in a report.
    pub(crate) name: &'static str,
    /// The Unix milliseconds.
    ms: fn(u128) -> i64,
}

static DRAFTS: [Draft; 4] = [
    Draft {
        name: "seconds in 36 bits and a fraction, as in the drafts before 2022-04 (draft-peabody-dispatch-new-uuid-format-01 \
               to -03)",
        ms: |id| (id >> 92) as i64 * 1000,
    },
    Draft { name: "seconds in 48 bits, where milliseconds belong", ms: |id| (id >> 80) as i64 * 1000 },
    Draft {
        name: "milliseconds with the bytes of the first fields reversed, as .NET's Guid.ToByteArray() writes them",
        ms: |id| {
            let [a, b, c, d, e, f, ..] = id.to_be_bytes();
            milliseconds([d, c, b, a, f, e])
        },
    },
    Draft {
        name: "milliseconds with the least significant byte first",
        ms: |id| {
            let [a, b, c, d, e, f, ..] = id.to_be_bytes();
            milliseconds([f, e, d, c, b, a])
        },
    },
];

fn milliseconds([a, b, c, d, e, f]: [u8; 6]) -> i64 {
    i64::from_be_bytes([0, 0, a, b, c, d, e, f])
}

/// The layout in which nearly all times of these ids of version 7 are credible, if they are not in that of the RFC.
pub(crate) fn other_layout(ids: &[u128], credible_ms: (i64, i64)) -> Option<&'static Draft> {
    let credible = |ms: i64| (credible_ms.0..=credible_ms.1).contains(&ms);
    let most = |ms: &dyn Fn(u128) -> i64| {
        let count = ids.iter().filter(|id| credible(ms(**id))).count();
        !ids.is_empty() && count * 10 >= ids.len() * 9
    };
    if most(&|id| (id >> 80) as i64) {
        return None;
    }
    DRAFTS.iter().find(|draft| most(&draft.ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_219_200_123;
    const CREDIBLE: (i64, i64) = (946_684_800_000, NOW + 1_000);

    #[test]
    fn each_layout_is_recognized() {
        let ids = |id: u128| [id | 0x7 << 76 | 0b10 << 62; 3];
        assert!(other_layout(&ids((NOW as u128) << 80), CREDIBLE).is_none());
        assert!(other_layout(&[], CREDIBLE).is_none());
        assert!(other_layout(&ids(0x1234 << 80), CREDIBLE).is_none());
        let name = |id: u128| other_layout(&ids(id), CREDIBLE).unwrap().name;
        assert!(name(((NOW / 1000) as u128) << 92).contains("36 bits"));
        assert!(name(((NOW / 1000) as u128) << 80).contains("48 bits"));
        let [_, _, a, b, c, d, e, f] = NOW.to_be_bytes();
        let bytes = |six: [u8; 6]| u128::from(milliseconds(six) as u64) << 80;
        assert!(name(bytes([d, c, b, a, f, e])).contains(".NET"));
        assert!(name(bytes([f, e, d, c, b, a])).contains("least significant"));
    }
}
