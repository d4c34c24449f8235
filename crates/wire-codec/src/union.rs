//! Which variant of a union a value is meant for, where the types of several fit.

use serde::Serialize;
use serde::de::Error;
use serde_json::Value;

/// Reads a value as the variant of the union `name` that its discriminator names, or else as the one that keeps the most of it: of
/// those that are valid, or else of all. Of several that keep the same, the first is taken.
///
/// # Errors
/// No variant can be read.
pub fn read<V, T: Serialize, E: Error>(
    name: &str,
    variants: &[V],
    is_tagged: impl Fn(&V) -> bool,
    is_valid: impl Fn(&V) -> bool,
    read: impl Fn(&V) -> Option<T>,
) -> Result<T, E> {
    let mut tagged = variants.iter().filter(|variant| is_tagged(variant));
    let valid = || variants.iter().filter(|variant| is_valid(variant));
    let found = tagged.find_map(&read);
    let found = found.or_else(|| choose(valid(), &read));
    let found = found.or_else(|| choose(variants.iter(), &read));
    found.ok_or_else(|| E::custom(format!("no variant of `{name}` fits the value")))
}

/// Whether the discriminator of a value, if there is one, is one of these tags.
pub fn has_tag(value: &Value, property: Option<&str>, tags: &[&str]) -> bool {
    let tag = property.and_then(|name| value.get(name)?.as_str());
    tag.is_some_and(|tag| tags.contains(&tag))
}

fn choose<'v, V: 'v, T: Serialize>(
    variants: impl Iterator<Item = &'v V>,
    read: impl Fn(&V) -> Option<T>,
) -> Option<T> {
    let mut best: Option<(usize, T)> = None;
    for found in variants.filter_map(read) {
        let kept = serde_json::to_value(&found).map_or(0, |kept| count_values(&kept));
        if best.as_ref().is_none_or(|(most, _)| kept > *most) {
            best = Some((kept, found));
        }
    }
    best.map(|(_, found)| found)
}

/// The number of values in a value. Null counts nothing: it may stand for what is absent.
fn count_values(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::Array(items) => 1 + items.iter().map(count_values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count_values).sum::<usize>(),
        _ => 1,
    }
}
