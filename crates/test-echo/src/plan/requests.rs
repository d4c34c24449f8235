//! The requests of an operation: all parameters, the required ones alone, and each sample of each parameter and body.

use dropspec_runtime::Document;
use dropspec_schema::wire::{PartLayout, properties};
use dropspec_schema::{BodyKind, Direction};
use serde_json::Value;

use crate::body::{Body, Part};
use crate::declared::{Declared, DeclaredBody, DeclaredForm, DeclaredParameter};
use crate::given::{Given, GivenBody};
use crate::plan::concrete;
use crate::readings::is_nothing;
use crate::sampler::{BYTES, Sampler};

/// The most samples of a parameter, and of a body.
const MOST_OF_PARAMETER: usize = 12;
const MOST_OF_BODY: usize = 30;

/// Plans the requests of an operation. The first has everything.
pub(crate) fn plan_requests(
    document: &'static Document,
    declared: &Declared,
    sampler: &mut Sampler,
) -> Vec<Given> {
    let bodies = match &declared.body {
        Some(body) => plan_bodies(document, body, sampler),
        None => Vec::new(),
    };
    let required_body = declared.body.as_ref().is_some_and(|body| body.required);
    let mut full = full_request(declared, sampler);
    full.body = bodies.first().cloned();
    let mut required = full.clone();
    required.parameters.retain(|(location, name), _| {
        let is_required =
            |of: &DeclaredParameter| of.required && (of.location, of.name) == (*location, *name);
        declared.parameters.iter().any(is_required)
    });
    required.body = required.body.filter(|_| required_body);
    let mut requests = vec![full.clone(), required.clone()];
    for parameter in &declared.parameters {
        let samples = sampler.valid(&parameter.schema, Direction::Request, MOST_OF_PARAMETER);
        // Null has no text: a client leaves the parameter out.
        for value in samples.into_iter().filter(|value| !value.is_null()) {
            let mut request = required.clone();
            request
                .parameters
                .insert((parameter.location, parameter.name), value);
            requests.push(request);
        }
    }
    for body in bodies {
        let mut request = required.clone();
        request.body = Some(body);
        requests.push(request);
    }
    requests
}

/// A request with a usual sample of every parameter, and no body.
pub(crate) fn full_request(declared: &Declared, sampler: &mut Sampler) -> Given {
    let mut given = Given::default();
    for parameter in &declared.parameters {
        let samples = sampler.samples(&parameter.schema, Direction::Request);
        let usual = samples.valid.iter().find(|value| is_usual(value));
        if let Some(value) = usual.or(samples.valid.first()) {
            given
                .parameters
                .insert((parameter.location, parameter.name), value.clone());
        }
    }
    given
}

/// Whether a value has a text in every style.
fn is_usual(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
        }
        Value::Array(items) => !items.is_empty() && items.iter().all(is_usual),
        Value::Object(members) => !members.is_empty() && members.values().all(is_usual),
        _ => true,
    }
}

fn plan_bodies(
    document: &'static Document,
    body: &DeclaredBody,
    sampler: &mut Sampler,
) -> Vec<GivenBody> {
    let mut bodies = Vec::new();
    for (form, declared) in body.forms.iter().enumerate() {
        let schema = &declared.schema;
        let mut samples = || {
            sampler
                .valid(schema, Direction::Request, MOST_OF_BODY)
                .into_iter()
        };
        let contents: Vec<Body> = match BodyKind::of(declared.media_type) {
            BodyKind::Json => samples().map(Body::Value).collect(),
            BodyKind::Form => {
                // A form has no text for an empty list, which may be required.
                let is_written = |value: &Value| {
                    let members = value.as_object();
                    members.is_some_and(|it| it.values().all(|member| !is_nothing(member)))
                };
                let written = samples().filter(is_written);
                written.map(Body::Value).collect()
            }
            BodyKind::Text => {
                let texts = sampler.texts(schema, Direction::Request, MOST_OF_BODY);
                texts.into_iter().map(Body::Text).collect()
            }
            BodyKind::Multipart => samples()
                .map(|value| Body::Parts(split_parts(document, declared, &value)))
                .collect(),
            BodyKind::Bytes => vec![Body::Bytes(BYTES.to_vec())],
        };
        bodies.extend(contents.into_iter().map(|content| GivenBody {
            form,
            media_type: concrete(declared.media_type),
            content,
        }));
    }
    bodies
}

/// The parts of a multipart body: a part for each property, and for each item of an array that is not JSON as a whole.
fn split_parts(
    document: &'static Document,
    form: &DeclaredForm,
    value: &Value,
) -> Vec<(String, Part)> {
    let mut parts = Vec::new();
    let declared = properties(document.json(), &form.schema);
    for (name, value) in value.as_object().into_iter().flatten() {
        let mut declared = declared.iter();
        let schema = declared.find_map(|(of, schema)| (of == name).then_some(schema.as_ref()));
        let resolved = schema.and_then(|schema| document.resolve(schema));
        let layout = |it| PartLayout::of_property(document.json(), it, form.encoding_of(name));
        let is_repeated = schema.is_some_and(|it| layout(it).repeated);
        let (values, schema) = match value {
            Value::Null => continue,
            Value::Array(items) if is_repeated => {
                (items.as_slice(), resolved.and_then(|of| of.get("items")))
            }
            value => (std::slice::from_ref(value), schema),
        };
        let media_type = form.media_type_of(name).filter(|it| it.contains('*'));
        parts.extend(values.iter().map(|value| {
            let part = Part {
                value: value.clone(),
                schema: schema.cloned().unwrap_or_default(),
                media_type: media_type.map(concrete),
            };
            (name.clone(), part)
        }));
    }
    parts
}
