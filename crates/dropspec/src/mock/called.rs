//! What a request gives to a record: the properties in its body and path, or a patch.

use dropshot::ClientErrorStatusCode as Status;
use dropspec_schema::wire::{plain, properties};
use serde_json::{Map, Value};

use super::declared::members;
use super::shape::{Shape, merge};
use super::tables::{Tables, definition};
use crate::letters::letters;

/// A request.
pub(super) struct Called<'a> {
    pub(super) parameters: Map<String, Value>,
    pub(super) query: Map<String, Value>,
    pub(super) body: &'a Value,
    /// Whether the body is a JSON Patch (RFC 6902).
    pub(super) is_json_patch: bool,
    /// The header `If-Match`, if the operation declares it.
    pub(super) if_match: Option<String>,
}

impl Called<'_> {
    /// The properties that a request gives to a record: those of its body, and those with the names of parameters of its path,
    /// other than its id.
    pub(super) fn properties(&self, shape: &Shape, id: &str) -> Map<String, Value> {
        let mut own = shape.record_of(self.body);
        let sample = shape.record().cloned().unwrap_or_default();
        for (parameter, value) in &self.parameters {
            let is_meant = |name: &&String| **name != *id && letters(name) == letters(parameter);
            let Some(name) = shape.names().find(is_meant) else {
                continue;
            };
            let text = plain(value);
            let number = id_like(&Value::from(0), &text);
            let choices = [value.clone(), text.into(), number].into_iter();
            let with = choices.map(|choice| {
                let mut record = sample.clone();
                record.insert(name.clone(), choice);
                Value::Object(record)
            });
            let found = with.into_iter().find(|record| shape.takes(record.clone()));
            own.extend(found.and_then(|it| Some((name.clone(), it.get(name)?.clone()))));
        }
        own
    }

    /// The properties of a record after a patch.
    ///
    /// # Errors
    /// The JSON Patch is none, or cannot be applied.
    pub(super) fn change(
        &self,
        shape: &Shape,
        known: &Map<String, Value>,
    ) -> Result<Map<String, Value>, (Status, String)> {
        let mut changed = known.clone();
        if !self.is_json_patch {
            let is_valid = |it: &Map<String, Value>| shape.takes(it.clone().into());
            merge(&mut changed, &shape.record_of(self.body), &is_valid);
            return Ok(changed);
        }
        let patch = serde_json::from_value::<json_patch::Patch>(self.body.clone());
        let patch = patch.map_err(|it| (Status::BAD_REQUEST, format!("no JSON Patch: {it}")))?;
        let mut whole = Value::Object(changed);
        let patched = json_patch::patch(&mut whole, &patch);
        patched.map_err(|error| (Status::CONFLICT, error.to_string()))?;
        match whole {
            Value::Object(changed) => Ok(changed),
            _ => Err((Status::CONFLICT, "the patch leaves no object".to_owned())),
        }
    }
}

/// The defaults of the properties that an operation takes in its body.
pub(super) fn defaults(operation: usize) -> impl Iterator<Item = (&'static str, Value)> {
    let document = Tables::document();
    let body = definition(operation).get("requestBody");
    let body = body.and_then(|it| document.resolve(it)).into_iter();
    let content = body.flat_map(|it| members(it, "content"));
    let schemas = content.filter_map(|(_, it)| it.get("schema"));
    let all = schemas.flat_map(|it| properties(document.json(), it));
    all.filter_map(|(name, it)| {
        let of_target = || document.resolve(&it)?.get("default");
        Some((name, it.get("default").or_else(of_target)?.clone()))
    })
}

/// An id of a path as a value of the same type as another one.
pub(super) fn id_like(other: &Value, id: &str) -> Value {
    match other {
        Value::Number(_) => id.parse().map_or_else(|_| Value::from(id), Value::Number),
        _ => Value::from(id),
    }
}
