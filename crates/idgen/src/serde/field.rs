//! The fields that a format can be chosen for: `Uuid` and `Option<Uuid>`.

use core::marker::PhantomData;

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use uuid::Uuid;

/// A format as serde sees it.
pub trait Form {
    /// Writes an id.
    fn serialize<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads an id.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error>;
}

/// A type of field: [`Uuid`], or `Option<Uuid>`, whose `None` is the format's null. Other crates cannot name this trait.
pub trait Field: Sized {
    /// Writes the field.
    fn write<F: Form, S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads the field.
    fn read<'de, F: Form, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

impl Field for Uuid {
    fn write<F: Form, S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        F::serialize(self, serializer)
    }

    fn read<'de, F: Form, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::deserialize(deserializer)
    }
}

impl Field for Option<Uuid> {
    fn write<F: Form, S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.map(Written::<F>::new).serialize(serializer)
    }

    fn read<'de, F: Form, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Written<F>>::deserialize(deserializer)?.map(|written| written.id))
    }
}

/// An id that is written in one format.
struct Written<F> {
    id: Uuid,
    form: PhantomData<F>,
}

impl<F> Written<F> {
    fn new(id: Uuid) -> Self {
        Written { id, form: PhantomData }
    }
}

impl<F: Form> Serialize for Written<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        F::serialize(&self.id, serializer)
    }
}

impl<'de, F: Form> Deserialize<'de> for Written<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::deserialize(deserializer).map(Written::new)
    }
}

/// The public part of the module of a format: `serialize` and `deserialize` of each [`Field`], built on a private `Form`.
macro_rules! functions {
    () => {
        /// Writes an id, or `None`: the field is a [`Uuid`](crate::Uuid) or an `Option<Uuid>`.
        ///
        /// # Errors
        ///
        /// Those of the serializer.
        pub fn serialize<T: Field, S: Serializer>(field: &T, serializer: S) -> Result<S::Ok, S::Error> {
            field.write::<Form, S>(serializer)
        }

        /// Reads an id, or `None`: the field is a [`Uuid`](crate::Uuid) or an `Option<Uuid>`.
        ///
        /// # Errors
        ///
        /// Those of the deserializer, and those of the format if the value is not canonical.
        pub fn deserialize<'de, T: Field, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
            T::read::<Form, D>(deserializer)
        }
    };
}
pub(super) use functions;
