//! The parameters that the document declares, compiled so that texts can be read by them.

use serde_json::Value;

use crate::document::Document;
use crate::rejection::{Location, Rejection};
use crate::text::{Scalar, Unreadable};
use crate::validate::Checker;
use spec_schema::Direction;
use spec_schema::SchemaError;

pub(crate) mod percent;
pub(crate) mod query;
mod style;

use style::Separator;
pub use style::StyleError;

/// A parameter, or a response header, ready to be read.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    form: Form,
    checker: Checker,
}

#[derive(Debug)]
enum Form {
    One(Scalar),
    Many { items: Scalar, separator: Separator },
}

/// Why a parameter of the document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ParameterError {
    /// Its schema is unusable.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Its style is not one of those known for its place and type.
    #[error(transparent)]
    Style(#[from] StyleError),
    /// It has no name, no place or no schema.
    #[error("it needs `name`, `in` (path, query or header) and `schema`")]
    Incomplete,
    /// It is an object, or may be one.
    #[error("only strings, numbers, booleans and arrays of them can be read from a text")]
    Structured,
    /// Its default does not fit its own schema.
    #[error("its default {message}")]
    Default {
        /// The bound that the default misses.
        message: String,
    },
}

/// The parameters of the operation at a pointer and of its path, each with its place in the document. An
/// operation's own stand for the path's of the same name. None if there is no such operation.
pub(crate) fn declared<'d>(
    document: &'d Document,
    operation: &str,
) -> Option<Vec<(String, &'d Value)>> {
    let (path_item, _) = operation.rsplit_once('/')?;
    document.find(operation)?;
    let mut found: Vec<(String, &'d Value)> = Vec::new();
    for holder in [path_item, operation] {
        let list = document
            .find(holder)?
            .get("parameters")
            .and_then(Value::as_array);
        for (index, parameter) in list.into_iter().flatten().enumerate() {
            let place = format!("{holder}/parameters/{index}");
            let parameter = document.resolve(parameter).unwrap_or(parameter);
            let key =
                |parameter: &Value| (parameter.get("name").cloned(), parameter.get("in").cloned());
            match found
                .iter_mut()
                .find(|(_, other)| key(other) == key(parameter))
            {
                Some(shared) => *shared = (place, parameter),
                None => found.push((place, parameter)),
            }
        }
    }
    found.retain(|(_, parameter)| !is_ignored(parameter));
    Some(found)
}

/// The pointer to an operation.
pub(crate) fn operation_pointer(path: &str, method: crate::Method) -> String {
    format!(
        "/paths/{}/{}",
        spec_schema::pointer::escape(path),
        method.key()
    )
}

/// The place that a parameter's `in` names; None for cookies.
pub(crate) fn location(parameter: &Value) -> Option<Location> {
    match parameter.get("in")?.as_str()? {
        "path" => Some(Location::Path),
        "query" => Some(Location::Query),
        "header" => Some(Location::Header),
        _ => None,
    }
}

/// OpenAPI 3.0: definitions of these headers as parameters shall be ignored.
fn is_ignored(parameter: &Value) -> bool {
    let reserved = ["accept", "content-type", "authorization"];
    let name = parameter
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    location(parameter) == Some(Location::Header)
        && reserved
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
}

impl Parameter {
    pub(crate) fn new(
        document: &'static Document,
        name: &'static str,
        location: Location,
        definition: &'static Value,
        direction: Direction,
    ) -> Result<Self, ParameterError> {
        let schema = definition.get("schema").ok_or(ParameterError::Incomplete)?;
        let checker = Checker::new(document, schema, direction)?;
        let resolved = document.resolve(schema).ok_or(ParameterError::Incomplete)?;
        let separator = style::separator(location, definition)?;
        let form = if resolved.get("type").and_then(Value::as_str) == Some("array") {
            let items = resolved.get("items").ok_or(ParameterError::Incomplete)?;
            let items = Scalar::of(document, items).ok_or(ParameterError::Structured)?;
            Form::Many { items, separator }
        } else {
            Form::One(Scalar::of(document, schema).ok_or(ParameterError::Structured)?)
        };
        let default = resolved.get("default").cloned();
        if let Some(message) = default.as_ref().and_then(|value| checker.complaint(value)) {
            return Err(ParameterError::Default { message });
        }
        let is_required = definition.get("required") == Some(&Value::Bool(true));
        Ok(Self {
            name,
            required: is_required || location == Location::Path,
            default,
            form,
            checker,
        })
    }

    /// Reads what was sent for this parameter; `raw` is not empty, and still encoded.
    pub(crate) fn read(&self, location: Location, raw: &[&str]) -> Result<Value, Rejection> {
        let reject = |message: String| Rejection::parameter(location, self.name, message);
        let value = match (&self.form, raw) {
            (Form::One(scalar), [raw]) => {
                let text = percent::decode(location, raw).map_err(reject)?;
                scalar
                    .read(&text, |value| self.checker.accepts(value))
                    .map_err(|error| reject(self.unreadable(error, &text)))?
            }
            (Form::One(_), _) => return Err(reject(format!("takes one value, got {}", raw.len()))),
            (Form::Many { items, separator }, raw) => {
                let mut values = Vec::new();
                for (index, raw) in separator.split(raw).into_iter().enumerate() {
                    let at = |message: String| reject(format!("item {} {message}", index + 1));
                    let text = percent::decode(location, raw).map_err(at)?;
                    let value = items
                        .read(&text, |_| true)
                        .map_err(|error| at(self.unreadable(error, &text)))?;
                    values.push(value);
                }
                Value::Array(values)
            }
        };
        match self.checker.complaint(&value) {
            None => Ok(value),
            Some(message) => Err(reject(message)),
        }
    }

    fn unreadable(&self, error: Unreadable, text: &str) -> String {
        match error {
            Unreadable::Not(message) => message,
            Unreadable::PastRange(nearest) => {
                let value = match self.form {
                    Form::One(_) => nearest,
                    Form::Many { .. } => Value::Array(vec![nearest]),
                };
                let text = crate::message::shorten(text);
                match self.checker.problems(&value).first() {
                    Some(problem) => format!("{}, got {text}", problem.message),
                    None => format!("must be an integer of at most 64 bits, got {text}"),
                }
            }
        }
    }
}
