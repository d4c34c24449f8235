//! Which variant of a union a value is meant for, where the types of several fit.

use serde::Serialize;
use serde_json::Value;

/// Reads a value as the one of `variants` that keeps the most of it. Of several that keep the same, the first is taken.
pub fn choose<V, T: Serialize>(variants: &[V], read: impl Fn(&V) -> Option<T>) -> Option<T> {
    if let [only] = variants {
        return read(only);
    }
    let mut best: Option<(usize, T)> = None;
    for found in variants.iter().filter_map(read) {
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
