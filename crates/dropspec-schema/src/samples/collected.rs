//! Collects samples that differ from each other, until there are enough.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use serde_json::Value;

/// The most samples of a schema.
const MOST_SAMPLES: usize = 200;
/// The most JSON values in all samples of a schema together.
const MOST_VALUES: usize = 50_000;

/// A value, and the keyword that probably rejects it; empty for one that is valid.
pub(crate) type Sample = (Value, &'static str);

#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) samples: Vec<Sample>,
    /// The hashes of all values that were seen.
    seen: HashSet<u64>,
    /// The number of JSON values in the samples.
    values: usize,
}

impl Collected {
    /// Takes a sample if it is new and wanted. Breaks off when there are enough.
    pub(crate) fn take(
        &mut self,
        sample: Sample,
        is_wanted: impl FnOnce(&Value) -> bool,
    ) -> ControlFlow<()> {
        let mut hasher = DefaultHasher::new();
        sample.0.hash(&mut hasher);
        if self.seen.insert(hasher.finish()) && is_wanted(&sample.0) {
            self.values += count_values(&sample.0);
            self.samples.push(sample);
        }
        if self.samples.len() < MOST_SAMPLES && self.values < MOST_VALUES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// The number of JSON values in a value, itself included.
pub(crate) fn count_values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count_values).sum(),
        Value::Object(members) => members.values().map(count_values).sum(),
        _ => 0,
    }
}
