//! Checks values by the schemas of one document, and makes samples of these schemas.

mod work;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use dropspec_schema::samples::Samples;
use dropspec_schema::{Direction, Validator, build_validator, resolve, to_json_schema_within};
use serde_json::Value;

use crate::canonical;

/// Larger schemas, in characters, are not checked.
const LARGEST_SCHEMA: usize = 100_000;

/// A schema whose validator takes more work, in visits to a schema for each value, is not checked.
const MOST_WORK: u64 = 20_000;

/// A document by which values are checked.
pub(crate) struct Checker {
    document: Value,
    /// By the hashes of schemas and directions.
    validators: RefCell<HashMap<u64, Option<Rc<Validator>>>>,
    samples: RefCell<HashMap<u64, Rc<Samples>>>,
    /// By the paths of requests.
    pub(crate) routes: RefCell<HashMap<String, Option<Route>>>,
}

/// A template of a path, and the texts of its parameters in the path of a request.
type Route = (String, Vec<(String, String)>);

impl Checker {
    pub(crate) fn new(document: Value) -> Checker {
        Checker {
            document,
            validators: RefCell::default(),
            samples: RefCell::default(),
            routes: RefCell::default(),
        }
    }

    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    pub(crate) fn resolve<'d>(&'d self, value: &'d Value) -> &'d Value {
        resolve(&self.document, value).unwrap_or(&Value::Null)
    }

    /// The validator of a schema; none if it is too large.
    pub(crate) fn validator(&self, schema: &Value, direction: Direction) -> Option<Rc<Validator>> {
        let key = canonical::hash(&(schema, direction));
        let mut known = self.validators.borrow_mut();
        let validator = known.entry(key).or_insert_with(|| {
            let schema =
                to_json_schema_within(&self.document, schema, direction, LARGEST_SCHEMA).ok()?;
            let is_small = schema.to_string().len() <= LARGEST_SCHEMA;
            let is_quick = is_small && work::estimate(&schema) <= MOST_WORK;
            let validator = is_quick.then(|| build_validator(&schema).ok())??;
            Some(Rc::new(validator))
        });
        validator.clone()
    }

    /// The samples of a schema; none if it is too large.
    pub(crate) fn samples(&self, schema: &Value, direction: Direction) -> Rc<Samples> {
        let key = canonical::hash(&(schema, direction));
        if let Some(samples) = self.samples.borrow().get(&key) {
            return Rc::clone(samples);
        }
        let samples = match self.validator(schema, direction) {
            Some(_) => dropspec_schema::samples::samples(&self.document, schema, direction)
                .unwrap_or_default(),
            None => Samples::default(),
        };
        let samples = Rc::new(samples);
        self.samples.borrow_mut().insert(key, Rc::clone(&samples));
        samples
    }
}
