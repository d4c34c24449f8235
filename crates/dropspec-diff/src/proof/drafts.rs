//! Writes messages for an operation: a small one that has what is required, and variants of it, each with another value.

use dropspec_schema::media_type::{covers, essence};
use dropspec_schema::{BodyKind, Direction};
use serde_json::Value;

use super::checker::{BOUNDARY, Operation, find_response};
use super::message::{Body, Granted, credential, write_body, write_request};
use super::parameters::{Parameter, scalar_text};
use super::{Request, Response};
use crate::checker::Checker;

/// The most values that are tried for one schema.
const MOST_VALUES: usize = 150;

/// An operation in both documents: messages are written by the first, and may be just invalid by the second.
#[derive(Clone, Copy)]
pub(super) struct Drafter<'d> {
    pub(super) checker: &'d Checker,
    pub(super) operation: Operation<'d>,
    pub(super) other: Option<(&'d Checker, Operation<'d>)>,
}

/// A part of the other document, with its checker.
type Other<'d> = Option<(&'d Checker, &'d Value)>;

impl<'d> Drafter<'d> {
    /// Requests, the smallest first. An error says what cannot be written.
    pub(super) fn requests(&self, method: &str, template: &str) -> Result<Vec<Request>, String> {
        let mut parts = Vec::new();
        for parameter in self.checker.list_parameters(self.operation) {
            let mut values = self.parameter_values(&parameter);
            values.retain(|value| parameter.can_write(value));
            if parameter.written.required && values.is_empty() {
                let (place, name) = (parameter.written.location.name(), parameter.written.name);
                return Err(format!(
                    "no text was found for the required {place} parameter `{name}`"
                ));
            }
            parts.push((parameter, parameter.written.required, values));
        }
        let (bodies, credentials) = (self.request_bodies()?, self.credentials());
        let variants = vary(parts);
        let none = Granted::default();
        let usual = credentials.first().unwrap_or(&none);
        let with_each = credentials.iter().map(|it| (&variants[0], it, &bodies[0]));
        let with_body = bodies[1..].iter().map(|it| (&variants[0], usual, it));
        let with_value = variants[1..].iter().map(|it| (it, usual, &bodies[0]));
        let drafts = with_each.chain(with_body).chain(with_value);
        let requests = drafts.filter_map(|(parameters, granted, body)| {
            write_request(method, template, parameters, granted, body)
        });
        Ok(requests.collect())
    }

    fn parameter_values(&self, parameter: &Parameter<'d>) -> Vec<Value> {
        let other = self.other.and_then(|(checker, operation)| {
            let mut parameters = checker.list_parameters(operation).into_iter();
            let wanted = parameter.written;
            let same = parameters.find(|it| {
                it.written.name == wanted.name && it.written.location == wanted.location
            });
            Some((checker, same?.schema?))
        });
        let schema = parameter.schema;
        schema.map_or_else(Vec::new, |it| self.values(it, other, Direction::Request))
    }

    /// The bodies of requests: none if it may be absent, then the others.
    fn request_bodies(&self) -> Result<Vec<Body>, String> {
        let Some(body) = self.operation.value.get("requestBody") else {
            return Ok(vec![None]);
        };
        let body = self.checker.resolve(body);
        let other = self.other.and_then(|(checker, operation)| {
            let body = operation.value.get("requestBody")?;
            Some((checker, &checker.resolve(body)["content"]))
        });
        let mut bodies = self.bodies(&body["content"], other, Direction::Request);
        if body["required"] != true {
            bodies.insert(0, None);
        }
        if bodies.is_empty() {
            let ranges = body["content"].as_object().into_iter().flatten();
            let ranges: Vec<&str> = ranges.map(|(range, _)| range.as_str()).collect();
            let ranges = ranges.join("`, `");
            return Err(format!("no request body was found (`{ranges}`)"));
        }
        Ok(bodies)
    }

