//! Packets of the MySQL protocol, and the numbers in them (MySQL source documentation, "Protocol Basics").

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A payload of this length continues in the next packet.
const LONGEST: usize = 0xff_ff_ff;

/// Reads one payload, whose parts are joined, and the sequence number of its last part.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<(Vec<u8>, u8)> {
    let mut payload = Vec::new();
    loop {
        let mut header = [0; 4];
        from.read_exact(&mut header).await?;
        let length = usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
        let begin = payload.len();
        payload.resize(begin + length, 0);
        from.read_exact(&mut payload[begin..]).await?;
        if length < LONGEST {
            return Ok((payload, header[3]));
        }
    }
}

/// Appends a payload as packets, and advances the sequence number.
pub(super) fn append(bytes: &mut Vec<u8>, payload: &[u8], sequence: &mut u8) {
    let mut rest = payload;
    loop {
        let (part, after) = rest.split_at(rest.len().min(LONGEST));
        bytes.extend_from_slice(&(part.len() as u32).to_le_bytes()[..3]);
        bytes.push(*sequence);
        *sequence = sequence.wrapping_add(1);
        bytes.extend_from_slice(part);
        if part.len() < LONGEST {
            return;
        }
        rest = after;
    }
}

/// Sends one payload that begins with this sequence number.
pub(super) async fn write(
    to: &mut (impl AsyncWrite + Unpin),
    payload: &[u8],
    mut sequence: u8,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(payload.len() + 4);
    append(&mut bytes, payload, &mut sequence);
    to.write_all(&bytes).await
}

/// The length-encoded integer at the beginning, and what follows it.
pub(super) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let width = match first {
        0..=250 => return Some((u64::from(*first), rest)),
        252 => 2,
        253 => 3,
        254 => 8,
        _ => return None,
    };
    let (digits, rest) = rest.split_at_checked(width)?;
    let mut value = [0; 8];
    value[..width].copy_from_slice(digits);
    Some((u64::from_le_bytes(value), rest))
}

/// Appends a length-encoded integer.
pub(super) fn append_number(bytes: &mut Vec<u8>, value: u64) {
    let digits = value.to_le_bytes();
    match value {
        0..=250 => bytes.push(digits[0]),
        251..=0xff_ff => {
            bytes.push(252);
            bytes.extend_from_slice(&digits[..2]);
        }
        0x1_00_00..=0xff_ff_ff => {
            bytes.push(253);
            bytes.extend_from_slice(&digits[..3]);
        }
        _ => {
            bytes.push(254);
            bytes.extend_from_slice(&digits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_read_as_they_were_written() {
        for value in [0, 250, 251, 0xff_ff, 0x1_00_00, 0xff_ff_ff, 0x1_00_00_00, u64::MAX] {
            let mut bytes = Vec::new();
            append_number(&mut bytes, value);
            bytes.push(7);
            assert_eq!(number(&bytes), Some((value, &[7][..])));
        }
        assert_eq!(number(&[252, 1]), None);
        assert_eq!(number(&[]), None);
    }

    #[tokio::test]
    async fn a_payload_of_several_packets_is_read_as_one() {
        for length in [0, 1, LONGEST - 1, LONGEST, LONGEST + 5] {
            let payload = vec![3; length];
            let (mut bytes, mut sequence) = (Vec::new(), 1);
            append(&mut bytes, &payload, &mut sequence);
            assert_eq!(sequence, if length < LONGEST { 2 } else { 3 });
            let (found, last) = read(&mut &bytes[..]).await.unwrap();
            assert!(found == payload && last == sequence - 1, "{length}");
        }
    }
}
