//! Ids from generators that are not made for security: ids FORM COUNT

use rand_core::{RngCore, SeedableRng};

/// Version 4 from 16 bytes, as `uuid::Builder::from_random_bytes` makes it.
fn version4(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn print<R: RngCore + SeedableRng>(count: usize) {
    let mut source = R::from_os_rng();
    for _ in 0..count {
        let mut bytes = [0; 16];
        source.fill_bytes(&mut bytes);
        println!("{}", version4(bytes));
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (form, count) = (arguments.next().unwrap(), arguments.next().unwrap().parse().unwrap());
    match form.as_str() {
        "xorshift128" => print::<rand_xorshift::XorShiftRng>(count),
        "xoroshiro128-star-star" => print::<rand_xoshiro::Xoroshiro128StarStar>(count),
        "xoshiro128-star-star" => print::<rand_xoshiro::Xoshiro128StarStar>(count),
        "xoshiro256-star-star" => print::<rand_xoshiro::Xoshiro256StarStar>(count),
        "xoroshiro128-plus" => print::<rand_xoshiro::Xoroshiro128Plus>(count),
        "xoshiro256-plus" => print::<rand_xoshiro::Xoshiro256Plus>(count),
        "pcg32" => print::<rand_pcg::Pcg32>(count),
        "splitmix64" => print::<rand_xoshiro::SplitMix64>(count),
        other => panic!("no form {other}"),
    }
}
