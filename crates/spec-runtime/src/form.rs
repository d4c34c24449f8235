//! Decodes bodies of type `application/x-www-form-urlencoded`.

use serde_json::{Map, Value};
use spec_schema::{Direction, pointer};

use crate::definition_error::DefinitionError;
use crate::document::Document;
use crate::parameters::{Fields, Node, Parameter, ParameterList, Unknown, encoding};
use crate::rejection::{ParameterLocation, Rejection};
use crate::validate::SchemaValidator;

/// Decodes the forms of one operation. Arrays repeat their name, `name` or `name[]`; objects are `name[property]`, or JSON
/// under their name.
#[derive(Debug)]
pub(crate) struct FormDecoder {
    /// The properties for which `encoding` declares another notation.
    encoded: ParameterList,
    fields: Fields,
    validator: SchemaValidator,
}

impl FormDecoder {
    /// Compiles a form from the media type object of a request body.
    pub(crate) fn new(
        document: &'static Document,
        content: &'static Value,
    ) -> Result<Self, DefinitionError> {
        let schema = content.get("schema").unwrap_or(&Value::Null);
        let mut encoded = ParameterList::default();
        let encodings = content.get("encoding").and_then(Value::as_object);
        for (name, encoding) in encodings.into_iter().flatten() {
            let property = find_property(document, schema, name);
            if let Some(property) = property
                && ["style", "explode"]
                    .iter()
                    .any(|it| encoding.get(it).is_some())
            {
                encoded.push(Parameter::of_form(document, name, encoding, property)?);
            }
        }
        Ok(Self {
            encoded,
            fields: Fields::of_schema(document, schema),
            validator: SchemaValidator::new(document, schema, Direction::Request)?,
        })
    }

    /// Decodes a form into an object and validates it. Fields without a declaration are text.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<Value, Rejection> {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|_| Rejection::malformed("the form is not UTF-8"))?;
        let pairs = encoding::split_query(text)?;
        let reject =
            |name: &str, message: String| Rejection::invalid(pointer::join("", name), message);
        let encoded = self.encoded.parse_pairs(&pairs, Unknown::Ignore);
        let encoded = encoded.map_err(|(name, message)| reject(&name, message))?;
        let mut object = Map::new();
        for (name, value) in encoded {
            object.insert(name.to_owned(), value);
        }
        let mut node = Node::default();
        for (name, value) in &pairs {
            if !self.encoded.takes(name) {
                node.insert(&split_name(name), value);
            }
        }
        let decode = encoding::of_location(ParameterLocation::Query);
        for (name, member) in node.members() {
            let value = self.fields.parse_member(name, member, decode);
            let value = value.map_err(|message| reject(name, message))?;
            object.insert(name.to_owned(), value);
        }
        let value = Value::Object(object);
        match self.validator.find_problems(&value) {
            problems if problems.is_empty() => Ok(value),
            problems => Err(Rejection::ValidationFailed { problems }),
        }
    }
}

/// The names in `a[b][c]`.
fn split_name(name: &str) -> Vec<&str> {
    let parts = name.strip_suffix(']').and_then(|it| it.split_once('['));
    match parts {
        Some((first, rest)) => [first].into_iter().chain(rest.split("][")).collect(),
        None => vec![name],
    }
}

/// The schema of a property, also if it is declared in a part of `allOf`.
pub(crate) fn find_property<'d>(
    document: &'d Document,
    schema: &'d Value,
    name: &str,
) -> Option<&'d Value> {
    properties(document, schema)
        .into_iter()
        .find_map(|(known, property)| (known == name).then_some(property))
}

/// The properties that a schema declares, also in the parts of `allOf`, `anyOf` and `oneOf`.
pub(crate) fn properties<'d>(
    document: &'d Document,
    schema: &'d Value,
) -> Vec<(&'d str, &'d Value)> {
    let mut found = Vec::new();
    add_properties(document, schema, 0, &mut found);
    found
}

/// The deepest nesting of combined schemas. A deeper one is a cycle of references.
const MAX_DEPTH: usize = 16;

fn add_properties<'d>(
    document: &'d Document,
    schema: &'d Value,
    depth: usize,
    found: &mut Vec<(&'d str, &'d Value)>,
) {
    let Some(schema) = document.resolve(schema).filter(|_| depth < MAX_DEPTH) else {
        return;
    };
    let declared = schema.get("properties").and_then(Value::as_object);
    for (name, property) in declared.into_iter().flatten() {
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name, property));
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schemas = schema.get(keyword).and_then(Value::as_array);
        for schema in schemas.into_iter().flatten() {
            add_properties(document, schema, depth + 1, found);
        }
    }
}
