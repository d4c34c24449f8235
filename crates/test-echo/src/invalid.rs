//! Requests that the document forbids, sent without the generated client: the server must refuse each.

use dropspec_client::encode_parameters;
use dropspec_client::reqwest::{Client, Method, Url};
use dropspec_runtime::{Document, OperationInfo};
use dropspec_schema::{BodyKind, Direction, Validator, compile};
use serde_json::Value;

use crate::declared::{Declared, DeclaredForm, DeclaredParameter};
use crate::given::Given;
use crate::plan::{concrete, full_request};
use crate::readings::{is_nothing, read_scalar};
use crate::sampler::{Sampler, spread};

/// The most invalid samples of a parameter, and of a body.
const MOST_OF_PARAMETER: usize = 12;
const MOST_OF_BODY: usize = 40;

/// A request that the document forbids.
pub(crate) struct Invalid {
    given: Given,
    body: Option<Body>,
    /// What is wrong with it.
    pub(crate) problem: String,
}

/// A body on the wire.
#[derive(Clone)]
struct Body {
    content_type: String,
    bytes: Vec<u8>,
}

impl Body {
    fn new(form: &DeclaredForm, bytes: impl Into<Vec<u8>>) -> Body {
        let content_type = concrete(form.media_type);
        Body {
            content_type: match BodyKind::of(form.media_type) {
                BodyKind::Multipart => format!("{content_type}; boundary=sample"),
                _ => content_type,
            },
            bytes: bytes.into(),
        }
    }
}

/// Plans the invalid requests of an operation with this path: parameters that are scalars, bodies of JSON, bodies that are
/// malformed, and what is required and absent.
pub(crate) fn plan_invalid(
    document: &'static Document,
    path: &str,
    declared: &Declared,
    sampler: &mut Sampler,
) -> Vec<Invalid> {
    let mut requests = Vec::new();
    let valid = full_request(declared, sampler);
    let forms = declared.body.iter().flat_map(|body| &body.forms);
    let (json, _): (Vec<_>, Vec<_>) = forms
        .clone()
        .partition(|form| BodyKind::of(form.media_type) == BodyKind::Json);
    let valid_body = json.first().and_then(|form| {
        let samples = sampler.samples(&form.schema, Direction::Request);
        Some(Body::new(form, samples.valid.first()?.to_string()))
    });
    let mut push = |given: &Given, body: Option<Body>, problem: String| {
        requests.push(Invalid {
            given: given.clone(),
            body,
            problem,
        });
    };
    // A body that is wrong itself would be the reason of the refusal.
    let needs_other_body = declared.body.as_ref().is_some_and(|body| body.required);
    let parameters = declared.parameters.iter();
    let parameters = parameters.filter(|_| valid_body.is_some() || !needs_other_body);
    for parameter in parameters {
        let key = (parameter.location, parameter.name);
        let about = format!("the {} parameter `{}`", parameter.location, parameter.name);
        for (value, keyword) in invalid_values(document, path, parameter, sampler) {
            let problem = format!("{keyword}: {about} is {value}");
            let mut given = valid.clone();
            given.parameters.insert(key, value);
            push(&given, valid_body.clone(), problem);
        }
        let has_default = document
            .resolve(&parameter.schema)
            .is_some_and(|schema| schema.get("default").is_some());
        if parameter.required && parameter.location != "path" && !has_default {
            let mut given = valid.clone();
            given.parameters.remove(&key);
            push(
                &given,
                valid_body.clone(),
                format!("required: there is no {about}"),
            );
        }
    }
    for form in json {
        let samples = sampler.samples(&form.schema, Direction::Request);
        for (value, keyword) in spread(&samples.invalid, MOST_OF_BODY) {
            let problem = format!("{keyword}: the body of {} is {value}", form.media_type);
            push(&valid, Some(Body::new(form, value.to_string())), problem);
        }
    }
    for form in forms {
        if let Some((bytes, problem)) = malformed(BodyKind::of(form.media_type)) {
            push(&valid, Some(Body::new(form, bytes)), problem.to_owned());
        }
    }
    if needs_other_body {
        push(&valid, None, "required: there is no body".to_owned());
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

/// Invalid values of a parameter, with the keywords that they break.
fn invalid_values(
    document: &Document,
    path: &str,
    parameter: &DeclaredParameter,
    sampler: &mut Sampler,
) -> Vec<(Value, &'static str)> {
    let Ok(validator) = compile(document.json(), &parameter.schema, Direction::Request) else {
        return Vec::new();
    };
    if is_beside_others(path, parameter) {
        return Vec::new();
    }
    let samples = sampler.samples(&parameter.schema, Direction::Request);
    let broken = samples.invalid.iter();
    let broken =
        broken.filter(|(value, _)| is_broken_as_text(document, parameter, &validator, value));
    spread(&broken.cloned().collect::<Vec<_>>(), MOST_OF_PARAMETER)
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
    let read = read_scalar(document, &parameter.schema, value);
    read.is_some_and(|read| !validator.is_valid(&read))
}

impl Invalid {
    /// Whether the body is one of several parts, which the server reads only after it has checked the credentials.
    pub(crate) fn has_parts(&self) -> bool {
        let body = self.body.as_ref();
        body.is_some_and(|body| BodyKind::of(&body.content_type) == BodyKind::Multipart)
    }

    /// Sends the request, and returns the status; `None` if the values have no text. It has no credentials: the server decodes a
    /// request first, except for parts.
    pub(crate) async fn send(
        &self,
        client: &Client,
        base_url: &str,
        info: &OperationInfo,
        declared: &Declared,
    ) -> Result<Option<u16>, String> {
        let given = declared.parameters.iter().filter_map(|parameter| {
            let value = self
                .given
                .parameters
                .get(&(parameter.location, parameter.name))?;
            Some((&parameter.encoding, value))
        });
        let Ok(parts) = encode_parameters(info.path, given) else {
            return Ok(None);
        };
        let url = format!("{base_url}{}?{}", parts.path, parts.query);
        let url = Url::parse(url.trim_end_matches('?')).map_err(|error| error.to_string())?;
        let method = Method::from_bytes(info.method.as_str().as_bytes());
        let mut request = client.request(method.map_err(|error| error.to_string())?, url);
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
