//! Recognizes the error schema of a document, and writes how an error of the gate fills it. What is recognized is valid
//! by the document's schema for every error of the gate.

mod body;
mod filling;
mod names;

use serde_json::{Map, Value};
use spec_schema::BodyKind;
use spec_schema::media_type::essence;

use self::body::Body;
use self::filling::{Filled, Filling};

/// The file of the server that writes errors of the gate.
const ERRORS: &str = include_str!("templates/errors.rs");

/// How errors of the gate are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ErrorFormat {
    /// The media type of the bodies.
    media_type: String,
    /// Where the format comes from.
    origin: Origin,
    body: Body,
}

/// Where the format of errors comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    /// The error responses of the document.
    Responses,
    /// No error response of the document has a schema with a text.
    Unknown,
}

impl ErrorFormat {
    /// The file of the server that writes errors of the gate.
    pub(super) fn render_file(&self) -> String {
        let origin = match self.origin {
        Origin::Responses => "/// The body of the error responses of the document.".to_owned(),
        Origin::Unknown => {
            "/// No error response of the document has a schema with a text: write here what the errors of the service look like."
                .to_owned()
        }
    };
        let body = self.render();
        let import = if body.contains("json!") {
            "use serde_json::json;\n"
        } else {
            ""
        };
        ERRORS
            .replace("{{import}}", import)
            .replace("{{media_type}}", &self.media_type)
            .replace("{{origin}}", &origin)
            .replace("{{body}}", &body)
    }

    /// The body as a Rust expression of a `String`, for a variable `error`, in a method.
    fn render(&self) -> String {
        match (BodyKind::of(&self.media_type), &self.body) {
            (BodyKind::Text, _) => "error.message".to_owned(),
            (_, body) => format!("json!({}).to_string()", body.render(2)),
        }
    }
}

/// Finds the format of the errors of a document: that of the schema that most of its error responses have, among those
/// with the most telling text. A schema that no error response has is none, whatever its name.
pub(super) fn find(document: &Value) -> ErrorFormat {
    let filling = Filling { document };
    let mut formats: Vec<(String, Filled, usize)> = Vec::new();
    for (media_type, schema, count) in count_schemas(error_bodies(document)) {
        let Some(filled) = filling.fill(schema) else {
            continue;
        };
        // A text is sent as it is, and JSON where the schema says so.
        if BodyKind::of(&media_type) == BodyKind::Text && filled.body != Body::Message {
            continue;
        }
        let known = formats
            .iter_mut()
            .find(|(known_type, known, _)| *known_type == media_type && *known == filled);
        match known {
            Some((_, _, known)) => *known += count,
            None => formats.push((media_type, filled, count)),
        }
    }
    // Of several with the same count, the first.
    let best = formats
        .into_iter()
        .rev()
        .max_by_key(|(_, filled, count)| (filled.quality, *count));
    let found = best.map(|(media_type, filled, _)| ErrorFormat {
        media_type,
        origin: Origin::Responses,
        body: filled.body,
    });
    found.unwrap_or_else(unknown)
}

/// The format for a document without an error schema.
fn unknown() -> ErrorFormat {
    let members = [
        ("code", Body::Code),
        ("message", Body::Message),
        ("status", Body::Status),
    ];
    let members = members.map(|(name, body)| (name.to_owned(), body));
    ErrorFormat {
        media_type: "application/json".to_owned(),
        origin: Origin::Unknown,
        body: Body::Object(members.into()),
    }
}

/// A media type and a schema.
type Content<'d> = (String, &'d Value);

/// The media types and schemas of all error responses with JSON or text.
fn error_bodies(document: &Value) -> Vec<Content<'_>> {
    let mut bodies = Vec::new();
    let items = children(document.get("paths")).map(|(_, item)| resolve(document, item));
    let operations = items.flat_map(|item| children(Some(item)));
    let responses = operations.flat_map(|(_, operation)| children(operation.get("responses")));
    for (status, response) in responses {
        if !(status.starts_with(['4', '5']) || status == "default") {
            continue;
        }
        for (media_type, content) in children(resolve(document, response).get("content")) {
            let media_type = essence(media_type);
            let kind = BodyKind::of(&media_type);
            let is_exact = !media_type.contains('*');
            if let Some(schema) = content.get("schema")
                && is_exact
                && matches!(kind, BodyKind::Json | BodyKind::Text)
            {
                bodies.push((media_type, schema));
            }
        }
    }
    bodies
}

/// The different bodies, each with its number.
fn count_schemas(bodies: Vec<Content<'_>>) -> Vec<(String, &Value, usize)> {
    let mut counted: Vec<(String, &Value, usize)> = Vec::new();
    for (media_type, schema) in bodies {
        let known = counted
            .iter_mut()
            .find(|(known_type, known, _)| *known_type == media_type && *known == schema);
        match known {
            Some((_, _, count)) => *count += 1,
            None => counted.push((media_type, schema, 1)),
        }
    }
    counted
}

fn resolve<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    spec_schema::resolve(document, value).unwrap_or(value)
}

fn children(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}

#[cfg(test)]
mod tests;
