//! Sends a request, and reads the response.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use reqwest::blocking::{Client, multipart};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Method, redirect};
use spec_client::Parts;

use crate::exchange::{NOT_SHOWN, describe_request, describe_response};
use crate::failure::Failure;
use crate::no_response;
use crate::request::{Content, Part, Request};
use crate::retry::{Attempt, RetryPolicy, is_repeatable};
use crate::sanitize::escape_line;
use crate::service_error;

/// A successful response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

/// What is reported while a request is sent.
pub(crate) struct Report<'a> {
    /// Takes a line about each retry.
    pub(crate) note: &'a dyn Fn(&str),
    /// Takes what is sent and received, if that is to be shown.
    pub(crate) exchange: Option<&'a dyn Fn(&str)>,
}

/// Sends a request, and sends it again as the policy says.
///
/// # Errors
/// The request cannot be sent, or the service answers with an error or not at all.
pub(crate) fn send(
    request: &Request,
    policy: RetryPolicy,
    report: &Report<'_>,
) -> Result<Response, Failure> {
    let start = Instant::now();
    let method = Method::from_bytes(request.method.as_bytes());
    let method = method.map_err(|error| Failure::Usage(error.to_string()))?;
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .build()
        .map_err(|error| Failure::Usage(with_causes(&error)))?;
    let is_repeatable = is_repeatable(&method, &headers(&request.parts)?);
    let mut sent = 0;
    loop {
        let left = policy.timeout.saturating_sub(start.elapsed());
        let attempt = send_once(
            &client,
            &method,
            request,
            left.max(Duration::from_millis(1)),
            report,
        );
        sent += 1;
        let Unsuccessful { failure, outcome } = match attempt {
            Ok(response) => return Ok(response),
            Err(unsuccessful) => unsuccessful,
        };
        let delay = outcome.and_then(|it| policy.delay(is_repeatable, it, sent, start.elapsed()));
        let Some(delay) = delay else {
            return Err(failure);
        };
        match outcome {
            // Once, at the first failure: what follows is the same.
            Some(Attempt::NoConnection) if sent > 1 => {}
            Some(Attempt::NoConnection) => (report.note)(&format!(
                "{failure}; trying again, at most {} times",
                policy.retries
            )),
            _ => {
                let wait = delay.as_secs_f32();
                (report.note)(&format!("{failure}; trying again in {wait:.1} seconds"));
            }
        }
        std::thread::sleep(delay);
    }
}

/// Why an attempt did not succeed, and what came of it if it was sent.
struct Unsuccessful {
    failure: Failure,
    outcome: Option<Attempt>,
}

impl From<Failure> for Unsuccessful {
    fn from(failure: Failure) -> Unsuccessful {
        Unsuccessful {
            failure,
            outcome: None,
        }
    }
}

fn send_once(
    client: &Client,
    method: &Method,
    request: &Request,
    timeout: Duration,
    report: &Report<'_>,
) -> Result<Response, Unsuccessful> {
    if let Some(show) = report.exchange {
        show(&describe(request)?);
    }
    let parts = request.parts_with_credentials();
    let shown = request.url();
    let url = reqwest::Url::parse(&request.url_of(&parts))
        .map_err(|error| Failure::Usage(format!("the URL {shown} is invalid: {error}")))?;
    let builder = client
        .request(method.clone(), url)
        .timeout(timeout)
        .headers(headers(&parts)?);
    let builder = match &request.body {
        None => builder,
        Some(Content::Bytes { media_type, bytes }) => {
            builder.header(CONTENT_TYPE, media_type).body(bytes.clone())
        }
        Some(Content::Multipart(parts)) => {
            let mut form = multipart::Form::new();
            for part in parts {
                form = form.part(part.name.clone(), multipart_part(part)?);
            }
            let boundary = form.boundary().to_owned();
            let builder = builder.multipart(form);
            if parts.is_empty() {
                // Of no parts, the form writes nothing, which is no multipart body (RFC 2046, section 5.1.1).
                builder.body(format!("--{boundary}--\r\n"))
            } else {
                builder
            }
        }
    };
    // The URL of an error of reqwest may contain credentials.
    let no_response = |error: reqwest::Error| {
        let outcome = if error.is_connect() {
            Attempt::NoConnection
        } else {
            Attempt::NoResponse
        };
        let text = no_response::describe(&error.without_url(), &shown);
        Unsuccessful {
            failure: Failure::NoResponse(text),
            outcome: Some(outcome),
        }
    };
    let response = builder.send().map_err(|error| {
        if error.is_builder() {
            Failure::Usage(with_causes(&error.without_url())).into()
        } else {
            no_response(error)
        }
    })?;
    let status = response.status();
    if let Some(show) = report.exchange {
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.as_str(), value.into_owned())
        });
        show(&describe_response(&status.to_string(), headers));
    }
    let header = |name: &str| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let media_type = header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let request_id = header("x-request-id");
    let retry_after = header(RETRY_AFTER.as_str()).and_then(|value| value.parse().ok());
    let bytes = response.bytes().map_err(no_response)?;
    if status.is_client_error() || status.is_server_error() {
        let error = service_error::read(status, &bytes, request_id);
        return Err(Unsuccessful {
            failure: Failure::Service(error.to_string()),
            outcome: Some(Attempt::Response(
                status,
                retry_after.map(Duration::from_secs),
            )),
        });
    }
    let bytes = bytes.into();
    Ok(Response { media_type, bytes })
}

/// A request for people, without its credentials.
fn describe(request: &Request) -> Result<String, Failure> {
    let headers = headers(&request.parts)?;
    let named = headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str(), value.into_owned())
    });
    let credentials = request.credentials.iter();
    let credentials = credentials.map(|it| (it.variable.as_str(), NOT_SHOWN.to_owned()));
    let body = match &request.body {
        Some(Content::Bytes { bytes, .. }) => Some(bytes.as_slice()),
        _ => None,
    };
    let shown = named.chain(credentials);
    Ok(describe_request(
        &request.method,
        &request.url(),
        shown,
        body,
    ))
}

fn headers(parts: &Parts) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    let cookies = Some(("Cookie", &parts.cookies)).filter(|(_, text)| !text.is_empty());
    let plain = parts.headers.iter().map(|(name, value)| (&name[..], value));
    for (name, value) in plain.chain(cookies) {
        let wrong = |_| {
            Failure::Usage(format!(
                "the value for the header {name} has characters that a header cannot have, such as a line break: copy it again"
            ))
        };
        let header = HeaderName::from_bytes(name.as_bytes());
        let header =
            header.map_err(|_| Failure::Usage(format!("`{name}` is not the name of a header")))?;
        headers.append(header, HeaderValue::from_str(value).map_err(wrong)?);
    }
    Ok(headers)
}

fn multipart_part(part: &Part) -> Result<multipart::Part, Failure> {
    let mut content = multipart::Part::bytes(part.bytes.clone());
    if let Some(path) = &part.file {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        content = content.file_name(name);
    }
    match &part.media_type {
        None => Ok(content),
        Some(media_type) => content
            .mime_str(media_type)
            .map_err(|error| Failure::Usage(format!("{media_type}: {error}"))),
    }
}

pub(crate) fn with_causes(error: &reqwest::Error) -> String {
    use std::error::Error;
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

/// Prints lines about an exchange on standard error.
pub(crate) fn print_exchange(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
