//! 22 characters, compared with `base64`, `base64-simd` and `base64-turbo`.

use std::rc::Rc;

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD_NO_PAD;
use idgen::codec::{Format, base64};
use uuid::Uuid;
use uuid_simd::AsOut;

use super::{decode_all, decode_each, encode_all, encode_each, targets, texts};
use crate::case::Group;

pub(super) fn groups(ids: &Rc<[Uuid]>) -> Vec<Group> {
    // The reference: bit by bit, from the definition.
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = texts(ids, |id| {
        let bit = |at: usize| at < 128 && id.as_u128() >> (127 - at) & 1 == 1;
        let digit = |at: usize| (6 * at..6 * at + 6).fold(0, |value, at| 2 * value + usize::from(bit(at)));
        (0..22).map(|at| char::from(DIGITS[digit(at)])).collect()
    });
    let encode = vec![
        encode_each::<22>("idgen", ids, &text, |id, out| {
            base64::encode(id, out);
        }),
        encode_all::<22>("idgen batch", ids, &text, |ids, out| {
            Format::Base64.encode_batch(ids, out).expect("the buffer has the right length");
        }),
        encode_each::<22>("base64-turbo", ids, &text, |id, out| {
            base64_turbo::STANDARD_NO_PAD
                .encode_slice(id.as_bytes(), out)
                .expect("the buffer has the right length");
        }),
        encode_each::<22>("base64-simd", ids, &text, |id, out| {
            let _ = base64_simd::STANDARD_NO_PAD.encode(id.as_bytes(), out.as_mut_slice().as_out());
        }),
        encode_each::<22>("base64", ids, &text, |id, out| {
            STANDARD_NO_PAD.encode_slice(id.as_bytes(), out).expect("the buffer has the right length");
        }),
    ];
    let decode = vec![
        decode_each::<22>("idgen", ids, &text, |text| base64::decode(text).expect("canonical")),
        decode_each::<22>("idgen decode_into", ids, &text, |text| {
            let mut id = Uuid::nil();
            base64::decode_into(text, &mut id).expect("canonical");
            id
        }),
        decode_all("idgen batch", ids, &text, |text, out| {
            Format::Base64.decode_batch(text, out).expect("canonical");
        }),
        decode_each::<22>("base64-turbo", ids, &text, |text| {
            // It needs a buffer for its estimate of the length, which is more than 16 bytes.
            let mut bytes = [0; 18];
            base64_turbo::STANDARD_NO_PAD.decode_slice(text, &mut bytes).expect("canonical");
            Uuid::from_slice(&bytes[..16]).expect("16 bytes")
        }),
        decode_each::<22>("base64-simd", ids, &text, |text| {
            let mut bytes = [0; 16];
            base64_simd::STANDARD_NO_PAD.decode(text, bytes.as_mut_slice().as_out()).expect("canonical");
            Uuid::from_bytes(bytes)
        }),
        decode_each::<22>("base64", ids, &text, |text| {
            let mut bytes = [0; 18];
            STANDARD_NO_PAD.decode_slice(text, &mut bytes).expect("canonical");
            Uuid::from_slice(&bytes[..16]).expect("16 bytes")
        }),
    ];
    vec![
        Group {
            name: "base64 encode",
            cases: encode,
            targets: targets(&[("base64-turbo", 1.5), ("base64", 6.0)]),
        },
        Group {
            name: "base64 decode",
            cases: decode,
            targets: targets(&[("base64-turbo", 3.5), ("base64", 6.0)]),
        },
    ]
}
