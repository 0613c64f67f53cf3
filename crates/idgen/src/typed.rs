//! Ids with a type: a prefix in their text, and a marker in Rust.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::str::FromStr;

use uuid::Uuid;

use crate::codec::typed;
use crate::error::{Error, Result};

/// A marker for the ids of one type, such as those of a table.
///
/// ```
/// struct User;
///
/// impl idgen::IdType for User {
///     const PREFIX: &'static str = "user";
/// }
/// ```
///
/// A prefix that [`check_prefix`](typed::check_prefix) refuses does not compile, as soon as a [`Typed`] is made.
pub trait IdType {
    /// The prefix of the texts.
    const PREFIX: &'static str;
}

/// An id of one type, written as a TypeID: `user_01h455vb4pex5vsknk084sn02q`.
///
/// Ids of different types are different types in Rust, so they do not mix. The value is a [`Uuid`]: store its 16 bytes in the
/// database. With the feature `serde`, it is a text in human-readable formats, and 16 bytes in the others.
/// [`codec::typed`](crate::codec::typed) reads and writes texts whose prefix is known only at run time.
///
/// ```
/// use idgen::{IdType, Typed};
///
/// struct User;
/// impl IdType for User {
///     const PREFIX: &'static str = "user";
/// }
///
/// let id: Typed<User> = "user_01h455vb4pex5vsknk084sn02q".parse()?;
/// assert_eq!(id.id().to_string(), "01890a5d-ac96-774b-bcce-b302099a8057");
/// assert_eq!(id.to_string(), "user_01h455vb4pex5vsknk084sn02q");
/// let error = "order_01h455vb4pex5vsknk084sn02q".parse::<Typed<User>>().unwrap_err();
/// assert!(error.to_string().contains("not an id with the prefix \"user\""));
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// ```compile_fail,E0308
/// # use idgen::{IdType, Typed};
/// # struct User;
/// # impl IdType for User { const PREFIX: &'static str = "user"; }
/// # struct Order;
/// # impl IdType for Order { const PREFIX: &'static str = "order"; }
/// fn load(_: Typed<User>) {}
/// load(Typed::<Order>::new(idgen::v7()));
/// ```
///
/// ```compile_fail,E0080
/// struct User;
/// impl idgen::IdType for User { const PREFIX: &'static str = "User"; }
/// idgen::Typed::<User>::new(idgen::v7());
/// ```
#[repr(transparent)]
pub struct Typed<T: IdType> {
    id: Uuid,
    // Not `T`, so that a typed id is `Send` and `Sync` whatever the marker is.
    marker: PhantomData<fn() -> T>,
}

impl<T: IdType> Typed<T> {
    /// The typed id with this value.
    #[inline]
    pub const fn new(id: Uuid) -> Self {
        const { assert!(typed::prefix_fault(T::PREFIX.as_bytes()).is_none(), "PREFIX is no prefix of a TypeID") };
        Typed { id, marker: PhantomData }
    }

    /// The id without its type.
    #[inline]
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// Encodes into the caller's buffer without allocation, and returns the part that was written.
    ///
    /// ```
    /// # use idgen::{IdType, Typed, Uuid, codec::typed};
    /// # struct User;
    /// # impl IdType for User { const PREFIX: &'static str = "user"; }
    /// let id = Typed::<User>::new(Uuid::nil());
    /// assert_eq!(id.encode(&mut [0; typed::MAX_LEN]), "user_00000000000000000000000000");
    /// ```
    pub fn encode<'b>(&self, buf: &'b mut [u8; typed::MAX_LEN]) -> &'b mut str {
        typed::encode_checked(T::PREFIX, &self.id, buf)
    }
}

impl<T: IdType> FromStr for Typed<T> {
    type Err = Error;

    /// # Errors
    /// `is_parse` for a text that is no TypeID, or has another prefix.
    fn from_str(text: &str) -> Result<Self> {
        typed::decode_as(T::PREFIX, text).map(Typed::new)
    }
}

impl<T: IdType> fmt::Display for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.encode(&mut [0; typed::MAX_LEN]))
    }
}

impl<T: IdType> fmt::Debug for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T: IdType> From<Typed<T>> for Uuid {
    fn from(typed: Typed<T>) -> Self {
        typed.id
    }
}

// Derived implementations would ask the same of the marker.
impl<T: IdType> Clone for Typed<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: IdType> Copy for Typed<T> {}

impl<T: IdType> PartialEq for Typed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T: IdType> Eq for Typed<T> {}

impl<T: IdType> PartialOrd for Typed<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: IdType> Ord for Typed<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl<T: IdType> Hash for Typed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
