//! The responses that an operation must be able to give.

use dropspec_schema::Direction;
use dropspec_schema::media_type::{covers, essence};
use http::StatusCode;
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::body::Body;
use crate::declared::{Declared, DeclaredResponse};
use crate::operation::{Content, Variant, VariantKind};
use crate::plan::concrete;
use crate::sampler::{BYTES, Sampler};

/// The most samples of a response.
const MOST: usize = 20;

/// Statuses that stand for a class or the default, the most usual ones first.
const STATUSES: [u16; 12] = [400, 500, 404, 503, 409, 422, 429, 501, 200, 202, 303, 418];

/// The planned answers of an operation.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) planned: Vec<Answer>,
    /// How many of the declared responses are among them.
    pub(crate) covered: usize,
}

/// Plans an answer for each sample of each declared response.
pub(crate) fn plan_answers(
    declared: &Declared,
    variants: &[Variant],
    sampler: &mut Sampler,
) -> Answers {
    let mut answers = Answers::default();
    // Variants that carry their status stand for the classes and the default in the order of the document.
    let mut inexact = variants
        .iter()
        .enumerate()
        .filter(|(_, of)| of.kind == VariantKind::One && of.status.is_none());
    let is_success = |key: &str| key.starts_with(['1', '2', '3']);
    let has_success = declared.responses.iter().any(|of| is_success(of.key));
    for response in &declared.responses {
        let exact: Option<u16> = response.key.parse().ok();
        let found = match exact {
            Some(status) => find_exact(variants, status, response),
            None => None,
        };
        let found = found.or_else(|| {
            // A default alone is that of successes.
            let is_error = !is_success(response.key) && (response.key != "default" || has_success);
            let general = |of: &Variant| match of.kind {
                VariantKind::AnyError => is_error && answers_with_json(response),
                VariantKind::ServerError => is_error,
                VariantKind::Free | VariantKind::Channel => exact.is_none_or(|it| it < 400),
                VariantKind::One => false,
            };
            variants.iter().position(general)
        });
        let found = match (found, exact) {
            (None, None) => inexact.next().map(|(position, _)| position),
            (found, _) => found,
        };
        let chosen = found.and_then(|position| {
            let status = choose_status(declared, response, &variants[position])?;
            Some((position, status))
        });
        let Some((position, status)) = chosen else {
            continue;
        };
        let variant = &variants[position];
        let bodies = plan_bodies(content_of(variant, response), response, sampler);
        if bodies.is_empty() {
            continue;
        }
        answers.covered += 1;
        push_answers(
            &mut answers.planned,
            (position, variant),
            (status, response),
            bodies,
            sampler,
        );
    }
    let is_free = |of: &Variant| of.kind == VariantKind::Free;
    if declared.responses.is_empty()
        && let Some(position) = variants.iter().position(is_free)
    {
        let any = DeclaredResponse {
            key: "default",
            media_type: None,
            schema: Value::Null,
            headers: Vec::new(),
        };
        push_answers(
            &mut answers.planned,
            (position, &variants[position]),
            (StatusCode::OK, &any),
            vec![Body::Empty],
            sampler,
        );
    }
    answers
}

fn find_exact(variants: &[Variant], status: u16, response: &DeclaredResponse) -> Option<usize> {
    let is_same = |of: &Variant| {
        let same_media = match (of.content, response.media_type, of.media_type) {
            (Content::Empty, None, _) => true,
            (Content::Empty, Some(_), _) | (_, None, _) => false,
            (_, Some(declared), Some(own)) => covers(&essence(declared), &essence(own)),
            (_, Some(declared), None) => declared.contains('*'),
        };
        of.kind == VariantKind::One && of.status == Some(status) && same_media
    };
    variants.iter().position(is_same)
}

/// Whether the body of a response is JSON. So is that of any range of media types, where the server chooses.
fn answers_with_json(response: &DeclaredResponse) -> bool {
    let media_type = response.media_type.unwrap_or_default();
    essence(media_type).ends_with("json") || media_type.contains('*')
}

/// The status of a response; for a class or the default one that is not declared otherwise.
fn choose_status(
    declared: &Declared,
    response: &DeclaredResponse,
    variant: &Variant,
) -> Option<StatusCode> {
    if variant.kind == VariantKind::Channel {
        return Some(StatusCode::SWITCHING_PROTOCOLS);
    }
    let exact: Option<u16> = response.key.parse().ok();
    let is_declared = |key: &str| {
        declared
            .responses
            .iter()
            .any(|other| other.key.eq_ignore_ascii_case(key))
    };
    let mut candidates = STATUSES.into_iter().filter(|status| {
        let in_class = response
            .key
            .eq_ignore_ascii_case(&format!("{}XX", status / 100));
        let class = format!("{}XX", status / 100);
        let is_default = response.key == "default" && !is_declared(&class);
        (in_class || is_default) && !is_declared(&status.to_string())
    });
    let status = match exact {
        Some(status) => Some(status),
        None => candidates.find(|status| (*status >= 400) == variant.is_error),
    };
    StatusCode::from_u16(status?).ok()
}

