//! The submodule for `Option<Uuid>` of every form.

/// Built on the `serialize` and `deserialize` beside it.
macro_rules! option_module {
    () => {
        /// The same for a field of type `Option<Uuid>`; `None` is the format's null.
        pub mod option {
            use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

            use uuid::Uuid;

            struct Wrapped(Uuid);

            impl Serialize for Wrapped {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    super::serialize(&self.0, serializer)
                }
            }

            impl<'de> Deserialize<'de> for Wrapped {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    super::deserialize(deserializer).map(Wrapped)
                }
            }

            /// Writes the id, or `None`.
            ///
            /// # Errors
            ///
            /// Those of the serializer.
            pub fn serialize<S: Serializer>(uuid: &Option<Uuid>, serializer: S) -> Result<S::Ok, S::Error> {
                uuid.map(Wrapped).serialize(serializer)
            }

            /// Reads an id, or `None`.
            ///
            /// # Errors
            ///
            /// Those of the deserializer and of the codec.
            pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Uuid>, D::Error> {
                let wrapped = Option::<Wrapped>::deserialize(deserializer)?;
                Ok(wrapped.map(|Wrapped(uuid)| uuid))
            }
        }
    };
}
pub(super) use option_module;
