//! 26 characters, compared with `ulid`.

use std::rc::Rc;

use idgen::codec::{Format, base32};
use ulid::Ulid;
use uuid::Uuid;

use super::{decode_all, decode_each, encode_all, encode_each, targets, texts};
use crate::case::Group;

pub(super) fn groups(ids: &Rc<[Uuid]>) -> Vec<Group> {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let text = texts(ids, |id| {
        (0..26).map(|at| char::from(DIGITS[(id.as_u128() >> (125 - 5 * at)) as usize % 32])).collect()
    });
    let encode = vec![
        encode_each::<26>("idgen", ids, &text, |id, out| {
            base32::encode(id, out);
        }),
        encode_all::<26>("idgen batch", ids, &text, |ids, out| {
            Format::Base32.encode_batch(ids, out).expect("the buffer has the right length");
        }),
        encode_each::<26>("ulid", ids, &text, |id, out| {
            Ulid(id.as_u128()).array_to_str(out);
        }),
    ];
    let decode = vec![
        decode_each::<26>("idgen", ids, &text, |text| base32::decode(text).expect("canonical")),
        decode_each::<26>("idgen decode_into", ids, &text, |text| {
            let mut id = Uuid::nil();
            base32::decode_into(text, &mut id).expect("canonical");
            id
        }),
        decode_all("idgen batch", ids, &text, |text, out| {
            Format::Base32.decode_batch(text, out).expect("canonical");
        }),
        decode_each::<26>("ulid", ids, &text, |text| {
            // It reads `&str` only, so bytes have to be checked first.
            let text = std::str::from_utf8(text).expect("ASCII");
            Uuid::from_u128(Ulid::from_string(text).expect("canonical").0)
        }),
    ];
    vec![
        Group { name: "base32 encode", cases: encode, targets: targets(&[("ulid", 2.0)]) },
        Group { name: "base32 decode", cases: decode, targets: targets(&[("ulid", 2.0)]) },
    ]
}