/// What the body of a response is.
fn content_of(variant: &Variant, response: &DeclaredResponse) -> Content {
    match variant.kind {
        VariantKind::Free if answers_with_json(response) => Content::Json,
        VariantKind::Free if response.media_type.is_some() => Content::Bytes,
        _ => variant.content,
    }
}

/// The samples of a body; none if the schema of JSON accepts nothing.
fn plan_bodies(content: Content, response: &DeclaredResponse, sampler: &mut Sampler) -> Vec<Body> {
    let (schema, direction) = (&response.schema, Direction::Response);
    match content {
        Content::Empty => vec![Body::Empty],
        Content::Bytes => vec![Body::Bytes(BYTES.to_vec())],
        Content::Json | Content::Items => {
            let samples = sampler.valid(schema, direction, MOST).into_iter();
            samples.map(Body::Value).collect()
        }
        Content::Text => {
            let texts = sampler.texts(schema, direction, MOST).into_iter();
            texts.map(Body::Text).collect()
        }
    }
}

/// Plans an answer for each body and each set of headers.
fn push_answers(
    answers: &mut Vec<Answer>,
    (position, variant): (usize, &Variant),
    (status, response): (StatusCode, &DeclaredResponse),
    bodies: Vec<Body>,
    sampler: &mut Sampler,
) {
    let headers = plan_headers(response, sampler);
    for index in 0..bodies.len().max(headers.len()) {
        let media_type = variant.media_type.or(response.media_type);
        answers.push(Answer {
            variant: position,
            status,
            media_type: media_type
                .filter(|_| content_of(variant, response) != Content::Empty)
                .map(concrete),
            headers: headers[index % headers.len()].clone(),
            body: bodies[index % bodies.len()].clone(),
            declared: response.clone(),
        });
    }
}

/// All headers, the required ones alone, and then each sample of each.
fn plan_headers(response: &DeclaredResponse, sampler: &mut Sampler) -> Vec<Map<String, Value>> {
    let mut full = Map::new();
    let mut required = Map::new();
    let mut all = Vec::new();
    for header in &response.headers {
        let samples = sampler.valid(&header.schema, Direction::Response, MOST / 2);
        // A header cannot hold controls, and text beyond ASCII only by chance.
        let is_text = |value: &&Value| {
            let is_visible = |text: &str| text.chars().all(|c| (' '..='~').contains(&c));
            match value.as_str() {
                Some(text) => is_visible(text),
                // What its texts escape is no visible character.
                None => is_visible(&value.to_string()) && !value.to_string().contains('\\'),
            }
        };
        let samples: Vec<Value> = samples.iter().filter(is_text).cloned().collect();
        if let Some(first) = samples.first() {
            full.insert(header.name.to_owned(), first.clone());
            if header.required {
                required.insert(header.name.to_owned(), first.clone());
            }
        }
        all.push((header.name, samples));
    }
    let mut maps = vec![full.clone(), required];
    for (name, samples) in all {
        for value in samples.into_iter().skip(1) {
            let mut map = full.clone();
            map.insert(name.to_owned(), value);
            maps.push(map);
        }
    }
    maps.dedup();
    maps
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operation_that_declares_no_response_may_give_any() {
        let declared = Declared {
            parameters: Vec::new(),
            body: None,
            responses: Vec::new(),
            is_protected: false,
        };
        let variant = |kind| Variant {
            kind,
            is_error: kind == VariantKind::ServerError,
            status: None,
            media_type: None,
            content: Content::Empty,
        };
        let document: &'static Value = Box::leak(Box::new(json!({})));
        let (free, error) = (VariantKind::Free, VariantKind::ServerError);
        for (variants, expected) in [
            (
                vec![variant(error), variant(free)],
                Some((1, StatusCode::OK)),
            ),
            (vec![variant(error)], None),
        ] {
            let answers = plan_answers(&declared, &variants, &mut Sampler::new(document));
            let found = answers.planned.first().map(|of| (of.variant, of.status));
            assert_eq!((found, answers.covered), (expected, 0));
        }
    }
}
