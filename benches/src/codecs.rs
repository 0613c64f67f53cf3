//! Codecs: every case writes into, or reads from, memory that was allocated before.

mod base32;
mod base64;
mod hyphenated;
mod simple;
mod swapped;
mod v4_text;

use std::hint::black_box;
use std::rc::Rc;

use anyhow::Result;
use uuid::Uuid;

use crate::case::{Case, IDS, Section, Target, same, sample_ids, touch};

/// The section of the report.
pub const SECTION: Section = Section {
    name: "codecs",
    about: "The cases convert one id between its binary form and a text or another binary form, in memory that \
            the caller provides. `idgen` is one call for each id; it chooses the instruction set on each call, \
            as all peers do. `idgen batch` is one call for 1,024 ids, with one choice. The targets are for the \
            batch. Single calls are compared with the same targets to show the difference. They are slower \
            because the compiler does not inline code for another instruction set; in this loop, a call and its return take \
            1.1 ns even for an empty function. Single hexadecimal texts are assembly with AVX2 and AVX-512, which needs \
            no call.",
    groups: || {
        let ids: Rc<[Uuid]> = sample_ids().into();
        [hyphenated::groups, simple::groups, base64::groups, base32::groups, swapped::groups, v4_text::groups]
            .into_iter()
            .flat_map(|groups| groups(&ids))
            .collect()
    },
    repeats_exactly: |_, _| true,
};

/// The same ratios for the single calls and for the batch.
fn targets(peers: &[(&'static str, f64)]) -> Vec<Target> {
    let both = |&(peer, times)| ["idgen", "idgen batch"].map(|ours| Target { ours, peer, times });
    peers.iter().flat_map(both).collect()
}

/// The texts of all ids, one after the other, formatted with the standard library only.
fn texts(ids: &[Uuid], text: impl Fn(&Uuid) -> String) -> Rc<str> {
    ids.iter().map(text).collect::<String>().into()
}

/// A case that encodes one id after another into the same buffer.
fn encode_each<const N: usize>(
    name: &'static str,
    ids: &Rc<[Uuid]>,
    wanted: &Rc<str>,
    encode: impl Fn(&Uuid, &mut [u8; N]) + Clone + 'static,
) -> Case {
    let (mut pass_ids, check_ids, wanted) = (ids.to_vec(), ids.clone(), wanted.clone());
    let checked = encode.clone();
    Case {
        name,
        pass: Box::new(move || {
            let mut out = [0; N];
            for id in &mut pass_ids {
                touch(id);
                encode(id, &mut out);
                touch(&mut out);
            }
        }),
        check: Box::new(move || {
            let mut found = Vec::new();
            for id in check_ids.iter() {
                let mut out = [0; N];
                checked(id, &mut out);
                found.extend(out);
            }
            same(&found, wanted.as_bytes())
        }),
    }
}

/// A case that encodes all ids in one call.
fn encode_all<const N: usize>(
    name: &'static str,
    ids: &Rc<[Uuid]>,
    wanted: &Rc<str>,
    encode: impl Fn(&[Uuid], &mut [u8]) + Clone + 'static,
) -> Case {
    let (pass_ids, check_ids, wanted) = (ids.clone(), ids.clone(), wanted.clone());
    let checked = encode.clone();
    let mut out = vec![0; N * IDS];
    Case {
        name,
        pass: Box::new(move || {
            encode(black_box(&pass_ids), &mut out);
            black_box(&out);
        }),
        check: Box::new(move || {
            let mut out = vec![0; N * IDS];
            checked(&check_ids, &mut out);
            same(&out, wanted.as_bytes())
        }),
    }
}

/// A case that decodes one text after another.
fn decode_each<const N: usize>(
    name: &'static str,
    ids: &Rc<[Uuid]>,
    text: &Rc<str>,
    decode: impl Fn(&[u8; N]) -> Uuid + Clone + 'static,
) -> Case {
    let (ids, mut pass_text, check_text) = (ids.clone(), text.as_bytes().to_vec(), text.clone());
    let checked = decode.clone();
    Case {
        name,
        pass: Box::new(move || {
            for text in pass_text.as_chunks_mut().0 {
                touch(text);
                touch(&mut decode(text));
            }
        }),
        check: Box::new(move || {
            let found: Vec<_> = check_text.as_bytes().as_chunks().0.iter().map(&checked).collect();
            same(&found, &ids)
        }),
    }
}

/// A case that decodes all texts in one call.
fn decode_all(
    name: &'static str,
    ids: &Rc<[Uuid]>,
    text: &Rc<str>,
    decode: impl Fn(&[u8], &mut [Uuid]) + Clone + 'static,
) -> Case {
    let (ids, pass_text, check_text) = (ids.clone(), text.clone(), text.clone());
    let checked = decode.clone();
    let mut out = vec![Uuid::nil(); IDS];
    Case {
        name,
        pass: Box::new(move || {
            decode(black_box(pass_text.as_bytes()), &mut out);
            black_box(&out);
        }),
        check: Box::new(move || -> Result<()> {
            let mut out = vec![Uuid::nil(); IDS];
            checked(check_text.as_bytes(), &mut out);
            same(&out, &ids)
        }),
    }
}
