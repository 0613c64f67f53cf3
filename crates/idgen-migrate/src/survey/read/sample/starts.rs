//! Chooses the values at which the ranges between the first and the last key begin.

use idgen::Uuid;
use idgen::codec::Format;

use super::Value;

/// Returns up to `count` values at equal distances between two values of a key. They need not exist: a range begins at
/// the next one.
pub(super) fn between(low: &Value, high: &Value, count: u32) -> Vec<Value> {
    (1..=count).filter_map(|at| part(low, high, at, count + 1)).collect()
}

fn part(low: &Value, high: &Value, at: u32, of: u32) -> Option<Value> {
    let of_numbers = |low: u128, high: u128| {
        let step = high.checked_sub(low)? / u128::from(of);
        Some(low + step * u128::from(at))
    };
    match (low, high) {
        (Value::Int(low), Value::Int(high)) => {
            Some(Value::Int(low + high.checked_sub(*low)? / i128::from(of) * i128::from(at)))
        }
        (Value::Bytes(low), Value::Bytes(high)) => {
            let number = |bytes: &[u8]| {
                let mut head = [0; 16];
                let length = bytes.len().min(16);
                head[..length].copy_from_slice(&bytes[..length]);
                u128::from_be_bytes(head)
            };
            let found = of_numbers(number(low), number(high))?.to_be_bytes();
            Some(Value::Bytes(found[..low.len().clamp(1, 16)].to_vec()))
        }
        (Value::Text(low), Value::Text(high)) => {
            if let (Ok((format, first)), Ok((_, last))) = (Format::decode_any(low), Format::decode_any(high))
                && !matches!(format, Format::Int | Format::Base64 | Format::Base64Url)
                && let Some(id) = of_numbers(first.as_u128(), last.as_u128())
            {
                let mut buffer = [0; Format::MAX_LEN];
                let text = format.encode(&Uuid::from_u128(id), &mut buffer);
                return Some(Value::Text(String::from_utf8_lossy(text).into_owned()));
            }
            between_texts(low, high, at, of).map(Value::Text)
        }
        _ => None,
    }
}

/// Texts of other kinds are treated as numbers whose digits are these.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn between_texts(low: &str, high: &str, at: u32, of: u32) -> Option<String> {
    let same = low.bytes().zip(high.bytes()).take_while(|(low, high)| low == high).count();
    let digit = |text: &str, at: usize| {
        let byte = text.as_bytes().get(at).copied().unwrap_or(0);
        DIGITS.iter().take_while(|&&digit| digit < byte).count() as u128
    };
    let number = |text: &str| (same..same + 8).fold(0, |number, at| number * 62 + digit(text, at).min(61));
    let (first, last): (u128, u128) = (number(low), number(high));
    let mut rest = first + last.checked_sub(first)? / u128::from(of) * u128::from(at);
    let mut found = Vec::new();
    for _ in 0..8 {
        found.push(DIGITS[(rest % 62) as usize]);
        rest /= 62;
    }
    found.reverse();
    let prefix = low.get(..same)?;
    Some(format!("{prefix}{}", String::from_utf8(found).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_lie_between_the_ends_at_equal_distances() {
        assert_eq!(between(&Value::Int(0), &Value::Int(400), 3), [100, 200, 300].map(Value::Int));
        assert_eq!(between(&Value::Int(i64::MIN.into()), &Value::Int(i64::MAX.into()), 1).len(), 1);
        let bytes = |first| Value::Bytes([&[first], &[0; 15][..]].concat());
        assert_eq!(between(&bytes(0), &bytes(0x80), 1), [bytes(0x40)]);
        let text = |text: &str| Value::Text(text.to_owned());
        let (low, high) = ("00000000-0000-4000-8000-000000000000", "80000000-0000-4000-8000-000000000000");
        assert_eq!(between(&text(low), &text(high), 1), [text("40000000-0000-4000-8000-000000000000")]);
        let found = between(&text("user-A"), &text("user-z"), 1);
        assert!(
            matches!(&found[..], [Value::Text(text)] if text.as_str() > "user-A" && text.as_str() < "user-z"),
            "{found:?}"
        );
        assert_eq!(between(&text("é"), &text("ü"), 1).len(), 0);
        assert_eq!(between(&Value::Int(1), &text("x"), 3), []);
    }
}
