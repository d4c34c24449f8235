//! Writes messages for an operation: a small one that has what is required, and variants of it, each with another value.

mod responses;

use serde_json::Value;
use spec_schema::media_type::{covers, essence};
use spec_schema::{BodyKind, Direction};

use super::Request;
use super::checker::{BOUNDARY, Checker, Operation};
use super::credentials::{Credential, credential};
use super::parameters::{self, Parameter};

/// The most values that are tried for one schema.
const MOST_VALUES: usize = 150;

/// An operation in both documents: messages are written by the first, and may be just invalid by the second.
#[derive(Clone, Copy)]
pub(super) struct Drafter<'d> {
    pub(super) checker: &'d Checker,
    pub(super) operation: Operation<'d>,
    pub(super) other: Option<(&'d Checker, Operation<'d>)>,
}

/// A parameter with its value.
type Given<'d> = (Parameter<'d>, Value);

impl<'d> Drafter<'d> {
    /// Requests, the smallest first. An error says what cannot be written.
    pub(super) fn requests(&self, method: &str, template: &str) -> Result<Vec<Request>, String> {
        let parameters = self.checker.parameters(self.operation);
        let mut required: Vec<Given<'d>> = Vec::new();
        let mut variants: Vec<Given<'d>> = Vec::new();
        for parameter in &parameters {
            let values = self.parameter_values(parameter);
            let mut values = values.into_iter().filter(|it| parameter.can_write(it));
            if parameter.required {
                let value = values.next().ok_or_else(|| {
                    let (place, name) = (parameter.place.name(), parameter.name);
                    format!("no text was found for the required {place} parameter `{name}`")
                })?;
                required.push((*parameter, value));
            }
            variants.extend(values.map(|value| (*parameter, value)));
        }
        let bodies = self.request_bodies()?;
        let first = bodies.first().cloned().flatten();
        let credentials = self.credentials();
        let none = Granted::default();
        let usual = credentials.first().unwrap_or(&none);
        let with_each = credentials.iter().map(|it| (it, first.clone()));
        let with_body = bodies.into_iter().skip(1).map(|body| (usual, body));
        let mut requests: Vec<Request> = with_each
            .chain(with_body)
            .filter_map(|(credentials, body)| {
                write_request(method, template, &required, credentials, body)
            })
            .collect();
        for (parameter, value) in variants {
            let others = required.iter();
            let others =
                others.filter(|(it, _)| it.name != parameter.name || it.place != parameter.place);
            let mut all: Vec<Given<'d>> = others.cloned().collect();
            all.push((parameter, value));
            requests.extend(write_request(method, template, &all, usual, first.clone()));
        }
        Ok(requests)
    }

    fn parameter_values(&self, parameter: &Parameter<'d>) -> Vec<Value> {
        let other = self.other.and_then(|(checker, operation)| {
            let mut parameters = checker.parameters(operation).into_iter();
            let same =
                parameters.find(|it| it.name == parameter.name && it.place == parameter.place);
            Some((checker, same?.schema?))
        });
        match parameter.schema {
            Some(schema) => self.values(schema, other, Direction::Request),
            None => Vec::new(),
        }
    }

    /// The bodies of requests with their media types: none if it may be absent, then the others.
    fn request_bodies(&self) -> Result<Vec<Option<(String, String)>>, String> {
        let Some(body) = self.operation.value.get("requestBody") else {
            return Ok(vec![None]);
        };
        let body = self.checker.resolve(body);
        let other = self.other.map(|(checker, operation)| {
            let body = operation.value.get("requestBody");
            (checker, body.map(|body| &checker.resolve(body)["content"]))
        });
        let mut bodies: Vec<Option<(String, String)>> = Vec::new();
        if body["required"] != true {
            bodies.push(None);
        }
        let written = self.bodies(&body["content"], other, Direction::Request);
        if written.is_empty() && bodies.is_empty() {
            let ranges = body["content"].as_object().into_iter().flatten();
            let ranges: Vec<&str> = ranges.map(|(range, _)| range.as_str()).collect();
            return Err(format!(
                "no request body was found (`{}`)",
                ranges.join("`, `")
            ));
        }
        bodies.extend(written.into_iter().map(Some));
        Ok(bodies)
    }

