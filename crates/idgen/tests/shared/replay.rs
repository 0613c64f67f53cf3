//! Runs the steps of a generator's case, and adds what they return.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use idgen::codec::{base32, hyphenated};
use idgen::generator::{
    DeviceLease, DeviceShort, FixedPrefix, Generate, MysqlShort, PrefixBits, Prefixed, Tail, Ulid, V1, V4,
    V6, V7,
};
use idgen::source::{Clock as _, ClockPolicy, Entropy, FixedClock, FixedEntropy, Saved, State, WhenBehind};
use idgen::{Interval, Kind, Prefix, PrefixKey, Result, ShortId, Timestamp};
use serde_json::{Map, Value, json};

use super::{failure, hex, leases, unhex};

/// The bytes of a text, again and again. It records how many were drawn.
#[derive(Clone)]
struct Bytes(Rc<RefCell<(Vec<u8>, usize)>>);

impl Entropy for Bytes {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (source, drawn) = &mut *self.0.borrow_mut();
        for byte in bytes {
            *byte = source[*drawn % source.len()];
            *drawn += 1;
        }
        Ok(())
    }
}

/// The bytes of a seed, recorded.
#[derive(Clone)]
struct Recorded(Rc<RefCell<(FixedEntropy, Vec<u8>)>>);

impl Entropy for Recorded {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (source, drawn) = &mut *self.0.borrow_mut();
        source.fill(bytes)?;
        drawn.extend_from_slice(bytes);
        Ok(())
    }
}

/// A state in memory that outlives its generator.
#[derive(Clone, Default)]
struct Kept(Rc<Cell<Option<Saved>>>, bool);

impl State for Kept {
    fn is_kept(&self) -> bool {
        self.1
    }
    fn load(&mut self) -> Result<Option<Saved>> {
        Ok(self.0.get())
    }
    fn save(&mut self, saved: &Saved) -> Result<()> {
        self.0.set(Some(*saved));
        Ok(())
    }
}

/// A generator of either width, whose ids are texts.
trait Texts {
    fn next(&mut self) -> Result<String>;
    fn fill(&mut self, count: usize) -> Result<Vec<String>>;
    fn set_lease(&mut self, _: DeviceLease) {
        panic!("only 64-bit ids of devices have leases");
    }
}

struct Of<G: Generate>(G, fn(&G::Id) -> String);

impl<G: Generate> Texts for Of<G>
where
    G::Id: Default + Clone,
{
    fn next(&mut self) -> Result<String> {
        self.0.next_id().map(|id| self.1(&id))
    }

    fn fill(&mut self, count: usize) -> Result<Vec<String>> {
        let mut ids = vec![G::Id::default(); count];
        self.0.fill(&mut ids)?;
        // A skipped stretch of millions is only counted.
        Ok(if count > 1_000 { Vec::new() } else { ids.iter().map(self.1).collect() })
    }
}

struct Device(DeviceShort<&'static FixedClock, Kept>);

impl Texts for Device {
    fn next(&mut self) -> Result<String> {
        self.0.next_id().map(|id| id.to_string())
    }

    fn fill(&mut self, count: usize) -> Result<Vec<String>> {
        Of(&mut self.0, ShortId::to_string).fill(count)
    }

    fn set_lease(&mut self, lease: DeviceLease) {
        self.0.set_lease(lease);
    }
}

/// The case with the result of each step, and with the random bytes of its seed.
pub fn complete(mut case: Value) -> Value {
    let Some(seed) = case["seed"].as_u64() else {
        let bytes = Rc::new(RefCell::new((unhex(text(&case, "entropy")), 0)));
        return with_results(&case, Bytes(bytes));
    };
    let recorded = Recorded(Rc::new(RefCell::new((FixedEntropy::new(seed), Vec::new()))));
    case["entropy"] = json!("");
    let mut seeded = with_results(&case, recorded.clone());
    let drawn = recorded.0.borrow().1.clone();
    seeded["entropy"] = json!(hex(&drawn));
    let bytes = Bytes(Rc::new(RefCell::new((drawn, 0))));
    assert_eq!(with_results(&seeded, bytes), seeded, "the recorded bytes are those of the seed");
    seeded
}

fn with_results(case: &Value, entropy: impl Entropy + Clone + 'static) -> Value {
    let clock: &'static FixedClock = Box::leak(Box::new(FixedClock::new(Timestamp::UNIX_EPOCH)));
    let state = Kept(Rc::default(), case["state"] == true);
    let mut device = Running::default();
    let mut completed = case.clone();
    for step in completed["steps"].as_array_mut().expect("steps") {
        let step = step.as_object_mut().expect("a step");
        for result in ["ids", "error", "message", "clock_after", "saved"] {
            step.remove(result);
        }
        if let Some(time) = step.get("clock") {
            clock.set(Timestamp::from_unix_ticks(number(time)));
        }
        let before = clock.now();
        let op = step["op"].as_str().expect("an operation").to_owned();
        match op.as_str() {
            "close" => drop(device.generator.take()),
            "crash" => std::mem::forget(device.generator.take()),
            _ => run(&op, case, clock, &entropy, &state, &mut device, step),
        }
        if clock.now() != before {
            step.insert("clock_after".into(), json!(clock.now().unix_ticks().to_string()));
        }
        if state.1 {
            step.insert("saved".into(), saved(state.0.get()));
        }
    }
    completed
}

/// A generator and the lease of its device, which outlives it.
#[derive(Default)]
struct Running {
    generator: Option<Box<dyn Texts>>,
    lease: Option<DeviceLease>,
}

fn run(
    op: &str,
    case: &Value,
    clock: &'static FixedClock,
    entropy: &(impl Entropy + Clone + 'static),
    state: &Kept,
    Running { generator, lease }: &mut Running,
    step: &mut Map<String, Value>,
) {
    let count = step["count"].as_u64().expect("a count") as usize;
    let renewed = step.get("lease").cloned();
    let made = (|| {
        if let Some(renewed) = renewed {
            let renewed = *lease.insert(leases::read(&renewed)?);
            generator.iter_mut().for_each(|generator| generator.set_lease(renewed));
        }
        let generator = match generator {
            Some(generator) => generator,
            None => generator.insert(build(case, clock, entropy.clone(), state.clone(), *lease)?),
        };
        match op {
            "next" => (0..count).map(|_| generator.next()).collect(),
            "fill" => generator.fill(count),
            "skip" => {
                let pieces = (0..count).step_by(1 << 16).map(|at| (count - at).min(1 << 16));
                pieces.map(|piece| generator.fill(piece)).try_for_each(|done| done.map(drop))?;
                Ok(Vec::new())
            }
            other => panic!("no operation {other}"),
        }
    })();
    match made {
        Ok(_) if op == "skip" => {}
        Ok(ids) => drop(step.insert("ids".into(), json!(ids))),
        Err(error) => step.extend(failure(&error).as_object().expect("an object").clone()),
    }
}

fn saved(saved: Option<Saved>) -> Value {
    saved.map_or(Value::Null, |saved| {
        json!({ "position": saved.position.to_string(), "node": saved.node.map(|node| node.to_string()) })
    })
}

/// A decimal text.
pub fn number<T: std::str::FromStr>(value: &Value) -> T {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{value} is no decimal text"))
}

pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} is a text"))
}

