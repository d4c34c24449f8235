//! Parameters: their texts in requests. Objects are not written.

use serde_json::Value;
use spec_schema::resolve;

use super::message::{decode, encode, scalar_text};

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl Place {
    pub(super) fn name(self) -> &'static str {
        match self {
            Place::Path => "path",
            Place::Query => "query",
            Place::Header => "header",
            Place::Cookie => "cookie",
        }
    }
}

/// A parameter of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter<'d> {
    pub(super) name: &'d str,
    pub(super) place: Place,
    pub(super) required: bool,
    pub(super) schema: Option<&'d Value>,
    style: Option<&'d str>,
    explode: Option<bool>,
}

/// Headers that are not parameters (OpenAPI 3.0.3, Parameter Object).
const NO_PARAMETERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// The parameters of an operation: its own, and those of its path.
pub(super) fn parameters<'d>(
    document: &'d Value,
    path_item: &'d Value,
    operation: &'d Value,
) -> Vec<Parameter<'d>> {
    let mut found: Vec<Parameter<'d>> = Vec::new();
    for list in [operation, path_item] {
        for item in list["parameters"].as_array().into_iter().flatten() {
            let parameter = resolve(document, item).and_then(read_parameter);
            let is_new = |it: &Parameter<'d>| {
                let same = |other: &Parameter<'d>| other.name == it.name && other.place == it.place;
                !found.iter().any(same)
            };
            if let Some(parameter) = parameter.filter(is_new) {
                found.push(parameter);
            }
        }
    }
    found
}

fn read_parameter(value: &Value) -> Option<Parameter<'_>> {
    let name = value["name"].as_str()?;
    let place = match value["in"].as_str()? {
        "path" => Place::Path,
        "query" => Place::Query,
        "header" if NO_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) => return None,
        "header" => Place::Header,
        "cookie" => Place::Cookie,
        _ => return None,
    };
    Some(Parameter {
        name,
        place,
        required: value["required"] == true,
        schema: value.get("schema"),
        style: value["style"].as_str(),
        explode: value["explode"].as_bool(),
    })
}

impl<'d> Parameter<'d> {
    fn is_exploded(&self) -> bool {
        let is_form = match self.style {
            Some(style) => style == "form",
            None => matches!(self.place, Place::Query | Place::Cookie),
        };
        self.explode.unwrap_or(is_form) && matches!(self.place, Place::Query | Place::Cookie)
    }

    fn separator(&self) -> Option<&'static str> {
        match self.style {
            None | Some("form" | "simple") => Some(","),
            Some("spaceDelimited") => Some("%20"),
            Some("pipeDelimited") => Some("|"),
            _ => None,
        }
    }

    /// The texts of a value: several for an array whose items are sent apart. None if it has no text.
    pub(super) fn write(&self, value: &Value) -> Option<Vec<String>> {
        let write_scalar = |value: &Value| {
            let text = scalar_text(value)?;
            match self.place {
                Place::Header => {
                    let is_plain = |c: char| c.is_ascii_graphic() || c == ' ';
                    let is_plain = text.chars().all(is_plain) && text.trim() == text;
                    Some(text).filter(|it| is_plain && !it.is_empty())
                }
                Place::Path => Some(encode(&text)).filter(|it| !it.is_empty() && is_segment(it)),
                Place::Query | Place::Cookie => Some(encode(&text)),
            }
        };
        self.separator()?;
        let Value::Array(items) = value else {
            return Some(vec![write_scalar(value)?]);
        };
        let texts: Vec<String> = items.iter().map(write_scalar).collect::<Option<_>>()?;
        let separator = self.separator()?;
        let is_clear = |text: &String| !text.is_empty() && !text.contains(separator);
        if texts.is_empty() || !texts.iter().all(is_clear) {
            return None;
        }
        match self.is_exploded() {
            true => Some(texts),
            false => Some(vec![texts.join(separator)]),
        }
    }

    /// Reads the texts of a parameter. `read_scalar` reads one text by a schema. None if they mean an object, which is not
    /// read.
    pub(super) fn read(
        &self,
        document: &'d Value,
        texts: &[&str],
        read_scalar: impl Fn(&str, Option<&'d Value>) -> Value,
    ) -> Option<Value> {
        let decoded = |text: &str| match self.place {
            Place::Header => text.to_owned(),
            _ => decode(text),
        };
        let schema = self.schema.and_then(|schema| resolve(document, schema));
        match schema.and_then(|schema| schema["type"].as_str()) {
            Some("object") => None,
            Some("array") => {
                let separator = self.separator()?;
                let texts: Vec<&str> = match self.is_exploded() {
                    true => texts.to_vec(),
                    false => texts.first()?.split(separator).collect(),
                };
                let items = schema.and_then(|schema| schema.get("items"));
                let read = texts
                    .into_iter()
                    .map(|text| read_scalar(&decoded(text), items));
                Some(Value::Array(read.collect()))
            }
            _ => Some(read_scalar(&decoded(texts.first()?), self.schema)),
        }
    }
}

/// Whether a text stays a segment of its own: servers remove `.` and `..`.
fn is_segment(text: &str) -> bool {
    text != "." && text != ".."
}
