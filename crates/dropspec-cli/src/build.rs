//! Builds the request of a command: parameters, body and credentials.

use std::io::Read;

use dropspec_client::sending::{IDEMPOTENCY_KEY, new_idempotency_key};
use dropspec_client::{Location, Parameter, Parts, check_members, encode_parameters};
use dropspec_schema::BodyKind;
use dropspec_schema::wire::{Encoding, Part, PartLayout, encode_form};
use serde_json::{Map, Value};

use crate::body::Body;
use crate::console::Failure;
use crate::credentials;
use crate::flags::{Flag, Place};
use crate::invocation::Invocation;
use crate::operation::Operation;
use crate::options::{ALL, RETRIES};
use crate::request::{Content, Request};
use crate::service_error::{RequestPlace, replace_places_by_arguments};
use crate::tail;
use crate::value;

/// Builds the request of a command.
pub(crate) fn build(
    invocation: &Invocation<'_>,
    operation: &Operation,
) -> Result<Request, Failure> {
    let mut values: Vec<(Parameter<'_>, Value)> = Vec::new();
    for flag in &operation.flags {
        if let Place::Parameter { location, encoding } = flag.place
            && let Some(value) = parameter_value(invocation, flag, location)?
        {
            let parameter = Parameter {
                name: flag.name,
                location,
                encoding,
                required: flag.required,
            };
            let is_declared = |location: Location, name: &str| {
                operation.flags.iter().any(|it| {
                    matches!(it.place, Place::Parameter { location: own, .. } if own == location)
                        && it.name == name
                })
            };
            check_members(&parameter, &value, is_declared).map_err(Failure::Usage)?;
            values.push((parameter, value));
        }
    }
    let pairs = values.iter().map(|(parameter, value)| (parameter, value));
    let parts = encode_parameters(operation.path, pairs);
    let body = match &operation.body {
        Some(body) => read_body(invocation, operation, body)?,
        None => None,
    };
    Ok(Request {
        method: operation.method.clone(),
        base_url: invocation.base_url()?,
        parts: parts.map_err(Failure::Usage)?,
        credentials: credentials::choose(invocation, &operation.security)?,
        body,
    })
}

/// The value of a parameter: that of its flag, or what the command adds by itself.
fn parameter_value(
    invocation: &Invocation<'_>,
    flag: &Flag,
    location: Location,
) -> Result<Option<Value>, Failure> {
    if let Some(value) = read_flag(invocation, flag)? {
        return Ok(Some(value));
    }
    let is_key =
        location == Location::Header && flag.name.eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str());
    let is_page_size = location == Location::Query && flag.name == "limit";
    if is_key && invocation.value::<u32>(RETRIES)? > 0 {
        let key = new_idempotency_key();
        return Ok(key.to_str().ok().map(Value::from));
    }
    if is_page_size && invocation.is_on(ALL) {
        let schema = dropspec_schema::resolve(invocation.interface.document, flag.schema);
        return Ok(schema.and_then(|schema| schema.get("maximum")).cloned());
    }
    Ok(None)
}

/// Builds the request for the stream of one's own requests. It has the credentials that an operation would have: of the first
/// one for which they suffice.
pub(crate) fn build_tail(invocation: &Invocation<'_>) -> Result<Request, Failure> {
    let mut security: Vec<Vec<usize>> = Vec::new();
    for operation in &invocation.interface.operations {
        for schemes in operation.security.iter().filter(|it| !it.is_empty()) {
            if !security.contains(schemes) {
                security.push(schemes.clone());
            }
        }
    }
    Ok(Request {
        method: "GET".to_owned(),
        base_url: invocation.base_url()?,
        parts: Parts {
            path: tail::PATH.to_owned(),
            ..Parts::default()
        },
        credentials: credentials::choose(invocation, &security)?,
        body: None,
    })
}

/// The value of a flag, if it is given.
fn read_flag(invocation: &Invocation<'_>, flag: &Flag) -> Result<Option<Value>, Failure> {
    let document = invocation.interface.document;
    let position = flag.position().filter(|it| invocation.is_given(it));
    let (argument, name) = match position {
        Some(position) => (position.clone(), format!("<{position}>")),
        None => (flag.flag.clone(), format!("--{}", flag.flag)),
    };
    let Some(texts) = invocation.matches.get_many::<String>(&argument) else {
        return Ok(None);
    };
    let refuse = |reason: String| Failure::Usage(format!("{name}: {reason}"));
    let values = texts.enumerate();
    let values = values.map(|(index, text)| value::parse(document, flag.item_at(index), text));
    let mut values = values
        .collect::<Result<Vec<Value>, String>>()
        .map_err(refuse)?;
    if !flag.repeated {
        return Ok(values.pop());
    }
    let list = Value::Array(values);
    value::check(document, flag.schema, &list).map_err(refuse)?;
    Ok(Some(list))
}

