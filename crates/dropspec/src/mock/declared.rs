//! The responses that the document declares for an operation, and their bodies: examples, or samples of their schemas.

use std::borrow::Cow;
use std::cmp::Reverse;

use dropspec_schema::header::Ignored;
use dropspec_schema::samples::example;
use dropspec_schema::{BodyKind, Direction, Framing, compile, item_schema, media_type as ranges};
use http::header::{ACCEPT, ETAG};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};
use slog::Logger;

use super::examples::{concrete, named_example, set_status, value_of};
use super::tables::{Tables, definition};

/// A response that the document declares, with one of its media types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    pub(super) operation: usize,
    /// `200`, `2XX` or `default`.
    pub(super) key: &'static str,
    /// The status with which it is sent; 0 if it is not known.
    pub(super) code: u16,
    pub(super) response: &'static Value,
    /// The media type as the document writes it, and its definition; `None` without a body.
    pub(super) content: Option<(&'static str, &'static Value)>,
    /// The media type that a request accepts of the range that the document writes.
    pub(super) accepted: Option<&'a str>,
}

impl<'a> Declared<'a> {
    pub(super) fn new(
        operation: usize,
        key: &'static str,
        response: &'static Value,
        content: Option<(&'static str, &'static Value)>,
    ) -> Declared<'a> {
        Declared {
            operation,
            key,
            code: key.parse().unwrap_or_default(),
            response,
            content,
            accepted: None,
        }
    }

    /// The response that an operation gives in the usual case, with its status: the first of success, or else of a redirection,
    /// or any. 201 comes first if the request creates something, and last if it does not; `None` if that is not known.
    pub(super) fn success(
        operation: usize,
        creates: Option<bool>,
    ) -> Option<(StatusCode, Declared<'a>)> {
        let rank = |key: &str| match key.as_bytes() {
            [b'2', b'0'..=b'9', ..] => 0,
            [b'2', ..] => 1,
            b"default" => 2,
            [b'3', ..] => 3,
            _ => 4,
        };
        let all = responses(operation).filter(|(key, _)| !key.starts_with('1'));
        let (key, response) = all.min_by_key(|(key, _)| {
            let is_other = creates.is_some_and(|it| it != (*key == "201"));
            (rank(key), is_other, *key)
        })?;
        let declared = Declared::new(operation, key, response, None);
        Some((status_of(operation, key)?, declared))
    }

    /// The response that an operation declares for a status.
    pub(super) fn find(operation: usize, code: u16) -> Option<(StatusCode, Declared<'a>)> {
        let class = format!("{}XX", code / 100);
        let keys = [code.to_string(), class, "DEFAULT".to_owned()];
        let mut found = keys.iter().filter_map(|wanted| {
            responses(operation).find(|(key, _)| key.eq_ignore_ascii_case(wanted))
        });
        let (key, response) = found.next()?;
        let status = StatusCode::from_u16(code).ok()?;
        let declared = Declared::new(operation, key, response, None);
        Some((status, Declared { code, ..declared }))
    }

    /// The same response with the media type that a request accepts best, among those that have an example of this name. If none
    /// is accepted, the first (RFC 9110, section 12.5.1).
    pub(super) fn negotiate(self, headers: &'a HeaderMap, name: Option<&str>) -> Option<Self> {
        let mut content: Vec<_> = members(self.response, "content")
            .filter(|it| name.is_none_or(|name| named_example(*it, name).is_some()))
            .collect();
        // The records that a mock keeps are JSON, and it writes no XML and no forms: of two that are equally accepted the other one
        // is better.
        content.sort_by_key(|(media_type, content)| {
            let kind = BodyKind::of(media_type);
            let is_other = matches!(kind, BodyKind::Form | BodyKind::Multipart);
            let has_text = ["example", "examples"]
                .iter()
                .any(|it| content.get(it).is_some());
            let is_other = is_other || ranges::essence(media_type).ends_with("xml");
            (kind != BodyKind::Json, is_other && !has_text)
        });
        if content.is_empty() {
            return name.is_none().then_some(self);
        }
        let accept = headers.get_all(ACCEPT).iter();
        let accept = accept.filter_map(|value| value.to_str().ok());
        let accept: Vec<(&str, u32)> = accept
            .flat_map(|value| value.split(','))
            .map(read_range)
            .collect();
        let rated = content.iter().enumerate().filter_map(|(index, found)| {
            let declared = ranges::essence(found.0);
            let sent = ranges::essence(&concrete(&declared));
            let ranks = accept
                .iter()
                .enumerate()
                .filter_map(|(place, (range, weight))| {
                    let essence = ranges::essence(range);
                    let is_within = !essence.contains('*') && ranges::covers(&declared, &essence);
                    let accepted = Some(*range).filter(|_| is_within && declared.contains('*'));
                    // The most exact range has the say, so that `q=0` excludes what another range allows.
                    let rank = (ranges::exactness(&essence), *weight, Reverse(place));
                    (is_within || ranges::covers(&essence, &sent)).then_some((rank, accepted))
                });
            let ((_, weight, place), accepted) = ranks.max_by_key(|(rank, _)| *rank)?;
            let rank = (weight, place, Reverse(index));
            (weight > 0).then_some((rank, (*found, accepted)))
        });
        let best = rated.max_by_key(|(rank, _)| *rank);
        let (content, accepted) = best.map_or((content[0], None), |(_, found)| found);
        Some(Declared {
            content: Some(content),
            accepted,
            ..self
        })
    }

    /// The media type of the body, which a range of the document covers; empty without a body.
    pub(super) fn media_type(self) -> String {
        let declared = self.content.map(|(media_type, _)| concrete(media_type));
        let accepted = self.accepted.map(str::to_owned);
        accepted.or(declared).unwrap_or_default()
    }

    /// The names of all examples of the response.
    pub(super) fn example_names(self) -> Vec<&'static str> {
        let content = members(self.response, "content");
        let names = content.flat_map(|(_, content)| members(content, "examples"));
        names.map(|(name, _)| name).collect()
    }

    /// Makes the body: the example with this name, or the first that fits the schema, or a sample of it.
    pub(super) fn make_body(self, name: Option<&str>, log: &Logger) -> Result<Value, String> {
        let Some((media_type, content)) = self.content else {
            return Ok(Value::Null);
        };
        if let Some(name) = name {
            return named_example((media_type, content), name)
                .map(Cow::into_owned)
                .ok_or_else(|| format!("there is no example `{name}`"));
        }
        let document = Tables::document().json();
        let any = Value::Object(Map::new());
        let of_items = item_schema(content).filter(|_| Framing::of(media_type).is_some());
        let schema = of_items.or(content.get("schema")).unwrap_or(&any);
        let validator = compile(document, schema, Direction::Response);
        let id = Tables::operations()[self.operation].operation_id;
        let (key, place) = (self.key, format!("the response {} of {id}", self.key));
        let validator =
            validator.map_err(|error| format!("{place} cannot be validated: {error}"))?;
        let own = content.get("example");
        let own = own.map(|value| ("example", Cow::Borrowed(value)));
        let named = members(content, "examples");
        let named = named.filter_map(|(name, it)| Some((name, value_of(it, media_type)?)));
        let is_text = !matches!(BodyKind::of(&concrete(media_type)), BodyKind::Json);
        for (name, value) in own.into_iter().chain(named) {
            // A list is of items; text stands for what it means.
            let items = of_items.and(value.as_array());
            let is_valid = match items {
                Some(items) => items.iter().all(|item| validator.is_valid(item)),
                None => (is_text && value.is_string()) || validator.is_valid(&value),
            };
            if is_valid {
                return Ok(value.into_owned());
            }
            slog::warn!(log, "an example does not fit its schema, and is not sent"; "operation" => id, "response" => key, "example" => name);
        }
        let sample = example(document, schema, Direction::Response)
            .ok()
            .flatten();
        let sample = sample.ok_or_else(|| {
            format!("no value was found for {place}, as {media_type}: give it an example")
        })?;
        let mut with_status = sample.clone();
        if self.code >= 400 {
            set_status(&mut with_status, self.code);
        }
        Ok(Some(with_status)
            .filter(|it| validator.is_valid(it))
            .unwrap_or(sample))
    }

    /// Makes the headers that the response must have, and the entity tag: their examples, or samples of their schemas.
    pub(super) fn make_headers(self) -> Result<Map<String, Value>, String> {
        let document = Tables::document();
        let mut made = Map::new();
        let is_tag = |name: &str| name.eq_ignore_ascii_case(ETAG.as_str());
        for (name, header) in members(self.response, "headers")
            .filter(|(name, _)| Ignored::find_in_response(name).is_none())
        {
            let Some(header) = document
                .resolve(header)
                .filter(|it| it.get("required") == Some(&Value::Bool(true)) || is_tag(name))
            else {
                continue;
            };
            let content = members(header, "content").next().map(|(_, it)| it);
            let schema = content.unwrap_or(header).get("schema").cloned();
            let schema = schema.unwrap_or_else(|| Value::Object(Map::new()));
            let sample = || {
                let sample = example(document.json(), &schema, Direction::Response);
                sample.ok().flatten()
            };
            let value = header.get("example").cloned().or_else(sample);
            let value = value.ok_or_else(|| {
                format!("no value was found for the header {name}: give it an example")
            })?;
            let value = content.map_or(value.clone(), |_| value.to_string().into());
            made.insert(name.to_owned(), value);
        }
        Ok(made)
    }
}