    fn bodies(&self, content: &'d Value, other: Other<'d>, direction: Direction) -> Vec<Body> {
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
                        Some((checker, content.get(range)?.get("schema")?))
                    });
                    self.values(schema, other, direction)
                }
                None => vec![Value::from("a")],
            };
            let layouts = layouts(media);
            let texts = layouts.iter().flat_map(|media| {
                let values = values.iter();
                values.filter_map(|value| self.checker.write_body(media_type, media, value))
            });
            let sent = match BodyKind::of(media_type) {
                BodyKind::Multipart => format!("{media_type}; boundary={BOUNDARY}"),
                _ => media_type.to_owned(),
            };
            found.extend(texts.map(|text| Some((sent.clone(), text))));
        }
        found
    }

    /// Values of a schema, the examples first; then values that the other document rejects.
    fn values(&self, schema: &'d Value, other: Other<'d>, direction: Direction) -> Vec<Value> {
        let mut values = self.checker.samples(schema, direction).valid.clone();
        values.sort_by_key(|value| {
            let text = value.to_string();
            let is_small = !matches!(text.as_str(), "\"\"" | "[]" | "null");
            (!is_small, text.len())
        });
        values.truncate(MOST_VALUES);
        if let Some(example) = self.checker.resolve(schema).get("example") {
            values.insert(0, example.clone());
        }
        if let Some((checker, schema)) = other {
            let samples = checker.samples(schema, direction);
            let invalid = samples.invalid.iter().map(|(value, _)| value.clone());
            values.extend(invalid.take(MOST_VALUES));
        }
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
        let mut granted: Vec<Granted<'d>> = alternatives.collect();
        // Both documents may accept the credentials of both.
        let Some((checker, operation)) = self.other else {
            return granted;
        };
        let others = Drafter {
            checker,
            operation,
            other: None,
        }
        .credentials();
        if let (Some(own), Some(other)) = (granted.first(), others.first()) {
            let both = own.and(other);
            granted.push(both);
        }
        granted
    }

    /// Responses, those of successes first.
    pub(super) fn responses(&self) -> Vec<Response> {
        let responses = self.operation.value["responses"].as_object();
        let others = self
            .other
            .map(|(_, operation)| &operation.value["responses"]);
        let others = others.and_then(Value::as_object).into_iter().flatten();
        // What the other document answers on its own, this one may answer as its ranges and `default` say.
        let others: Vec<u16> = others.filter_map(|(key, _)| key.parse().ok()).collect();
        let mut declared: Vec<(u16, &'d Value)> = Vec::new();
        for (key, response) in responses.into_iter().flatten() {
            let class = key.chars().next().and_then(|it| it.to_digit(10));
            let is_general = key == "default" || key.to_uppercase().ends_with("XX");
            let covered = others.iter().copied().filter(|status| {
                is_general && class.is_none_or(|class| u32::from(status / 100) == class)
            });
            let status = match key.as_str() {
                "default" => Some(500),
                key => key.replace(['X', 'x'], "0").parse().ok(),
            };
            let statuses = status.into_iter().chain(covered);
            let statuses = statuses.filter(|status| (100..600).contains(status));
            declared.extend(statuses.map(|status| (status, self.checker.resolve(response))));
        }
        if declared.is_empty() {
            declared.push((200, &Value::Null));
        }
        declared.sort_by_key(|(status, _)| (!(200..300).contains(status), *status));
        let mut found = Vec::new();
        for (status, response) in declared {
            let other = self.other.and_then(|(checker, operation)| {
                let same = find_response(operation.value, status)?;
                Some((checker, checker.resolve(same)))
            });
            self.push_responses(status, response, other, &mut found);
        }
        found
    }

    fn push_responses(
        &self,
        status: u16,
        response: &'d Value,
        other: Other<'d>,
        found: &mut Vec<Response>,
    ) {
        let mut parts = Vec::new();
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.checker.resolve(header);
            let other = other.and_then(|(checker, response)| {
                let same = response["headers"].get(name);
                Some((checker, checker.resolve(same?).get("schema")?))
            });
            let values = header.get("schema");
            let values = values.map(|schema| self.values(schema, other, Direction::Response));
            let texts = values.iter().flatten().filter_map(scalar_text);
            let mut texts: Vec<String> = texts.collect();
            let required = header["required"] == true;
            if required && texts.is_empty() {
                texts.push(String::new());
            }
            parts.push((name, required, texts));
        }
        let other = other.and_then(|(checker, response)| Some((checker, response.get("content")?)));
        let mut bodies = self.bodies(&response["content"], other, Direction::Response);
        if bodies.is_empty() {
            bodies.push(None);
        }
        let variants = vary(parts);
        let with_body = bodies.iter().map(|it| (&variants[0], it));
        let with_header = variants[1..].iter().map(|it| (it, &bodies[0]));
        found.extend(with_body.chain(with_header).map(|(headers, body)| {
            let headers = headers
                .iter()
                .map(|(name, text)| ((*name).clone(), text.clone()));
            let mut headers: Vec<(String, String)> = headers.collect();
            let body = write_body(&mut headers, body);
            Response {
                status,
                headers,
                body,
            }
        }));
    }
}

/// A media type object, and the same with each of the other content types of a part alone.
fn layouts(media: &Value) -> Vec<Value> {
    let mut found = vec![media.clone()];
    for (name, encoding) in media["encoding"].as_object().into_iter().flatten() {
        let content_types = encoding["contentType"].as_str().unwrap_or_default();
        for other in content_types.split(',').skip(1) {
            let mut media = media.clone();
            media["encoding"][name]["contentType"] = other.trim().into();
            found.push(media);
        }
    }
    found
}

/// The required parts, each with its first value; then for each other value of a part the same with it.
fn vary<P: Clone, V: Clone>(parts: Vec<(P, bool, Vec<V>)>) -> Vec<Vec<(P, V)>> {
    let with = |chosen: usize, value: Option<&V>| -> Vec<(P, V)> {
        let parts = parts.iter().enumerate();
        let given = parts.filter_map(|(index, (part, required, values))| {
            let first = values.first().filter(|_| *required);
            let value = value.filter(|_| index == chosen).or(first);
            Some((part.clone(), value?.clone()))
        });
        given.collect()
    };
    let mut variants = vec![with(0, None)];
    for (index, (_, required, values)) in parts.iter().enumerate() {
        let others = values.iter().skip(usize::from(*required));
        variants.extend(others.map(|value| with(index, Some(value))));
    }
    variants
}
