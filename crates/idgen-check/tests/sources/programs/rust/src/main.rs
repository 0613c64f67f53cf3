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

/// Digits as `Random.Range(0, values)` of Unity gives them, so many of each number.
fn print_unity(count: usize, digits: usize) {
    let mut source = unity_random::Random::new();
    for _ in 0..count {
        let numbers = (0..32 / digits).map(|_| source.range_int(0, 1 << (4 * digits)));
        let hex: String = numbers.map(|number| format!("{number:0digits$x}")).collect();
        println!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
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
        "unity-16" => print_unity(count, 1),
        "unity-256" => print_unity(count, 2),
        other => panic!("no form {other}"),
    }
}
