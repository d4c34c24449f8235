//! Checks messages by one document.

mod bodies;
mod discriminators;
mod requests;
mod responses;
mod routes;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;
use spec_samples::Samples;
use spec_schema::media_type::{covers, essence, exactness};
use spec_schema::{
    BodyKind, Direction, ValidationErrorKind, Validator, build_validator, resolve, to_json_schema,
};

pub(super) use self::bodies::BOUNDARY;
use super::message::header;
use super::parameters::{Parameter, parameters};

/// Larger schemas, in characters, are not checked.
const LARGEST_SCHEMA: usize = 100_000;

/// The address of a schema, which does not change as long as the document exists; and whether requests have it.
type SchemaKey = (usize, bool);

/// A document by which messages are checked.
pub(super) struct Checker {
    document: Value,
    validators: RefCell<HashMap<SchemaKey, Option<Rc<Validator>>>>,
    samples: RefCell<HashMap<SchemaKey, Rc<Samples>>>,
}

/// An operation of a document.
#[derive(Clone, Copy)]
pub(super) struct Operation<'d> {
    pub(super) path_item: &'d Value,
    pub(super) value: &'d Value,
}

/// Why a message is refused, and where.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) kind: RefusalKind,
    pub(super) place: String,
    pub(super) reason: String,
    /// The value at the place and those around it.
    pub(super) values: Vec<Value>,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalKind {
    /// Anything else.
    Content,
    /// The status is not declared.
    Status,
    /// The media type is not declared.
    MediaType,
}

/// A refusal that no value is responsible for.
fn refusal(place: impl Into<String>, reason: impl Into<String>) -> Refusal {
    Refusal {
        kind: RefusalKind::Content,
        place: place.into(),
        reason: reason.into(),
        values: Vec::new(),
    }
}

impl Checker {
    pub(super) fn new(document: Value) -> Checker {
        Checker {
            document,
            validators: RefCell::default(),
            samples: RefCell::default(),
        }
    }

    pub(super) fn document(&self) -> &Value {
        &self.document
    }

    pub(super) fn resolve<'d>(&'d self, value: &'d Value) -> &'d Value {
        resolve(&self.document, value).unwrap_or(&Value::Null)
    }

    pub(super) fn parameters<'d>(&'d self, operation: Operation<'d>) -> Vec<Parameter<'d>> {
        parameters(&self.document, operation.path_item, operation.value)
    }

    /// The security requirements of an operation; `None` if it has none.
    pub(super) fn security<'d>(&'d self, operation: Operation<'d>) -> Option<&'d Vec<Value>> {
        let own = operation.value.get("security");
        let requirements = own.or(self.document.get("security"))?.as_array()?;
        Some(requirements).filter(|it| !it.is_empty())
    }

    pub(super) fn scheme(&self, name: &str) -> &Value {
        self.resolve(&self.document["components"]["securitySchemes"][name])
    }

    fn check_body(
        &self,
        content: &Value,
        headers: &[(String, String)],
        text: &str,
        direction: Direction,
    ) -> Vec<Refusal> {
        let Some(content) = content.as_object().filter(|it| !it.is_empty()) else {
            return Vec::new();
        };
        let sent = header(headers, "Content-Type").unwrap_or_default();
        let ranges = content
            .keys()
            .filter(|range| covers(&essence(range), &essence(sent)));
        let Some(range) = ranges.max_by_key(|range| exactness(&essence(range))) else {
            return vec![Refusal {
                kind: RefusalKind::MediaType,
                ..refusal(
                    "the header `Content-Type`",
                    format!("`{sent}` is not declared"),
                )
            }];
        };
        let media = &content[range];
        match self.read_body(sent, media, text, direction) {
            Ok(value) => {
                let schema = media.get("schema").filter(|schema| {
                    // Of other bytes, the document does not say how they are a value.
                    BodyKind::of(sent) != BodyKind::Bytes
                        || self.resolve(schema)["type"] == "string"
                });
                self.check(schema, &value, direction, "the body")
            }
            Err(refused) => vec![refused],
        }
    }

    /// Why a value is invalid by a schema.
    fn check(
        &self,
        schema: Option<&Value>,
        value: &Value,
        direction: Direction,
        place: &str,
    ) -> Vec<Refusal> {
        let Some(validator) = schema.and_then(|schema| self.validator(schema, direction)) else {
            return Vec::new();
        };
        let errors = validator.iter_errors(value).map(|error| {
            let pointer = error.instance_path().to_string();
            (pointer, error.masked_with("it").to_string())
        });
        let tags = schema.map(|schema| self.check_tags(schema, value, direction));
        let refused = errors.chain(tags.unwrap_or_default());
        let refused = refused.map(|(pointer, reason)| {
            let mut values = Vec::new();
            let mut around = pointer.as_str();
            loop {
                values.extend(value.pointer(around).cloned());
                match around.rfind('/') {
                    Some(end) => around = &around[..end],
                    None => break,
                }
            }
            let place = match pointer.as_str() {
                "" => place.to_owned(),
                pointer => format!("{place} at `{pointer}`"),
            };
            Refusal {
                kind: RefusalKind::Content,
                place,
                reason,
                values,
            }
        });
        refused.collect()
    }

    fn validator(&self, schema: &Value, direction: Direction) -> Option<Rc<Validator>> {
        let key = key_of(schema, direction);
        let mut known = self.validators.borrow_mut();
        let validator = known.entry(key).or_insert_with(|| {
            let schema = to_json_schema(&self.document, schema, direction).ok()?;
            let is_small = schema.to_string().len() <= LARGEST_SCHEMA;
            let schema = Some(schema).filter(|_| is_small)?;
            build_validator(&schema).ok().map(Rc::new)
        });
        validator.clone()
    }

    /// The samples of a schema; none if it is too large.
    pub(super) fn samples(&self, schema: &Value, direction: Direction) -> Rc<Samples> {
        let key = key_of(schema, direction);
        if let Some(samples) = self.samples.borrow().get(&key) {
            return Rc::clone(samples);
        }
        let samples = match self.validator(schema, direction) {
            Some(_) => spec_samples::samples(&self.document, schema, direction).unwrap_or_default(),
            None => Samples::default(),
        };
        let samples = Rc::new(samples);
        self.samples.borrow_mut().insert(key, Rc::clone(&samples));
        samples
    }

    /// Reads a text as the type that the schema accepts.
    fn read_scalar(&self, text: &str, schema: Option<&Value>, direction: Direction) -> Value {
        let own = Value::from(text);
        let Some(validator) = schema.and_then(|schema| self.validator(schema, direction)) else {
            return own;
        };
        let parsed = serde_json::from_str::<Value>(text).ok();
        let parsed = parsed.filter(|it| it.is_number() || it.is_boolean());
        let is_of_type = |value: &Value| {
            let mut errors = validator.iter_errors(value);
            !errors.any(|error| {
                error.instance_path().as_str().is_empty()
                    && matches!(error.kind(), ValidationErrorKind::Type { .. })
            })
        };
        match parsed {
            Some(parsed) if validator.is_valid(&parsed) => parsed,
            Some(parsed) if !validator.is_valid(&own) && is_of_type(&parsed) => parsed,
            _ => own,
        }
    }
}

fn key_of(schema: &Value, direction: Direction) -> SchemaKey {
    let address = std::ptr::from_ref(schema) as usize;
    (address, direction == Direction::Request)
}
