//! Which variant of a union a value is meant for, where the types of several fit.

use std::cell::Cell;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quote::truncate;

/// How deep unions in unions are compared. Below, the first variant that fits is taken: else the time would double, or worse, with
/// each level of a recursive union.
const MAX_COMPARED: u32 = 3;

thread_local! {
    /// How many unions are being compared around the one that is read.
    static COMPARED: Cell<u32> = const { Cell::new(0) };
}

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

/// The error when a text is none of the values of an enum of the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not one of the known values")]
pub struct UnknownValue {
    found: String,
}

impl UnknownValue {
    /// The error for a text. A long text is truncated.
    pub fn new(found: &str) -> Self {
        let found = truncate(found).into_owned();
        Self { found }
    }
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
    #[must_use]
    pub const fn with_default(mut self, index: usize) -> Self {
        self.default = Some(index);
        self
    }

    /// Reads a value as the variant that its discriminator names, or else as the one that keeps the most of it.
    ///
    /// # Errors
    /// No variant can be read.
    pub fn read<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<T, D::Error> {
        self.read_where(deserializer, |_, _| false)
    }

    /// The same, where the variants that a value is valid for, by their indexes, come before the others.
    ///
    /// # Errors
    /// No variant can be read.
    pub fn read_where<'de, D: Deserializer<'de>>(
        &self,
        deserializer: D,
        is_valid: impl Fn(usize, &Value) -> bool,
    ) -> Result<T, D::Error> {
        let value = Value::deserialize(deserializer)?;
        read(
            self.name,
            &value,
            self.variants,
            |variant| has_tag(&value, self.property, variant.tags),
            self.default,
            |index| is_valid(index, &value),
            |variant| (variant.read)(&value).ok(),
        )
    }
}

/// Reads `value` as the variant of the union `name` that its discriminator names, where it names none as the one at the index
/// `default`, or else as the one that keeps the most of it: of those that are valid, or else of all. Of several that keep the same,
/// the first is taken.
///
/// # Errors
/// No variant can be read.
fn read<V, T: Serialize, E: Error>(
    name: &str,
    value: &Value,
    variants: &[V],
    is_tagged: impl Fn(&V) -> bool,
    default: Option<usize>,
    is_valid: impl Fn(usize) -> bool,
    read: impl Fn(&V) -> Option<T>,
) -> Result<T, E> {
    let mut tagged = variants.iter().filter(|it| is_tagged(it)).peekable();
    let valid = (0..).zip(variants).filter(|(index, _)| is_valid(*index));
    let valid = valid.map(|(_, variant)| variant);
    let default = default.filter(|_| tagged.peek().is_none());
    let default = default.and_then(|index| variants.get(index));
    let found = tagged.chain(default).find_map(&read);
    let found = found.or_else(|| choose(value, valid, &read));
    let found = found.or_else(|| choose(value, variants.iter(), &read));
    found.ok_or_else(|| E::custom(format!("no variant of `{name}` fits the value")))
}

/// Whether the discriminator of a value, if there is one, is one of these tags: a text, or the JSON of a number or a boolean.
fn has_tag(value: &Value, property: Option<&str>, tags: &[&str]) -> bool {
    match property.and_then(|name| value.get(name)) {
        None | Some(Value::Null) => false,
        Some(Value::String(tag)) => tags.contains(&tag.as_str()),
        Some(tag) => tags.contains(&tag.to_string().as_str()),
    }
}

fn choose<'v, V: 'v, T: Serialize>(
    value: &Value,
    mut variants: impl Iterator<Item = &'v V>,
    read: impl Fn(&V) -> Option<T>,
) -> Option<T> {
    let depth = COMPARED.get();
    if depth >= MAX_COMPARED {
        return variants.find_map(read);
    }
    COMPARED.set(depth + 1);
    let all = count_kept(value, value);
    let mut best: Option<(usize, T)> = None;
    for found in variants.filter_map(read) {
        let kept = serde_json::to_value(&found).map_or(0, |kept| count_kept(&kept, value));
        if best.as_ref().is_none_or(|(most, _)| kept > *most) {
            best = Some((kept, found));
        }
        if kept == all {
            break;
        }
    }
    COMPARED.set(depth);
    best.map(|(_, found)| found)
}

/// How many of the values in `value` are in `kept`: defaults that were filled in do not count. Null counts nothing: it may stand for
/// what is absent.
fn count_kept(kept: &Value, value: &Value) -> usize {
    match (kept, value) {
        (Value::Null, _) => 0,
        (Value::Array(kept), Value::Array(items)) => {
            let pairs = kept.iter().zip(items);
            1 + pairs
                .map(|(kept, item)| count_kept(kept, item))
                .sum::<usize>()
        }
        (Value::Object(kept), Value::Object(members)) => {
            let pairs = kept
                .iter()
                .filter_map(|(key, kept)| Some((kept, members.get(key)?)));
            1 + pairs
                .map(|(kept, member)| count_kept(kept, member))
                .sum::<usize>()
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
