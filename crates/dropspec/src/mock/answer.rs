//! The answers that the document declares: the example or a sample of each response, with the headers that it requires.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use dropshot::{Body, HttpError};
use dropspec_runtime::respond::{self, ResponseResult};
use dropspec_runtime::{DispatchError, ItemStream, ResponseValidator};
use dropspec_schema::header::Ignored;
use dropspec_schema::samples::example;
use dropspec_schema::{BodyKind, Direction, Framing, item_schema, resolve};
use futures::{FutureExt, stream};
use http::header::{ETAG, HeaderMap, LOCATION};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Collected};
use serde_json::{Map, Value};
use slog::Logger;

use super::declared::{Declared, concrete, members, responses, status_of};
use super::prefer::{Preference, refuse};
use super::tables::Tables;

/// The bodies that were made, by operation, response, media type and name of the example.
type Bodies = HashMap<(usize, String, String, Option<String>), Result<Arc<Value>, String>>;

/// Makes answers, each body once.
#[derive(Debug, Default)]
pub(super) struct Answers(Mutex<Bodies>);

impl Answers {
    /// The response that a request prefers, or else the one for success.
    pub(super) fn sample(
        &self,
        operation: usize,
        headers: &HeaderMap,
        preference: &Preference,
        log: &Logger,
    ) -> Result<Response<Body>, DispatchError> {
        let name = preference.example.as_deref();
        let (status, declared) = match preference.code {
            None => success(operation)?,
            Some(code) => Declared::find(operation, code).ok_or_else(|| {
                let keys: Vec<&str> = responses(operation).map(|(key, _)| key).collect();
                refuse(format!(
                    "has the code {code}, which the operation does not declare; it declares {}",
                    keys.join(", ")
                ))
            })?,
        };
        let declared = declared.negotiate(headers, name).ok_or_else(|| {
            let names = declared.example_names();
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            refuse(format!(
                "names an example that the response {status} does not have; it has {names}"
            ))
        })?;
        let body = match declared.content {
            None => Arc::new(Value::Null),
            Some(_) => self.body(declared, name, log).map_err(failed)?,
        };
        respond(status, declared, &body, None)
    }

    /// The response for success with this body, or without one if there is none to declare it.
    pub(super) fn made(
        &self,
        operation: usize,
        headers: &HeaderMap,
        body: Option<Value>,
        location: Option<String>,
    ) -> Result<Response<Body>, DispatchError> {
        let (status, declared) = success(operation)?;
        let declared = declared.negotiate(headers, None).unwrap_or(declared);
        let body = body.unwrap_or_default();
        respond(status, declared, &body, location)
    }

    /// The body of the response for success, and its schema, if it is JSON.
    pub(super) fn json_of_success(&self, operation: usize) -> Option<(Value, &'static Value)> {
        let (_, declared) = Declared::success(operation)?;
        let declared = declared.negotiate(&HeaderMap::new(), None)?;
        let (media_type, content) = declared.content?;
        let is_json = BodyKind::of(&concrete(media_type)) == BodyKind::Json;
        let schema = content.get("schema").filter(|_| is_json)?;
        let log = Logger::root(slog::Discard, slog::o!());
        let body = self.body(declared, None, &log).ok()?;
        Some((Value::clone(&body), schema))
    }

    /// Makes every answer that the document declares for an operation. Returns those that cannot be made or do not fit it.
    pub(super) fn check(&self, operation: usize) -> Vec<String> {
        let info = &Tables::operations()[operation];
        let validator = match ResponseValidator::new(Tables::document(), std::slice::from_ref(info))
        {
            Ok(validator) => validator,
            Err(error) => return vec![error.to_string()],
        };
        let log = Logger::root(slog::Discard, slog::o!());
        let mut found = Vec::new();
        for (key, response) in responses(operation).filter(|(key, _)| !key.starts_with('1')) {
            let Some(status) = status_of(operation, key) else {
                continue;
            };
            let mut contents: Vec<_> = members(response, "content").map(Some).collect();
            if contents.is_empty() {
                contents.push(None);
            }
            for content in contents {
                let declared = Declared {
                    operation,
                    key,
                    response,
                    content,
                };
                let made = self.body(declared, None, &log).map_err(failed);
                let made = made.and_then(|body| respond(status, declared, &body, None));
                match made {
                    Err(error) => found.push(error.to_string()),
                    Ok(response) => {
                        let (head, body) = response.into_parts();
                        let body = body.collect().now_or_never().and_then(Result::ok);
                        let body = body.map(Collected::to_bytes).unwrap_or_default();
                        let checked = validator.check(0, status, &head.headers, &body);
                        found.extend(checked.err().into_iter().flatten().map(|it| it.to_string()));
                    }
                }
            }
        }
        found
    }

