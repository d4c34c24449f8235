//! The samples of the schemas of a document. They are kept, because many operations have the same schemas.

use std::collections::HashMap;
use std::rc::Rc;

use dropspec_schema::Direction;
use dropspec_schema::samples::{Samples, samples};
use serde_json::Value;

/// The most JSON values that are kept in samples.
const MOST_KEPT: usize = 1_000_000;

pub(crate) struct Sampler {
    document: &'static Value,
    made: HashMap<(String, bool), Rc<Samples>>,
    /// The number of JSON values in `made`.
    kept: usize,
}

impl Sampler {
    pub(crate) fn new(document: &'static Value) -> Sampler {
        Sampler {
            document,
            made: HashMap::new(),
            kept: 0,
        }
    }

    /// The samples of a schema; none if it has no validator.
    pub(crate) fn samples(&mut self, schema: &Value, direction: Direction) -> Rc<Samples> {
        let key = (schema.to_string(), direction == Direction::Request);
        if let Some(found) = self.made.get(&key) {
            return Rc::clone(found);
        }
        let made = samples(self.document, schema, direction).unwrap_or_default();
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

    /// At most `most` valid texts of a schema; at least one.
    pub(crate) fn texts(
        &mut self,
        schema: &Value,
        direction: Direction,
        most: usize,
    ) -> Vec<String> {
        let samples = self.valid(schema, direction, most);
        let texts = samples.iter().filter_map(Value::as_str);
        let texts: Vec<String> = texts.map(str::to_owned).collect();
        if texts.is_empty() {
            return vec![TEXT.to_owned()];
        }
        texts
    }
}

/// What bodies of bytes contain: bytes that are no text.
pub(crate) const BYTES: &[u8] = b"\x00\xffsample\r\n\r\n";

/// The text of a body whose schema says nothing about texts, as that of a structure does not.
const TEXT: &str = "<sample>ü</sample>";

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
