//! Texts for the outside: a sealed integer as a TypeID, sqids, hashids (the crate `harsh`), and a multiplication as in "Optimus".

use std::rc::Rc;

use harsh::Harsh;
use idgen::codec::typed;
use idgen::{SealKey, SealRing, TypeSeal};
use sqids::Sqids;

use crate::case::{Case, Group, IDS, Section, same, touch};

/// The section of the report.
pub const SECTION: Section = Section {
    name: "outside",
    about: "The cases write integers of 64 bits as texts for the outside, and read them back: 1,024 neighboring numbers from 10^9 on. `idgen \
            sealed` is `TypeSeal::seal_int` and the text of a TypeID (`user_` and 26 characters), `idgen typed` the TypeID alone. `sqids` \
            and `hashids` (the crate `harsh`) have their default alphabet and no least length. `multiplied` is the method of Knuth that \
            \"Optimus\" uses, and the decimal text. Only the sealed integer is encrypted.",
    groups,
    repeats_exactly: |_, _| false,
};

const FIRST: u64 = 1_000_000_000;
/// An odd number and its inverse modulo 2^64.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const INVERSE: u64 = inverse(FACTOR);
const MASK: u64 = 0x5DEE_CE66_D1CE_4E5B;

/// By Newton's iteration: each turn doubles the bits that are right, from three on.
const fn inverse(odd: u64) -> u64 {
    let (mut found, mut turn) = (odd, 0);
    while turn < 5 {
        found = found.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(found)));
        turn += 1;
    }
    found
}

fn numbers() -> Vec<u64> {
    (FIRST..).take(IDS).collect()
}

/// A case that writes each number.
fn write(
    name: &'static str,
    encode: impl Fn(u64) -> String + Clone + 'static,
    decode: impl Fn(&str) -> u64 + 'static,
) -> Case {
    let checked = encode.clone();
    Case {
        name,
        pass: Box::new(move || {
            for number in numbers() {
                touch(encode(number).as_mut_str());
            }
        }),
        check: Box::new(move || {
            let back: Vec<_> = numbers().into_iter().map(|number| decode(&checked(number))).collect();
            same(&back, &numbers())
        }),
    }
}

/// A case that reads each text.
fn read(
    name: &'static str,
    encode: impl Fn(u64) -> String,
    decode: impl Fn(&str) -> u64 + Clone + 'static,
) -> Case {
    let texts: Rc<[String]> = numbers().into_iter().map(encode).collect();
    let (checked, of_check) = (decode.clone(), texts.clone());
    Case {
        name,
        pass: Box::new(move || {
            for text in texts.iter() {
                touch(&mut decode(text));
            }
        }),
        check: Box::new(move || {
            let back: Vec<_> = of_check.iter().map(|text| checked(text)).collect();
            same(&back, &numbers())
        }),
    }
}

fn groups() -> Vec<Group> {
    let ring = SealRing::new(SealKey::new(b"a secret of exactly 32 bytes ...").expect("it is long enough"));
    let seal = Rc::new(TypeSeal::new("user", &ring).expect("a prefix"));
    let (opening, sqids) = (seal.clone(), Rc::new(Sqids::default()));
    let (unsquid, hashids) = (sqids.clone(), Rc::new(Harsh::default()));
    let unhash = hashids.clone();
    let text = |id| typed::to_string("user", &id).expect("a prefix");
    let id = |text: &str| typed::decode_as("user", text).expect("a TypeID");
    let sealed = (
        move |number| text(seal.seal_int(number)),
        move |text: &str| opening.open_int(id(text)).expect("a sealed integer"),
    );
    let plain = (
        move |number| text(uuid::Uuid::from_u128(u128::from(number))),
        move |text: &str| id(text).as_u128() as u64,
    );
    let sqid = (
        move |number| sqids.encode(&[number]).expect("a number"),
        move |text: &str| unsquid.decode(text).first().copied().expect("a number"),
    );
    let hashid = (
        move |number| hashids.encode(&[number]),
        move |text: &str| unhash.decode(text).expect("a hashid").first().copied().expect("a number"),
    );
    let multiplied = (
        |number: u64| (number.wrapping_mul(FACTOR) ^ MASK).to_string(),
        |text: &str| (text.parse::<u64>().expect("a number") ^ MASK).wrapping_mul(INVERSE),
    );
    let writing = vec![
        write("idgen sealed", sealed.0.clone(), sealed.1.clone()),
        write("idgen typed", plain.0, plain.1),
        write("sqids", sqid.0.clone(), sqid.1.clone()),
        write("hashids", hashid.0.clone(), hashid.1.clone()),
        write("multiplied", multiplied.0, multiplied.1),
    ];
    let reading = vec![
        read("idgen sealed", sealed.0, sealed.1),
        read("idgen typed", plain.0, plain.1),
        read("sqids", sqid.0, sqid.1),
        read("hashids", hashid.0, hashid.1),
        read("multiplied", multiplied.0, multiplied.1),
    ];
    vec![
        Group { name: "an integer to a text for the outside", cases: writing, targets: Vec::new() },
        Group { name: "and back", cases: reading, targets: Vec::new() },
    ]
}
