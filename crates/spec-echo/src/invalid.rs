//! Requests that the document forbids, sent without the generated client: the server must refuse each.

use serde_json::Value;
use spec_client::encode_parameters;
use spec_client::reqwest::{Client, Method, Url};
use spec_runtime::{Document, OperationInfo};
use spec_schema::{BodyKind, Direction, Validator, compile};

use crate::declared::{Declared, DeclaredParameter};
use crate::given::Given;
use crate::plan::{concrete, full_request};
use crate::readings::{is_nothing, read_back};
use crate::sampler::{Sampler, spread};

/// The most invalid samples of a parameter, and of a body.
const MOST_OF_PARAMETER: usize = 12;
const MOST_OF_BODY: usize = 40;

/// A request that the document forbids.
pub(crate) struct Invalid {
    given: Given,
    body: Option<(String, String)>,
    /// What is wrong with it.
    pub(crate) problem: String,
    /// The position of its media type, its value, and the keyword that it breaks, if it has a JSON body.
    pub(crate) json: Option<(usize, Value, &'static str)>,
}

/// Plans the invalid requests of an operation.
pub(crate) fn plan_invalid(
    document: &'static Document,
    declared: &Declared,
    sampler: &mut Sampler,
) -> Vec<Invalid> {
    let mut requests = Vec::new();
    let valid = full_request(declared, sampler);
    let valid_body = valid_json_body(declared, sampler);
    for parameter in &declared.parameters {
        let key = (parameter.location, parameter.name);
        let Ok(validator) = compile(document.json(), &parameter.schema, Direction::Request) else {
            continue;
        };
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
    for (form, declared) in body.forms.iter().enumerate() {
        let (media_type, schema) = (declared.media_type, &declared.schema);
        if BodyKind::of(media_type) != BodyKind::Json {
            continue;
        }
        let samples = sampler.samples(schema, Direction::Request);
        for (value, keyword) in spread(&samples.invalid, MOST_OF_BODY) {
            requests.push(Invalid {
                given: valid.clone(),
                body: Some((concrete(media_type), value.to_string())),
                problem: format!("{keyword}: the body is {value}"),
                json: Some((form, value, keyword)),
            });
        }
        requests.push(Invalid {
            given: valid.clone(),
            body: Some((concrete(media_type), "{\"a\":".to_owned())),
            problem: "the body is no JSON".to_owned(),
            json: None,
        });
    }
    if body.required {
        let problem = "required: there is no body".to_owned();
        requests.push(Invalid {
            given: valid,
            body: None,
            problem,
            json: None,
        });
    }
    requests
}

/// The media type and text of a valid JSON body, if the operation takes one.
fn valid_json_body(declared: &Declared, sampler: &mut Sampler) -> Option<(String, String)> {
    let forms = &declared.body.as_ref()?.forms;
    let form = forms
        .iter()
        .find(|form| BodyKind::of(form.media_type) == BodyKind::Json)?;
    let samples = sampler.samples(&form.schema, Direction::Request);
    let value = samples.valid.first()?.to_string();
    Some((concrete(form.media_type), value))
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
        if let Some((media_type, body)) = &self.body {
            request = request
                .header("content-type", media_type)
                .body(body.clone());
        }
        match request.send().await {
            Ok(response) => Ok(Some(response.status().as_u16())),
            // A header or URL that no client can send.
            Err(error) if error.is_builder() => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}
