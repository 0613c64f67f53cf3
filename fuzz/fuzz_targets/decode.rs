//! Any bytes as an id in each format: an error, or the id that encodes to the same text.
#![no_main]

use idgen::Uuid;
use idgen::codec::{Format, base32, base64, base64url, hyphenated, ordered64, simple};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let Ok(id) = format.decode(bytes) else { continue };
        let mut buffer = [0; Format::MAX_LEN];
        let written = format.encode(&id, &mut buffer);
        let any_case = !matches!(format, Format::Base64 | Format::Base64Url | Format::Ordered64);
        let same =
            if any_case && format.is_text() { bytes.eq_ignore_ascii_case(written) } else { bytes == written };
        assert!(same, "{format:?} reads {bytes:?} and writes {written:?}");
        assert_eq!(format.decode(written).unwrap(), id);
    }
    match Format::decode_any(bytes) {
        Ok((format, id)) => assert_eq!(format.decode(bytes).unwrap(), id),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    // The crate `uuid` reads two of the formats, and other texts too.
    for (len, ours) in [(36, Format::Hyphenated), (32, Format::Simple)] {
        if bytes.len() == len {
            assert_eq!(ours.decode(bytes).ok(), Uuid::try_parse_ascii(bytes).ok());
        }
    }
    into(bytes, Format::Hyphenated, hyphenated::decode_into);
    into(bytes, Format::Simple, simple::decode_into);
    into(bytes, Format::Base64, base64::decode_into);
    into(bytes, Format::Base64Url, base64url::decode_into);
    into(bytes, Format::Ordered64, ordered64::decode_into);
    into(bytes, Format::Base32, base32::decode_into);
});

/// Decoding into memory gives what `decode` gives, and a nil id after an error.
fn into<'a>(bytes: &'a [u8], format: Format, decode: impl Fn(&'a [u8], &mut Uuid) -> idgen::Result<()>) {
    let mut id = Uuid::max();
    let done = decode(bytes, &mut id);
    assert_eq!(done.is_ok(), format.decode(bytes).is_ok());
    assert_eq!(id, format.decode(bytes).unwrap_or(Uuid::nil()));
}
