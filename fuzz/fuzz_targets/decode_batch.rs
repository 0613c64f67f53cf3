//! Any bytes as a batch of texts: the ids, or the error, that come from decoding them one by one.
#![no_main]

use idgen::Uuid;
use idgen::codec::{Format, base32, base64, base64url, hyphenated, ordered64, simple};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(([format, places], bytes)) = bytes.split_first_chunk() else { return };
    let places = usize::from(*places % 40);
    match format % 6 {
        0 => check(bytes, places, Format::Hyphenated, hyphenated::LEN, |text, ids| {
            hyphenated::decode_batch(text, ids).map(|done| done.len())
        }),
        1 => check(bytes, places, Format::Simple, simple::LEN, |text, ids| {
            simple::decode_batch(text, ids).map(|done| done.len())
        }),
        2 => check(bytes, places, Format::Base64, base64::LEN, |text, ids| {
            base64::decode_batch(text, ids).map(|done| done.len())
        }),
        3 => check(bytes, places, Format::Base64Url, base64url::LEN, |text, ids| {
            base64url::decode_batch(text, ids).map(|done| done.len())
        }),
        4 => check(bytes, places, Format::Ordered64, ordered64::LEN, |text, ids| {
            ordered64::decode_batch(text, ids).map(|done| done.len())
        }),
        _ => check(bytes, places, Format::Base32, base32::LEN, |text, ids| {
            base32::decode_batch(text, ids).map(|done| done.len())
        }),
    }
});

fn check(
    bytes: &[u8],
    places: usize,
    format: Format,
    len: usize,
    decode: impl Fn(&[u8], &mut [Uuid]) -> idgen::Result<usize>,
) {
    // All of the bytes, and as many whole texts as they hold.
    for text in [bytes, &bytes[..bytes.len() - bytes.len() % len]] {
        let mut ids = vec![Uuid::max(); places];
        let one_by_one: Result<Vec<Uuid>, usize> =
            text.chunks(len).enumerate().map(|(at, text)| format.decode(text).map_err(|_| at)).collect();
        match decode(text, &mut ids) {
            Ok(done) => assert_eq!(Ok(ids[..done].to_vec()), one_by_one),
            Err(_) if !text.len().is_multiple_of(len) || text.len() / len > places => {}
            Err(_) => {
                let first = one_by_one.expect_err("a batch is refused, and each of its texts is read");
                for (at, id) in ids[..first].iter().enumerate() {
                    assert_eq!(*id, format.decode(&text[at * len..][..len]).unwrap());
                }
            }
        }
    }
}
