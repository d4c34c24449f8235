//! Compares what was given, what arrived, what went over the wire, and what the client returned.

use dropspec_client::encode_parameters;
use dropspec_runtime::ResponseValidator;
use dropspec_schema::media_type::essence;
use dropspec_schema::wire::items::{content_type, read_all};
use dropspec_schema::{BodyKind, Direction, Framing};
use http::{HeaderMap, Method};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::arrived::Arrived;
use crate::body::Body;
use crate::called::Called;
use crate::comparison::Comparison;
use crate::declared::{Declared, DeclaredParameter};
use crate::echo::Seen;
use crate::given::Given;
use crate::headers::check_header;
use crate::operation::{Variant, VariantKind};
use crate::readings::{as_written, is_nothing};

/// What a check needs of a document.
pub(crate) struct Checker {
    pub(crate) document: &'static Value,
    pub(crate) comparison: Comparison<'static>,
    pub(crate) responses: ResponseValidator,
}

/// One call, with everything that was seen of it.
pub(crate) struct Exchange<'a> {
    pub(crate) operation: usize,
    pub(crate) method: &'a str,
    pub(crate) declared: &'a Declared,
    pub(crate) variant: &'a Variant,
    pub(crate) given: &'a Given,
    pub(crate) answer: &'a Answer,
    pub(crate) seen: &'a Seen,
}

impl Checker {
    /// Finds what is wrong with the request of a call.
    pub(crate) fn check_request(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        let seen = exchange.seen;
        if seen.operation != Some(exchange.operation) {
            let parameters: Vec<String> = exchange
                .given
                .parameters
                .iter()
                .map(|((_, name), value)| format!("{name}={value}"))
                .collect();
            return Err(format!(
                "the request reaches another operation: {:?}, with {}",
                seen.operation,
                parameters.join(" ")
            ));
        }
        if let Some(problem) = &seen.problem {
            return Err(format!(
                "the server refuses a valid request, or cannot answer as planned: {problem}"
            ));
        }
        if exchange.variant.kind == VariantKind::Channel {
            // The method runs after the response, and gets the same arguments as others.
            return Ok(());
        }
        let arrived = seen.arrived.as_ref();
        let arrived = arrived.ok_or("the request reaches no method")?;
        if let Some(problem) = &arrived.problem {
            return Err(format!("an argument cannot be read: {problem}"));
        }
        self.compare_parameters(exchange, arrived)?;
        self.compare_bodies(exchange, arrived)
    }

    fn compare_parameters(&self, exchange: &Exchange<'_>, arrived: &Arrived) -> Result<(), String> {
        for parameter in &exchange.declared.parameters {
            let key = (parameter.location, parameter.name);
            let (location, name) = key;
            // All that is declared arrives, be it as null: `Declared` leaves out the headers that no method gets.
            let Some(got) = arrived.parameters.get(&key) else {
                return Err(format!(
                    "the {location} parameter `{name}` reaches no argument of the method"
                ));
            };
            let Some(sent) = exchange.given.parameters.get(&key) else {
                let fits = if self.has_default(&parameter.schema) {
                    self.comparison.is_default(&parameter.schema, got)
                } else {
                    is_nothing(got)
                };
                if !fits {
                    return Err(format!(
                        "the {location} parameter `{name}` was not sent, and arrives as {got}"
                    ));
                }
                continue;
            };
            if let Some(at) = self.find_difference_as_text(&parameter.schema, sent, got)
                && !(self.is_valid(&parameter.schema, got) && has_same_text(parameter, sent, got))
            {
                return Err(format!(
                    "the {location} parameter `{name}` was sent as {sent} and{at} arrives as {got}"
                ));
            }
        }
        Ok(())
    }

