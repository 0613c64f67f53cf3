//! The option `--skew`: clocks that differ.

use idgen_record::Skew;

use crate::failure;

/// Reads one number, or one for each client.
pub fn read(text: &str) -> Result<Skew, String> {
    let millis: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse().map_err(|_| format!("{part:?} is not a number of milliseconds")))
        .collect::<Result<_, _>>()?;
    let skew = match millis.as_slice() {
        [most] if *most < 0.0 => return Err(format!("{most} ms: give the largest offset, from 0")),
        [most] => Skew::Within(*most),
        _ => Skew::Each(millis),
    };
    match skew.wrong() {
        Some(wrong) => Err(format!("{wrong} ms: give a number from -{0} to {0}", Skew::MOST_MS)),
        None => Ok(skew),
    }
}

/// Refuses more constants than there are clients: those after the last client would be the clocks of nobody.
pub fn check(skew: Option<&Skew>, writers: u64) -> anyhow::Result<()> {
    match skew {
        Some(Skew::Each(all)) if all.len() as u64 > writers => Err(failure::usage(format_args!(
            "--skew has {} clocks, and --writers is {writers}: give at most one clock for each writer",
            all.len()
        ))),
        _ => Ok(()),
    }
}

/// The value in the form in which it was given.
pub fn given(skew: &Skew) -> String {
    match skew {
        Skew::Within(most) => most.to_string(),
        Skew::Each(all) => all.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skew_is_a_range_or_a_list() {
        assert_eq!(read("2.5"), Ok(Skew::Within(2.5)));
        assert_eq!(read("0, -1.5,3"), Ok(Skew::Each(vec![0.0, -1.5, 3.0])));
        for text in ["2.5", "0,-1.5,3"] {
            assert_eq!(given(&read(text).unwrap()), text);
        }
        for bad in ["", "x", "-1", "NaN", "inf", "1,", "1,1e12"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn each_clock_has_a_client() {
        let clocks = |text| Some(read(text).unwrap());
        assert!(check(clocks("0,1,2").as_ref(), 2).is_err());
        for (text, writers) in [("0,1,2", 3), ("0,10", 8), ("5", 1)] {
            assert!(check(clocks(text).as_ref(), writers).is_ok(), "{text} {writers}");
        }
        assert!(check(None, 1).is_ok());
    }
}
