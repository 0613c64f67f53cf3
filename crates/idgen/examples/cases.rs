//! Prints random cases for implementations in other languages, one JSON object per line:
//! `cargo run -p idgen-keys --features prefixed,seal,state-file --example cases -- COUNT SEED`.
//!
//! A case with `steps` is a generator as in tests/vectors/generators.json, one with `text` a text to decode in a format, one with `inspected`
//! what a text shows, and one with `secret` and `sealed` a sealed id.

#[path = "../tests/shared/mod.rs"]
#[allow(dead_code, reason = "the vectors use all of it")]
mod shared;

use std::io::Write;

use idgen::codec::Format;
use idgen::source::{Entropy, FixedEntropy};
use idgen::{SealKey, Uuid};
use serde_json::{Value, json};
use shared::{hex, inspections, replay};

struct Random(FixedEntropy);

impl Random {
    fn number(&mut self) -> u128 {
        self.0.next_u128().expect("a fixed source does not fail")
    }

    fn below(&mut self, limit: i64) -> i64 {
        (self.number() % limit as u128) as i64
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as i64) as usize]
    }
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().expect("a number"));
    let (count, seed) = (arguments.next().expect("COUNT"), arguments.next().expect("SEED"));
    let mut random = Random(FixedEntropy::new(seed));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for number in 0..count {
        let case = match number % 10 {
            0..5 => generator(&mut random, number),
            5..8 => decoded(&mut random),
            8 => inspections::seen(&text(&mut random, false).1),
            _ => sealed(&mut random),
        };
        writeln!(out, "{case}")?;
    }
    out.flush()
}

const SECOND: i64 = 10_000_000;

fn generator(random: &mut Random, number: u64) -> Value {
    let kind =
        random.one_of(&["v1", "v4", "v6", "v7", "ulid", "short", "fixed-prefix", "prefixed", "prefixed"]);
    let mut settings = json!({});
    if ["v1", "v6", "short"].contains(&kind) && random.below(3) == 0 {
        settings["node"] = json!(hex(&random.number().to_be_bytes()[..6]));
    }
    if random.below(2) == 0 {
        settings["when_behind"] = json!(random.one_of(&["error", "wait", "restart"]));
        settings["tolerance_ms"] = json!(random.one_of(&[0, 1, 999, 1_000, 60_000]));
    }
    let mut has_state = kind != "v4" && random.below(2) == 0;
    if kind == "fixed-prefix" {
        settings["prefix"] = json!(random.one_of(&["ffff", "0", "a5", "0b1", "0b0101", "7f3"]));
    }
    if kind == "prefixed" {
        settings["interval"] =
            json!(random.one_of(&["minute", "ten-minutes", "hour", "day", "week", "month", "11s"]));
        settings["tail"] = json!(random.one_of(&["ascending", "ascending", "random-v4", "random-v8"]));
        // A keyed prefix takes long to compute.
        settings["prefix"] = json!(if number % 500 == 0 { "keyed" } else { "sequential" });
        if settings["prefix"] == "keyed" {
            settings["secret"] = json!(hex(&random.number().to_be_bytes()));
            if random.below(2) == 0 {
                settings["writer"] = json!(random.one_of(&["a", "phone 7", "ü"]));
            }
        } else if random.below(4) == 0 {
            settings["interval"] = json!("week");
            settings["prefix"] = json!("md5-week");
            settings["utc_offset_secs"] = json!(random.below(100_801) - 50_400);
        } else {
            settings["bits"] = json!(1 + random.below(16));
        }
        has_state &= settings["tail"] == "ascending";
    }
    let mut clock = random.below(100 * 365 * 86_400 * SECOND);
    let has_lease = kind == "short" && random.below(2) == 0;
    let steps: Vec<Value> = (0..1 + random.below(6))
        .map(|at| {
            let far = random.one_of(&[1, 10_000, SECOND, 3_600 * SECOND, 40 * 86_400 * SECOND]);
            clock += random.below(2 * far) - far / 2;
            let mut step = match random.below(8) {
                0 if at > 0 => return json!({ "op": "close" }),
                1 if at > 0 => return json!({ "op": "crash" }),
                2..5 => json!({ "op": "fill", "count": 1 + random.below(4), "clock": clock.to_string() }),
                _ => json!({ "op": "next", "count": 1 + random.below(3), "clock": clock.to_string() }),
            };
            if has_lease && (at == 0 || random.below(3) == 0) {
                step["lease"] = lease(random, clock);
            }
            step
        })
        .collect();
    let entropy: Vec<u8> = (0..1 + random.below(4)).flat_map(|_| random.number().to_be_bytes()).collect();
    replay::complete(json!({
        "kind": kind, "settings": settings, "seed": null, "entropy": hex(&entropy), "state": has_state, "steps": steps,
    }))
}

/// A lease of a number around this time; some are none.
fn lease(random: &mut Random, clock: i64) -> Value {
    let far = random.one_of(&[SECOND, 60 * SECOND, 86_400 * SECOND]);
    let (not_before, not_after) = (clock - random.below(far), clock + random.below(2 * far) - far / 4);
    json!({
        "number": random.one_of(&[0, 7, 0xD846, 0xFFFF]),
        "not_before": not_before.to_string(),
        "not_after": not_after.to_string(),
    })
}

fn texts() -> Vec<Format> {
    Format::ALL.iter().copied().filter(|format| format.is_text()).collect()
}

/// A text in a format, in half of the cases with some characters changed, removed or added.
fn text(random: &mut Random, damaged: bool) -> (Format, String) {
    let format = random.one_of(&texts());
    let id = Uuid::from_u128(random.number() >> random.one_of(&[0, 0, 0, 1, 64, 100]));
    let encoded = format.encode(&id, &mut [0; Format::MAX_LEN]).to_vec();
    let mut text: Vec<char> = String::from_utf8(encoded).expect("ASCII").chars().collect();
    let other: Vec<char> = "0189aAfFgGiIlLoOuUzZ-_+/={} :\u{0}\n\"\\'é‐😀".chars().collect();
    for _ in 0..if damaged { random.below(3) } else { 0 } {
        let (at, new) = (random.below(text.len() as i64) as usize, random.one_of(&other));
        match random.below(4) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, new),
            _ => text[at] = new,
        }
    }
    (format, text.into_iter().collect())
}

fn decoded(random: &mut Random) -> Value {
    let (format, text) = text(random, true);
    let format = if random.below(10) == 0 { random.one_of(&texts()) } else { format };
    let name = format.name();
    match format.decode(&text) {
        Ok(id) => json!({ "format": name, "text": text, "id": id.to_string() }),
        Err(error) => {
            json!({ "format": name, "text": text, "offset": error.offset(), "message": error.to_string() })
        }
    }
}

fn sealed(random: &mut Random) -> Value {
    let secret = random.number().to_be_bytes();
    let id = Uuid::from_u128(random.number() & !(0xF << 76 | 3 << 62) | 7 << 76 | 2 << 62);
    let sealed = SealKey::new(&secret).and_then(|key| key.seal(id)).expect("an id of version 7");
    json!({ "secret": hex(&secret), "id": id.to_string(), "sealed": sealed.to_string() })
}
