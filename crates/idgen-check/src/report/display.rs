//! A report as text for a terminal.

use std::fmt;

use crate::numbers::{duration, grouped, plural};
use crate::place::Place;
use crate::report::{KindReport, Report, SourceReport};
use crate::rules::Status;

impl fmt::Display for Report {
    /// Several lines, without a line feed at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats: Vec<_> =
            self.formats.iter().map(|(name, count)| format!("{} {name}", grouped(*count))).collect();
        write!(f, "{}", plural(self.ids, "id"))?;
        if !formats.is_empty() {
            write!(f, " ({})", formats.join(", "))?;
        }
        if self.bad > 0 {
            write!(f, ", {} without an id", plural(self.bad, self.unit()))?;
        }
        writeln!(f)?;
        if self.streams.len() > 1 {
            for stream in &self.streams {
                writeln!(f, "  {}: {}", stream.name, plural(stream.ids, "id"))?;
            }
        }
        for kind in &self.kinds {
            writeln!(f)?;
            self.kind(f, kind)?;
        }
        let several = self.kinds.len() > 1;
        writeln!(f, "\n{:6}  {:15}  {:8}  found", "", "rule", "RFC 9562")?;
        for verdict in &self.verdicts {
            let kind = verdict.kind.filter(|_| several).map(|kind| format!("{kind}: ")).unwrap_or_default();
            let section = &verdict.section;
            write!(
                f,
                "{:6}  {:15}  {section:8}  {kind}{}",
                verdict.status.name(),
                verdict.rule,
                verdict.found
            )?;
            self.places(f, &verdict.places, verdict.status)?;
            writeln!(f)?;
        }
        for source in &self.predicted {
            self.source(f, source)?;
        }
        if !self.outsider.is_empty() {
            writeln!(f, "\nWhat an outsider learns from these ids:")?;
            for line in &self.outsider {
                writeln!(f, "  {line}")?;
            }
        }
        write!(f, "\n{}", self.caution)
    }
}

impl Report {
    fn kind(&self, f: &mut fmt::Formatter<'_>, kind: &KindReport) -> fmt::Result {
        writeln!(f, "{}: {}", kind.kind, plural(kind.ids, "id"))?;
        if let Some(time) = &kind.time {
            writeln!(f, "  time     {} to {}", time.earliest, time.latest)?;
            let back = if time.back_ms > 0.0 { duration(time.back_ms) } else { "none".into() };
            writeln!(
                f,
                "  steps    at most {} forward; back: {back}; at most {} in one time",
                duration(time.forward_ms),
                plural(time.most_in_one, "id")
            )?;
            if let (Some(ahead), Some(behind), Some(drift)) = (time.ahead_ms, time.behind_ms, time.drift_ms) {
                let ahead = if ahead > 0.0 {
                    format!("up to {} ahead of it", duration(ahead))
                } else {
                    "never ahead of it".into()
                };
                let drift = duration(drift);
                writeln!(
                    f,
                    "  clock    {ahead}, up to {} behind when read; from first to last {drift}",
                    duration(behind)
                )?;
            }
        }
        if let Some(counter) = &kind.counter {
            writeln!(f, "  counter  {}", counter.looks_like)?;
            if let Some(zero) = counter.zero_starts.filter(|_| counter.starts > 0) {
                writeln!(
                    f,
                    "  starts   {} of {} counters start at zero",
                    grouped(zero),
                    grouped(counter.starts)
                )?;
            }
        }
        if let Some(random) = &kind.random {
            writeln!(f, "  random   {} bits: {}", random.bits, random.mask)?;
        }
        Ok(())
    }

    fn source(&self, f: &mut fmt::Formatter<'_>, source: &SourceReport) -> fmt::Result {
        let found = &source.prediction;
        let of = match self.streams.get(usize::from(source.stream)) {
            Some(stream) if self.streams.len() > 1 => format!(" of {}", stream.name),
            _ => String::new(),
        };
        let count = |count: usize| grouped(count as u64);
        writeln!(f, "\nThe source of {} of {}{of}:", count(found.found), plural(found.of as u64, "id"))?;
        writeln!(f, "  source   {}", found.source)?;
        writeln!(f, "  form     {}", found.form)?;
        let order = if found.is_reordered { "; the ids were given in another order" } else { "" };
        let skipped = match found.skipped {
            0 => String::new(),
            skipped => format!("; between them, {} for something else", plural(skipped as u64, "number")),
        };
        writeln!(
            f,
            "  state    follows from {}, and the others agree{skipped}{order}",
            plural(found.needed as u64, "id")
        )?;
        if found.others > 0 {
            writeln!(
                f,
                "           {} fit as well: the ids do not show where V8 refills its cache",
                plural(found.others as u64, "other state")
            )?;
        }
        for (number, id) in found.next.iter().enumerate() {
            writeln!(f, "  {}  {id}", if number == 0 { "next   " } else { "       " })?;
        }
        writeln!(f, "  instead  {}", found.instead)
    }

    /// The unit of the numbers of places.
    fn unit(&self) -> &'static str {
        let are_raw = !self.streams.is_empty() && self.streams.iter().all(|stream| stream.raw);
        if are_raw { "record" } else { "line" }
    }

    fn places(&self, f: &mut fmt::Formatter<'_>, places: &[Place], status: Status) -> fmt::Result {
        if places.is_empty() || status < Status::Warns {
            return Ok(());
        }
        let several = self.streams.len() > 1;
        let name = |place: &Place| match self.streams.get(usize::from(place.stream)) {
            Some(stream) if several => format!("{} of {}", grouped(place.line), stream.name),
            _ => grouped(place.line),
        };
        let lines: Vec<_> = places.iter().map(name).collect();
        write!(f, " [{} {}]", self.unit(), lines.join(", "))
    }
}