/// The usual status of a response among those that its key covers and no other one does.
pub(super) fn status_of(operation: usize, key: &str) -> Option<StatusCode> {
    let usual = [200, 500, 400, 300].into_iter();
    let codes = usual
        .chain(200..600)
        .filter(|code| Declared::find(operation, *code).is_some_and(|(_, it)| it.key == key));
    codes
        .into_iter()
        .find_map(|code| StatusCode::from_u16(code).ok())
}

/// A range of the header `Accept`, and its weight in thousandths (RFC 9110, section 12.4.2).
fn read_range(range: &str) -> (&str, u32) {
    let mut parameters = range.split(';').map(str::trim);
    let essence = parameters.next().unwrap_or_default();
    let weight = parameters.find_map(|it| it.strip_prefix("q=")?.parse::<f32>().ok());
    (essence, (weight.unwrap_or(1.0) * 1000.0) as u32)
}

/// Whether an operation opens a WebSocket.
pub(super) fn opens_channel(operation: usize) -> bool {
    definition(operation).get("x-dropshot-websocket").is_some()
}

/// The responses of an operation by their keys.
pub(super) fn responses(operation: usize) -> impl Iterator<Item = (&'static str, &'static Value)> {
    let declared =
        members(definition(operation), "responses").filter(|(key, _)| !key.starts_with("x-"));
    declared.filter_map(|(key, response)| Some((key, Tables::document().resolve(response)?)))
}

pub(super) fn members(
    value: &'static Value,
    key: &str,
) -> impl Iterator<Item = (&'static str, &'static Value)> {
    let members = value
        .get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    members.map(|(name, value)| (name.as_str(), value))
}
