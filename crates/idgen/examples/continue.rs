//! Continues a state file, for tests of implementations in other languages:
//! `cargo run -p idgen-keys --features state-file --example continue -- KIND FILE CLOCK COUNT END` prints COUNT ids, with the clock at so many
//! ticks of 100 ns or at `now`. END is `close`, or `abort`: the process then ends as if it was killed.

use idgen::codec::{base32, hyphenated};
use idgen::generator::{DeviceShort, Generate, Ulid, V1, V6, V7};
use idgen::source::{Clock, ClockPolicy, Csprng, FileState, FixedClock, SystemClock};
use idgen::{Kind, Result, Timestamp, Uuid};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, file, clock, count, end] = arguments.as_slice() else {
        panic!("KIND FILE CLOCK COUNT END");
    };
    let clock: Box<dyn Clock> = match clock.as_str() {
        "now" => Box::new(SystemClock),
        ticks => Box::new(FixedClock::new(Timestamp::from_unix_ticks(ticks.parse().expect("ticks")))),
    };
    // Without a limit, so that only the state counts.
    let policy = ClockPolicy::DEFAULT.with_tolerance(std::time::Duration::MAX);
    let (state, entropy, count) = (FileState::open(file)?, Csprng::new()?, count.parse().expect("a count"));
    let (is_killed, hyphenated) = (end == "abort", hyphenated::to_string as fn(&Uuid) -> String);
    match kind.parse()? {
        Kind::V1 => print(
            V1::new(clock, entropy).with_policy(policy).with_state(state)?,
            count,
            hyphenated,
            is_killed,
        ),
        Kind::V6 => print(
            V6::new(clock, entropy).with_policy(policy).with_state(state)?,
            count,
            hyphenated,
            is_killed,
        ),
        Kind::V7 => print(
            V7::new(clock, entropy).with_policy(policy).with_state(state)?,
            count,
            hyphenated,
            is_killed,
        ),
        Kind::Ulid => print(
            Ulid::new(clock, entropy).with_policy(policy).with_state(state)?,
            count,
            base32::to_string,
            is_killed,
        ),
        Kind::Short => {
            let ids = DeviceShort::new(clock, entropy)?.with_policy(policy).with_state(state)?;
            print(ids, count, |id| id.to_string(), is_killed)
        }
        other => panic!("{other} is not among v1, v6, v7, ulid and short"),
    }
}

fn print<G: Generate>(
    mut ids: G,
    count: usize,
    text: impl Fn(&G::Id) -> String,
    is_killed: bool,
) -> Result<()> {
    for _ in 0..count {
        println!("{}", text(&ids.next_id()?));
    }
    if is_killed {
        // Without destructors, as after a kill.
        std::process::exit(0);
    }
    Ok(())
}
