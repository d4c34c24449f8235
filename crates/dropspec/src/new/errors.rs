//! Recognizes the error schema of a document, and writes how an error of the gate fills it.

use serde_json::{Map, Value};

/// How errors of the gate are written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrorFormat {
    /// The media type of the bodies.
    pub(super) media_type: String,
    /// The members of the body, as the macro `json!` takes them.
    pub(super) members: String,
    /// Whether they are those of a schema of the document.
    pub(super) recognized: bool,
}

/// Names of properties with a text for people.
const MESSAGES: [&str; 8] = [
    "message",
    "detail",
    "error_description",
    "errormessage",
    "description",
    "msg",
    "reason",
    "title",
];
/// Names of properties with a code for programs.
const CODES: [&str; 7] = [
    "code",
    "error_code",
    "errorcode",
    "error",
    "name",
    "type",
    "title",
];
/// Names of integer properties with the status.
const STATUSES: [&str; 5] = ["status", "statuscode", "status_code", "http_status", "code"];

/// Finds the format of the errors of a document: that of the schema that most of its error responses have.
pub(super) fn find(document: &Value) -> ErrorFormat {
    let mut formats: Vec<(ErrorFormat, usize)> = Vec::new();
    for (media_type, schema) in error_bodies(document) {
        let Some(members) = fill_object(document, schema, 0) else {
            continue;
        };
        let format = ErrorFormat {
            media_type,
            members,
            recognized: true,
        };
        match formats.iter_mut().find(|(known, _)| *known == format) {
            Some((_, count)) => *count += 1,
            None => formats.push((format, 1)),
        }
    }
    // Of several with the same count, the first.
    let most = formats.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or_else(ErrorFormat::default, |(format, _)| format)
}

impl Default for ErrorFormat {
    fn default() -> ErrorFormat {
        ErrorFormat {
            media_type: "application/json".to_owned(),
            members: "\"code\": error.code, \"message\": error.message, \"status\": error.status.as_u16()"
                .to_owned(),
            recognized: false,
        }
    }
}

/// The media types and schemas of all error responses with JSON.
fn error_bodies(document: &Value) -> Vec<(String, &Value)> {
    let mut bodies = Vec::new();
    let items = children(document.get("paths"));
    let operations = items.flat_map(|(_, item)| children(Some(item)));
    let responses = operations.flat_map(|(_, operation)| children(operation.get("responses")));
    for (status, response) in responses {
        if !(status.starts_with(['4', '5']) || status == "default") {
            continue;
        }
        for (media_type, content) in children(resolve(document, response).get("content")) {
            let essence = media_type.split(';').next().unwrap_or_default().trim();
            if essence.ends_with("json")
                && let Some(schema) = content.get("schema")
            {
                bodies.push((essence.to_owned(), schema));
            }
        }
    }
    bodies
}

/// The members of an object of this schema, filled with an error; `None` if it has no place for a text.
fn fill_object(document: &Value, schema: &Value, depth: usize) -> Option<String> {
    if depth > 3 {
        return None;
    }
    let (properties, required) = collect_properties(document, schema);
    let mut members = Vec::new();
    let (mut has_text, mut has_code) = (false, false);
    // A title is the text only if nothing else is.
    let is_text = |name: &str| MESSAGES.contains(&name.to_lowercase().as_str());
    let other_text = properties
        .iter()
        .any(|(name, _)| is_text(name) && name.as_str() != "title");
    for (name, property) in &properties {
        let property = resolve(document, property);
        let small = name.to_lowercase();
        let kind = property
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("string");
        let value = match kind {
            "string" if is_text(name) && !(small == "title" && other_text) && !has_text => {
                has_text = true;
                Some("error.message".to_owned())
            }
            "string"
                if property.get("enum").is_none()
                    && CODES.contains(&small.as_str())
                    && !has_code =>
            {
                has_code = true;
                Some("error.code".to_owned())
            }
            "integer" | "number" if STATUSES.contains(&small.as_str()) => {
                Some("error.status.as_u16()".to_owned())
            }
            "object" => fill_object(document, property, depth + 1).map(|inner| {
                has_text = true;
                format!("{{ {inner} }}")
            }),
            "array" => property
                .get("items")
                .and_then(|items| fill_object(document, resolve(document, items), depth + 1))
                .filter(|_| !has_text)
                .map(|inner| {
                    has_text = true;
                    format!("[{{ {inner} }}]")
                }),
            _ => None,
        };
        let value = value.or_else(|| {
            required
                .contains(&name.as_str())
                .then(|| placeholder(property, kind))
        });
        if let Some(value) = value {
            members.push(format!("{name:?}: {value}"));
        }
    }
    has_text.then(|| members.join(", "))
}

