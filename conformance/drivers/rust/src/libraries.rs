//! The generator of each library.

/// Makes the next id as a text.
pub type Next = Box<dyn FnMut() -> String>;

/// A generator for the thread that calls this. Libraries that have one generator for the whole process use that.
pub fn generator(library: &str) -> Next {
    match library {
        "idgen-v7" => Box::new(|| idgen::v7().to_string()),
        "idgen-ulid" => Box::new(|| idgen::codec::base32::to_string(&idgen::ulid())),
        "idgen-v6" => Box::new(|| idgen::v6().to_string()),
        "idgen-v4" => Box::new(|| idgen::v4().to_string()),
        "crates-uuid-v7" => Box::new(|| uuid::Uuid::now_v7().to_string()),
        "crates-uuid-v4" => Box::new(|| uuid::Uuid::new_v4().to_string()),
        "crates-uuid-v6" => {
            let node = random_node();
            Box::new(move || uuid::Uuid::now_v6(&node).to_string())
        }
        #[cfg(feature = "all")]
        "crates-uuid7" => Box::new(|| uuid7::uuid7().to_string()),
        #[cfg(feature = "all")]
        "crates-ulid" => {
            let mut generator = ulid::Generator::new();
            Box::new(move || generator.generate().expect("the random bits do not overflow").to_string())
        }
        #[cfg(feature = "all")]
        "crates-ferroid-ulid" => Box::new(|| {
            ferroid::generator::thread_local::Ulid::new_ulid_mono(|_| std::thread::yield_now()).to_string()
        }),
        #[cfg(feature = "all")]
        "crates-rusty-ulid" => {
            let mut last = rusty_ulid::Ulid::generate();
            Box::new(move || {
                last = rusty_ulid::Ulid::next_monotonic(last);
                last.to_string()
            })
        }
        other => panic!("no library {other}"),
    }
}

/// A node as RFC 9562 (section 6.10) has it for a process that has no other: random, and of no network card.
fn random_node() -> [u8; 6] {
    let [first, rest @ .., _, _, _, _, _, _, _, _, _, _] = uuid::Uuid::new_v4().into_bytes();
    let [b, c, d, e, f] = rest;
    [first | 1, b, c, d, e, f]
}
