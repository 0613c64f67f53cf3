//! Sealed ids: `SealKey`, and FF1 of the crate `fpe` over the same 122 bits with the same cipher.

use std::rc::Rc;

use fpe::ff1::{FF1, FlexibleNumeralString};
use idgen::SealKey;
use uuid::{Builder, Uuid, Version};

use crate::case::{Case, Group, Section, same, sample_ids, touch};

/// The section of the report.
pub const SECTION: Section = Section {
    name: "seal",
    about: "The cases convert ids between version 7 and the version 4 that stands for it: FF1 of NIST SP 800-38G with \
            AES-256 over 122 bits, in place. `idgen` is one call of `SealKey` for each id, `idgen batch` one call for \
            1,024 ids. `fpe` is the reference of the tests. It takes numerals of any radix, so here one number for each \
            bit, which the case makes from the id and back. The goal is at most 400 ns per id in each direction.",
    groups,
    repeats_exactly: |_, _| false,
};

type Ff1 = FF1<aes::Aes256>;

const SECRET: &[u8; 32] = b"a secret of exactly 32 bytes ...";

/// The free bits of an id, in the order of the id.
fn free_bits(id: Uuid) -> impl Iterator<Item = u16> {
    let bits = id.as_u128();
    (0..128).rev().filter(|place| !is_fixed(*place)).map(move |place| (bits >> place & 1) as u16)
}

/// Whether a bit belongs to the version or to the variant: RFC 9562, section 4.
fn is_fixed(place: u32) -> bool {
    matches!(place, 76..=79 | 62..=63)
}

fn from_free_bits(bits: &[u16], version: Version) -> Uuid {
    let mut bits = bits.iter();
    let id = (0..128).rev().fold(0u128, |id, place| {
        let bit = if is_fixed(place) { 0 } else { *bits.next().expect("122 bits") };
        id << 1 | u128::from(bit)
    });
    Builder::from_u128(id).with_version(version).with_variant(uuid::Variant::RFC4122).into_uuid()
}

fn sealed_by_fpe(ff1: &Ff1, id: Uuid) -> Uuid {
    let numerals: FlexibleNumeralString = free_bits(id).collect::<Vec<_>>().into();
    let sealed: Vec<u16> = ff1.encrypt(&[], &numerals).expect("122 numerals of radix 2").into();
    from_free_bits(&sealed, Version::Random)
}

fn opened_by_fpe(ff1: &Ff1, id: Uuid) -> Uuid {
    let numerals: FlexibleNumeralString = free_bits(id).collect::<Vec<_>>().into();
    let opened: Vec<u16> = ff1.decrypt(&[], &numerals).expect("122 numerals of radix 2").into();
    from_free_bits(&opened, Version::SortRand)
}

/// A case that converts one id after another, whose check converts the results back.
fn each(
    name: &'static str,
    ids: &Rc<[Uuid]>,
    convert: impl Fn(Uuid) -> Uuid + Clone + 'static,
    back: impl Fn(Uuid) -> Uuid + 'static,
) -> Case {
    let (mut pass_ids, check_ids, checked) = (ids.to_vec(), ids.clone(), convert.clone());
    Case {
        name,
        pass: Box::new(move || {
            for id in &mut pass_ids {
                touch(id);
                touch(&mut convert(*id));
            }
        }),
        check: Box::new(move || {
            let returned: Vec<_> = check_ids.iter().map(|id| back(checked(*id))).collect();
            same(&returned, &check_ids)
        }),
    }
}

/// A case that converts copies of all ids in one call, whose check converts one by one.
fn all(
    name: &'static str,
    ids: &Rc<[Uuid]>,
    convert: impl Fn(&mut [Uuid]) + Clone + 'static,
    one: impl Fn(Uuid) -> Uuid + 'static,
) -> Case {
    let (mut work, pass_ids, check_ids, checked) = (ids.to_vec(), ids.clone(), ids.clone(), convert.clone());
    Case {
        name,
        pass: Box::new(move || {
            work.copy_from_slice(&pass_ids);
            convert(&mut work);
            touch(work.as_mut_slice());
        }),
        check: Box::new(move || {
            let mut found = check_ids.to_vec();
            checked(&mut found);
            let wanted: Vec<_> = check_ids.iter().map(|id| one(*id)).collect();
            same(&found, &wanted)
        }),
    }
}

fn groups() -> Vec<Group> {
    let key = Rc::new(SealKey::new(SECRET).expect("a secret that is long enough"));
    let ff1 = Rc::new(Ff1::new(SECRET, 2).expect("radix 2"));
    let plain: Rc<[Uuid]> = sample_ids()
        .into_iter()
        .map(|id| from_free_bits(&free_bits(id).collect::<Vec<_>>(), Version::SortRand))
        .collect();
    let shown: Rc<[Uuid]> = plain.iter().map(|id| key.seal(*id).expect("a version 7")).collect();
    let seal = {
        let key = key.clone();
        move |id| key.seal(id).expect("a version 7")
    };
    let open = {
        let key = key.clone();
        move |id| key.open(id).expect("a version 4")
    };
    let (seal_all, open_all) = (key.clone(), key);
    let (encrypt, decrypt) = (ff1.clone(), ff1);
    let encrypt = move |id| sealed_by_fpe(&encrypt, id);
    let decrypt = move |id| opened_by_fpe(&decrypt, id);
    vec![
        Group {
            name: "seal",
            cases: vec![
                each("idgen", &plain, seal.clone(), open.clone()),
                all(
                    "idgen batch",
                    &plain,
                    move |ids| seal_all.seal_all(ids).expect("ids of version 7"),
                    seal.clone(),
                ),
                each("fpe", &plain, encrypt.clone(), decrypt.clone()),
            ],
            targets: Vec::new(),
        },
        Group {
            name: "open",
            cases: vec![
                each("idgen", &shown, open.clone(), seal),
                all(
                    "idgen batch",
                    &shown,
                    move |ids| open_all.open_all(ids).expect("ids of version 4"),
                    open,
                ),
                each("fpe", &shown, decrypt, encrypt),
            ],
            targets: Vec::new(),
        },
    ]
}
