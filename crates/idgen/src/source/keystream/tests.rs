use super::*;
use std::vec;
use std::vec::Vec;

const CIPHERS: &[Cipher] = &[
    #[cfg(feature = "aes")]
    Cipher::Aes,
    Cipher::ChaCha,
];

#[test]
fn the_stream_does_not_depend_on_the_size_of_the_draws() {
    for &cipher in CIPHERS {
        let mut whole = vec![0; 4 * BUFFER_LEN + 100];
        Keystream::new(cipher, [3; KEY_LEN]).fill(&mut whole);
        let mut keystream = Keystream::new(cipher, [3; KEY_LEN]);
        let mut pieces = Vec::new();
        for size in (1..).take_while(|size| size * (size + 1) / 2 <= whole.len()) {
            let mut piece = vec![0; size];
            match piece.as_chunks_mut::<16>() {
                #[cfg(feature = "std")]
                ([exactly], []) => match keystream.ready(|drawn: [u8; 16]| drawn) {
                    Some(drawn) => *exactly = drawn,
                    None => keystream.fill(exactly),
                },
                _ => keystream.fill(&mut piece),
            }
            pieces.extend(piece);
        }
        assert_eq!(pieces, whole[..pieces.len()], "{cipher:?}");
        assert!(pieces.len() > 3 * BUFFER_LEN);
    }
}

#[cfg(feature = "std")]
#[test]
fn a_draw_beyond_the_end_of_the_buffer_is_not_ready() {
    let mut keystream = Keystream::new(Cipher::ChaCha, [5; KEY_LEN]);
    assert_eq!(keystream.ready(u64::from_ne_bytes), None, "before the first fill");
    keystream.fill(&mut [0; BUFFER_LEN - KEY_LEN - 20]);
    assert!(keystream.ready(u128::from_ne_bytes).is_some());
    assert_eq!(keystream.ready(u64::from_ne_bytes), None, "4 bytes are left");
    assert_eq!(keystream.used, BUFFER_LEN - 4);
}

#[test]
fn what_was_handed_out_is_wiped() {
    for &cipher in CIPHERS {
        let mut keystream = Keystream::new(cipher, [9; KEY_LEN]);
        let mut bytes = [0; 100];
        keystream.fill(&mut bytes[16..]);
        keystream.fill(&mut bytes[..16]);
        assert!(bytes.windows(16).all(|w| *w != [0; 16]));
        let mut used = KEY_LEN + 100;
        #[cfg(feature = "std")]
        {
            assert!(keystream.ready(u128::from_ne_bytes).is_some_and(|drawn| drawn != 0));
            used += 16;
        }
        assert_eq!(keystream.used, used);
        assert!(keystream.buffer[KEY_LEN..used].iter().all(|&b| b == 0));
        assert!(keystream.buffer[used..].iter().any(|&b| b != 0));
        let key = keystream.key();
        assert!(key != [9; KEY_LEN] && key != [0; KEY_LEN]);
        assert!(!keystream.buffer[KEY_LEN..].windows(KEY_LEN).any(|window| window == key));
    }
}

/// The naive implementation: the standard's counter mode, one block after the other.
#[cfg(feature = "aes")]
#[test]
fn the_aes_stream_is_that_of_its_blocks() {
    for len in [0, 1, 15, 16, 17, 1_000, 1_024, BUFFER_LEN - 1, BUFFER_LEN, PIECE_LEN] {
        let mut bytes = vec![0xAA; len];
        Cipher::Aes.fill(&[5; KEY_LEN], &mut bytes);
        let cipher = aes::Aes256Enc::new(&[5; KEY_LEN].into());
        let expected: Vec<u8> = (0u128..)
            .flat_map(|counter| {
                let mut block = counter.to_le_bytes().into();
                cipher.encrypt_block(&mut block);
                <[u8; BLOCK]>::from(block)
            })
            .take(len)
            .collect();
        assert_eq!(bytes, expected);
    }
}

