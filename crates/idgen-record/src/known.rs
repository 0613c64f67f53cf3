//! Figures that a database may not provide: not a number here, `null` in JSON, empty in CSV.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    figure.is_finite().then_some(*figure).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Figure {
        #[serde(with = "super")]
        of: f64,
    }

    #[test]
    fn unknown_figures_stay_unknown() {
        let text = serde_json::to_string(&Figure { of: f64::NAN }).unwrap();
        assert_eq!(text, r#"{"of":null}"#);
        assert!(serde_json::from_str::<Figure>(&text).unwrap().of.is_nan());
        assert_eq!(serde_json::to_string(&Figure { of: 2.5 }).unwrap(), r#"{"of":2.5}"#);
        assert_eq!(serde_json::from_str::<Figure>(r#"{"of":2.5}"#).unwrap().of, 2.5);
    }
}
