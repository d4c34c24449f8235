//! Parameters of requests: which values prove something, and how `wire-codec` writes and reads them.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;
use spec_schema::{BodyKind, Validator};
use wire_codec::{
    Check, Encoding, Location, ParameterDecoder, ParameterList, Parts, Shape, Style, Unknown,
    declared_parameters, encode_parameters, schema_of,
};

/// A parameter of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter<'d> {
    pub(super) name: &'d str,
    pub(super) place: Location,
    pub(super) required: bool,
    /// `None` if it is not known how values are written.
    pub(super) schema: Option<&'d Value>,
    definition: &'d Value,
    encoding: Encoding,
}

/// What a request has at the place of a parameter.
pub(super) enum Sent<'r> {
    /// The text of the parameter in the path or in a header.
    Text(Option<&'r str>),
    /// All pairs of the query or of the cookies. The names are decoded, the values not.
    Pairs(&'r [(Cow<'r, str>, &'r str)]),
}

/// What a request has of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A value.
    Value(Value),
    /// A text that may be read in several ways.
    Unclear,
    /// A text that no value has.
    Malformed,
}

/// Chooses among several readings of a text. What is invalid is read as well, and judged later.
pub(super) struct Preference(pub(super) Option<Rc<Validator>>);

/// The parameters of an operation: its own, and those of its path.
pub(super) fn parameters<'d>(
    document: &'d Value,
    path_item: &'d Value,
    operation: &'d Value,
) -> Vec<Parameter<'d>> {
    let declared = declared_parameters(document, path_item, operation).into_iter();
    let parameters = declared.map(|it| {
        let content = it.definition["content"].as_object();
        let media_type = content.and_then(|content| content.keys().next());
        // Of other media types it is not known how they are written.
        let is_known = media_type.is_none_or(|it| BodyKind::of(it) == BodyKind::Json);
        Parameter {
            name: it.name,
            place: it.location,
            required: it.definition["required"] == true,
            schema: Some(schema_of(it.definition)).filter(|schema| is_known && !schema.is_null()),
            definition: it.definition,
            encoding: Encoding::of_definition(it.location, it.definition),
        }
    });
    parameters.collect()
}

/// Writes parameters into a request. None if a value cannot be written.
pub(super) fn write<'v>(
    template: &str,
    parameters: impl IntoIterator<Item = (&'v Parameter<'v>, &'v Value)>,
) -> Option<Parts> {
    let given: Vec<_> = parameters
        .into_iter()
        .map(|(parameter, value)| (parameter.described(), value))
        .collect();
    let given = given.iter().map(|(parameter, value)| (parameter, *value));
    let mut parts = encode_parameters(template, given).ok()?;
    // Encoded, the brackets of names mean the same, and no tool expands them.
    parts.query = parts.query.replace('[', "%5B").replace(']', "%5D");
    Some(parts)
}

impl<'d> Parameter<'d> {
    fn described(&self) -> wire_codec::Parameter<'d> {
        wire_codec::Parameter {
            name: self.name,
            location: self.place,
            encoding: self.encoding,
            required: self.required,
        }
    }

    /// Whether a value can be written in a way that every server reads alike.
    pub(super) fn can_write(&self, value: &Value) -> bool {
        let is_clear = |value: &Value| match value {
            Value::String(text) => self.is_clear(text),
            other => is_scalar(other),
        };
        let is_clear = match (self.encoding, value) {
            (Encoding::Json, _) => true,
            (Encoding::Style { style, .. }, Value::Array(items)) => {
                style != Style::DeepObject
                    && !items.is_empty()
                    && items.iter().all(|it| is_clear(it) && *it != "")
            }
            (Encoding::Style { style, explode, .. }, Value::Object(members)) => {
                // OpenAPI does not say how they are exploded.
                let is_undefined =
                    explode && matches!(style, Style::SpaceDelimited | Style::PipeDelimited);
                let is_clear_name = |name: &str| !name.is_empty() && self.is_clear(name);
                let mut members = members.iter().peekable();
                members.peek().is_some()
                    && !is_undefined
                    && members.all(|(name, value)| is_clear_name(name) && is_clear(value))
            }
            (Encoding::Style { style, .. }, scalar) => {
                style != Style::DeepObject && is_clear(scalar)
            }
        };
        let template = match self.place {
            Location::Path => format!("/{{{}}}", self.name),
            _ => "/".to_owned(),
        };
        is_clear && write(&template, [(self, value)]).is_some()
    }

    /// Whether a text has nothing that HTTP removes.
    fn is_clear(&self, text: &str) -> bool {
        self.place != Location::Header || !text.is_empty() && text.trim() == text
    }

    /// Reads a parameter.
    pub(super) fn read(
        &self,
        document: &Value,
        validator: Option<Rc<Validator>>,
        sent: &Sent<'_>,
    ) -> Found {
        let (place, preference) = (self.place, Preference(validator));
        let decoder =
            ParameterDecoder::new(document, self.name, place, self.definition, preference);
        let decoder = decoder.or_text();
        // Other names may be those of other parameters.
        let own: Vec<_> = match sent {
            Sent::Text(_) => Vec::new(),
            Sent::Pairs(pairs) => {
                let own = pairs.iter().filter(|(name, _)| decoder.owns(name));
                own.cloned().collect()
            }
        };
        if own.is_empty() && !matches!(sent, Sent::Text(Some(_))) {
            return Found::Nothing;
        }
        let shape = Shape::of_schema(document, schema_of(self.definition));
        if self.encoding != Encoding::Json && shape.is_ambiguous() {
            return Found::Unclear;
        }
        let read = match sent {
            Sent::Text(text) => decoder.parse_texts(text.iter().copied().collect()),
            Sent::Pairs(_) => {
                let mut list = ParameterList::default();
                list.push(decoder);
                let read = list.parse_pairs(&own, Unknown::Ignore);
                let read = read.map_err(|(_, message)| message);
                read.map(|values| values.into_iter().next().map(|(_, value)| value))
            }
        };
        match read {
            Ok(value) => value.map_or(Found::Nothing, Found::Value),
            Err(_) => Found::Malformed,
        }
    }
}

impl Check for Preference {
    fn is_valid(&self, value: &Value) -> bool {
        self.0.as_ref().is_none_or(|it| it.is_valid(value))
    }

    fn describe_problem(&self, _: &Value) -> Option<String> {
        None
    }

    fn describe_rule(&self, _: &Value) -> Option<String> {
        None
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}
