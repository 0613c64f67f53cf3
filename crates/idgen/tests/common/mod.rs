//! All 128-bit kinds with one interface, so that one test can check all of them.

use idgen::generator::{FixedPrefix, Generate, PrefixBits, Prefixed, Tail, Ulid, V1, V6, V7};
use idgen::source::{Clock, ClockPolicy, Entropy, State};
use idgen::{Interval, Prefix, PrefixKey, Result, Uuid};

pub type Ids<'a> = Box<dyn Generate<Id = Uuid> + 'a>;

/// The kinds that count, by name, and whether their ids must ascend.
#[allow(dead_code, reason = "not every test uses all kinds")]
pub const COUNTING: [(&str, bool); 11] = [
    ("v1", false),
    ("v1 with a node", false),
    ("v6", true),
    ("v6 with a node", true),
    ("v7", true),
    ("ulid", true),
    ("prefixed, ascending", true),
    ("prefixed, keyed", true),
    ("prefixed, named", true),
    ("fixed prefix", true),
    ("fixed prefix of 16 bits", true),
];

/// A generator of the named kind. Prefixed ones change their prefix every 49 days, which only tests of this change
/// exceed.
pub fn generator<'a>(
    name: &str,
    clock: impl Clock + 'a,
    entropy: impl Entropy + 'a,
    policy: ClockPolicy,
    state: impl State + 'a,
) -> Result<Ids<'a>> {
    let node = || "9f6bdeced846".parse().expect("a node");
    Ok(match name {
        "v1" => Box::new(V1::new(clock, entropy).with_policy(policy).with_state(state)?),
        "v1 with a node" => {
            Box::new(V1::new(clock, entropy).with_node(node()).with_policy(policy).with_state(state)?)
        }
        "v6" => Box::new(V6::new(clock, entropy).with_policy(policy).with_state(state)?),
        "v6 with a node" => {
            Box::new(V6::new(clock, entropy).with_node(node()).with_policy(policy).with_state(state)?)
        }
        "v7" => Box::new(V7::new(clock, entropy).with_policy(policy).with_state(state)?),
        "ulid" => Box::new(Ulid::new(clock, entropy).with_policy(policy).with_state(state)?),
        "prefixed, ascending" | "prefixed, keyed" | "prefixed, named" => {
            let interval: Interval = "49d".parse()?;
            let key = PrefixKey::new(b"sixteen bytes or more")?;
            let prefix = match name {
                "prefixed, keyed" => Prefix::Keyed(key),
                "prefixed, named" => Prefix::Keyed(key.for_writer("a")),
                _ => Prefix::Sequential { bits: 16 },
            };
            let ids = Prefixed::new(clock, entropy, prefix, interval, Tail::Ascending)?;
            Box::new(ids.with_policy(policy).with_state(state)?)
        }
        "fixed prefix" | "fixed prefix of 16 bits" => {
            let prefix = if name == "fixed prefix" { PrefixBits::ONES } else { "ffff".parse()? };
            let ids = FixedPrefix::new(clock, entropy, prefix);
            Box::new(ids.with_policy(policy).with_state(state)?)
        }
        other => panic!("no kind {other}"),
    })
}
