//! 32 hexadecimal digits, compared with `uuid`, `uuid-simd` and `hex-simd`.

use std::rc::Rc;

use idgen::codec::{Format, simple};
use uuid::Uuid;
use uuid_simd::{AsOut, AsciiCase};

use super::{decode_all, decode_each, encode_all, encode_each, texts};
use crate::case::Group;

pub(super) fn groups(ids: &Rc<[Uuid]>) -> Vec<Group> {
    let text = texts(ids, |id| format!("{:032x}", id.as_u128()));
    let format = vec![
        encode_each::<32>("idgen", ids, &text, |id, out| {
            simple::encode(id, out);
        }),
        encode_all::<32>("idgen batch", ids, &text, |ids, out| {
            Format::Simple.encode_batch(ids, out).expect("the buffer has the right length");
        }),
        encode_each::<32>("hex-simd", ids, &text, |id, out| {
            let _ = hex_simd::encode(id.as_bytes(), out.as_mut_slice().as_out(), AsciiCase::Lower);
        }),
        encode_each::<32>("uuid-simd", ids, &text, |id, out| {
            let _ = uuid_simd::format_simple(id.as_bytes(), out.as_out(), AsciiCase::Lower);
        }),
        encode_each::<32>("faster-hex", ids, &text, |id, out| {
            faster_hex::hex_encode(id.as_bytes(), out).expect("the buffer has the right length");
        }),
        encode_each::<32>("const-hex", ids, &text, |id, out| {
            const_hex::encode_to_slice(id.as_bytes(), out).expect("the buffer has the right length");
        }),
        encode_each::<32>("uuid", ids, &text, |id, out| {
            id.simple().encode_lower(out);
        }),
    ];
    let parse = vec![
        decode_each::<32>("idgen", ids, &text, |text| simple::decode(text).expect("canonical")),
        decode_each::<32>("idgen decode_into", ids, &text, |text| {
            let mut id = Uuid::nil();
            simple::decode_into(text, &mut id).expect("canonical");
            id
        }),
        decode_all("idgen batch", ids, &text, |text, out| {
            Format::Simple.decode_batch(text, out).expect("canonical");
        }),
        decode_each::<32>("uuid-simd", ids, &text, |text| {
            let mut bytes = [0; 16];
            uuid_simd::parse_simple(text, bytes.as_out()).expect("canonical");
            Uuid::from_bytes(bytes)
        }),
        decode_each::<32>("hex-simd", ids, &text, |text| {
            let mut bytes = [0; 16];
            hex_simd::decode(text, bytes.as_mut_slice().as_out()).expect("canonical");
            Uuid::from_bytes(bytes)
        }),
        decode_each::<32>("faster-hex", ids, &text, |text| {
            let mut bytes = [0; 16];
            faster_hex::hex_decode(text, &mut bytes).expect("canonical");
            Uuid::from_bytes(bytes)
        }),
        decode_each::<32>("const-hex", ids, &text, |text| {
            let mut bytes = [0; 16];
            const_hex::decode_to_slice(text, &mut bytes).expect("canonical");
            Uuid::from_bytes(bytes)
        }),
        decode_each::<32>("uuid", ids, &text, |text| Uuid::try_parse_ascii(text).expect("canonical")),
    ];
    vec![
        Group { name: "simple format", cases: format, targets: Vec::new() },
        Group { name: "simple parse", cases: parse, targets: Vec::new() },
    ]
}