/// The naive implementation of a fill: the stream of a key, whose beginning is the next key.
#[test]
fn each_fill_replaces_its_key_and_hands_out_the_rest() {
    for &cipher in CIPHERS {
        let (mut key, mut expected) = ([3; KEY_LEN], Vec::new());
        for _ in 0..3 {
            let mut stream = [0; BUFFER_LEN];
            cipher.fill(&key, &mut stream);
            let (next, rest) = stream.split_at(KEY_LEN);
            key.copy_from_slice(next);
            expected.extend_from_slice(rest);
        }
        let mut keystream = Keystream::new(cipher, [3; KEY_LEN]);
        let mut bytes = vec![0; expected.len()];
        keystream.fill(&mut bytes);
        assert_eq!(bytes, expected);
        assert_eq!(keystream.key(), key);
    }
}

#[cfg(feature = "std")]
#[test]
fn a_direct_fill_draws_a_key_for_each_piece() {
    for &cipher in CIPHERS {
        let new = || Keystream::new(cipher, [7; KEY_LEN]);
        let (mut keystream, mut keys, mut bytes) = (new(), [0; 2 * KEY_LEN], [0; PIECE_LEN + 100]);
        keystream.fill_directly(&mut bytes);
        new().fill(&mut keys);
        let mut expected = [0; PIECE_LEN + 100];
        for (piece, key) in expected.chunks_mut(PIECE_LEN).zip(keys.as_chunks().0) {
            cipher.fill(key, piece);
        }
        assert_eq!(bytes, expected);
        assert!(
            keystream.buffer[KEY_LEN..keystream.used].iter().all(|&byte| byte == 0),
            "the keys are wiped"
        );
        assert_eq!(keystream.used, 3 * KEY_LEN);
    }
}

#[cfg(feature = "std")]
struct Collect<'a>(&'a mut Vec<u8>);

#[cfg(feature = "std")]
impl UseGroup for Collect<'_> {
    fn use_group(&mut self, first: usize, group: &[u8]) {
        assert_eq!((first, first % 16), (self.0.len(), 0));
        self.0.extend_from_slice(group);
    }
}

/// An id with its index and its random bytes.
#[cfg(feature = "std")]
struct Show;

#[cfg(feature = "std")]
impl MakeIds for Show {
    fn make(&self, index: usize, ids: &mut [Uuid], bytes: &[u8]) {
        let (halves, rest) = bytes.as_chunks::<8>();
        assert_eq!((halves.len(), rest), (ids.len(), &[][..]));
        for ((id, half), index) in ids.iter_mut().zip(halves).zip(index..) {
            *id = Uuid::from_u64_pair(index as u64, u64::from_be_bytes(*half));
        }
    }
}

/// The naive implementation: the same bytes at once.
#[cfg(feature = "std")]
#[test]
fn groups_have_the_bytes_of_the_whole() {
    for &cipher in CIPHERS {
        for len in [0, 8, 16, 100, 1_016, 1_024, 1_032, 5_000, PIECE_LEN - 8, PIECE_LEN] {
            let (mut whole, mut groups) = (vec![0; len], Vec::new());
            cipher.fill(&[5; KEY_LEN], &mut whole);
            cipher.each_group(&[5; KEY_LEN], len, Collect(&mut groups));
            assert_eq!(groups, whole, "{cipher:?} {len}");
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn ids_take_the_bytes_of_a_direct_fill() {
    for &cipher in CIPHERS {
        let new = || Keystream::new(cipher, [7; KEY_LEN]);
        let (mut ids, mut bytes) = (vec![Uuid::nil(); PIECE_LEN / 8 + 9], vec![0; PIECE_LEN + 72]);
        new().make_ids::<8>(&mut ids, &Show);
        new().fill_directly(&mut bytes);
        for ((id, half), index) in ids.iter().zip(bytes.as_chunks::<8>().0).zip(0..) {
            assert_eq!(id.as_u64_pair(), (index, u64::from_be_bytes(*half)), "{cipher:?}");
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn a_restart_wipes_the_buffer() {
    let mut keystream = Keystream::new(CIPHERS[0], [7; KEY_LEN]);
    keystream.fill(&mut [0; 10]);
    keystream.restart(Cipher::ChaCha, &[8; KEY_LEN]);
    assert_eq!(keystream.key(), [8; KEY_LEN]);
    assert!(keystream.buffer[KEY_LEN..].iter().all(|&byte| byte == 0));
    let (mut restarted, mut fresh) = ([0; 50], [0; 50]);
    keystream.fill(&mut restarted);
    Keystream::new(Cipher::ChaCha, [8; KEY_LEN]).fill(&mut fresh);
    assert_eq!(restarted, fresh);
}