    fn compare_bodies(&self, exchange: &Exchange<'_>, arrived: &Arrived) -> Result<(), String> {
        let body = &arrived.body;
        let Some(given) = &exchange.given.body else {
            return match body {
                Body::Empty => Ok(()),
                other => Err(format!("no body was sent, and arrives as {other:?}")),
            };
        };
        match (&given.content, body) {
            (Body::Value(sent), Body::Value(got)) => {
                let body = exchange.declared.body.as_ref().ok_or("no body")?;
                let schema = &body.forms[given.form].schema;
                let difference = match BodyKind::of(&given.media_type) {
                    BodyKind::Json => {
                        self.check_json(schema, sent, &exchange.seen.request)?;
                        self.comparison.find_difference(schema, sent, got)
                    }
                    _ => self.find_difference_as_text(schema, sent, got),
                };
                match difference {
                    Some(at) => Err(format!(
                        "the body was sent as {sent} and{at} arrives as {got}"
                    )),
                    None => Ok(()),
                }
            }
            (Body::Value(Value::Null), Body::Empty) => Ok(()),
            // A form without fields has no bytes, as no body has.
            (Body::Value(sent), Body::Empty)
                if is_nothing(sent) && BodyKind::of(&given.media_type) == BodyKind::Form =>
            {
                Ok(())
            }
            (Body::Text(sent), Body::Value(Value::String(got))) if sent == got => Ok(()),
            (Body::Text(sent), Body::Empty) if sent.is_empty() => Ok(()),
            (Body::Parts(sent), Body::Parts(got)) => {
                if sent.len() != got.len() {
                    return Err(format!(
                        "{} parts were sent, and {got:?} arrive",
                        sent.len()
                    ));
                }
                for ((name, part), (got_name, got)) in sent.iter().zip(got) {
                    let got = &got.value;
                    let same_text = as_written(got) == Value::String(part.text());
                    let differs = || {
                        let found = self
                            .comparison
                            .find_difference(&part.schema, &part.value, got);
                        found.is_some()
                    };
                    if name != got_name || !same_text && differs() {
                        return Err(format!(
                            "the part `{name}` was sent as {} and arrives as `{got_name}` {got}",
                            part.value
                        ));
                    }
                }
                Ok(())
            }
            (sent, got) if sent == got => Ok(()),
            (sent, got) => Err(format!(
                "the body was sent as {sent:?} and arrives as {got:?}"
            )),
        }
    }

    /// Checks a JSON body on the wire.
    fn check_json(&self, schema: &Value, sent: &Value, bytes: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(bytes);
        let wire: Value = serde_json::from_str(&text)
            .map_err(|error| format!("the client sends what is no JSON: {text}: {error}"))?;
        let validator = dropspec_schema::compile(self.document, schema, Direction::Request);
        let validator = validator.map_err(|error| error.to_string())?;
        if let Err(error) = validator.validate(&wire) {
            return Err(format!(
                "the client sends {wire} for {sent}, which is not valid: {error}"
            ));
        }
        match self.comparison.find_difference(schema, sent, &wire) {
            Some(at) => Err(format!("the client sends{at} {wire} for {sent}")),
            None => Ok(()),
        }
    }

    /// Finds what the document does not allow in the response of a call, or the client takes for another one.
    pub(crate) fn check_declared(
        &self,
        exchange: &Exchange<'_>,
        called: &Called,
    ) -> Result<(), String> {
        let (answer, seen) = (exchange.answer, exchange.seen);
        if seen.status != answer.status {
            return Err(format!(
                "the server answers {} and not {}: {}",
                seen.status,
                answer.status,
                String::from_utf8_lossy(&seen.response)
            ));
        }
        if called.status != answer.status.as_u16() || called.is_error != exchange.variant.is_error {
            let result = if called.is_error { "Err" } else { "Ok" };
            return Err(format!(
                "the client returns {result} of status {} for {}",
                called.status, answer.status
            ));
        }
        if exchange.variant.kind == VariantKind::Channel {
            return Ok(());
        }
        let is_server_error = exchange.variant.kind == VariantKind::ServerError;
        let sent = seen.media_type();
        if !is_server_error && sent.map(essence) != answer.media_type.as_deref().map(essence) {
            return Err(format!(
                "the server answers with {sent:?} and not {:?}",
                answer.media_type
            ));
        }
        if exchange.method == Method::HEAD.as_str() {
            return Ok(());
        }
        let mismatches = self.responses.check(
            exchange.operation,
            seen.status,
            &seen.headers,
            &seen.response,
        );
        if let Err(mismatches) = mismatches
            && !exchange.declared.responses.is_empty()
        {
            let mismatches: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
            let body = String::from_utf8_lossy(&seen.response);
            return Err(format!(
                "the response is not as declared: {}: {body}",
                mismatches.join("; ")
            ));
        }
        Ok(())
    }

    /// Finds what is wrong with the response of a call, compared with the planned one.
    pub(crate) fn check_response(
        &self,
        exchange: &Exchange<'_>,
        called: &Called,
    ) -> Result<(), String> {
        self.check_declared(exchange, called)?;
        let (answer, seen) = (exchange.answer, exchange.seen);
        if exchange.variant.kind == VariantKind::Channel {
            return Ok(());
        }
        self.check_headers(exchange, &seen.headers)?;
        if exchange.method == Method::HEAD.as_str() {
            return Ok(());
        }
        let wire = self.check_wire(answer, &seen.response)?;
        let schema = &answer.declared.schema;
        match (&called.body, wire) {
            (Body::Empty, _) => Ok(()),
            (Body::Bytes(got), _) if *got == seen.response => Ok(()),
            (Body::Value(got), Some(wire)) => {
                match self.comparison.find_difference(schema, &wire, got) {
                    Some(at) => Err(format!(
                        "the server sends {wire} and{at} the client returns {got}"
                    )),
                    None => Ok(()),
                }
            }
            (Body::Value(Value::String(got)), None) if got.as_bytes() == seen.response => Ok(()),
            (got, _) => {
                let wire = String::from_utf8_lossy(&seen.response);
                Err(format!(
                    "the server sends {wire} and the client returns {got:?}"
                ))
            }
        }
    }

