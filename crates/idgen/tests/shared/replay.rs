//! Runs the steps of a generator's case, and adds what they return.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use idgen::codec::Format;
use idgen::generator::{AnyGenerator, DeviceLease, Generate, LayoutSettings, PrefixBits, Settings, Tail};
use idgen::source::{Clock as _, ClockPolicy, Entropy, FixedClock, FixedEntropy, Saved, State, WhenBehind};
use idgen::{Error, Interval, Kind, Node, Prefix, PrefixKey, Result, ShortId, Timestamp, Uuid};
use serde_json::{Map, Value, json};

use super::{failure, hex, leases, unhex};

/// The bytes of a text, again and again. It records how many were drawn.
#[derive(Clone)]
struct Bytes(Arc<Mutex<(Vec<u8>, usize)>>);

impl Entropy for Bytes {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (source, drawn) = &mut *self.0.lock().expect("no test panicked");
        for byte in bytes {
            *byte = source[*drawn % source.len()];
            *drawn += 1;
        }
        Ok(())
    }
}

/// The bytes of a seed, recorded.
#[derive(Clone)]
struct Recorded(Arc<Mutex<(FixedEntropy, Vec<u8>)>>);

impl Entropy for Recorded {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (source, drawn) = &mut *self.0.lock().expect("no test panicked");
        source.fill(bytes)?;
        drawn.extend_from_slice(bytes);
        Ok(())
    }
}

/// A state in memory that outlives its generator.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Option<Saved>>>, bool);

impl Kept {
    fn saved(&self) -> Option<Saved> {
        *self.0.lock().expect("no test panicked")
    }
}

impl State for Kept {
    fn is_kept(&self) -> bool {
        self.1
    }
    fn load(&mut self) -> Result<Option<Saved>> {
        Ok(self.saved())
    }
    fn save(&mut self, saved: &Saved) -> Result<()> {
        *self.0.lock().expect("no test panicked") = Some(*saved);
        Ok(())
    }
}

/// The settings of a case.
pub struct Given<'a>(&'a Value, Kept);

impl<'a> Given<'a> {
    pub fn new(settings: &'a Value) -> Self {
        Given(settings, Kept::default())
    }
}

impl LayoutSettings for Given<'_> {
    type Error = Error;

    fn prefixed(&self, _: Kind) -> Result<(Prefix, Interval, Tail)> {
        let interval = text(self.0, "interval").parse().expect("an interval");
        Ok((prefix(self.0), interval, tail(self.0)))
    }

    fn fixed_prefix(&self) -> Result<PrefixBits> {
        Ok(text(self.0, "prefix").parse().expect("a prefix"))
    }

    fn server_id(&self) -> Result<u8> {
        Ok(self.0["server_id"].as_u64().expect("a server") as u8)
    }

    fn refused(&self, error: Error) -> Error {
        error
    }
}

impl Settings for Given<'_> {
    type Error = Error;

    fn policy(&self) -> Result<ClockPolicy> {
        Ok(policy(self.0))
    }

    fn node(&self) -> Result<Option<Node>> {
        Ok(self.0["node"].as_str().map(|node| node.parse().expect("a node")))
    }

    fn state(&self, _: Kind) -> Result<Box<dyn State + Send>> {
        Ok(Box::new(self.1.clone()))
    }
}

/// A generator whose ids are texts.
struct Texts(AnyGenerator, Format);

/// A skipped stretch of millions is only counted.
fn texts<T: Clone + Default>(
    ids: &mut impl Generate<Id = T>,
    count: usize,
    text: impl Fn(&T) -> String,
) -> Result<Vec<String>> {
    let mut made = vec![T::default(); count];
    ids.fill(&mut made)?;
    Ok(if count > 1_000 { Vec::new() } else { made.iter().map(text).collect() })
}

impl Texts {
    fn next(&mut self) -> Result<String> {
        match &mut self.0 {
            AnyGenerator::Uuids(ids) => ids.next_id().map(|id| uuid_text(self.1, &id)),
            AnyGenerator::Shorts(ids) => ids.next_id().map(|id| id.to_string()),
        }
    }

    fn fill(&mut self, count: usize) -> Result<Vec<String>> {
        match &mut self.0 {
            AnyGenerator::Uuids(ids) => texts(ids, count, |id| uuid_text(self.1, id)),
            AnyGenerator::Shorts(ids) => texts(ids, count, ShortId::to_string),
        }
    }

    fn set_lease(&mut self, lease: DeviceLease) -> Result<()> {
        match &mut self.0 {
            AnyGenerator::Shorts(ids) => ids.set_lease(lease),
            AnyGenerator::Uuids(_) => panic!("only 64-bit ids of devices have leases"),
        }
    }
}

pub fn uuid_text(format: Format, id: &Uuid) -> String {
    let mut buffer = [0; Format::MAX_LEN];
    String::from_utf8(format.encode(id, &mut buffer).to_vec()).expect("a text")
}

/// The case with the result of each step, and with the random bytes of its seed.
pub fn complete(mut case: Value) -> Value {
    let Some(seed) = case["seed"].as_u64() else {
        let bytes = Arc::new(Mutex::new((unhex(text(&case, "entropy")), 0)));
        return with_results(&case, Bytes(bytes));
    };
    let recorded = Recorded(Arc::new(Mutex::new((FixedEntropy::new(seed), Vec::new()))));
    case["entropy"] = json!("");
    let mut seeded = with_results(&case, recorded.clone());
    let drawn = recorded.0.lock().expect("no test panicked").1.clone();
    seeded["entropy"] = json!(hex(&drawn));
    let bytes = Bytes(Arc::new(Mutex::new((drawn, 0))));
    assert_eq!(with_results(&seeded, bytes), seeded, "the recorded bytes are those of the seed");
    seeded
}

fn with_results(case: &Value, entropy: impl Entropy + Clone + Send + 'static) -> Value {
    let clock: &'static FixedClock = Box::leak(Box::new(FixedClock::new(Timestamp::UNIX_EPOCH)));
    let state = Kept(Arc::default(), case["state"] == true);
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
            step.insert("saved".into(), saved(state.saved()));
        }
    }
    completed
}

/// A generator and the lease of its device, which outlives it.
#[derive(Default)]
struct Running {
    generator: Option<Texts>,
    lease: Option<DeviceLease>,
}

fn run(
    op: &str,
    case: &Value,
    clock: &'static FixedClock,
    entropy: &(impl Entropy + Clone + Send + 'static),
    state: &Kept,
    Running { generator, lease }: &mut Running,
    step: &mut Map<String, Value>,
) {
    let count = step["count"].as_u64().expect("a count") as usize;
    let renewed = step.get("lease").cloned();
    let made = (|| {
        if let Some(renewed) = renewed {
            let renewed = *lease.insert(leases::read(&renewed)?);
            generator.iter_mut().try_for_each(|generator| generator.set_lease(renewed))?;
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
    entropy: impl Entropy + Send + 'static,
    state: Kept,
    lease: Option<DeviceLease>,
) -> Result<Texts> {
    let kind: Kind = text(case, "kind").parse().expect("a kind");
    let given = Given(&case["settings"], state);
    let mut ids = Texts(AnyGenerator::new(kind, clock, entropy, &given, &given)?, kind.facts().text);
    lease.map_or(Ok(()), |lease| ids.set_lease(lease))?;
    Ok(ids)
}
