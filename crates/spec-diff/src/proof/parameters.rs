//! Parameters: where they stand, and of which shape their values are.

mod read;
mod write;

use serde_json::Value;
use spec_schema::resolve;

pub(super) use read::{Found, Sent};

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
    document: &'d Value,
    pub(super) name: &'d str,
    pub(super) place: Place,
    pub(super) required: bool,
    pub(super) schema: Option<&'d Value>,
    style: &'d str,
    explode: bool,
    /// Whether the value is written as JSON (`content`).
    is_json: bool,
}

/// The shape of values, which decides how a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Scalar,
    Array,
    Object,
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
            let parameter = resolve(document, item).and_then(|it| read_parameter(document, it));
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

fn read_parameter<'d>(document: &'d Value, value: &'d Value) -> Option<Parameter<'d>> {
    let name = value["name"].as_str()?;
    let place = match value["in"].as_str()? {
        "path" => Place::Path,
        "query" => Place::Query,
        "header" if NO_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) => return None,
        "header" => Place::Header,
        "cookie" => Place::Cookie,
        _ => return None,
    };
    let usual = match place {
        Place::Path | Place::Header => "simple",
        Place::Query | Place::Cookie => "form",
    };
    let style = value["style"].as_str().unwrap_or(usual);
    let content = value["content"].as_object().and_then(|it| it.iter().next());
    let schema = match content {
        Some((media_type, media)) => {
            let is_json = spec_schema::BodyKind::of(media_type) == spec_schema::BodyKind::Json;
            // Of other media types it is not known how they are written.
            media.get("schema").filter(|_| is_json)
        }
        None => value.get("schema"),
    };
    Some(Parameter {
        document,
        name,
        place,
        required: value["required"] == true,
        schema,
        style,
        explode: value["explode"].as_bool().unwrap_or(style == "form"),
        is_json: content.is_some(),
    })
}

impl<'d> Parameter<'d> {
    /// What stands between the items of an array, or the names and values of an object, in one text.
    fn separator(&self) -> Option<&'static str> {
        Some(match (self.style, self.explode) {
            ("form" | "simple", _) | ("label" | "matrix", false) => ",",
            ("label", true) => ".",
            ("matrix", true) => ";",
            ("spaceDelimited", _) => "%20",
            ("pipeDelimited", _) => "|",
            _ => return None,
        })
    }

    /// Whether each item or property is a pair of its own in the query or the cookies.
    fn is_exploded(&self) -> bool {
        self.explode && matches!(self.place, Place::Query | Place::Cookie)
    }

    /// The shape of all values; `None` if they have several.
    fn shape(&self) -> Option<Shape> {
        self.schema
            .map_or(Some(Shape::Scalar), |it| shape(self.document, it, 0))
    }
}

/// The shape of the values of a schema; `None` if they have several.
fn shape(document: &Value, schema: &Value, depth: usize) -> Option<Shape> {
    // A schema may lead to itself.
    let schema = resolve(document, schema).filter(|_| depth < 20)?;
    match schema["type"].as_str() {
        Some("array") => return Some(Shape::Array),
        Some("object") => return Some(Shape::Object),
        Some(_) => return Some(Shape::Scalar),
        None => {}
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(members) = schema[keyword].as_array() {
            let mut shapes = members.iter().map(|it| shape(document, it, depth + 1));
            let first = shapes.next()??;
            return shapes.all(|other| other == Some(first)).then_some(first);
        }
    }
    if schema.get("properties").is_some() {
        return Some(Shape::Object);
    }
    if schema.get("items").is_some() {
        return Some(Shape::Array);
    }
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let mut shapes = parts.filter_map(|it| shape(document, it, depth + 1));
    let first = shapes.next().unwrap_or(Shape::Scalar);
    shapes.all(|other| other == first).then_some(first)
}

/// The values of a keyword in a schema and in all schemas that it combines with `allOf`.
fn keyword<'d>(document: &'d Value, schema: &'d Value, name: &str) -> Vec<&'d Value> {
    let mut found = Vec::new();
    let mut waiting = vec![schema];
    let mut seen = 0;
    while let Some(schema) = waiting.pop() {
        seen += 1;
        let Some(schema) = resolve(document, schema).filter(|_| seen < 100) else {
            continue;
        };
        found.extend(schema.get(name));
        waiting.extend(schema["allOf"].as_array().into_iter().flatten());
    }
    found
}
