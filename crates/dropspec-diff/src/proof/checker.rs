//! Checks messages by one document.

mod bodies;
mod requests;
mod responses;
mod routes;

use dropspec_schema::media_type::{covers, essence, exactness};
use dropspec_schema::{BodyKind, Direction, ValidationErrorKind};
use serde_json::Value;

pub(super) use self::bodies::BOUNDARY;
pub(super) use self::responses::find_response;
use super::message::header;
use super::parameters::{Parameter, list_parameters};
use crate::checker::Checker;

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

impl Refusal {
    fn of_kind(self, kind: RefusalKind) -> Refusal {
        Refusal { kind, ..self }
    }
}

impl Checker {
    pub(super) fn list_parameters<'d>(&'d self, operation: Operation<'d>) -> Vec<Parameter<'d>> {
        list_parameters(self.document(), operation.path_item, operation.value)
    }

    /// The security requirements of an operation; `None` if it has none.
    pub(super) fn security<'d>(&'d self, operation: Operation<'d>) -> Option<&'d Vec<Value>> {
        let own = operation.value.get("security");
        let requirements = own.or(self.document().get("security"))?.as_array()?;
        Some(requirements).filter(|it| !it.is_empty())
    }

    pub(super) fn scheme(&self, name: &str) -> &Value {
        self.resolve(&self.document()["components"]["securitySchemes"][name])
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
            let reason = format!("`{sent}` is not declared");
            let refused = refusal("the header `Content-Type`", reason);
            return vec![refused.of_kind(RefusalKind::MediaType)];
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
        let refused = validator.errors(value).map(|error| {
            let pointer = error.instance_path().to_string();
            let ends = pointer.match_indices('/').map(|(end, _)| end);
            let around = ends.chain([pointer.len()]).rev();
            Refusal {
                kind: RefusalKind::Content,
                place: match pointer.as_str() {
                    "" => place.to_owned(),
                    pointer => format!("{place} at `{pointer}`"),
                },
                reason: error.masked_with("it").to_string(),
                values: around
                    .filter_map(|end| value.pointer(&pointer[..end]).cloned())
                    .collect(),
            }
        });
        refused.collect()
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
            let mut errors = validator.errors(value);
            !errors.any(|error| {
                error.instance_path().as_str().is_empty()
                    && matches!(error.kind(), ValidationErrorKind::Type { .. })
            })
        };
        match parsed {
            Some(parsed) if validator.is_valid(&parsed) == Some(true) => parsed,
            Some(parsed) if validator.is_valid(&own) == Some(false) && is_of_type(&parsed) => {
                parsed
            }
            _ => own,
        }
    }
}