/// The properties of a schema and of what it combines, and the names of the required ones.
fn collect_properties<'d>(
    document: &'d Value,
    schema: &'d Value,
) -> (Vec<(&'d String, &'d Value)>, Vec<&'d str>) {
    let schema = resolve(document, schema);
    let mut properties: Vec<_> = children(schema.get("properties")).collect();
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let mut required: Vec<&str> = required.collect();
    let parts = schema.get("allOf").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let part = resolve(document, part);
        properties.extend(children(part.get("properties")));
        let more = part.get("required").and_then(Value::as_array);
        required.extend(more.into_iter().flatten().filter_map(Value::as_str));
    }
    (properties, required)
}

/// A value for a required property that an error of the gate has nothing for.
fn placeholder(property: &Value, kind: &str) -> String {
    let first = property.get("enum").and_then(|values| values.get(0));
    match (first, kind) {
        (Some(value), _) => value.to_string(),
        (None, "integer" | "number") => "0".to_owned(),
        (None, "boolean") => "false".to_owned(),
        (None, "array") => "[]".to_owned(),
        (None, "object") => "{}".to_owned(),
        _ => "\"\"".to_owned(),
    }
}

/// The value that a `$ref` within the document leads to, or the value itself.
fn resolve<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let reference = value.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    target.unwrap_or(value)
}

fn children(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(media_type: &str, schema: Value) -> String {
        let response = json!({"description": "", "content": {media_type: {"schema": schema}}});
        let document = json!({
            "paths": {"/a": {"get": {"responses": {"404": {"$ref": "#/components/responses/E"}}}}},
            "components": {"responses": {"E": response}},
        });
        let format = find(&document);
        assert_eq!(
            format.media_type,
            if format.recognized {
                media_type
            } else {
                "application/json"
            }
        );
        match format.recognized {
            true => format.members,
            false => "none".to_owned(),
        }
    }

    #[test]
    fn error_schemas_with_a_text_are_filled() {
        let object = |properties: Value| json!({"type": "object", "properties": properties});
        let text = json!({"type": "string"});
        let number = json!({"type": "integer"});
        for (media_type, schema, expected) in [
            (
                "application/json",
                json!({"type": "object", "required": ["message", "request_id"],
                       "properties": {"error_code": text, "message": text, "request_id": text}}),
                "\"error_code\": error.code, \"message\": error.message, \"request_id\": \"\"",
            ),
            (
                "application/problem+json",
                object(json!({"type": text, "title": text, "status": number, "detail": text})),
                "\"type\": error.code, \"status\": error.status.as_u16(), \"detail\": error.message",
            ),
            (
                "application/json",
                object(
                    json!({"error": {"type": "object", "properties": {"code": number, "message": text}}}),
                ),
                "\"error\": { \"code\": error.status.as_u16(), \"message\": error.message }",
            ),
            (
                "application/json",
                object(
                    json!({"errors": {"type": "array", "items": object(json!({"message": text}))}}),
                ),
                "\"errors\": [{ \"message\": error.message }]",
            ),
            ("application/json", object(json!({"count": number})), "none"),
            ("text/plain", text.clone(), "none"),
        ] {
            assert_eq!(members(media_type, schema), expected);
        }
    }
}
