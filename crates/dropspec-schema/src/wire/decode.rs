//! Reads the values of one parameter from text. If the schema allows several kinds of values, the first valid one counts.

mod names;

use serde_json::Value;

use crate::wire::declared::{content_of, schema_of};
use crate::wire::escape::{self, DecodeText};
use crate::wire::json;
use crate::wire::node::{Node, Raw};
use crate::wire::parameter::{Check, Encoding, Location};
use crate::wire::quote::truncate;
use crate::wire::scalar::ScalarError;
use crate::wire::shape::{Fields, Shape};
use crate::wire::style::{Notation, ObjectSyntax};
use crate::{BodyKind, resolve};

/// A parameter, response header or field of a form, with its schema compiled.
#[derive(Debug)]
pub struct ParameterDecoder<'d, C> {
    /// The name.
    pub name: &'d str,
    /// Whether it must be there.
    pub required: bool,
    /// The value if it is absent.
    pub default: Option<Value>,
    /// Whether it is the whole query, and no pair of it.
    pub is_whole_query: bool,
    allows_empty: bool,
    /// Whether it is in the path, where signs of equality are escaped in values.
    in_path: bool,
    /// Takes escapes out of the texts.
    decode: DecodeText,
    /// `None` for a value that is written as JSON, by `content`.
    notation: Option<Notation>,
    shape: Shape,
    check: C,
}

impl<'d, C: Check> ParameterDecoder<'d, C> {
    /// Compiles a parameter or response header, whose values `check` judges. A default that does not fit its schema is
    /// ignored.
    pub fn new(
        document: &Value,
        name: &'d str,
        location: Location,
        definition: &Value,
        check: C,
    ) -> Self {
        let schema = schema_of(definition);
        let default = resolve(document, schema).and_then(|schema| schema.get("default"));
        let default = default.filter(|value| check.is_valid(value));
        let is_set = |flag: &str| definition.get(flag) == Some(&Value::Bool(true));
        let shape = match location {
            Location::Path | Location::Query => Shape::of_parameter(document, schema),
            // Commas are in many headers, and cookies of other servers beside those of this one.
            Location::Header | Location::Cookie => Shape::of_schema(document, schema),
        };
        Self {
            shape,
            required: is_set("required") || location == Location::Path,
            default: default.cloned(),
            allows_empty: is_set("allowEmptyValue"),
            ..Self::of_field(document, name, location, definition, schema, check)
        }
    }

    /// Compiles a field of a form, with the entry of `encoding` that declares its notation. Whether it is required is a
    /// rule of the form's schema.
    pub fn of_field(
        document: &Value,
        name: &'d str,
        location: Location,
        definition: &Value,
        schema: &Value,
        check: C,
    ) -> Self {
        let is_json = content_of(definition)
            .is_some_and(|(media_type, _)| BodyKind::of(media_type) == BodyKind::Json);
        let encoding = Encoding::of_definition(location, definition);
        let notation = match encoding {
            Encoding::Style { style, explode, .. } => Some(style.notation(explode)),
            Encoding::Json | Encoding::WholeQuery if is_json => None,
            // What another media type says is read as a text, or by the kind of the value.
            Encoding::Json | Encoding::WholeQuery => Some(
                location
                    .default_style()
                    .notation(location.default_style().explodes_by_default()),
            ),
        };
        Self {
            name,
            required: false,
            default: None,
            allows_empty: false,
            in_path: location == Location::Path,
            decode: escape::of_encoding(location, encoding),
            is_whole_query: encoding == Encoding::WholeQuery,
            notation,
            shape: Shape::of_schema(document, schema),
            check,
        }
    }

    /// Reads what is of no declared type as text, for a caller that judges values itself.
    pub fn or_text(mut self) -> Self {
        self.shape.allow_text();
        self
    }

    /// Reads the texts that were sent under the name of the parameter, as [`crate::wire::ParameterList::parse`] does.
    ///
    /// # Errors
    /// A phrase to follow the name of the parameter.
    pub fn parse_texts(&self, texts: Vec<&str>) -> Result<Option<Value>, String> {
        self.parse(&Raw::Values(texts))
    }

    /// Parses and validates what was sent for this parameter. None if it counts as absent. The error is a phrase to
    /// follow the name of the parameter.
    pub(crate) fn parse(&self, raw: &Raw<'_>) -> Result<Option<Value>, String> {
        let parsed = match (raw, self.notation) {
            (Raw::Values(values), Some(_)) if self.shape.is_scalar() => self.parse_scalar(values),
            (Raw::Values(values), Some(notation)) => self.parse_values(notation, values),
            (Raw::Values(values), None) => self.parse_json(values),
            (Raw::Parts(node), _) => self.parse_parts(node),
        };
        match parsed {
            Err(_) if self.is_empty(raw) && self.shape.nullable => Ok(Some(Value::Null)),
            // A name alone is a flag that is set; of other types, it is a parameter that is not.
            Err(_) if self.is_empty(raw) && self.allows_empty => {
                let flag = Value::Bool(true);
                Ok(Some(flag).filter(|flag| self.check.is_valid(flag)))
            }
            parsed => parsed.map(Some),
        }
    }

