//! The answer to a command: one result for each statement of its text (MySQL source documentation, "Command Phase").

use std::io;

use tokio::io::AsyncRead;

use super::packet::{append, append_number, number, read};

/// The flag of a result's status that another result follows.
const MORE_RESULTS: u16 = 8;

/// One result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done(Done),
    Rows(Rows),
    /// The payload of an error packet.
    Error(Vec<u8>),
}

/// A statement that gave no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) affected: u64,
    pub(super) last_insert_id: u64,
    status: u16,
    /// Warnings, and what else the server says.
    rest: Vec<u8>,
}

/// The rows of a statement, each as its payload, so that rows of the text and of the binary protocol are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// The number of columns, their definitions, and what ends them.
    head: Vec<Vec<u8>>,
    pub(super) rows: Vec<Vec<u8>>,
    end: Vec<u8>,
}

impl Outcome {
    /// A statement that was done, about which the server reports nothing else.
    pub(super) fn done(affected: u64) -> Outcome {
        Outcome::Done(Done { affected, last_insert_id: 0, status: 2, rest: vec![0, 0] })
    }

    /// An error with this number.
    pub(super) fn error(number: u16) -> Outcome {
        let (state, text) = match number {
            1062 => ("23000", "Duplicate entry '1' for key 'PRIMARY'"),
            1205 => ("HY000", "Lock wait timeout exceeded; try restarting transaction"),
            1213 => ("40001", "Deadlock found when trying to get lock; try restarting transaction"),
            1290 => ("HY000", "The server is running with the --read-only option"),
            2013 => ("HY000", "Lost connection to server during query"),
            _ => ("HY000", "an error that the adversary made"),
        };
        let [low, high] = number.to_le_bytes();
        let mut payload = vec![0xff, low, high, b'#'];
        payload.extend_from_slice(state.as_bytes());
        payload.extend_from_slice(text.as_bytes());
        Outcome::Error(payload)
    }

    /// The number of the error, if it is one.
    pub(super) fn error_number(&self) -> Option<u16> {
        match self {
            Outcome::Error(payload) => Some(u16::from_le_bytes([*payload.get(1)?, *payload.get(2)?])),
            _ => None,
        }
    }

    /// Says whether another result follows, whatever it said before.
    pub(super) fn set_more(&mut self, more: bool) {
        let set = |status: u16| if more { status | MORE_RESULTS } else { status & !MORE_RESULTS };
        match self {
            Outcome::Done(done) => done.status = set(done.status),
            Outcome::Rows(rows) => {
                if let Some(at) = status_at(&rows.end)
                    && let Some([low, high]) = rows.end.get_mut(at..at + 2)
                {
                    [*low, *high] = set(u16::from_le_bytes([*low, *high])).to_le_bytes();
                }
            }
            Outcome::Error(_) => {}
        }
    }

    fn more(&self) -> bool {
        let status = match self {
            Outcome::Done(done) => done.status,
            Outcome::Rows(rows) => status_at(&rows.end)
                .and_then(|at| Some(u16::from_le_bytes([*rows.end.get(at)?, *rows.end.get(at + 1)?])))
                .unwrap_or_default(),
            Outcome::Error(_) => 0,
        };
        status & MORE_RESULTS != 0
    }

    fn append(&self, bytes: &mut Vec<u8>, sequence: &mut u8) {
        match self {
            Outcome::Done(done) => {
                let mut payload = vec![0];
                append_number(&mut payload, done.affected);
                append_number(&mut payload, done.last_insert_id);
                payload.extend_from_slice(&done.status.to_le_bytes());
                payload.extend_from_slice(&done.rest);
                append(bytes, &payload, sequence);
            }
            Outcome::Rows(Rows { head, rows, end }) => {
                for payload in head.iter().chain(rows).chain([end]) {
                    append(bytes, payload, sequence);
                }
            }
            Outcome::Error(payload) => append(bytes, payload, sequence),
        }
    }
}

/// The packets of results.
pub(super) fn packets(outcomes: &[Outcome]) -> Vec<u8> {
    let (mut bytes, mut sequence) = (Vec::new(), 1);
    outcomes.iter().for_each(|outcome| outcome.append(&mut bytes, &mut sequence));
    bytes
}

/// Reads all results of a text. `deprecate_eof` is what client and server agreed on: an end of rows is then an OK packet
/// with another first byte, and nothing ends the definitions of columns.
pub(super) async fn outcomes(
    server: &mut (impl AsyncRead + Unpin),
    deprecate_eof: bool,
) -> io::Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    loop {
        let outcome = outcome(server, deprecate_eof).await?;
        let more = outcome.more();
        outcomes.push(outcome);
        if !more {
            return Ok(outcomes);
        }
    }
}

