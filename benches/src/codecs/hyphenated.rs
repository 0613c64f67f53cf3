//! 36 characters, compared with `uuid` and `uuid-simd`.

use std::rc::Rc;

use idgen::codec::{Format, hyphenated};
use uuid::Uuid;
use uuid_simd::{AsOut, AsciiCase};

use super::{decode_all, decode_each, encode_all, encode_each, targets, texts};
use crate::case::Group;

pub(super) fn groups(ids: &Rc<[Uuid]>) -> Vec<Group> {
    let text = texts(ids, Uuid::to_string);
    let format = vec![
        encode_each::<36>("idgen", ids, &text, |id, out| {
            hyphenated::encode(id, out);
        }),
        encode_all::<36>("idgen batch", ids, &text, |ids, out| {
            Format::Hyphenated.encode_batch(ids, out).expect("the buffer has the right length");
        }),
        encode_each::<36>("uuid-simd", ids, &text, |id, out| {
            let _ = uuid_simd::format_hyphenated(id.as_bytes(), out.as_out(), AsciiCase::Lower);
        }),
        encode_each::<36>("uuid", ids, &text, |id, out| {
            id.hyphenated().encode_lower(out);
        }),
    ];
    let parse = vec![
        decode_each::<36>("idgen", ids, &text, |text| hyphenated::decode(text).expect("canonical")),
        decode_each::<36>("idgen decode_into", ids, &text, |text| {
            let mut id = Uuid::nil();
            hyphenated::decode_into(text, &mut id).expect("canonical");
            id
        }),
        decode_all("idgen batch", ids, &text, |text, out| {
            Format::Hyphenated.decode_batch(text, out).expect("canonical");
        }),
        decode_each::<36>("uuid-simd", ids, &text, |text| {
            let mut bytes = [0; 16];
            uuid_simd::parse_hyphenated(text, bytes.as_out()).expect("canonical");
            Uuid::from_bytes(bytes)
        }),
        decode_each::<36>("uuid", ids, &text, |text| Uuid::try_parse_ascii(text).expect("canonical")),
    ];
    vec![
        Group {
            name: "hyphenated format",
            cases: format,
            targets: targets(&[("uuid-simd", 1.2), ("uuid", 2.4)]),
        },
        Group {
            name: "hyphenated parse",
            cases: parse,
            targets: targets(&[("uuid-simd", 1.5), ("uuid", 10.0)]),
        },
    ]
}