    fn is_empty(&self, raw: &Raw<'_>) -> bool {
        matches!(raw, Raw::Values(values) if values.as_slice() == [""])
    }

    fn parse_scalar(&self, raw: &[&str]) -> Result<Value, String> {
        let raw = only(raw)?;
        let raw = match self.notation {
            Some(notation) => notation.strip_prefix(self.name, raw)?,
            None => raw,
        };
        let text = (self.decode)(raw)?;
        let value = self
            .shape
            .scalars
            .parse(&text, |value| self.check.is_valid(value))
            .map_err(|error| self.describe_error(error, &text))?;
        self.validate(value)
    }

    fn parse_json(&self, raw: &[&str]) -> Result<Value, String> {
        let raw = only(raw)?;
        let value = json::parse((self.decode)(raw)?.as_bytes());
        self.validate(value.map_err(|error| format!("is not valid JSON: {error}"))?)
    }

    fn parse_parts(&self, node: &Node<'_>) -> Result<Value, String> {
        self.validate(self.shape.parse_node(node, self.decode)?)
    }

    /// Parses a value that may be an array or an object. If its schema allows several kinds, the first that is valid
    /// counts; the first problem is reported.
    fn parse_values(&self, notation: Notation, raw: &[&str]) -> Result<Value, String> {
        let items = self.shape.items.as_ref().map(|items| {
            notation
                .split_items(self.name, raw)
                .map(|parts| (items, parts))
        });
        let is_list = match &items {
            Some(Ok((_, parts))) => parts.len() > 1,
            _ => false,
        };
        let is_pairs = self.in_path && notation.is_pairs(raw);
        let as_scalar = || (!self.shape.scalars.is_empty()).then(|| self.parse_scalar(raw));
        let as_array = || {
            let (items, parts) = match items.as_ref()? {
                Ok(found) => found,
                Err(message) => return Some(Err(message.clone())),
            };
            Some(self.parse_items(items, parts))
        };
        let as_object = || {
            let fields = self.shape.fields.as_ref()?;
            Some(self.parse_properties(notation, fields, raw))
        };
        let attempts: [&dyn Fn() -> Option<Result<Value, String>>; 3] = if is_pairs {
            [&as_object, &as_array, &as_scalar]
        } else if is_list {
            [&as_array, &as_object, &as_scalar]
        } else {
            [&as_scalar, &as_object, &as_array]
        };
        let mut problem = None;
        for attempt in attempts {
            match attempt() {
                Some(Ok(value)) => return Ok(value),
                Some(Err(message)) => problem = problem.or(Some(message)),
                None => {}
            }
        }
        Err(problem.unwrap_or_else(|| "has an unknown type".to_owned()))
    }

    fn parse_items(&self, items: &Shape, parts: &[&str]) -> Result<Value, String> {
        let mut values = Vec::with_capacity(parts.len());
        for (index, raw) in parts.iter().enumerate() {
            let value = items.parse_part(raw, self.decode);
            values.push(value.map_err(|message| format!("item {} {message}", index + 1))?);
        }
        self.validate(Value::Array(values))
    }

    fn parse_properties(
        &self,
        notation: Notation,
        fields: &Fields,
        raw: &[&str],
    ) -> Result<Value, String> {
        // Where no style can write the object under the name of the parameter, JSON is the way.
        if matches!(
            notation.object(),
            ObjectSyntax::Names | ObjectSyntax::Brackets
        ) {
            let raw = only(raw)?;
            return self.validate(self.shape.parse_part(raw, self.decode)?);
        }
        let mut node = Node::default();
        for (name, value) in notation.split_properties(self.name, raw)? {
            node.insert(&[(self.decode)(name)?.as_ref()], value);
        }
        self.validate(fields.parse(&node, self.decode)?)
    }

    fn validate(&self, value: Value) -> Result<Value, String> {
        match self.check.describe_problem(&value) {
            None => Ok(value),
            Some(message) => Err(message),
        }
    }

    fn describe_error(&self, error: ScalarError, text: &str) -> String {
        let nearest = match error {
            ScalarError::WrongType(message) => return message,
            ScalarError::OutOfRange(nearest) => nearest,
        };
        let expected = self.check.describe_expectation(&nearest);
        let expected =
            expected.unwrap_or_else(|| "must be an integer of at most 64 bits".to_owned());
        format!("{expected}, got {}", truncate(text))
    }
}

/// The only one of the texts.
fn only<'r>(raw: &[&'r str]) -> Result<&'r str, String> {
    match raw {
        [only] => Ok(only),
        _ => Err(format!("must be given once, got {} values", raw.len())),
    }
}
