//! The messages for people: what is wrong, with which value, and what to do.

use core::fmt;

use super::{Error, Kind, Problem};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Kind::Parse { form, problem, input } => {
                write!(f, "not {form}: {problem}, in \"{input}\"{}", input.about_mark())
            }
            Kind::Prefix { expected, input } => {
                write!(f, "not an id with the prefix \"{expected}\": \"{input}\" is of another type")
            }
            Kind::ClockBehind { now, last, tolerance_ms, has_state } => write!(
                f,
                "the clock says {now}, but ids were already made for {last}, more than the tolerated \
                 {tolerance_ms} ms ahead: {}",
                match has_state {
                    true =>
                        "correct the clock, or wait; if an earlier run read a wrong time, restore the state of before",
                    false => "correct the clock, wait, or choose another clock policy",
                }
            ),
            Kind::TimeOutOfRange { kind, time, range } => {
                write!(f, "{kind} cannot hold the time {time}: use a time in its range, {range}")
            }
            Kind::Exhausted { kind, capacity, advice } => {
                write!(f, "{kind} has used all {capacity}: {advice}")
            }
            Kind::OutsideLease { number, time, not_before, not_after } => {
                let advice = if time > not_after {
                    "renew the lease, or correct the clock if it is ahead"
                } else {
                    "correct the clock"
                };
                write!(
                    f,
                    "the number {number} of this device is leased from {not_before} to {not_after}, and the next id would \
                     be of {time}: {advice}"
                )
            }
            Kind::Forked { what } => write!(
                f,
                "{what} was copied by a fork and would repeat its parent's ids: create a new generator in the child"
            ),
            Kind::Entropy { detail, .. } => write!(f, "no random bytes: {detail}"),
            #[cfg(feature = "std")]
            Kind::Node { detail } => {
                write!(f, "no hardware address: {detail}; use a random node or give one")
            }
            Kind::State { place, problem, detail, .. } => {
                write!(f, "the state \"{place}\" {problem}: {detail}")
            }
            #[cfg(feature = "alloc")]
            Kind::Line { number, error } => write!(f, "line {number}: {error}"),
            Kind::Config { problem, value, advice } => {
                write!(f, "{problem} \"{value}\"{}: {advice}", value.about_mark())
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::Length { expected, found } => write!(f, "expected {expected}, found {found}"),
            Problem::Byte { found, offset, expected } => {
                write!(f, "expected {expected}, found '{}' at offset {offset}", found.escape_ascii())
            }
            Problem::TrailingBits { offset } => write!(
                f,
                "the character at offset {offset} carries bits beyond the id, which no encoder sets"
            ),
            Problem::Overflow { bits } => write!(f, "the number needs more than {bits} bits"),
            Problem::Looks { like, advice } => write!(f, "it looks like {like}: {advice}"),
            Problem::Ambiguous { candidates } => write!(f, "it could be {candidates}: name the format"),
            Problem::Unrecognized => write!(f, "it has the form of no format of this library"),
        }
    }
}
