//! Sends a request, and reads the response.

use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;

use reqwest::blocking::{Client, multipart};
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, redirect};
use serde_json::Value;

use crate::failure::Failure;
use crate::request::{Content, Part, Request};
use crate::sanitize::escape_line;

/// A successful response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

/// Sends a request.
///
/// # Errors
/// The request cannot be sent, or the service answers with an error or not at all.
pub(crate) fn send(request: Request, timeout: Duration) -> Result<Response, Failure> {
    let usage = |text: String| Failure::Usage(text);
    let url = reqwest::Url::parse(&request.url());
    let url =
        url.map_err(|error| usage(format!("the URL {} is invalid: {error}", request.url())))?;
    let method = Method::from_bytes(request.method.as_bytes());
    let method = method.map_err(|error| usage(error.to_string()))?;
    let client = Client::builder()
        .timeout(timeout)
        .redirect(redirect::Policy::none())
        .build()
        .map_err(|error| usage(with_causes(&error)))?;
    let builder = client.request(method, url).headers(headers(&request)?);
    let builder = match request.body {
        None => builder,
        Some(Content::Bytes { media_type, bytes }) => {
            builder.header(CONTENT_TYPE, media_type).body(bytes)
        }
        Some(Content::Multipart(parts)) => {
            let mut form = multipart::Form::new();
            for part in parts {
                form = form.part(part.name.clone(), multipart_part(part)?);
            }
            builder.multipart(form)
        }
    };
    let response = builder.send().map_err(|error| match error.is_builder() {
        true => usage(with_causes(&error)),
        false => Failure::NoResponse(with_causes(&error)),
    })?;
    let status = response.status();
    let media_type = response.headers().get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default().to_owned();
    let bytes = response.bytes();
    let bytes = bytes.map_err(|error| Failure::NoResponse(with_causes(&error)))?;
    if status.is_client_error() || status.is_server_error() {
        let reason = describe_error(&bytes);
        let separator = if reason.is_empty() { "" } else { ": " };
        return Err(Failure::Service(format!("{status}{separator}{reason}")));
    }
    let bytes = bytes.into();
    Ok(Response { media_type, bytes })
}

fn headers(request: &Request) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    let cookies = Some(("Cookie", &request.parts.cookies)).filter(|(_, text)| !text.is_empty());
    let plain = request
        .parts
        .headers
        .iter()
        .map(|(name, value)| (&name[..], value));
    let secret = request
        .secrets
        .iter()
        .map(|(name, value, _)| (&name[..], value));
    for (name, value) in plain.chain(cookies).chain(secret) {
        let wrong = |_| Failure::Usage(format!("the header {name} cannot have this value"));
        let header = HeaderName::from_bytes(name.as_bytes());
        let header =
            header.map_err(|_| Failure::Usage(format!("`{name}` is no name of a header")))?;
        let mut value = HeaderValue::from_str(value).map_err(wrong)?;
        value.set_sensitive(header == COOKIE);
        headers.append(header, value);
    }
    Ok(headers)
}

fn multipart_part(part: Part) -> Result<multipart::Part, Failure> {
    let mut content = multipart::Part::bytes(part.bytes);
    if let Some(path) = part.file {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        content = content.file_name(name);
    }
    match part.media_type {
        None => Ok(content),
        Some(media_type) => content
            .mime_str(&media_type)
            .map_err(|error| Failure::Usage(format!("{media_type}: {error}"))),
    }
}

/// What the body of an error says: its text for people with its code, or all of it.
fn describe_error(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
        return text;
    };
    let first = |body: &Value, keys: &[&str]| {
        let mut found = keys.iter().filter_map(|key| body[*key].as_str());
        found.next().map(str::to_owned)
    };
    let inner = match &body["error"] {
        Value::Object(_) => &body["error"],
        _ => &body,
    };
    let message = first(
        inner,
        &["message", "detail", "title", "error_description", "error"],
    );
    let code = first(inner, &["code", "error_code", "type"]);
    match (message, code) {
        (Some(message), Some(code)) if code != message => format!("{message} ({code})"),
        (Some(message), _) => message,
        (None, _) => text,
    }
}

fn with_causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// Writes to standard output. Ignores that the reader closed the pipe, as `head` does.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(Failure::Usage(message))
        }
        _ => Ok(()),
    }
}

/// Prints a line on standard error, and ignores that it is closed.
pub(crate) fn print_note(name: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{name}: {}", escape_line(text));
}
