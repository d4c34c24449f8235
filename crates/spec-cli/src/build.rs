//! Builds the request of a command: parameters, body and credentials.

use std::io::Read;

use clap::ArgMatches;
use serde_json::{Map, Value};
use spec_client::{
    BaseUrlError, Encoding, Location, Parameter, Parts, check_base_url, encode_form,
    encode_parameters,
};

use crate::credentials;
use crate::document::Interface;
use crate::failure::Failure;
use crate::flags::{Flag, Place};
use crate::operation::{Body, Form, Operation};
use crate::request::{Content, Part, Request};
use crate::service_error::{RequestPlace, replace_places_by_arguments};
use crate::settings::Settings;
use crate::sources::Sources;
use crate::tail;
use crate::value;

/// Builds the request of a command.
///
/// # Errors
/// A value does not fit its schema, a file cannot be read, or the URL or credentials are missing.
pub(crate) fn build(
    interface: &Interface,
    operation: &Operation,
    settings: &Settings,
    matches: &ArgMatches,
    sources: &Sources,
) -> Result<Request, Failure> {
    let document = &interface.document;
    let mut values: Vec<(Parameter<'_>, Value)> = Vec::new();
    for flag in &operation.flags {
        if let Place::Parameter { location, encoding } = flag.place
            && let Some(value) = read_flag(document, flag, matches)?
        {
            let parameter = Parameter {
                name: &flag.name,
                location,
                encoding,
                required: flag.required,
            };
            values.push((parameter, value));
        }
    }
    let pairs = values.iter().map(|(parameter, value)| (parameter, value));
    let parts = encode_parameters(&operation.path, pairs);
    let base_url = base_url(sources, matches)?;
    let mut request = Request {
        method: operation.method.clone(),
        base_url,
        parts: parts.map_err(|error| Failure::Usage(error.to_string()))?,
        credentials: Vec::new(),
        body: match &operation.body {
            Some(body) => read_body(document, operation, body, matches)?,
            None => None,
        },
    };
    credentials::apply(
        interface,
        operation,
        settings,
        matches,
        sources,
        &mut request,
    )?;
    Ok(request)
}

/// Builds the request for the stream of one's own requests. It has the credentials that an operation would have: of the first
/// one for which they suffice.
///
/// # Errors
/// The URL or the credentials are missing.
pub(crate) fn build_tail(
    interface: &Interface,
    settings: &Settings,
    matches: &ArgMatches,
    sources: &Sources,
) -> Result<Request, Failure> {
    let mut request = Request {
        method: "GET".to_owned(),
        base_url: base_url(sources, matches)?,
        parts: Parts {
            path: tail::PATH.to_owned(),
            ..Parts::default()
        },
        credentials: Vec::new(),
        body: None,
    };
    let secured = interface.operations.iter();
    let secured = secured.filter(|it| it.security.iter().any(|it| !it.is_empty()));
    let mut missing = None;
    for operation in secured {
        match credentials::apply(
            interface,
            operation,
            settings,
            matches,
            sources,
            &mut request,
        ) {
            Ok(()) if !request.credentials.is_empty() => return Ok(request),
            // An operation that is public as well.
            Ok(()) => {}
            Err(failure) => {
                missing.get_or_insert(failure);
            }
        }
    }
    let none = || Failure::Usage("the command needs credentials".to_owned());
    Err(missing.unwrap_or_else(none))
}

fn base_url(sources: &Sources, matches: &ArgMatches) -> Result<String, Failure> {
    let missing = || {
        format!(
            "the base URL is missing: use {}",
            sources.ways_to_set("url")
        )
    };
    let url = matches.get_one::<String>("url");
    let url = url.ok_or_else(|| Failure::Usage(missing()))?;
    match check_base_url(url) {
        // A proxy may want a user and a password.
        Ok(()) | Err(BaseUrlError::UserInfo) => Ok(url.clone()),
        Err(error) => {
            let source = sources.of(matches, "url");
            Err(Failure::Usage(format!("{error} (it is from {source})")))
        }
    }
}

/// The argument of a command for a place in its request: the one that was given, or else the option for it. `None` if the place
/// is in a whole body.
pub(crate) fn argument_for(
    operation: &Operation,
    matches: &ArgMatches,
    place: RequestPlace<'_>,
) -> Option<String> {
    let (RequestPlace::Property(name) | RequestPlace::Parameter(name)) = place;
    let is_property = matches!(place, RequestPlace::Property(_));
    let mut flags = operation.flags.iter();
    let flag = flags.find(|flag| flag.is_of_body() == is_property && flag.name == name)?;
    let is_given = |id: &str| matches.try_contains_id(id).unwrap_or(false);
    let has_body = is_given("body") || is_given("body-file");
    match flag.position().filter(|position| is_given(position)) {
        Some(position) => Some(format!("<{position}>")),
        None if is_property && has_body && !is_given(&flag.flag) => None,
        None => Some(format!("--{}", flag.flag)),
    }
}

/// The value of a flag, if it is given.
fn read_flag(
    document: &Value,
    flag: &Flag,
    matches: &ArgMatches,
) -> Result<Option<Value>, Failure> {
    let by_position = || matches.get_many::<String>(&flag.position()?);
    let texts = matches.get_many::<String>(&flag.flag);
    let Some(texts) = texts.or_else(by_position) else {
        return Ok(None);
    };
    let by_position = flag
        .position()
        .filter(|position| matches.try_contains_id(position).unwrap_or(false));
    let name = by_position.map_or_else(|| format!("--{}", flag.flag), |it| format!("<{it}>"));
    let refuse = |reason: String| Failure::Usage(format!("{name}: {reason}"));
    let mut values = Vec::new();
    for text in texts {
        let value = value::parse(document, &flag.item, text);
        values.push(value.map_err(refuse)?);
    }
    if !flag.repeated {
        return Ok(values.pop());
    }
    let list = Value::Array(values);
    value::check(document, &flag.schema, &list).map_err(refuse)?;
    Ok(Some(list))
}

fn read_body(
    document: &Value,
    operation: &Operation,
    body: &Body,
    matches: &ArgMatches,
) -> Result<Option<Content>, Failure> {
    let given = read_whole_body(matches)?;
    let media_type = matches.get_one::<String>("content-type").cloned();
    let media_type = media_type
        .or(body.media_types.first().cloned())
        .unwrap_or_default();
    if body.form == Form::Multipart && given.is_none() {
        return read_parts(document, operation, body, matches);
    }
    let mut members = Map::new();
    for flag in operation.flags.iter().filter(|flag| flag.is_of_body()) {
        if let Some(value) = read_flag(document, flag, matches)? {
            members.insert(flag.name.clone(), value);
        }
    }
    let form = Form::of(&media_type);
    if form == Form::Raw || form == Form::Multipart {
        return Ok(given.map(|bytes| Content::Bytes { media_type, bytes }));
    }
    let value = match given {
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
    value::check(document, &body.schema, &value).map_err(|reason| {
        let argument = |place: RequestPlace<'_>| argument_for(operation, matches, place);
        Failure::Usage(match replace_places_by_arguments(&reason, argument) {
            said if said != reason => said,
            _ => format!("the body is not valid: {reason}"),
        })
    })?;
    let bytes = match form {
        Form::UrlEncoded => {
            let encoding = |name: &str| {
                let declared = body.encoding.get(name)?;
                Some(Encoding::of_definition(Location::Query, declared))
            };
            let text = encode_form(&value, encoding).map_err(Failure::Usage)?;
            text.into_bytes()
        }
        _ => value.to_string().into_bytes(),
    };
    Ok(Some(Content::Bytes { media_type, bytes }))
}

/// The body of `--body` or `--body-file`.
fn read_whole_body(matches: &ArgMatches) -> Result<Option<Vec<u8>>, Failure> {
    let text = |name| matches.get_one::<String>(name);
    match (text("body"), text("body-file")) {
        (Some(text), _) => Ok(Some(text.clone().into_bytes())),
        (None, Some(path)) => read_file(path).map(Some),
        (None, None) => Ok(None),
    }
}

/// The content of a file, or of standard input if the path is `-`.
fn read_file(path: &str) -> Result<Vec<u8>, Failure> {
    let read = match path {
        "-" => {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map(|_| bytes)
        }
        path => std::fs::read(path),
    };
    read.map_err(|error| Failure::Usage(format!("cannot read {path}: {error}")))
}

fn read_parts(
    document: &Value,
    operation: &Operation,
    body: &Body,
    matches: &ArgMatches,
) -> Result<Option<Content>, Failure> {
    let mut parts = Vec::new();
    for flag in operation.flags.iter().filter(|flag| flag.is_of_body()) {
        let encoding = &body.encoding[&flag.name];
        let declared = encoding["contentType"].as_str();
        let declared = declared.and_then(|list| list.split(',').next());
        let media_type = declared.map(|media_type| media_type.trim().to_owned());
        let is_json = media_type
            .as_deref()
            .is_some_and(|media_type| Form::of(media_type) == Form::Json);
        let part = |bytes: Vec<u8>, file: Option<String>, media_type: Option<String>| Part {
            name: flag.name.clone(),
            media_type,
            file,
            bytes,
        };
        if flag.is_file {
            for path in matches.get_many::<String>(&flag.flag).into_iter().flatten() {
                let path = path.strip_prefix('@').unwrap_or(path);
                let media_type = media_type.clone().filter(|it| !it.contains('*'));
                let media_type = media_type.or(Some("application/octet-stream".to_owned()));
                parts.push(part(read_file(path)?, Some(path.to_owned()), media_type));
            }
            continue;
        }
        let value = read_flag(document, flag, matches)?;
        let values = match value {
            Some(Value::Array(items)) if flag.repeated && !is_json => items,
            value => value.into_iter().collect(),
        };
        for value in values {
            parts.push(match &value {
                Value::String(text) if !is_json => {
                    part(text.clone().into_bytes(), None, media_type.clone())
                }
                Value::Object(_) | Value::Array(_) => {
                    let json = media_type.clone().or(Some("application/json".to_owned()));
                    part(value.to_string().into_bytes(), None, json)
                }
                other => part(other.to_string().into_bytes(), None, media_type.clone()),
            });
        }
    }
    Ok(if parts.is_empty() && !body.required {
        None
    } else {
        Some(Content::Multipart(parts))
    })
}
