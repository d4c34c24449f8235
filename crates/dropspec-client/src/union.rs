//! Reads generated types: unions whose variants overlap, of which the discriminator decides, then how much of the value a variant
//! keeps; and the error when a text is no value of an enum.

use dropspec_schema::wire::union;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

/// How a union is read.
pub struct Union<T: 'static> {
    name: &'static str,
    property: Option<&'static str>,
    variants: &'static [UnionVariant<T>],
    default: Option<usize>,
}

/// A variant of a [`Union`].
pub struct UnionVariant<T> {
    /// The values of the discriminator that mean this variant.
    pub tags: &'static [&'static str],
    /// Reads a value as this variant.
    pub read: fn(&Value) -> Result<T, serde_json::Error>,
}

impl<T: Serialize> Union<T> {
    /// Describes the union `name`, whose discriminator is the property `property`. The most special variant is first.
    pub const fn new(
        name: &'static str,
        property: Option<&'static str>,
        variants: &'static [UnionVariant<T>],
    ) -> Self {
        Self {
            name,
            property,
            variants,
            default: None,
        }
    }

    /// Takes values whose discriminator names no variant for the one at this index.
    pub const fn with_default(mut self, index: usize) -> Self {
        self.default = Some(index);
        self
    }

    /// Reads a value as the variant that its discriminator names, or else as the one that keeps the most of it.
    ///
    /// # Errors
    /// No variant can be read.
    pub fn read<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<T, D::Error> {
        let value = Value::deserialize(deserializer)?;
        union::read(
            self.name,
            &value,
            self.variants,
            |variant| union::has_tag(&value, self.property, variant.tags),
            self.default,
            |_| false,
            |variant| (variant.read)(&value).ok(),
        )
    }
}

/// The error when a text is none of the values of an enum of the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown value {text:?}")]
pub struct UnknownValue {
    text: String,
}

impl UnknownValue {
    /// The error for a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}
