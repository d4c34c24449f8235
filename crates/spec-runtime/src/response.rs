//! Checks responses against the document, for tests: status, headers, content type and body.

use std::fmt;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::decoder::DecoderError;
use crate::document::Document;
use crate::media_type;
use crate::operation::OperationInfo;
use crate::parameters::{self, Parameter};
use crate::rejection::{Location, Rejection};
use crate::validate::Checker;
use spec_schema::Direction;

/// What every operation of a table may answer.
#[derive(Debug)]
pub struct ResponseValidator {
    operations: Vec<Declared>,
}

/// One way in which a response differs from the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The operation that answered.
    pub operation_id: &'static str,
    /// The status it answered with.
    pub status: u16,
    /// Where in the response, such as `header "Location"` or `body /0/name`.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

#[derive(Debug)]
struct Declared {
    operation_id: &'static str,
    responses: Vec<(String, Response)>,
}

#[derive(Debug)]
struct Response {
    headers: Vec<Parameter>,
    /// Media types as they are compared, each with its schema.
    content: Vec<(String, Option<Checker>)>,
}

impl ResponseValidator {
    /// Compiles the responses of a table's operations.
    ///
    /// # Errors
    ///
    /// [`DecoderError`] for the first response that could not be checked.
    pub fn new(
        document: &'static Document,
        operations: &[OperationInfo],
    ) -> Result<Self, DecoderError> {
        let declared = operations.iter().map(|info| Declared::new(document, info));
        let operations = declared.collect::<Result<_, _>>()?;
        Ok(Self { operations })
    }

    /// Checks a response to a request that was not a HEAD.
    ///
    /// # Errors
    ///
    /// Every [`Violation`] that was found.
    pub fn check(
        &self,
        operation: usize,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), Vec<Violation>> {
        let declared = &self.operations[operation];
        let mut found: Vec<(String, String)> = Vec::new();
        match declared.find(status) {
            None => {
                let statuses = declared.responses.iter().map(|(status, _)| status.as_str());
                let statuses = statuses.collect::<Vec<_>>().join(", ");
                let message = format!("is not declared; declared are: {statuses}");
                found.push(("status".to_owned(), message));
            }
            Some(response) => {
                response.check_headers(headers, &mut found);
                response.check_body(status, headers, body, &mut found);
            }
        }
        let violations = found.into_iter().map(|(place, message)| Violation {
            operation_id: declared.operation_id,
            status: status.as_u16(),
            place,
            message,
        });
        let violations: Vec<Violation> = violations.collect();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(violations)
        }
    }
}

impl Declared {
    fn new(document: &'static Document, info: &OperationInfo) -> Result<Self, DecoderError> {
        let operation_id = info.operation_id;
        let pointer = parameters::operation_pointer(info.path, info.method);
        let declared = document.find(&format!("{pointer}/responses"));
        let declared = declared
            .and_then(Value::as_object)
            .ok_or(DecoderError::UnknownOperation { operation_id })?;
        let mut responses = Vec::new();
        for (status, definition) in declared.iter().filter(|(key, _)| !key.starts_with("x-")) {
            let response = Response::new(document, definition);
            let response = response.map_err(|reason| DecoderError::Response {
                operation_id,
                status: status.clone(),
                reason,
            })?;
            responses.push((status.to_ascii_uppercase(), response));
        }
        Ok(Self {
            operation_id,
            responses,
        })
    }

    /// The exact status, else its class (`4XX`), else `default`.
    fn find(&self, status: StatusCode) -> Option<&Response> {
        let exact = status.as_str().to_owned();
        let class = format!("{}XX", &exact[..1]);
        [exact.as_str(), class.as_str(), "DEFAULT"]
            .iter()
            .find_map(|wanted| {
                let mut responses = self.responses.iter();
                responses
                    .find(|(declared, _)| declared == wanted)
                    .map(|(_, response)| response)
            })
    }
}

