//! The parameters that the document declares, compiled to parse and validate text.

use std::borrow::Cow;

use serde_json::Value;
use spec_schema::header::Ignored;
use spec_schema::{BodyKind, Direction};

use crate::body::json;
use crate::definition_error::DefinitionError;
use crate::document::Document;
use crate::message::truncate;
use crate::rejection::ParameterLocation;
use crate::scalar::ScalarError;
use crate::validate::SchemaValidator;

pub(crate) mod encoding;
mod list;
mod shape;
mod syntax;

pub(crate) use list::{ParameterList, Unknown};
pub(crate) use shape::{Fields, Node, Shape};
use syntax::{ObjectSyntax, Syntax};

/// A parameter, response header or field of a form, with its schema compiled.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    allows_empty: bool,
    location: ParameterLocation,
    notation: Notation,
    shape: Shape,
    validator: SchemaValidator,
}

/// How the value of a parameter is written.
#[derive(Debug)]
enum Notation {
    /// By `style` and `explode`.
    Style(Syntax),
    /// As JSON, by `content`.
    Json,
}

/// The raw, encoded texts of one parameter in a request.
#[derive(Debug)]
pub(crate) enum Raw<'r> {
    /// The values under the name of the parameter.
    Values(Vec<&'r str>),
    /// The properties of an object, or items of an array, that are spread over several names.
    Parts(Node<'r>),
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

/// The location in a parameter's `in`.
pub(crate) fn location(parameter: &Value) -> Option<ParameterLocation> {
    match parameter.get("in")?.as_str()? {
        "path" => Some(ParameterLocation::Path),
        "query" => Some(ParameterLocation::Query),
        "header" => Some(ParameterLocation::Header),
        "cookie" => Some(ParameterLocation::Cookie),
        _ => None,
    }
}

/// The schema of a parameter or header, in `schema` or `content`; null, which allows everything, if there is none.
pub(crate) fn schema_of(definition: &Value) -> &Value {
    let schema = match content_of(definition) {
        Some((_, content)) => content.get("schema"),
        None => definition.get("schema"),
    };
    schema.unwrap_or(&Value::Null)
}

/// The media type of a parameter or header that is declared by `content`.
fn content_of(definition: &Value) -> Option<(&String, &Value)> {
    let content = definition.get("content")?.as_object()?;
    content.iter().next()
}

/// Whether a parameter is a header that is no part of the interface.
fn is_ignored(parameter: &Value) -> bool {
    let name = parameter.get("name").and_then(Value::as_str);
    location(parameter) == Some(ParameterLocation::Header)
        && Ignored::find(name.unwrap_or_default()).is_some()
}

impl Parameter {
    /// Compiles a parameter or response header. A default that does not fit its schema is ignored.
    pub(crate) fn new(
        document: &Document,
        name: &'static str,
        location: ParameterLocation,
        definition: &Value,
        direction: Direction,
    ) -> Result<Self, DefinitionError> {
        let schema = schema_of(definition);
        let validator = SchemaValidator::new(document, schema, direction)?;
        let notation = match content_of(definition) {
            Some((media_type, _)) if BodyKind::of(media_type) == BodyKind::Json => Notation::Json,
            _ => Notation::Style(Syntax::of_definition(location, definition)),
        };
        let resolved = document.resolve(schema).ok_or(DefinitionError::Reference)?;
        let default = resolved.get("default");
        let default = default.filter(|value| validator.is_valid(value));
        let is_set = |flag: &str| definition.get(flag) == Some(&Value::Bool(true));
        Ok(Self {
            name,
            required: is_set("required") || location == ParameterLocation::Path,
            default: default.cloned(),
            allows_empty: is_set("allowEmptyValue"),
            location,
            notation,
            shape: Shape::of_schema(document, schema),
            validator,
        })
    }

    /// Compiles a field of a form, with the entry of `encoding` that declares its notation. Whether it is required is a
    /// rule of the form's schema.
    pub(crate) fn of_form(
        document: &Document,
        name: &'static str,
        encoding: &Value,
        schema: &Value,
    ) -> Result<Self, DefinitionError> {
        let location = ParameterLocation::Query;
        Ok(Self {
            name,
            required: false,
            default: None,
            allows_empty: false,
            location,
            notation: Notation::Style(Syntax::of_definition(location, encoding)),
            shape: Shape::of_schema(document, schema),
            validator: SchemaValidator::new(document, schema, Direction::Request)?,
        })
    }

    /// Whether the value may be spread over several names.
    fn is_spread(&self) -> bool {
        self.is_names() || (self.syntax_is(ObjectSyntax::Brackets) && !self.shape.is_scalar())
    }

    /// Whether the value may be an object whose properties are parameters of their own.
    fn is_names(&self) -> bool {
        self.syntax_is(ObjectSyntax::Names) && self.shape.fields.is_some()
    }

    fn syntax_is(&self, expected: ObjectSyntax) -> bool {
        matches!(&self.notation, Notation::Style(syntax) if syntax.object == expected)
    }

    /// The path to the property or item that a name denotes, if the value can have it.
    fn property_path<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        if self.is_names() {
            let fields = self.shape.fields.as_ref()?;
            return fields.has(name).then(|| vec![name]);
        }
        let rest = self.is_spread().then(|| name.strip_prefix(self.name))??;
        let rest = rest.strip_prefix('[')?.strip_suffix(']')?;
        Some(rest.split("][").collect())
    }

    /// Whether the value is an object whose properties are parameters with any names.
    pub(crate) fn takes_rest(&self) -> bool {
        let fields = self.shape.fields.as_ref();
        self.is_names() && fields.is_some_and(Fields::takes_rest)
    }

    /// Whether a pair of this name may belong to the parameter.
    pub(crate) fn owns(&self, name: &str) -> bool {
        self.name == name || self.property_path(name).is_some()
    }

    /// Adds the names of the pairs that the parameter consists of.
    fn add_names<'n>(&'n self, names: &mut Vec<&'n str>) {
        match &self.shape.fields {
            Some(fields) if self.is_names() => names.extend(fields.names()),
            _ => names.push(self.name),
        }
    }

    /// Parses and validates what was sent for this parameter. None if it counts as absent. The error is a phrase to
    /// follow the name of the parameter.
    pub(crate) fn parse(&self, raw: &Raw<'_>) -> Result<Option<Value>, String> {
        let parsed = match (raw, &self.notation) {
            (Raw::Values(values), Notation::Style(_)) if self.shape.is_scalar() => {
                self.parse_scalar(values)
            }
            (Raw::Values(values), Notation::Style(syntax)) => self.parse_values(*syntax, values),
            (Raw::Values(values), Notation::Json) => self.parse_json(values),
            (Raw::Parts(node), _) => self.parse_parts(node),
        };
        match parsed {
            Err(_) if self.is_empty(raw) && self.shape.nullable => Ok(Some(Value::Null)),
            // A name alone is a flag that is set; of other types, it is a parameter that is not.
            Err(_) if self.is_empty(raw) && self.allows_empty => {
                let flag = Value::Bool(true);
                Ok(Some(flag).filter(|flag| self.validator.is_valid(flag)))
            }
            parsed => parsed.map(Some),
        }
    }

    fn is_empty(&self, raw: &Raw<'_>) -> bool {
        matches!(raw, Raw::Values(values) if values.as_slice() == [""])
    }

    fn decode<'r>(&self, raw: &'r str) -> Result<Cow<'r, str>, String> {
        encoding::decode(self.location, raw)
    }

    fn parse_scalar(&self, raw: &[&str]) -> Result<Value, String> {
        let [raw] = raw else {
            return Err(format!("must be given once, got {} values", raw.len()));
        };
        let raw = match &self.notation {
            Notation::Style(syntax) => syntax.strip_prefix(self.name, raw)?,
            Notation::Json => raw,
        };
        let text = self.decode(raw)?;
        let value = self
            .shape
            .scalars
            .parse(&text, |value| self.validator.is_valid(value))
            .map_err(|error| self.describe_error(error, &text))?;
        self.validate(value)
    }

    fn parse_json(&self, raw: &[&str]) -> Result<Value, String> {
        let [raw] = raw else {
            return Err(format!("must be given once, got {} values", raw.len()));
        };
        let value = json::parse(self.decode(raw)?.as_bytes());
        self.validate(value.map_err(|error| format!("is not valid JSON: {error}"))?)
    }

    fn parse_parts(&self, node: &Node<'_>) -> Result<Value, String> {
        let decode = encoding::of_location(self.location);
        self.validate(self.shape.parse_node(node, decode)?)
    }

    /// Parses a value that may be an array or an object. If its schema allows several kinds, the first that is valid
    /// counts; the first problem is reported.
    fn parse_values(&self, syntax: Syntax, raw: &[&str]) -> Result<Value, String> {
        let items = self.shape.items.as_ref().map(|items| {
            syntax
                .split_items(self.name, raw)
                .map(|parts| (items, parts))
        });
        let is_list = match &items {
            Some(Ok((_, parts))) => parts.len() > 1,
            _ => false,
        };
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
            Some(self.parse_properties(syntax, fields, raw))
        };
        let attempts: [&dyn Fn() -> Option<Result<Value, String>>; 3] = if is_list {
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
        let decode = encoding::of_location(self.location);
        let mut values = Vec::with_capacity(parts.len());
        for (index, raw) in parts.iter().enumerate() {
            let value = items.parse_part(raw, decode);
            values.push(value.map_err(|message| format!("item {} {message}", index + 1))?);
        }
        self.validate(Value::Array(values))
    }

    fn parse_properties(
        &self,
        syntax: Syntax,
        fields: &Fields,
        raw: &[&str],
    ) -> Result<Value, String> {
        let decode = encoding::of_location(self.location);
        // Where no style can write the object under the name of the parameter, JSON is the way.
        if matches!(syntax.object, ObjectSyntax::Names | ObjectSyntax::Brackets) {
            let [raw] = raw else {
                return Err(format!("must be given once, got {} values", raw.len()));
            };
            return self.validate(self.shape.parse_part(raw, decode)?);
        }
        let mut node = Node::default();
        for (name, value) in syntax.split_properties(self.name, raw)? {
            node.insert(&[decode(name)?.as_ref()], value);
        }
        self.validate(fields.parse(&node, decode)?)
    }

    fn validate(&self, value: Value) -> Result<Value, String> {
        match self.validator.describe_problem(&value) {
            None => Ok(value),
            Some(message) => Err(message),
        }
    }

    fn describe_error(&self, error: ScalarError, text: &str) -> String {
        let nearest = match error {
            ScalarError::WrongType(message) => return message,
            ScalarError::OutOfRange(nearest) => nearest,
        };
        let problems = self.validator.find_problems(&nearest);
        let expected = match problems.first() {
            Some(problem) => &problem.message,
            None => "must be an integer of at most 64 bits",
        };
        format!("{expected}, got {}", truncate(text))
    }
}
