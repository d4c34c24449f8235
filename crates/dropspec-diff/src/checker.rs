//! Checks values by the schemas of one document, and makes samples of these schemas.

mod validator;
mod work;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use dropspec_schema::samples::{Samples, samples_by};
use dropspec_schema::{Direction, resolve};
use serde_json::Value;

pub(crate) use self::validator::{SchemaValidator, build_for};
use crate::canonical;

/// A document by which values are checked.
pub(crate) struct Checker {
    document: Rc<Value>,
    /// By the hashes of schemas and directions.
    validators: RefCell<HashMap<u64, Option<Rc<SchemaValidator>>>>,
    samples: RefCell<HashMap<u64, Rc<Samples>>>,
    /// By the paths of requests.
    pub(crate) routes: RefCell<HashMap<String, Option<Route>>>,
}

/// A template of a path, and the texts of its parameters in the path of a request.
type Route = (String, Vec<(String, String)>);

impl Checker {
    pub(crate) fn new(document: Value) -> Checker {
        Checker {
            document: Rc::new(document),
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
    pub(crate) fn validator(
        &self,
        schema: &Value,
        direction: Direction,
    ) -> Option<Rc<SchemaValidator>> {
        let key = canonical::hash(&(schema, direction));
        let mut known = self.validators.borrow_mut();
        let validator = known.entry(key).or_insert_with(|| {
            SchemaValidator::new(Rc::clone(&self.document), schema, direction).map(Rc::new)
        });
        validator.clone()
    }

    /// The samples of a schema; none if it is too large.
    pub(crate) fn samples(&self, schema: &Value, direction: Direction) -> Rc<Samples> {
        let key = canonical::hash(&(schema, direction));
        if let Some(samples) = self.samples.borrow().get(&key) {
            return Rc::clone(samples);
        }
        let samples = self.validator(schema, direction).map(|validator| {
            samples_by(&self.document, schema, &|value| validator.is_valid(value))
        });
        let samples = Rc::new(samples.unwrap_or_default());
        self.samples.borrow_mut().insert(key, Rc::clone(&samples));
        samples
    }
}
