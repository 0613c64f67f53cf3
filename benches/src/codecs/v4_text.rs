//! A fresh version 4 id as text in the caller's buffer, compared with `uuid` with its `fast-rng`.

use std::collections::HashSet;
use std::rc::Rc;

use anyhow::{Result, ensure};
use idgen::codec::{Format, hyphenated};
use uuid::Uuid;

use crate::case::{Case, Group, IDS, Target, touch};

const LEN: usize = hyphenated::LEN;

pub(super) fn groups(_ids: &Rc<[Uuid]>) -> Vec<Group> {
    let each = |name, make: fn(&mut [u8; LEN])| {
        let mut out = [0; LEN];
        Case {
            name,
            pass: Box::new(move || {
                for _ in 0..IDS {
                    make(&mut out);
                    touch(&mut out);
                }
            }),
            check: Box::new(move || {
                let mut texts = vec![0; LEN * IDS];
                texts.as_chunks_mut().0.iter_mut().for_each(make);
                are_fresh(&texts)
            }),
        }
    };
    let many = |ids: &mut Vec<Uuid>, out: &mut [u8]| {
        idgen::fill_v4(ids);
        Format::Hyphenated.encode_batch(ids, out).expect("the buffer has the right length");
    };
    let (mut ids, mut out) = (vec![Uuid::nil(); IDS], vec![0; LEN * IDS]);
    let batch = Case {
        name: "idgen batch",
        pass: Box::new(move || {
            many(&mut ids, &mut out);
            touch(out.as_mut_slice());
        }),
        check: Box::new(move || {
            let mut texts = vec![0; LEN * IDS];
            many(&mut vec![Uuid::nil(); IDS], &mut texts);
            are_fresh(&texts)
        }),
    };
    let cases = vec![
        each("idgen", |out| {
            hyphenated::encode(&idgen::v4(), out);
        }),
        batch,
        each("uuid", |out| {
            Uuid::new_v4().hyphenated().encode_lower(out);
        }),
    ];
    let target = |ours| Target { ours, peer: "uuid", times: 5.0 };
    vec![Group {
        name: "new v4 as hyphenated text",
        cases,
        targets: vec![target("idgen"), target("idgen batch")],
    }]
}

fn are_fresh(texts: &[u8]) -> Result<()> {
    let mut seen = HashSet::new();
    for text in texts.chunks(LEN) {
        let id = Uuid::try_parse_ascii(text)?;
        ensure!(
            id.get_version_num() == 4 && id.get_variant() == uuid::Variant::RFC4122,
            "{id} is not version 4"
        );
        ensure!(seen.insert(id), "{id} was generated twice");
    }
    Ok(())
}
