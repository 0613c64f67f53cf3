//! Any bytes as a batch of texts: the ids, or the error, that come from decoding them one by one.
#![no_main]

use idgen::Uuid;
use idgen::codec::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(([format, places], bytes)) = bytes.split_first_chunk() else { return };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    if let Some(len) = format.fixed_len() {
        check(bytes, usize::from(*places % 40), format, len);
    }
});

fn check(bytes: &[u8], places: usize, format: Format, len: usize) {
    // All of the bytes, and as many whole texts as they hold.
    for text in [bytes, &bytes[..bytes.len() - bytes.len() % len]] {
        let mut ids = vec![Uuid::max(); places];
        let one_by_one: Result<Vec<Uuid>, usize> =
            text.chunks(len).enumerate().map(|(at, text)| format.decode(text).map_err(|_| at)).collect();
        match format.decode_batch(text, &mut ids).map(|done| done.len()) {
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
