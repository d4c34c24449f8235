//! Parameters of requests: which values prove something, and how `dropspec-schema` writes them.

use dropspec_schema::BodyKind;
use dropspec_schema::wire::{
    Encoding, Location, Parts, Style, declared_parameters, encode_parameters, schema_of,
};
use serde_json::Value;

/// A parameter of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter<'d> {
    /// How it is written.
    pub(super) written: dropspec_schema::wire::Parameter<'d>,
    /// `None` if it is not known how values are written.
    pub(super) schema: Option<&'d Value>,
    pub(super) definition: &'d Value,
}

/// The parameters of an operation: its own, and those of its path.
pub(super) fn list_parameters<'d>(
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
            written: dropspec_schema::wire::Parameter {
                name: it.name,
                location: it.location,
                encoding: Encoding::of_definition(it.location, it.definition),
                required: it.definition["required"] == true,
            },
            schema: Some(schema_of(it.definition)).filter(|schema| is_known && !schema.is_null()),
            definition: it.definition,
        }
    });
    parameters.collect()
}

/// Writes parameters into a request. None if a value cannot be written.
pub(super) fn write<'v>(
    template: &str,
    parameters: impl IntoIterator<Item = (&'v Parameter<'v>, &'v Value)>,
) -> Option<Parts> {
    let parameters = parameters.into_iter();
    let given = parameters.map(|(parameter, value)| (&parameter.written, value));
    let mut parts = encode_parameters(template, given).ok()?;
    // Encoded, the brackets of names mean the same, and no tool expands them.
    parts.query = parts.query.replace('[', "%5B").replace(']', "%5D");
    Some(parts)
}

impl Parameter<'_> {
    /// Whether a value can be written in a way that every server reads alike.
    pub(super) fn can_write(&self, value: &Value) -> bool {
        // HTTP removes some of what stands in a header.
        let is_clear_text = |text: &str| {
            self.written.location != Location::Header || !text.is_empty() && text.trim() == text
        };
        let is_clear = |value: &Value| match value {
            Value::String(text) => is_clear_text(text),
            other => scalar_text(other).is_some(),
        };
        let is_clear = match (self.written.encoding, value) {
            (Encoding::Json | Encoding::WholeQuery, _) => true,
            (Encoding::Style { style, .. }, Value::Array(items)) => {
                style != Style::DeepObject
                    && !items.is_empty()
                    && items.iter().all(|it| is_clear(it) && *it != "")
            }
            (Encoding::Style { style, explode, .. }, Value::Object(members)) => {
                // OpenAPI does not say how they are exploded.
                let is_undefined =
                    explode && matches!(style, Style::SpaceDelimited | Style::PipeDelimited);
                let mut clear = members.iter().map(|(name, value)| {
                    !name.is_empty() && is_clear_text(name) && is_clear(value)
                });
                !members.is_empty() && !is_undefined && clear.all(|it| it)
            }
            (Encoding::Style { style, .. }, scalar) => {
                style != Style::DeepObject && is_clear(scalar)
            }
        };
        let template = match self.written.location {
            Location::Path => format!("/{{{}}}", self.written.name),
            _ => "/".to_owned(),
        };
        is_clear && write(&template, [(self, value)]).is_some()
    }
}

/// The text of a scalar in a path, a query or a header.
pub(super) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