/// The body of a request; `None` if there is none.
fn read_body(
    invocation: &Invocation<'_>,
    operation: &Operation,
    body: &Body,
) -> Result<Option<Content>, Failure> {
    let given = read_whole_body(invocation)?;
    if body.kind == BodyKind::Multipart && given.is_none() {
        return read_parts(invocation, operation, body);
    }
    let declared = body.media_types.first().copied();
    let media_type = invocation.text("content-type").or(declared);
    let media_type = media_type.unwrap_or_default().to_owned();
    let mut members = Map::new();
    for flag in operation.flags.iter().filter(|flag| flag.is_of_body()) {
        if let Some(value) = read_flag(invocation, flag)? {
            members.insert(flag.name.to_owned(), value);
        }
    }
    let kind = BodyKind::of(&media_type);
    if !matches!(kind, BodyKind::Json | BodyKind::Form) {
        return Ok(given.map(|bytes| Content::Bytes { media_type, bytes }));
    }
    let value = match given {
        None if members.is_empty()
            && operation.is_update()
            && (body.required || operation.method == "PATCH") =>
        {
            return Err(nothing_to_update(operation));
        }
        None if members.is_empty() && !body.required => return Ok(None),
        None => Value::Object(members),
        Some(bytes) => {
            let value: Value = serde_json::from_slice(&bytes)
                .map_err(|error| Failure::Usage(format!("the body is not JSON: {error}")))?;
            match value {
                Value::Object(mut own) => {
                    own.extend(members);
                    Value::Object(own)
                }
                other => other,
            }
        }
    };
    value::check(invocation.interface.document, body.schema, &value).map_err(|reason| {
        let argument = |place: RequestPlace<'_>| invocation.argument_for(operation, place);
        Failure::Usage(match replace_places_by_arguments(&reason, argument) {
            said if said != reason => said,
            _ => format!("the body is not valid: {reason}"),
        })
    })?;
    let text = if kind == BodyKind::Form {
        let encoding = |name: &str| {
            let declared = body.encoding.get(name)?;
            Some(Encoding::of_definition(Location::Query, declared))
        };
        encode_form(&value, encoding).map_err(Failure::Usage)?
    } else {
        value.to_string()
    };
    Ok(Some(Content::Bytes {
        media_type,
        bytes: text.into_bytes(),
    }))
}

/// The error of a change without any change.
fn nothing_to_update(operation: &Operation) -> Failure {
    let flags = operation.flags.iter().filter(|flag| flag.is_of_body());
    let flags: Vec<String> = flags.map(|flag| format!("--{}", flag.flag)).collect();
    Failure::Usage(format!(
        "nothing would change: give at least one of {}, or an empty body by --body '{{}}'",
        flags.join(", ")
    ))
}

/// The body of `--body` or `--body-file`.
fn read_whole_body(invocation: &Invocation<'_>) -> Result<Option<Vec<u8>>, Failure> {
    match (invocation.text("body"), invocation.text("body-file")) {
        (Some(text), _) => Ok(Some(text.as_bytes().to_vec())),
        (None, Some(path)) => read_file(path).map(Some),
        (None, None) => Ok(None),
    }
}

/// The content of a file, or of standard input if the path is `-`.
fn read_file(path: &str) -> Result<Vec<u8>, Failure> {
    let read = if path == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| Failure::Usage(format!("cannot read {path}: {error}")))
}

fn read_parts(
    invocation: &Invocation<'_>,
    operation: &Operation,
    body: &Body,
) -> Result<Option<Content>, Failure> {
    let mut parts = Vec::new();
    for flag in operation.flags.iter().filter(|flag| flag.is_of_body()) {
        let document = invocation.interface.document;
        let layout = PartLayout::of_property(document, flag.schema, body.encoding.get(flag.name));
        if flag.is_file {
            let paths = invocation.matches.get_many::<String>(&flag.flag);
            for path in paths.into_iter().flatten() {
                let path = path.strip_prefix('@').unwrap_or(path);
                let part = Part {
                    name: flag.name.to_owned(),
                    media_type: layout.media_type().map(str::to_owned),
                    file_name: path.rsplit('/').next().map(str::to_owned),
                    content: read_file(path)?,
                };
                parts.push((part, Some(path.to_owned())));
            }
        } else if let Some(value) = read_flag(invocation, flag)? {
            let written = layout.write(flag.name, &value).into_iter();
            parts.extend(written.map(|part| (part, None)));
        }
    }
    let is_absent = parts.is_empty() && !body.required;
    Ok((!is_absent).then_some(Content::Multipart(parts)))
}