    /// The JSON of a response on the wire, which must be that of the answer.
    fn check_wire(&self, answer: &Answer, bytes: &[u8]) -> Result<Option<Value>, String> {
        let text = String::from_utf8_lossy(bytes);
        let wrong = || Err(format!("the server sends {text} for {:?}", answer.body));
        match &answer.body {
            // Nothing, or the server's own error.
            Body::Empty => Ok(serde_json::from_str(&text).ok()),
            Body::Value(sent) => {
                // Of bytes that are no items, the body has another kind.
                let framing = answer.declared.media_type.and_then(Framing::of);
                let wire = match framing {
                    Some(framing) => read_items(framing, sent, bytes),
                    None => serde_json::from_str(&text).ok(),
                };
                let Some(wire) = wire else {
                    return wrong();
                };
                match self
                    .comparison
                    .find_difference(&answer.declared.schema, sent, &wire)
                {
                    Some(at) => Err(format!("the server sends{at} {wire} for {sent}")),
                    None => Ok(Some(wire)),
                }
            }
            sent if sent.bytes().is_ok_and(|sent| sent == bytes) => Ok(None),
            _ => wrong(),
        }
    }

    /// Checks that every planned header is there, with its value.
    fn check_headers(&self, exchange: &Exchange<'_>, headers: &HeaderMap) -> Result<(), String> {
        if matches!(
            exchange.variant.kind,
            VariantKind::ServerError | VariantKind::Free | VariantKind::AnyError
        ) {
            return Ok(());
        }
        let answer = exchange.answer;
        for header in &answer.declared.headers {
            let planned = answer.headers.get(header.name);
            let planned = planned.filter(|value| !is_nothing(value));
            if let Some(planned) = planned {
                check_header(&self.comparison, header, planned, headers)?;
            }
        }
        Ok(())
    }

    /// Where values differ that were written as texts: there, nothing and an empty text are the same, and so are scalars with
    /// one text that a union takes.
    fn find_difference_as_text(&self, schema: &Value, sent: &Value, got: &Value) -> Option<String> {
        if is_nothing(sent) && is_nothing(got) {
            return None;
        }
        let difference = match (sent, got) {
            (Value::Object(sent), Value::Object(got)) => {
                let (sent, got) = (without_nothing(sent), without_nothing(got));
                self.comparison.find_difference(schema, &sent, &got)?
            }
            _ => self.comparison.find_difference(schema, sent, got)?,
        };
        let form = |value| dropspec_schema::wire::encode_form(value, |_| None).ok();
        let is_same_text =
            as_written(sent) == as_written(got) || form(sent).is_some() && form(sent) == form(got);
        let is_other_reading = is_same_text && self.is_valid(schema, got);
        (!is_other_reading).then_some(difference)
    }

    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let validator = dropspec_schema::compile(self.document, schema, Direction::Request);
        validator.is_ok_and(|of| of.is_valid(value))
    }

    /// Whether a parameter that is absent has a default. One that does not fit its schema is none.
    fn has_default(&self, schema: &Value) -> bool {
        let resolved = dropspec_schema::resolve(self.document, schema).unwrap_or(schema);
        let default = resolved.get("default").filter(|default| !default.is_null());
        default.is_some_and(|default| self.is_valid(schema, default))
    }
}

/// Whether a request has the same text for both values of a parameter.
fn has_same_text(parameter: &DeclaredParameter, sent: &Value, got: &Value) -> bool {
    let template = format!("/{{{}}}", parameter.name);
    let template = Some(template).filter(|_| parameter.location == "path");
    let write = |value| {
        let parameters = [(&parameter.encoding, value)];
        encode_parameters(template.as_deref().unwrap_or_default(), parameters).ok()
    };
    write(sent).is_some() && write(sent) == write(got)
}

fn without_nothing(members: &Map<String, Value>) -> Value {
    let members = members.iter().filter(|(_, value)| !is_nothing(value));
    let members = members.map(|(name, value)| (name.clone(), value.clone()));
    Value::Object(members.collect())
}

/// The items of a body as an array. The data of an event are a text if those of the item that was sent are one.
fn read_items(framing: Framing, sent: &Value, body: &[u8]) -> Option<Value> {
    let items = read_all(framing, &content_type(framing, ""), body).ok()?;
    let items = items.iter().enumerate().map(|(index, item)| {
        let (value, text) = item.to_values().ok()?;
        Some(
            text.filter(|_| sent[index]["data"].is_string())
                .unwrap_or(value),
        )
    });
    items.collect()
}
