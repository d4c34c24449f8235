//! Collects samples that differ from each other, until there are enough.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use serde_json::Value;

/// The most samples of a schema.
const MOST_SAMPLES: usize = 200;
/// The most JSON values in all samples of a schema together.
const MOST_VALUES: usize = 50_000;

/// Samples, each with what `S` knows about it.
#[derive(Debug)]
pub(crate) struct Collected<S> {
    pub(crate) samples: Vec<S>,
    /// The hashes of all values that were seen.
    seen: HashSet<u64>,
    /// The number of JSON values in the samples.
    values: usize,
}

impl<S> Default for Collected<S> {
    fn default() -> Self {
        Collected {
            samples: Vec::new(),
            seen: HashSet::new(),
            values: 0,
        }
    }
}

impl<S> Collected<S> {
    /// Takes a sample if it is new and wanted. Breaks off when there are enough.
    pub(crate) fn take(
        &mut self,
        sample: S,
        value_of: impl Fn(&S) -> &Value,
        is_wanted: impl FnOnce(&Value) -> bool,
    ) -> ControlFlow<()> {
        let value = value_of(&sample);
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        if self.seen.insert(hasher.finish()) && is_wanted(value) {
            self.values += count_values(value);
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
