//! The binary form of `UUID_TO_BIN(u, 1)`. We know of no other library that has it.

use std::hint::black_box;
use std::rc::Rc;

use idgen::codec::swapped;
use uuid::Uuid;

use crate::case::{Case, Group, same, touch};

pub(super) fn groups(ids: &Rc<[Uuid]>) -> Vec<Group> {
    let wanted: Vec<[u8; 16]> = ids
        .iter()
        .map(|id| {
            let (low, mid, high, rest) = id.as_fields();
            let fields = u128::from(high) << 112 | u128::from(mid) << 96 | u128::from(low) << 64;
            (fields | u128::from(u64::from_be_bytes(*rest))).to_be_bytes()
        })
        .collect();
    let plain: Vec<[u8; 16]> = ids.iter().map(|id| id.into_bytes()).collect();
    let (mut each_ids, check_ids, check_wanted) = (ids.to_vec(), ids.clone(), wanted.clone());
    let each = Case {
        name: "idgen",
        pass: Box::new(move || {
            for id in &mut each_ids {
                touch(id);
                touch(&mut swapped::to_bytes(id));
            }
        }),
        check: Box::new(move || {
            let found: Vec<_> = check_ids.iter().map(swapped::to_bytes).collect();
            same(&found, &check_wanted)
        }),
    };
    let mut work = plain.clone();
    let all = Case {
        name: "idgen batch",
        pass: Box::new(move || swapped::encode_in_place(black_box(&mut work))),
        check: Box::new(move || {
            let mut found = plain.clone();
            swapped::encode_in_place(&mut found);
            same(&found, &wanted)
        }),
    };
    vec![Group { name: "swapped", cases: vec![each, all], targets: Vec::new() }]
}