    /// Media types and texts of bodies.
    fn bodies(
        &self,
        content: &'d Value,
        other: Option<(&'d Checker, Option<&'d Value>)>,
        direction: Direction,
    ) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (range, media) in content.as_object().into_iter().flatten() {
            let media_type = match range.contains('*') {
                true if covers(&essence(range), "application/json") => "application/json",
                true => continue,
                false => range.as_str(),
            };
            let values = match media.get("schema") {
                Some(schema) => {
                    let other = other.and_then(|(checker, content)| {
                        Some((checker, content?.get(range)?.get("schema")?))
                    });
                    self.values(schema, other, direction)
                }
                None => vec![Value::from("a")],
            };
            let texts = values
                .iter()
                .filter_map(|value| self.checker.write_body(media_type, media, value));
            let sent = match BodyKind::of(media_type) {
                BodyKind::Multipart => format!("{media_type}; boundary={BOUNDARY}"),
                _ => media_type.to_owned(),
            };
            found.extend(texts.map(|text| (sent.clone(), text)));
        }
        found
    }

    /// Values of a schema, the examples first; then values that the other document rejects.
    fn values(
        &self,
        schema: &'d Value,
        other: Option<(&'d Checker, &'d Value)>,
        direction: Direction,
    ) -> Vec<Value> {
        let resolved = self.checker.resolve(schema);
        let valid = &self.checker.samples(schema, direction).valid;
        let mut values: Vec<Value> = valid.clone();
        values.sort_by_key(|value| {
            let text = value.to_string();
            let is_small = !matches!(text.as_str(), "\"\"" | "[]" | "null");
            (!is_small, text.len())
        });
        values.truncate(MOST_VALUES);
        if let Some(example) = resolved.get("example") {
            values.insert(0, example.clone());
        }
        if let Some((checker, schema)) = other {
            let invalid = &checker.samples(schema, direction).invalid;
            values.extend(
                invalid
                    .iter()
                    .take(MOST_VALUES)
                    .map(|(value, _)| value.clone()),
            );
        }
        let tagged = values
            .iter()
            .flat_map(|it| self.checker.with_tags(schema, it));
        let tagged: Vec<Value> = tagged.take(MOST_VALUES).collect();
        values.extend(tagged);
        values
    }

    /// The credentials of each alternative, as far as a request shows them.
    fn credentials(&self) -> Vec<Granted<'d>> {
        let Some(requirements) = self.checker.security(self.operation) else {
            return vec![Granted::default()];
        };
        let alternatives = requirements.iter().filter_map(|requirement| {
            let requirement = requirement.as_object()?;
            let schemes = requirement.keys();
            let shown = schemes.filter_map(|name| credential(self.checker.scheme(name)));
            let scopes = requirement.values().filter_map(Value::as_array).flatten();
            let scopes = scopes.filter_map(Value::as_str).map(str::to_owned);
            Some(Granted {
                credentials: shown.collect(),
                scopes: scopes.collect(),
            })
        });
        alternatives.collect()
    }
}

/// The credentials of one alternative with their scopes.
#[derive(Default)]
struct Granted<'d> {
    credentials: Vec<Credential<'d>>,
    scopes: Vec<String>,
}

fn write_request(
    method: &str,
    template: &str,
    parameters: &[Given<'_>],
    granted: &Granted<'_>,
    body: Option<(String, String)>,
) -> Option<Request> {
    let given = parameters
        .iter()
        .map(|(parameter, value)| (parameter, value));
    let mut parts = parameters::write(template, given)?;
    for credential in &granted.credentials {
        match credential {
            Credential::Header(name, value) => {
                parts
                    .headers
                    .push(((*name).to_owned(), (*value).to_owned()));
            }
            Credential::Query(name) => parts.push_query(name, "key"),
            Credential::Cookie(name) => parts.push_cookie(name, "key"),
        }
    }
    let mut headers = parts.headers;
    if !parts.cookies.is_empty() {
        headers.push(("Cookie".to_owned(), parts.cookies));
    }
    let mut target = parts.path;
    if !parts.query.is_empty() {
        target.push('?');
        target.push_str(&parts.query);
    }
    let body = body.map(|(media_type, text)| {
        headers.push(("Content-Type".to_owned(), media_type));
        text
    });
    Some(Request {
        method: method.to_owned(),
        target,
        headers,
        body,
        scopes: granted.scopes.clone(),
    })
}