async fn outcome(server: &mut (impl AsyncRead + Unpin), deprecate_eof: bool) -> io::Result<Outcome> {
    let (first, _) = read(server).await?;
    match first.first() {
        Some(0) => Ok(Outcome::Done(done(&first).ok_or_else(|| unreadable("an OK packet"))?)),
        Some(0xff) => Ok(Outcome::Error(first)),
        _ => {
            let (columns, _) = number(&first).ok_or_else(|| unreadable("a number of columns"))?;
            let mut head = vec![first];
            for _ in 0..columns + u64::from(!deprecate_eof) {
                head.push(read(server).await?.0);
            }
            let mut rows = Vec::new();
            loop {
                let (payload, _) = read(server).await?;
                match payload.first() {
                    // An error among rows ends the answer.
                    Some(0xff) => return Ok(Outcome::Error(payload)),
                    Some(0xfe) if payload.len() < 0xff_ff_ff && (deprecate_eof || payload.len() < 9) => {
                        return Ok(Outcome::Rows(Rows { head, rows, end: payload }));
                    }
                    _ => rows.push(payload),
                }
            }
        }
    }
}

/// Reads the answer to the preparation of a statement: its number if the server accepted it, and all packets.
pub(super) async fn prepared(
    server: &mut (impl AsyncRead + Unpin),
    deprecate_eof: bool,
) -> io::Result<(Option<u32>, Vec<Vec<u8>>)> {
    let (first, _) = read(server).await?;
    if first.first() != Some(&0) {
        return Ok((None, vec![first]));
    }
    let short = || unreadable("the answer to a preparation");
    let field = |at: usize, length: usize| first.get(at..at + length).ok_or_else(short);
    let statement = field(1, 4)?.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
    let counts = [field(5, 2)?, field(7, 2)?].map(|bytes| usize::from(bytes[0]) | usize::from(bytes[1]) << 8);
    let mut packets = vec![first];
    for count in counts.into_iter().filter(|count| *count > 0) {
        for _ in 0..count + usize::from(!deprecate_eof) {
            packets.push(read(server).await?.0);
        }
    }
    Ok((Some(statement), packets))
}

fn done(payload: &[u8]) -> Option<Done> {
    let (affected, rest) = number(payload.get(1..)?)?;
    let (last_insert_id, rest) = number(rest)?;
    let (status, rest) = rest.split_at_checked(2)?;
    Some(Done {
        affected,
        last_insert_id,
        status: u16::from_le_bytes(status.try_into().ok()?),
        rest: rest.to_vec(),
    })
}

/// The place of the status in an end of rows. An OK packet has at least seven bytes, an EOF packet five.
fn status_at(end: &[u8]) -> Option<usize> {
    if end.len() < 7 {
        return Some(3);
    }
    let (_, rest) = number(&end[1..])?;
    let (_, rest) = number(rest)?;
    Some(end.len() - rest.len())
}

fn unreadable(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the server's answer is not {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two results, in both ways in which rows can end.
    #[tokio::test]
    async fn results_are_written_as_they_were_read() {
        let done = vec![0, 3, 252, 0, 1, 2 | 8, 0, 0, 0];
        for (deprecate_eof, end) in [(true, vec![0xfe, 0, 0, 2, 0, 0, 0]), (false, vec![0xfe, 0, 0, 2, 0])] {
            let mut payloads = vec![done.clone(), vec![1], b"a column".to_vec()];
            if !deprecate_eof {
                payloads.push(vec![0xfe, 0, 0, 2, 0]);
            }
            payloads.extend([vec![1, b'7'], vec![1, b'8'], end]);
            let (mut bytes, mut sequence) = (Vec::new(), 1);
            payloads.iter().for_each(|payload| append(&mut bytes, payload, &mut sequence));
            let mut found = outcomes(&mut &bytes[..], deprecate_eof).await.unwrap();
            assert_eq!(packets(&found), bytes);
            let [Outcome::Done(done), Outcome::Rows(rows)] = &found[..] else { panic!("{found:?}") };
            assert_eq!((done.affected, done.last_insert_id), (3, 256));
            assert_eq!(rows.rows, [[1, b'7'], [1, b'8']]);
            // A result without the flag for more results is read again as the last one.
            found.remove(0);
            found[0].set_more(true);
            assert!(found[0].more());
            found[0].set_more(false);
            assert_eq!(outcomes(&mut &packets(&found)[..], deprecate_eof).await.unwrap(), found);
        }
    }

    #[tokio::test]
    async fn an_error_ends_the_answer() {
        let made = [Outcome::error(1213)];
        let found = outcomes(&mut &packets(&made)[..], true).await.unwrap();
        assert_eq!(found, made);
        assert_eq!(found[0].error_number(), Some(1213));
    }
}
