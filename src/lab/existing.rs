//! The option `--existing`: rows of a strategy.

use idgen_lab::strategy::{self, Strategy};

use crate::number::count;

/// Rows of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct Existing {
    /// The strategy of the rows; `None` for that of the strategy that is compared.
    pub strategy: Option<&'static Strategy>,
    pub rows: u64,
}

/// A strategy and a number of rows, as in `v4-binary:1M` or `v4:1M`; `own` stands for each strategy itself.
pub fn read(text: &str) -> Result<Existing, String> {
    let (name, rows) = text.split_once(':').ok_or_else(|| {
        format!("'{text}' is not a strategy with a number of rows: write it like v4-binary:1M")
    })?;
    let rows = count(rows)?;
    if rows == 0 {
        return Err(format!(
            "'{text}' has no rows: give at least one, or leave out --existing for an empty table"
        ));
    }
    if name == "own" {
        return Ok(Existing { strategy: None, rows });
    }
    // `v4` is short for its plainest form.
    let strategy = strategy::find(name)
        .or_else(|error| strategy::find(&format!("{name}-binary")).map_err(|_| error.to_string()))?;
    Ok(Existing { strategy: Some(strategy), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_rows_are_at_least_one() {
        assert_eq!(read("v4:1K").unwrap().rows, 1_000);
        for text in ["v4:0", "own:0", "v4-binary:0K"] {
            assert!(read(text).unwrap_err().contains("has no rows: give at least one"), "{text}");
        }
        assert!(read("v4-binry:1K").unwrap_err().contains("did you mean v4-binary"));
    }
}
