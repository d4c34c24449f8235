//! The answers that the document declares: the example or a sample of each response, with the headers that it requires.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use dropshot::{Body, HttpError};
use dropspec_runtime::respond::{self, ResponseResult};
use dropspec_runtime::{DispatchError, ItemStream, ResponseValidator};
use dropspec_schema::{BodyKind, Framing, item_schema};
use futures::{FutureExt, stream};
use http::header::{ETAG, HeaderMap, LOCATION};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Collected};
use serde_json::{Map, Value};
use slog::Logger;

use super::declared::{Declared, members, responses, status_of};
use super::examples::concrete;
use super::prefer::{Preference, refuse};
use super::tables::Tables;

/// What was made, or why it cannot be.
type Cached<K, V> = Mutex<HashMap<K, Result<Arc<V>, String>>>;

/// Makes answers, each part of them once.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// By operation, response, its status, media type and name of the example.
    bodies: Cached<(usize, &'static str, u16, &'static str, Option<String>), Value>,
    /// The headers that a response must have, by operation and response.
    headers: Cached<(usize, &'static str), Map<String, Value>>,
}

/// The response for success.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// `None` if the response has no place for a record.
    pub(super) body: Option<Value>,
    /// The record as it is read, by which the entity tag is made.
    pub(super) record: Option<Value>,
    /// The path of what was created, below the base path.
    pub(super) location: Option<String>,
    pub(super) creates: bool,
}

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
            None => success(operation, None)?,
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
        let body = self.body(declared, name, log).map_err(failed)?;
        self.respond(status, declared, &body, (&body, None))
    }

    /// The response for success with what was made. Without a place for it the answer is a sample.
    pub(super) fn made(
        &self,
        operation: usize,
        headers: &HeaderMap,
        made: Made,
        log: &Logger,
    ) -> Result<Response<Body>, DispatchError> {
        let (status, declared) = success(operation, Some(made.creates))?;
        if status.as_u16() >= 400 {
            // The document declares errors only, and this is none.
            return respond::empty(204).map_err(DispatchError::Internal);
        }
        let declared = declared.negotiate(headers, None).unwrap_or(declared);
        let body = match made.body {
            Some(body) => Arc::new(body),
            None => self.body(declared, None, log).map_err(failed)?,
        };
        let record = made.record.as_ref().unwrap_or(&body);
        self.respond(status, declared, &body, (record, made.location))
    }

    /// The body of the response for success, and its schema, if it is JSON.
    pub(super) fn json_of_success(
        &self,
        operation: usize,
        creates: Option<bool>,
    ) -> Option<(Value, &'static Value)> {
        let (_, declared) = Declared::success(operation, creates)?;
        let is_json = |it: &(&str, _)| BodyKind::of(&concrete(it.0)) == BodyKind::Json;
        let content = members(declared.response, "content").find(is_json)?;
        let schema = content.1.get("schema")?;
        let declared = Declared::new(operation, declared.key, declared.response, Some(content));
        let log = Logger::root(slog::Discard, slog::o!());
        let body = self.body(declared, None, &log).ok()?;
        Some((Value::clone(&body), schema))
    }

    /// The media types other than JSON whose bodies have no text in the document, and are written as JSON: each with the number of
    /// responses and the first of them.
    pub(super) fn written_as_json(&self) -> BTreeMap<&'static str, (usize, String)> {
        let log = Logger::root(slog::Discard, slog::o!());
        let mut found = BTreeMap::new();
        for (operation, info) in Tables::operations().iter().enumerate() {
            for (key, response) in responses(operation).filter(|_| info.generated) {
                for content in members(response, "content") {
                    let is_stream = Framing::of(content.0).is_some();
                    let kind = BodyKind::of(&concrete(content.0));
                    if is_stream || kind == BodyKind::Json {
                        continue;
                    }
                    let declared = Declared::new(operation, key, response, Some(content));
                    let body = self.body(declared, None, &log);
                    if body.is_ok_and(|body| body.is_object() || body.is_array()) {
                        let first = || (0, format!("{key} of {}", info.operation_id));
                        found.entry(content.0).or_insert_with(first).0 += 1;
                    }
                }
            }
        }
        found
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
                let declared = Declared::new(operation, key, response, content);
                let made = self.body(declared, None, &log).map_err(failed);
                let made =
                    made.and_then(|body| self.respond(status, declared, &body, (&body, None)));
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
        declared: Declared<'_>,
        name: Option<&str>,
        log: &Logger,
    ) -> Result<Arc<Value>, String> {
        let media_type = declared.content.map_or("", |(media_type, _)| media_type);
        let name = name.map(str::to_owned);
        let (key, code) = (declared.key, declared.code);
        let known = (declared.operation, key, code, media_type, name.clone());
        once(&self.bodies, known, || {
            declared.make_body(name.as_deref(), log)
        })
    }

    /// Writes a response, with the headers that it must have, and the entity tag of the record.
    fn respond(
        &self,
        status: StatusCode,
        declared: Declared<'_>,
        body: &Value,
        (record, location): (&Value, Option<String>),
    ) -> Result<Response<Body>, DispatchError> {
        let known = (declared.operation, declared.key);
        let headers = once(&self.headers, known, || declared.make_headers()).map_err(failed)?;
        let mut headers = Map::clone(&headers);
        for (_, tag) in headers
            .iter_mut()
            .filter(|(name, _)| name.eq_ignore_ascii_case(ETAG.as_str()))
        {
            *tag = tag_of(record).into();
        }
        if let Some(location) = location {
            headers.retain(|name, _| !name.eq_ignore_ascii_case(LOCATION.as_str()));
            headers.insert(LOCATION.to_string(), location.into());
        }
        let response = write(status.as_u16(), declared, body);
        let response = response.and_then(|it| respond::with_headers(it, &headers));
        response.map_err(DispatchError::Internal)
    }
}

/// Makes something, or takes it from what was made.
fn once<K: Eq + Hash, V>(
    made: &Cached<K, V>,
    key: K,
    make: impl FnOnce() -> Result<V, String>,
) -> Result<Arc<V>, String> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(key)
        .or_insert_with(|| make().map(Arc::new))
        .clone()
}

/// The response for success.
fn success<'a>(
    operation: usize,
    creates: Option<bool>,
) -> Result<(StatusCode, Declared<'a>), DispatchError> {
    let success = Declared::success(operation, creates);
    success.ok_or_else(|| failed("the document declares no response"))
}

/// The entity tag of a body: by that of the document's example a client would hold every answer for the same.
pub(super) fn tag_of(body: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn write(status: u16, declared: Declared<'_>, body: &Value) -> ResponseResult {
    let Some((_, content)) = declared.content else {
        return respond::empty(status);
    };
    let media_type = declared.media_type();
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