    fn body(
        &self,
        declared: Declared,
        name: Option<&str>,
        log: &Logger,
    ) -> Result<Arc<Value>, String> {
        let media_type = declared.content.map_or("", |(media_type, _)| media_type);
        let (key, name) = (declared.key.to_owned(), name.map(str::to_owned));
        let made = || declared.make_body(name.as_deref(), log).map(Arc::new);
        let known = (declared.operation, key, media_type.to_owned(), name.clone());
        let mut bodies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bodies.entry(known).or_insert_with(made).clone()
    }
}

/// The response for success.
fn success(operation: usize) -> Result<(StatusCode, Declared), DispatchError> {
    let success = Declared::success(operation);
    success.ok_or_else(|| failed("the document declares no response"))
}

/// Writes a response, with the headers that it must have.
fn respond(
    status: StatusCode,
    declared: Declared,
    body: &Value,
    location: Option<String>,
) -> Result<Response<Body>, DispatchError> {
    let response = write(status.as_u16(), declared, body).map_err(DispatchError::Internal)?;
    let document = Tables::document();
    let mut required = Map::new();
    for (name, header) in members(declared.response, "headers")
        .filter(|(name, _)| Ignored::find_in_response(name).is_none())
    {
        let Some(header) = resolve(document.json(), header) else {
            continue;
        };
        let is_location = location.is_some() && name.eq_ignore_ascii_case(LOCATION.as_str());
        if header.get("required") != Some(&Value::Bool(true)) || is_location {
            continue;
        }
        let of_content = header
            .get("content")
            .and_then(Value::as_object)
            .and_then(|it| it.values().next());
        let holder = of_content.unwrap_or(header);
        let schema = holder
            .get("schema")
            .cloned()
            .unwrap_or_else(|| Value::Object(Map::new()));
        let is_tag = name.eq_ignore_ascii_case(ETAG.as_str());
        let own = is_tag
            .then(|| Value::from(tag_of(body)))
            .or_else(|| header.get("example").cloned());
        let sample = own.or_else(|| {
            example(document.json(), &schema, Direction::Response)
                .ok()
                .flatten()
        });
        let sample = sample.ok_or_else(|| {
            failed(format!(
                "no value was found for the header {name}: give it an example"
            ))
        })?;
        let sample = of_content.map_or(sample.clone(), |_| Value::from(sample.to_string()));
        required.insert(name.to_owned(), sample);
    }
    let mut response =
        respond::with_headers(response, &required).map_err(DispatchError::Internal)?;
    if let Some(location) = location.and_then(|it| HeaderValue::from_str(&it).ok()) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

/// The entity tag of a body: by that of the document's example a client would hold every answer for the same.
fn tag_of(body: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn write(status: u16, declared: Declared, body: &Value) -> ResponseResult {
    let Some((range, content)) = declared.content else {
        return respond::empty(status);
    };
    let media_type = concrete(range);
    if Framing::of(&media_type).is_some() && item_schema(content).is_some() {
        let items = body
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![body.clone()]);
        let items = items.into_iter().map(Ok::<_, std::convert::Infallible>);
        return respond::items(status, &media_type, ItemStream::new(stream::iter(items)));
    }
    match (BodyKind::of(&media_type), body) {
        (BodyKind::Json, body) => respond::json_as(status, &media_type, body),
        (_, Value::String(text)) => respond::text(status, &media_type, text.as_str()),
        (_, body) => respond::text(status, &media_type, body.to_string()),
    }
}

fn failed(message: impl Into<String>) -> DispatchError {
    DispatchError::Internal(HttpError::for_internal_error(message.into()))
}
