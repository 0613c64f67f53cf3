//! [`Typed`]: its text in human-readable formats, 16 bytes in all others.

use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{Deserialize, Deserializer, Error, Visitor};
use ::serde::ser::{Serialize, Serializer};
use uuid::Uuid;

use crate::codec::typed;
use crate::typed::{IdType, Typed};

/// The text with the prefix in human-readable formats, and the 16 bytes of the id in the others.
impl<T: IdType> Serialize for Typed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.serialize_str(self.encode(&mut [0; typed::MAX_LEN])),
            false => self.id().serialize(serializer),
        }
    }
}

/// Reads what `Serialize` writes. A text with another prefix is an error.
///
/// ```
/// use idgen::{IdType, Typed};
///
/// struct User;
/// impl IdType for User {
///     const PREFIX: &'static str = "user";
/// }
///
/// let json = r#""user_01h455vb4pex5vsknk084sn02q""#;
/// let id: Typed<User> = serde_json::from_str(json)?;
/// assert_eq!(serde_json::to_string(&id)?, json);
/// assert!(serde_json::from_str::<Typed<User>>(&json.replace("user", "order")).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de, T: IdType> Deserialize<'de> for Typed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_str(Text(PhantomData)),
            false => Uuid::deserialize(deserializer).map(Typed::new),
        }
    }
}

struct Text<T>(PhantomData<fn() -> T>);

impl<T: IdType> Visitor<'_> for Text<T> {
    type Value = Typed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an id with the prefix \"{}\"", T::PREFIX)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Typed<T>, E> {
        text.parse().map_err(E::custom)
    }
}
