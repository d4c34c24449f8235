//! Validates responses by the document, for tests: status, headers, content type and body.

mod items;

use dropspec_schema::header::Ignored;
use dropspec_schema::{BodyKind, Direction, Framing, item_schema, media_type as ranges};
use http::header::{CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::body::describes_text;
use crate::definition_error::{DocumentError, unresolved};
use crate::document::Document;
use crate::media_type;
use crate::operation::OperationInfo;
use crate::parameters::{self, Parameter};
use crate::rejection::ParameterLocation;
use crate::validate::SchemaValidator;

/// Checks that the responses of all operations are as the document declares.
#[derive(Debug)]
pub struct ResponseValidator {
    operations: Vec<OperationResponses>,
}

/// One difference between a response and the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation_id} {status}: {part} {message}")]
pub struct ResponseMismatch {
    /// The operation that sent the response.
    pub operation_id: &'static str,
    /// The status of the response.
    pub status: u16,
    /// The part of the response, such as `header "Location"` or `body /0/name`.
    pub part: String,
    /// The problem with that part.
    pub message: String,
}

#[derive(Debug)]
struct OperationResponses {
    operation_id: &'static str,
    /// The responses by status, class of statuses (`4XX`) or `DEFAULT`.
    responses: Vec<(String, ResponseDefinition)>,
}

#[derive(Debug)]
struct ResponseDefinition {
    headers: Vec<Parameter>,
    content: Vec<Content>,
}

/// A media type of a response, or a range of them.
#[derive(Debug)]
struct Content {
    /// In lower case.
    range: String,
    validator: Option<SchemaValidator>,
    /// The schema of each item, if the body is a stream of items.
    items: Option<(Framing, SchemaValidator)>,
    /// Whether the schema is that of a text, and not of what the text means.
    describes_text: bool,
}

/// Parts of a response that differ from the document, each with a description of the difference.
type Problems = Vec<(String, String)>;

impl ResponseValidator {
    /// Compiles the responses that the document declares for the operations of a table.
    ///
    /// # Errors
    ///
    /// [`DocumentError`] for the first definition that is not supported.
    pub fn new(
        document: &'static Document,
        operations: &[OperationInfo],
    ) -> Result<Self, DocumentError> {
        let operations = operations
            .iter()
            .map(|info| OperationResponses::new(document, info));
        let operations = operations.collect::<Result<_, _>>()?;
        Ok(Self { operations })
    }

    /// Checks a response to a request other than HEAD against the document.
    ///
    /// # Errors
    ///
    /// All differences between the response and the document.
    pub fn check(
        &self,
        operation: usize,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), Vec<ResponseMismatch>> {
        let operation = &self.operations[operation];
        let mut problems = Problems::new();
        match operation.find(status) {
            None => {
                let declared = operation.responses.iter().map(|(key, _)| key.as_str());
                let declared = declared.collect::<Vec<_>>().join(", ");
                let message = format!("is not declared; declared are: {declared}");
                problems.push(("status".to_owned(), message));
            }
            Some(response) => {
                response.check_headers(headers, &mut problems);
                response.check_body(status, headers, body, &mut problems);
            }
        }
        if problems.is_empty() {
            return Ok(());
        }
        let mismatches = problems
            .into_iter()
            .map(|(part, message)| ResponseMismatch {
                operation_id: operation.operation_id,
                status: status.as_u16(),
                part,
                message,
            });
        Err(mismatches.collect())
    }
}

impl OperationResponses {
    fn new(document: &'static Document, info: &OperationInfo) -> Result<Self, DocumentError> {
        let operation_id = info.operation_id;
        let mut responses = Vec::new();
        if info.generated {
            let declared = document.find(&format!("{}/responses", info.pointer()));
            let declared = declared.and_then(Value::as_object);
            let declared = declared.ok_or_else(|| DocumentError::unknown(operation_id))?;
            for (key, definition) in declared.iter().filter(|(key, _)| !key.starts_with("x-")) {
                let in_response = DocumentError::of(operation_id, format!("the response {key}"));
                let response = ResponseDefinition::new(document, definition);
                responses.push((key.to_ascii_uppercase(), response.map_err(in_response)?));
            }
        }
        Ok(Self {
            operation_id,
            responses,
        })
    }

    /// Finds the declared response for a status: by the exact status, else by its class (`4XX`), else `default`.
    fn find(&self, status: StatusCode) -> Option<&ResponseDefinition> {
        let class = format!("{}XX", status.as_u16() / 100);
        let keys = [status.as_str(), &class, "DEFAULT"];
        keys.iter().find_map(|wanted| {
            let mut responses = self.responses.iter();
            let (_, response) = responses.find(|(key, _)| key == wanted)?;
            Some(response)
        })
    }
}

impl ResponseDefinition {
    fn new(document: &'static Document, definition: &'static Value) -> Result<Self, String> {
        let resolve = |value| document.resolve(value).ok_or_else(unresolved);
        let definition = resolve(definition)?;
        let members = |key: &str| {
            let members = definition.get(key).and_then(Value::as_object);
            members.into_iter().flatten()
        };
        let mut headers = Vec::new();
        for (name, header) in members("headers") {
            if Ignored::find_in_response(name).is_some() {
                continue;
            }
            let parameter = parameters::compile(
                document,
                name,
                ParameterLocation::Header,
                resolve(header)?,
                Direction::Response,
            );
            headers.push(parameter.map_err(|problem| format!("header {name}: {problem}"))?);
        }
        let content = members("content").map(|(name, content)| {
            let schema = content.get("schema");
            let validator =
                schema.map(|schema| SchemaValidator::new(document, schema, Direction::Response));
            let items = Framing::of(name).zip(item_schema(content));
            let items = items.map(|(framing, schema)| {
                let validator = SchemaValidator::new(document, schema, Direction::Response);
                validator.map(|validator| (framing, validator))
            });
            Ok(Content {
                range: ranges::essence(name),
                validator: validator.transpose()?,
                items: items.transpose()?,
                describes_text: describes_text(document, schema),
            })
        });
        let content = content.collect::<Result<_, String>>()?;
        Ok(Self { headers, content })
    }

    fn check_headers(&self, headers: &HeaderMap, problems: &mut Problems) {
        for parameter in &self.headers {
            let check = |texts| parameter.parse_texts(texts).map(drop);
            let mut report = |message: String| {
                problems.push((format!("header \"{}\"", parameter.name), message));
            };
            let values = headers.get_all(parameter.name).iter();
            let texts: Result<Vec<&str>, _> = values.map(|value| value.to_str()).collect();
            match texts.as_deref() {
                Err(_) => report("is not visible ASCII".to_owned()),
                Ok([]) if parameter.required => report("is required".to_owned()),
                Ok([]) => {}
                // Each cookie is a header of its own.
                Ok(texts) if parameter.name.eq_ignore_ascii_case(SET_COOKIE.as_str()) => {
                    for text in texts {
                        check(vec![text]).unwrap_or_else(&mut report);
                    }
                }
                Ok(texts) => check(texts.to_vec()).unwrap_or_else(&mut report),
            }
        }
    }

    fn check_body(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        problems: &mut Problems,
    ) {
        let mut report = |part: &str, message: String| problems.push((part.to_owned(), message));
        if self.content.is_empty() || never_has_body(status) {
            if !body.is_empty() {
                report("body", format!("must be empty, got {} bytes", body.len()));
            }
            return;
        }
        let media_type = match media_type::from_headers(headers) {
            Ok(Some(media_type)) => media_type.essence,
            Ok(None) => return report("content type", "is missing".to_owned()),
            Err(problem) => return report("content type", problem),
        };
        let ranges = self.content.iter().map(|content| content.range.as_str());
        let found = ranges::find_most_exact(ranges, &media_type);
        let Some(content) = found.map(|index| &self.content[index]) else {
            return report("content type", format!("{media_type} is not declared"));
        };
        if let Some((framing, validator)) = &content.items {
            let media_type = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
            let media_type = media_type.unwrap_or_default();
            return items::check(*framing, media_type, validator, body, problems);
        }
        let Some(validator) = &content.validator else {
            return;
        };
        let value = match BodyKind::of(&media_type) {
            BodyKind::Json => match serde_json::from_slice(body) {
                Ok(value) => value,
                Err(error) => return report("body", format!("is not JSON: {error}")),
            },
            // Other bytes are not validated, nor is text that means a structure.
            _ => match std::str::from_utf8(body) {
                Ok(text) if content.describes_text => Value::from(text),
                _ => return,
            },
        };
        for problem in validator.find_problems(&value) {
            let part = format!("body {}", problem.pointer);
            report(part.trim_end(), problem.message);
        }
    }
}

/// Whether HTTP allows no body in a response with this status (RFC 9110, section 6.4.1).
fn never_has_body(status: StatusCode) -> bool {
    status.is_informational()
        || [
            StatusCode::NO_CONTENT,
            StatusCode::RESET_CONTENT,
            StatusCode::NOT_MODIFIED,
        ]
        .contains(&status)
}

#[cfg(test)]
mod tests;
