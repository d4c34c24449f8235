//! Requests that the document forbids, sent without the generated client: the server must refuse each.

use http::HeaderMap;
use serde_json::Value;
use spec_client::encode_parameters;
use spec_client::reqwest::{Client, Method, Url};
use spec_runtime::{Document, OperationInfo, SecuritySchemeInfo};
use spec_schema::{BodyKind, Direction, Validator, compile};

use crate::credentials::add_credentials;
use crate::declared::{Declared, DeclaredBody, DeclaredForm, DeclaredParameter};
use crate::given::Given;
use crate::plan::full_request;
use crate::readings::{is_nothing, read_back};
use crate::sampler::{Sampler, spread};
use crate::written::{Written, read_body};

/// The most invalid samples of a parameter, and of a body.
const MOST_OF_PARAMETER: usize = 12;
const MOST_OF_BODY: usize = 40;

/// A request that the document forbids.
pub(crate) struct Invalid {
    given: Given,
    body: Option<Written>,
    /// What is wrong with it.
    pub(crate) problem: String,
    /// The position of its media type, its value, and the keyword that it breaks, if it has a JSON body.
    pub(crate) json: Option<(usize, Value, &'static str)>,
}

/// Plans the invalid requests of an operation with this path.
pub(crate) fn plan_invalid(
    document: &'static Document,
    path: &str,
    declared: &Declared,
    sampler: &mut Sampler,
) -> Vec<Invalid> {
    let mut requests = Vec::new();
    let valid = full_request(declared, sampler);
    let valid_body = declared.body.as_ref();
    let valid_body = valid_body.and_then(|body| write_valid(document, body, sampler));
    for parameter in &declared.parameters {
        let key = (parameter.location, parameter.name);
        let Ok(validator) = compile(document.json(), &parameter.schema, Direction::Request) else {
            continue;
        };
        if is_beside_others(path, parameter) {
            continue;
        }
        let samples = sampler.samples(&parameter.schema, Direction::Request);
        let broken = samples
            .invalid
            .iter()
            .filter(|(value, _)| is_broken_as_text(document, parameter, &validator, value));
        let broken: Vec<&(Value, &str)> = broken.collect();
        for (value, keyword) in spread(&broken, MOST_OF_PARAMETER) {
            let mut given = valid.clone();
            given.parameters.insert(key, value.clone());
            let problem = format!(
                "{keyword}: the {} parameter `{}` is {value}",
                parameter.location, parameter.name
            );
            requests.push(Invalid {
                given,
                body: valid_body.clone(),
                problem,
                json: None,
            });
        }
        let has_default = document
            .resolve(&parameter.schema)
            .is_some_and(|schema| schema.get("default").is_some());
        if parameter.required && parameter.location != "path" && !has_default {
            let mut given = valid.clone();
            given.parameters.remove(&key);
            let problem = format!(
                "required: there is no {} parameter `{}`",
                parameter.location, parameter.name
            );
            requests.push(Invalid {
                given,
                body: valid_body.clone(),
                problem,
                json: None,
            });
        }
    }
    let Some(body) = &declared.body else {
        return requests;
    };
    let mut push = |body: Option<Written>, problem: String, json| {
        let given = valid.clone();
        requests.push(Invalid {
            given,
            body,
            problem,
            json,
        });
    };
    for (index, form) in body.forms.iter().enumerate() {
        let kind = BodyKind::of(form.media_type);
        for (value, keyword, written) in write_invalid(document, form, body.required, sampler) {
            let problem = format!("{keyword}: the body of {} is {value}", form.media_type);
            let json = (kind == BodyKind::Json).then_some((index, value, keyword));
            push(Some(written), problem, json);
        }
        if let Some((bytes, problem)) = malformed(kind) {
            push(Some(Written::new(form, bytes)), problem.to_owned(), None);
        }
    }
    if body.required {
        push(None, "required: there is no body".to_owned(), None);
    }
    requests
}

/// Bytes that no body of this kind consists of, and what is wrong with them.
fn malformed(kind: BodyKind) -> Option<(&'static [u8], &'static str)> {
    match kind {
        BodyKind::Json => Some((b"{\"a\":", "the body is no JSON")),
        BodyKind::Text => Some((b"\xff", "the body is not UTF-8")),
        BodyKind::Form => Some((b"a%=1", "the form is not percent-encoded")),
        BodyKind::Multipart => Some((b"--", "the multipart body has no end")),
        BodyKind::Bytes => None,
    }
}

/// The invalid samples of a form that are also invalid as they are read from the wire, with their keywords.
fn write_invalid(
    document: &Document,
    form: &DeclaredForm,
    required: bool,
    sampler: &mut Sampler,
) -> Vec<(Value, &'static str, Written)> {
    let Ok(validator) = compile(document.json(), &form.schema, Direction::Request) else {
        return Vec::new();
    };
    let samples = sampler.samples(&form.schema, Direction::Request);
    let broken = samples.invalid.iter().filter(|(value, keyword)| {
        // Nobody sees all parts of a multipart body together.
        let counts = ["minProperties", "maxProperties"].contains(keyword);
        let is_counted = BodyKind::of(form.media_type) != BodyKind::Multipart || !counts;
        let read = read_body(document, form, value);
        is_counted && read.is_some_and(|read| !validator.is_valid(&read))
    });
    let written = broken.filter_map(|(value, keyword)| {
        let written = Written::of_value(document, form, value)?;
        // Without bytes, an optional body is absent.
        let is_there = required || !written.bytes.is_empty();
        is_there.then(|| (value.clone(), *keyword, written))
    });
    spread(&written.collect::<Vec<_>>(), MOST_OF_BODY)
}

/// A valid body, if one can be written.
fn write_valid(document: &Document, body: &DeclaredBody, sampler: &mut Sampler) -> Option<Written> {
    body.forms.iter().find_map(|form| {
        let samples = sampler.samples(&form.schema, Direction::Request);
        Written::of_value(document, form, samples.valid.first()?)
    })
}

/// Whether a path parameter shares its segment with another, so that its text may be read as a part of both.
fn is_beside_others(path: &str, parameter: &DeclaredParameter) -> bool {
    let name = format!("{{{}}}", parameter.name);
    let mut segments = path.split('/');
    let is_shared = |segment: &str| segment.contains(&name) && segment.matches('{').count() > 1;
    parameter.location == "path" && segments.any(is_shared)
}

/// Whether the text of an invalid value is invalid, too: `"true"` is a valid text.
fn is_broken_as_text(
    document: &Document,
    parameter: &DeclaredParameter,
    validator: &Validator,
    value: &Value,
) -> bool {
    let has_control = |text: &str| text.chars().any(char::is_control);
    if is_nothing(value) || has_control(&value.to_string().replace("\\u", "\u{1}")) {
        return false;
    }
    let read = read_back(document, &parameter.schema, value);
    read.is_some_and(|read| !validator.is_valid(&read))
}

impl Invalid {
    /// Sends the request, and returns the status; `None` if the values have no text.
    pub(crate) async fn send(
        &self,
        client: &Client,
        base_url: &str,
        (info, schemes): (&OperationInfo, &[SecuritySchemeInfo]),
        declared: &Declared,
    ) -> Result<Option<u16>, String> {
        let given = declared.parameters.iter().filter_map(|parameter| {
            let value = self
                .given
                .parameters
                .get(&(parameter.location, parameter.name))?;
            Some((&parameter.encoding, value))
        });
        let Ok(mut parts) = encode_parameters(info.path, given) else {
            return Ok(None);
        };
        let mut headers = HeaderMap::new();
        add_credentials(info, schemes, &mut parts, &mut headers);
        let url = format!("{base_url}{}?{}", parts.path, parts.query);
        let url = Url::parse(url.trim_end_matches('?')).map_err(|error| error.to_string())?;
        let method = Method::from_bytes(info.method.as_str().as_bytes());
        let request = client.request(method.map_err(|error| error.to_string())?, url);
        let mut request = request.headers(headers);
        for (name, value) in &parts.headers {
            request = request.header(name, value.as_bytes());
        }
        if !parts.cookies.is_empty() {
            request = request.header("cookie", &parts.cookies);
        }
        if let Some(body) = &self.body {
            request = request
                .header("content-type", &body.content_type)
                .body(body.bytes.clone());
        }
        match request.send().await {
            Ok(response) => Ok(Some(response.status().as_u16())),
            // A header or URL that no client can send.
            Err(error) if error.is_builder() => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}