fn policy(settings: &Value) -> ClockPolicy {
    let mut policy = ClockPolicy::DEFAULT;
    if let Some(ms) = settings["tolerance_ms"].as_u64() {
        policy = policy.with_tolerance(Duration::from_millis(ms));
    }
    if let Some(ms) = settings["longest_wait_ms"].as_u64() {
        policy = policy.with_longest_wait(Duration::from_millis(ms));
    }
    match settings["when_behind"].as_str() {
        Some("error") => policy.with_when_behind(WhenBehind::Error),
        Some("wait") => policy.with_when_behind(WhenBehind::Wait),
        _ => policy,
    }
}

pub fn prefix(settings: &Value) -> Prefix {
    let number = |name: &str| settings[name].as_i64();
    match text(settings, "prefix") {
        "sequential" => Prefix::Sequential { bits: number("bits").unwrap_or(16) as u8 },
        "md5-week" => Prefix::Md5Week { utc_offset_secs: number("utc_offset_secs").unwrap_or(0) as i32 },
        "keyed" => {
            let key = PrefixKey::new(&unhex(text(settings, "secret"))).expect("a key");
            Prefix::Keyed(match settings["writer"].as_str() {
                Some(name) => key.for_writer(name),
                None => key,
            })
        }
        other => panic!("no prefix {other}"),
    }
}

pub fn tail(settings: &Value) -> Tail {
    match text(settings, "tail") {
        "random-v4" => Tail::RandomV4,
        "random-v8" => Tail::RandomV8,
        _ => Tail::Ascending,
    }
}

fn build(
    case: &Value,
    clock: &'static FixedClock,
    entropy: impl Entropy + 'static,
    state: Kept,
    lease: Option<DeviceLease>,
) -> Result<Box<dyn Texts>> {
    let settings = &case["settings"];
    let policy = policy(settings);
    let node = settings["node"].as_str().map(|node| node.parse().expect("a node"));
    macro_rules! with_node {
        ($generator:expr) => {{
            let mut generator = $generator;
            if let Some(node) = node {
                generator = generator.with_node(node);
            }
            generator.with_policy(policy).with_state(state)?
        }};
    }
    Ok(match text(case, "kind").parse::<Kind>().expect("a kind") {
        Kind::V1 => Box::new(Of(with_node!(V1::new(clock, entropy)), hyphenated::to_string)),
        Kind::V4 => Box::new(Of(V4::new(entropy), hyphenated::to_string)),
        Kind::V6 => Box::new(Of(with_node!(V6::new(clock, entropy)), hyphenated::to_string)),
        Kind::V7 => {
            let ids = V7::new(clock, entropy).with_policy(policy).with_state(state)?;
            Box::new(Of(ids, hyphenated::to_string))
        }
        Kind::Ulid => {
            let ids = Ulid::new(clock, entropy).with_policy(policy).with_state(state)?;
            Box::new(Of(ids, base32::to_string))
        }
        Kind::Prefixed | Kind::Week => {
            let interval: Interval = text(settings, "interval").parse().expect("an interval");
            let ids = Prefixed::new(clock, entropy, prefix(settings), interval, tail(settings))?;
            Box::new(Of(ids.with_policy(policy).with_state(state)?, hyphenated::to_string))
        }
        Kind::FixedPrefix => {
            let prefix: PrefixBits = text(settings, "prefix").parse().expect("a prefix");
            let ids = FixedPrefix::new(clock, entropy, prefix).with_policy(policy).with_state(state)?;
            Box::new(Of(ids, hyphenated::to_string))
        }
        Kind::Short => {
            let ids = with_node!(DeviceShort::new(clock, entropy)?);
            Box::new(Device(match lease {
                Some(lease) => ids.with_lease(lease),
                None => ids,
            }))
        }
        Kind::MysqlShort => {
            let server = settings["server_id"].as_u64().expect("a server") as u8;
            let ids = MysqlShort::new(clock, server)?.with_state(state)?;
            Box::new(Of(ids, ShortId::to_string))
        }
    })
}
