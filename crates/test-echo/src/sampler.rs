//! The samples of the schemas of a document. They are kept, because many operations have the same schemas.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;
use spec_samples::{Samples, samples};
use spec_schema::Direction;

/// The most JSON values that are kept in samples.
const MOST_KEPT: usize = 1_000_000;

pub(crate) struct Sampler {
    document: &'static Value,
    made: HashMap<(String, bool), Rc<Samples>>,
    /// The number of JSON values in `made`.
    kept: usize,
    /// What has no samples, with the reason.
    pub(crate) problems: Vec<String>,
}

impl Sampler {
    pub(crate) fn new(document: &'static Value) -> Sampler {
        Sampler {
            document,
            made: HashMap::new(),
            kept: 0,
            problems: Vec::new(),
        }
    }

    /// The samples of a schema; none if it has no validator.
    pub(crate) fn samples(&mut self, schema: &Value, direction: Direction) -> Rc<Samples> {
        let key = (schema.to_string(), direction == Direction::Request);
        if let Some(found) = self.made.get(&key) {
            return Rc::clone(found);
        }
        let made = samples(self.document, schema, direction).unwrap_or_else(|error| {
            self.problems
                .push(format!("a schema has no validator: {error}"));
            Samples::default()
        });
        if made.valid.is_empty() {
            self.problems
                .push(format!("no sample of the schema {}", key.0));
        }
        self.kept += made.count_values();
        if self.kept > MOST_KEPT {
            self.made.clear();
            self.kept = made.count_values();
        }
        let made = Rc::new(made);
        self.made.insert(key, Rc::clone(&made));
        made
    }

    /// At most `most` valid values of a schema.
    pub(crate) fn valid(
        &mut self,
        schema: &Value,
        direction: Direction,
        most: usize,
    ) -> Vec<Value> {
        spread(&self.samples(schema, direction).valid, most)
    }
}

/// At most `most` items: the first ones, which are the usual ones, and others at equal distances.
pub(crate) fn spread<T: Clone>(items: &[T], most: usize) -> Vec<T> {
    if items.len() <= most {
        return items.to_vec();
    }
    let first = most / 2;
    let (usual, others) = items.split_at(first);
    let wanted = most - first;
    let others = (0..wanted).map(|index| &others[index * others.len() / wanted]);
    usual.iter().chain(others).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn spread_takes_the_first_items_and_then_some_of_all_others() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(spread(&items, 8), [0, 1, 2, 3, 4, 28, 52, 76]);
        assert_eq!(spread(&items[..3], 8), [0, 1, 2]);
    }
}