impl Response {
    fn new(document: &'static Document, definition: &'static Value) -> Result<Self, String> {
        const UNRESOLVED: &str = "a reference cannot be resolved";
        let definition = document.resolve(definition).ok_or(UNRESOLVED)?;
        let members = |key: &str| definition.get(key).and_then(Value::as_object);
        let mut headers = Vec::new();
        for (name, header) in members("headers").into_iter().flatten() {
            // OpenAPI 3.0: a response header of this name shall be ignored.
            if name.eq_ignore_ascii_case("content-type") {
                continue;
            }
            let header = document.resolve(header).ok_or(UNRESOLVED)?;
            let parameter = Parameter::new(
                document,
                name,
                Location::Header,
                header,
                Direction::Response,
            );
            headers.push(parameter.map_err(|error| format!("header {name}: {error}"))?);
        }
        let mut content = Vec::new();
        for (name, media_type) in members("content").into_iter().flatten() {
            let essence = media_type::essence(name).map_err(|error| error.to_string())?;
            let schema = media_type.get("schema");
            let checker = schema.map(|schema| Checker::new(document, schema, Direction::Response));
            let checker = checker
                .transpose()
                .map_err(|error| format!("{name}: {error}"))?;
            content.push((essence, checker));
        }
        Ok(Self { headers, content })
    }

    fn check_headers(&self, headers: &HeaderMap, found: &mut Vec<(String, String)>) {
        for parameter in &self.headers {
            let mut report = |message: &str| {
                found.push((format!("header \"{}\"", parameter.name), message.to_owned()));
            };
            let values: Vec<_> = headers.get_all(parameter.name).iter().collect();
            let texts: Result<Vec<&str>, _> = values.iter().map(|value| value.to_str()).collect();
            match texts.as_deref() {
                Err(_) => report("is not visible ASCII"),
                Ok([]) if parameter.required => report("is required"),
                Ok([]) => {}
                Ok(texts) => match parameter.read(Location::Header, texts) {
                    Err(Rejection::InvalidParameter { message, .. }) => report(&message),
                    Err(other) => report(&other.to_string()),
                    Ok(_) => {}
                },
            }
        }
    }

    fn check_body(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        found: &mut Vec<(String, String)>,
    ) {
        if self.content.is_empty() || status == StatusCode::NO_CONTENT {
            if !body.is_empty() {
                let message = format!("must be empty, got {} bytes", body.len());
                found.push(("body".to_owned(), message));
            }
            return;
        }
        let mut report = |place: &str, message: String| found.push((place.to_owned(), message));
        let essence = match media_type::of(headers) {
            Ok(Some(essence)) => essence,
            Ok(None) => return report("content type", "is missing".to_owned()),
            Err(error) => return report("content type", error.to_string()),
        };
        let Some((_, checker)) = self
            .content
            .iter()
            .find(|(range, _)| covers(range, &essence))
        else {
            return report("content type", format!("{essence} is not declared"));
        };
        let Some(checker) = checker else {
            return;
        };
        let value = match media_type::is_json(&essence) {
            true => serde_json::from_slice(body).map_err(|error| error.to_string()),
            // Other text is a string to its schema, and bytes are not looked at.
            false => match std::str::from_utf8(body) {
                Ok(text) => Ok(Value::from(text)),
                Err(_) => return,
            },
        };
        match value {
            Err(error) => report("body", format!("is not JSON: {error}")),
            Ok(value) => {
                for problem in checker.problems(&value) {
                    report(&format!("body {}", problem.pointer), problem.message);
                }
            }
        }
    }
}

/// Whether a declared media type, or a range such as `text/*`, covers one that was sent.
fn covers(range: &str, essence: &str) -> bool {
    match range.strip_suffix("/*") {
        Some("*") => true,
        Some(kind) => essence.split('/').next() == Some(kind),
        None => range == essence,
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation_id,
            status,
            place,
            message,
        } = self;
        write!(f, "{operation_id} {status}: {} {message}", place.trim_end())
    }
}

#[cfg(test)]
mod tests;
