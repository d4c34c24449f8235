//! Recognizes the error schema of a document, and writes how an error of the gate fills it. What is recognized is valid
//! by the document's schema for every error of the gate.

mod body;
mod filling;
mod names;

use dropspec_gate::error::ErrorInfo;
use dropspec_schema::BodyKind;
use dropspec_schema::media_type::essence;
use serde_json::{Map, Value, json};

use self::filling::{Filled, SchemaFiller};

/// The file of the server that writes errors of the gate.
const ERRORS: &str = include_str!("templates/errors.rs");

/// How errors of the gate are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ErrorFormat {
    /// The media type of the bodies.
    media_type: String,
    body: Value,
    /// Whether the error responses of the document have it. Otherwise none of them has a schema with a text.
    is_of_document: bool,
}

impl ErrorFormat {
    /// The media type of the bodies.
    pub(crate) fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Writes an error as a body.
    pub(crate) fn render(&self, error: &ErrorInfo) -> String {
        match body::fill_with(&self.body, error, None) {
            Value::String(text) if BodyKind::of(&self.media_type) == BodyKind::Text => text,
            body => body.to_string(),
        }
    }

    /// The file of the server that writes errors of the gate.
    pub(super) fn render_file(&self) -> String {
        let origin = if self.is_of_document {
            "/// The body of the error responses of the document."
        } else {
            "/// No error response of the document has a schema with a text: write here what the errors of the service look like."
        };
        let (import, body) = match BodyKind::of(&self.media_type) {
            BodyKind::Text => ("", "error.message".to_owned()),
            _ => {
                let body = format!("json!({}).to_string()", body::render(&self.body));
                ("use serde_json::json;\n", body)
            }
        };
        ERRORS
            .replace("{{import}}", import)
            .replace("{{media_type}}", &self.media_type)
            .replace("{{origin}}", origin)
            .replace("{{body}}", &body)
    }
}

/// Finds the format of the errors of a document: that of the schema that most of its error responses have, among those
/// with the most telling text. A schema that no error response has is none, whatever its name.
pub(crate) fn find(document: &Value) -> ErrorFormat {
    let problem_details = "application/problem+json";
    let bodies = count(error_bodies(document).into_iter().map(|body| (body, 1)));
    let formats = bodies
        .into_iter()
        .filter_map(|((media_type, schema), number)| {
            let is_problem = media_type == problem_details;
            let pointer = if is_problem {
                body::FRAGMENT
            } else {
                body::POINTER
            };
            let filler = SchemaFiller {
                document,
                pointer,
                is_item: false,
            };
            let mut filled = filler.fill(schema, 0)?;
            if is_problem {
                filler.add_problems(schema, &mut filled);
            }
            // A text is sent as it is, and JSON where the schema says so.
            let fits = BodyKind::of(&media_type) != BodyKind::Text || filled.body.is_string();
            fits.then_some(((media_type, filled), number))
        });
    // Of several with the same count, the first.
    let formats = count(formats).into_iter().rev();
    let best = formats.max_by_key(|((_, filled), number)| (filled.quality, *number));
    match best {
        Some(((media_type, Filled { body, .. }), _)) => ErrorFormat {
            media_type,
            body,
            is_of_document: true,
        },
        None => ErrorFormat {
            media_type: "application/json".to_owned(),
            body: json!({ "code": body::CODE, "message": body::MESSAGE, "status": body::STATUS }),
            is_of_document: false,
        },
    }
}

/// Adds up the numbers of equal things.
fn count<T: PartialEq>(numbered: impl Iterator<Item = (T, usize)>) -> Vec<(T, usize)> {
    let mut counted: Vec<(T, usize)> = Vec::new();
    for (thing, number) in numbered {
        match counted.iter_mut().find(|(known, _)| *known == thing) {
            Some((_, known)) => *known += number,
            None => counted.push((thing, number)),
        }
    }
    counted
}

/// The media types and schemas of all error responses with JSON or text.
fn error_bodies(document: &Value) -> Vec<(String, &Value)> {
    let resolve = |value| dropspec_schema::resolve(document, value).unwrap_or(value);
    let mut bodies = Vec::new();
    let items = children(document.get("paths")).map(|(_, item)| resolve(item));
    let operations = items.flat_map(|item| children(Some(item)));
    let responses = operations.flat_map(|(_, operation)| children(operation.get("responses")));
    let errors =
        responses.filter(|(status, _)| status.starts_with(['4', '5']) || *status == "default");
    for (media_type, content) in
        errors.flat_map(|(_, response)| children(resolve(response).get("content")))
    {
        let media_type = essence(media_type);
        let is_known = matches!(BodyKind::of(&media_type), BodyKind::Json | BodyKind::Text);
        if let Some(schema) = content.get("schema")
            && is_known
            && !media_type.contains('*')
        {
            bodies.push((media_type, schema));
        }
    }
    bodies
}

fn children(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    let members = value.and_then(Value::as_object);
    members.into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests;
