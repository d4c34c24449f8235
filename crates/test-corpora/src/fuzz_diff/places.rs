//! The schemas of a document whose values are sampled, each with the place where it stands.

use std::collections::BTreeSet;

use dropspec_schema::header::Ignored;
use dropspec_schema::{Direction, resolve};
use serde_json::Value;

use super::documents::is_method;

/// A schema of a message, and where it stands.
pub struct Place<'d> {
    pub name: String,
    pub direction: Direction,
    /// Whether values are sent as text, so that `7` and `"7"` are the same.
    pub is_text: bool,
    pub schema: &'d Value,
}

/// The schemas of all parameters, and of all bodies in JSON.
pub fn places(document: &Value) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    let object = |value: &'_ Value| value.as_object().cloned().unwrap_or_default();
    for path in object(&document["paths"]).keys() {
        let item = &document["paths"][path];
        for method in object(item).keys().filter(|key| is_method(key)) {
            let operation = &item[method];
            let prefix = format!("{method} {path}");
            for parameter in item["parameters"]
                .as_array()
                .into_iter()
                .chain(operation["parameters"].as_array())
                .flatten()
            {
                push_parameter(document, parameter, &prefix, &mut places);
            }
            let body = operation.get("requestBody");
            push_body(document, body, Direction::Request, &prefix, &mut places);
            for status in object(&operation["responses"]).keys() {
                let prefix = format!("{prefix} {status}");
                let response = operation["responses"].get(status);
                push_body(
                    document,
                    response,
                    Direction::Response,
                    &prefix,
                    &mut places,
                );
            }
        }
    }
    places
}

fn push_parameter<'d>(
    document: &'d Value,
    parameter: &'d Value,
    prefix: &str,
    places: &mut Vec<Place<'d>>,
) {
    let Some(parameter) = resolve(document, parameter) else {
        return;
    };
    if let Some(schema) = parameter.get("schema") {
        let (location, name) = (&parameter["in"], &parameter["name"]);
        let is_ignored = |name| Ignored::find(name).is_some();
        if location == "header" && name.as_str().is_some_and(is_ignored) {
            return;
        }
        let name = format!("{prefix}: {location} {name}");
        // A parameter of the operation replaces that of its path.
        places.retain(|place| place.name != name);
        places.push(Place {
            name,
            direction: Direction::Request,
            is_text: true,
            schema,
        });
    }
}

fn push_body<'d>(
    document: &'d Value,
    body: Option<&'d Value>,
    direction: Direction,
    prefix: &str,
    places: &mut Vec<Place<'d>>,
) {
    let Some(content) = body.and_then(|body| resolve(document, body)?.get("content")?.as_object())
    else {
        return;
    };
    for (media_type, value) in content {
        if let Some(schema) = value.get("schema")
            && media_type.contains("json")
        {
            places.push(Place {
                name: format!("{prefix}: {direction:?} {media_type}"),
                direction,
                is_text: false,
                schema,
            });
        }
    }
}

/// The names of properties that no message of a direction contains: how they change breaks nobody.
pub fn unsent_properties(document: &Value, direction: Direction) -> BTreeSet<String> {
    let flag = match direction {
        Direction::Request => "readOnly",
        Direction::Response => "writeOnly",
    };
    let mut names = BTreeSet::new();
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        let properties = value["properties"].as_object();
        let unsent = properties.into_iter().flatten();
        let unsent = unsent.filter(|(_, schema)| has_flag(document, schema, flag, 0));
        names.extend(unsent.map(|(name, _)| name.clone()));
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => waiting.extend(members.values()),
            _ => {}
        }
    }
    names
}

/// Whether a schema, or one for the same value inside it, has a flag.
fn has_flag(document: &Value, schema: &Value, flag: &str, depth: usize) -> bool {
    const DEEPEST: usize = 8;
    let Some(schema) = resolve(document, schema).filter(|_| depth < DEEPEST) else {
        return false;
    };
    let parts = ["allOf", "anyOf", "oneOf"].into_iter();
    let parts = parts.filter_map(|keyword| schema[keyword].as_array());
    let mut parts = parts.flatten();
    schema[flag] == true || parts.any(|part| has_flag(document, part, flag, depth + 1))
}

/// Whether an object anywhere in a value has one of the properties.
pub fn has_property(value: &Value, names: &BTreeSet<String>) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_property(item, names)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| names.contains(name) || has_property(member, names)),
        _ => false,
    }
}
