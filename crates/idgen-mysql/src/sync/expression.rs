//! Evaluates what a unique index compares, such as `LOWER(title)`, for values that no row has yet, so that the row can be found that has
//! the same. The text of the expression comes from the catalog.

use std::collections::HashMap;

/// A part of an expression's text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Column(String),
}

/// An expression over the columns of a table that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression(Vec<Piece>);

impl Expression {
    pub(super) fn of_column(column: &str) -> Expression {
        Expression(vec![Piece::Column(column.to_owned())])
    }

    /// Reads the text of an expression from the catalog, which quotes each name of a column as `` `name` ``. Generated columns
    /// are replaced by their own expressions.
    pub(super) fn read(text: &str, generated: &HashMap<String, Expression>) -> Expression {
        let (mut pieces, mut before) = (Vec::new(), String::new());
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            if letter == '`' {
                let column: String = letters.by_ref().take_while(|letter| *letter != '`').collect();
                pieces.push(Piece::Text(std::mem::take(&mut before)));
                match generated.get(&column) {
                    Some(Expression(own)) => {
                        pieces.push(Piece::Text("(".to_owned()));
                        pieces.extend(own.iter().cloned());
                        pieces.push(Piece::Text(")".to_owned()));
                    }
                    None => pieces.push(Piece::Column(column)),
                }
                continue;
            }
            before.push(letter);
            if letter == '\'' {
                // The end of a literal: a quote inside of it is doubled, which begins another literal, or behind a backslash.
                while let Some(inside) = letters.next() {
                    before.push(inside);
                    match inside {
                        '\'' => break,
                        '\\' => before.extend(letters.next()),
                        _ => {}
                    }
                }
            }
        }
        pieces.push(Piece::Text(before));
        Expression(pieces)
    }

    /// The columns that it reads, as often as it reads them.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Column(column) => Some(column.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// True if it compares a column itself, so that NULL in this column is NULL in the index.
    pub(super) fn is_column(&self) -> bool {
        matches!(self.0.as_slice(), [Piece::Column(_)])
    }

    /// Replaces each column by a literal. The result reads no table, unless a literal does.
    pub(super) fn with(&self, literal: impl Fn(&str) -> String) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Column(column) => literal(column),
            })
            .collect()
    }

    /// Converts the value as a generated column of this type does, which rounds a number when it is stored.
    pub(super) fn stored_as(mut self, full_type: &str) -> Expression {
        let is_integer =
            ["tinyint", "smallint", "mediumint", "int", "bigint"].iter().any(|of| full_type.starts_with(of));
        let decimal = full_type.strip_prefix("decimal").and_then(|rest| rest.split_once(')'));
        let to = match decimal {
            _ if is_integer && full_type.contains("unsigned") => "UNSIGNED".to_owned(),
            _ if is_integer => "SIGNED".to_owned(),
            Some((digits, _)) => format!("DECIMAL{digits})"),
            None => return self,
        };
        self.0.insert(0, Piece::Text("CAST(".to_owned()));
        self.0.push(Piece::Text(format!(" AS {to})")));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_outside_of_literals_are_columns() {
        let whole = r"concat(lower(`a`),_utf8mb4'it\'s `b`','''`c`',`d`)";
        let read = Expression::read(whole, &HashMap::new());
        assert_eq!(read.columns().collect::<Vec<_>>(), ["a", "d"]);
        assert_eq!(
            read.with(|column| format!("<{column}>")),
            r"concat(lower(<a>),_utf8mb4'it\'s `b`','''`c`',<d>)"
        );
        assert!(!read.is_column() && Expression::of_column("a").is_column());
    }

    #[test]
    fn generated_columns_are_their_expressions() {
        let inner = Expression::read("`a` + `b`", &HashMap::new());
        let generated = HashMap::from([("sum".to_owned(), inner)]);
        let outer = Expression::read("`sum` * 2", &generated);
        assert_eq!(outer.with(|column| if column == "a" { "1" } else { "(x)" }.to_owned()), "(1 + (x)) * 2");
    }

    #[test]
    fn numbers_are_stored_as_their_types_say() {
        let stored = |full_type: &str| Expression::of_column("x").stored_as(full_type).with(str::to_owned);
        assert_eq!(stored("int(11) unsigned"), "CAST(x AS UNSIGNED)");
        assert_eq!(stored("bigint"), "CAST(x AS SIGNED)");
        assert_eq!(stored("decimal(10,2)"), "CAST(x AS DECIMAL(10,2))");
        assert_eq!(stored("varchar(10)"), "x");
    }
}
