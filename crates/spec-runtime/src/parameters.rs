//! The parameters that the document declares, compiled to parse and validate text.

use serde_json::Value;
use spec_schema::Direction;

use crate::definition_error::DefinitionError;
use crate::document::Document;
use crate::message::truncate;
use crate::rejection::{ParameterLocation, Rejection};
use crate::scalar::{ScalarError, ScalarTypes};
use crate::validate::SchemaValidator;

pub(crate) mod encoding;
mod style;

use style::Separator;

/// A parameter or response header of the document, with its schema compiled.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    shape: Shape,
    validator: SchemaValidator,
}

#[derive(Debug)]
enum Shape {
    Scalar(ScalarTypes),
    Array {
        items: ScalarTypes,
        separator: Separator,
    },
}

/// The parameters of the operation at a pointer, each with its own pointer. They include those of its path item, which
/// the operation's own replace if location and name are equal. None if there is no such operation.
pub(crate) fn find_parameters<'d>(
    document: &'d Document,
    operation: &str,
) -> Option<Vec<(String, &'d Value)>> {
    let (path_item, _) = operation.rsplit_once('/')?;
    document.find(operation)?;
    let key = |parameter: &'d Value| (parameter.get("in"), parameter.get("name"));
    let mut found: Vec<(String, &'d Value)> = Vec::new();
    for parent in [path_item, operation] {
        let list = document.find(parent)?.get("parameters");
        let list = list.and_then(Value::as_array).into_iter().flatten();
        for (index, parameter) in list.enumerate() {
            let pointer = format!("{parent}/parameters/{index}");
            let parameter = document.resolve(parameter).unwrap_or(parameter);
            found.retain(|(_, other)| key(other) != key(parameter));
            found.push((pointer, parameter));
        }
    }
    found.retain(|(_, parameter)| !is_ignored(parameter));
    Some(found)
}

/// The location in a parameter's `in`. None for cookies.
pub(crate) fn location(parameter: &Value) -> Option<ParameterLocation> {
    match parameter.get("in")?.as_str()? {
        "path" => Some(ParameterLocation::Path),
        "query" => Some(ParameterLocation::Query),
        "header" => Some(ParameterLocation::Header),
        _ => None,
    }
}

/// Whether OpenAPI 3.0 says that a header parameter with this name is ignored.
fn is_ignored(parameter: &Value) -> bool {
    let reserved = ["accept", "content-type", "authorization"];
    let name = parameter.get("name").and_then(Value::as_str);
    let name = name.unwrap_or_default().to_ascii_lowercase();
    location(parameter) == Some(ParameterLocation::Header) && reserved.contains(&name.as_str())
}

impl Parameter {
    pub(crate) fn new(
        document: &'static Document,
        name: &'static str,
        location: ParameterLocation,
        definition: &'static Value,
        direction: Direction,
    ) -> Result<Self, DefinitionError> {
        let schema = definition.get("schema");
        let schema = schema.ok_or(DefinitionError::MissingField)?;
        let validator = SchemaValidator::new(document, schema, direction)?;
        let resolved = document.resolve(schema).ok_or(DefinitionError::Reference)?;
        let scalar_types = |schema: &Value| {
            ScalarTypes::of_schema(document, schema).ok_or(DefinitionError::NotScalar)
        };
        let separator = Separator::of_parameter(location, definition)?;
        let shape = if resolved.get("type").and_then(Value::as_str) == Some("array") {
            let items = resolved.get("items").ok_or(DefinitionError::NotScalar)?;
            let items = scalar_types(items)?;
            Shape::Array { items, separator }
        } else {
            Shape::Scalar(scalar_types(schema)?)
        };
        let default = resolved.get("default").cloned();
        let problem = default
            .as_ref()
            .and_then(|value| validator.describe_problem(value));
        if let Some(problem) = problem {
            return Err(DefinitionError::Default(problem));
        }
        let is_required = definition.get("required") == Some(&Value::Bool(true));
        Ok(Self {
            name,
            required: is_required || location == ParameterLocation::Path,
            default,
            shape,
            validator,
        })
    }

    /// Parses and validates the values sent for this parameter. `raw` is not empty, and still encoded.
    pub(crate) fn parse(
        &self,
        location: ParameterLocation,
        raw: &[&str],
    ) -> Result<Value, Rejection> {
        let reject = |message: String| Rejection::parameter(location, self.name, message);
        let value = match (&self.shape, raw) {
            (Shape::Scalar(types), [raw]) => {
                let text = encoding::decode(location, raw).map_err(reject)?;
                types
                    .parse(&text, |value| self.validator.is_valid(value))
                    .map_err(|error| reject(self.describe_error(error, &text)))?
            }
            (Shape::Scalar(_), _) => {
                let message = format!("must be given once, got {} values", raw.len());
                return Err(reject(message));
            }
            (Shape::Array { items, separator }, raw) => {
                let mut values = Vec::new();
                for (index, raw) in separator.split(raw).into_iter().enumerate() {
                    let reject = |message: String| reject(format!("item {} {message}", index + 1));
                    let text = encoding::decode(location, raw).map_err(reject)?;
                    let value = items
                        .parse(&text, |_| true)
                        .map_err(|error| reject(self.describe_error(error, &text)))?;
                    values.push(value);
                }
                Value::Array(values)
            }
        };
        match self.validator.describe_problem(&value) {
            None => Ok(value),
            Some(message) => Err(reject(message)),
        }
    }

    fn describe_error(&self, error: ScalarError, text: &str) -> String {
        let nearest = match error {
            ScalarError::WrongType(message) => return message,
            ScalarError::OutOfRange(nearest) => nearest,
        };
        let value = match self.shape {
            Shape::Scalar(_) => nearest,
            Shape::Array { .. } => Value::Array(vec![nearest]),
        };
        let problems = self.validator.find_problems(&value);
        let expected = match problems.first() {
            Some(problem) => &problem.message,
            None => "must be an integer of at most 64 bits",
        };
        format!("{expected}, got {}", truncate(text))
    }
}
