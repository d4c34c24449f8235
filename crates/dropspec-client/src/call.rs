//! A request while its parameters are set, and how it is sent.

use dropspec_schema::wire::{Location, Parameter, Parts, check_members, encode_parameters};
use progenitor_client::ResponseValue;
use reqwest::header::{ACCEPT, COOKIE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request, Response, Upgraded, Url};
use serde::Serialize;
use serde_json::Value;

use crate::body::{RequestBody, converted};
use crate::credentials::Credentials;
use crate::error::Error;
use crate::error::redact;
use crate::execute::{execute_once, resume_by};
use crate::item_stream::Resume;
use crate::operation::{Content, Operation};
use crate::payload::{self, Payload, PayloadError};
use crate::response;
use crate::sending::{IDEMPOTENCY_KEY, new_idempotency_key};
use crate::transport::Transport;
use crate::upgrade::insert_handshake;

const API_VERSION: HeaderName = HeaderName::from_static("api-version");

/// A request of an operation, while it is built.
#[derive(Debug)]
pub struct Call<'a, C> {
    pub(crate) client: &'a C,
    pub(crate) operation: &'static Operation,
    /// The values of the operation's parameters.
    pub(crate) values: Vec<Option<Value>>,
    pub(crate) body: Option<RequestBody>,
    /// The first reason why the request cannot be sent.
    pub(crate) problem: Option<String>,
}

impl<'a, C: Transport> Call<'a, C> {
    /// A request without parameters.
    pub fn new(client: &'a C, operation: &'static Operation) -> Self {
        Self {
            client,
            operation,
            values: vec![None; operation.parameters.len()],
            body: None,
            problem: None,
        }
    }

    /// The client that sends the request.
    pub fn client(&self) -> &'a C {
        self.client
    }

    /// Sets the parameter at a position. `value` is what a conversion to the type of the document gave.
    pub fn set<T: Serialize, E>(&mut self, position: usize, value: Result<T, E>) {
        let name = self
            .operation
            .parameters
            .get(position)
            .map_or("", |parameter| parameter.name);
        let value = converted(value, format_args!("`{name}`")).and_then(|value| {
            let value = serde_json::to_value(value);
            value.map_err(|error| format!("`{name}` cannot be written: {error}"))
        });
        match (value, self.values.get_mut(position)) {
            (Ok(value), Some(place)) => *place = Some(value),
            (Ok(_), None) => {}
            (Err(problem), _) => self.reject(problem),
        }
    }

    /// Sets the body.
    pub fn set_body(&mut self, body: Result<RequestBody, String>) {
        match body {
            Ok(body) => self.body = Some(body),
            Err(problem) => self.reject(problem),
        }
    }

    fn reject(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// Sends the request. The functions read the body of a success and of an error.
    ///
    /// # Errors
    /// The request cannot be built (`InvalidRequest`) or sent, or the response is an error of the document
    /// (`ErrorResponse`), is not declared, or is not what is declared.
    pub async fn send<S, E>(
        self,
        success: fn(Payload) -> Result<S, PayloadError>,
        error: fn(Payload) -> Result<E, PayloadError>,
    ) -> Result<ResponseValue<S>, Error<E>> {
        let operation = self.operation;
        let (response, resume) = self.execute().await.map_err(retype)?;
        let result = response::read(operation, response, resume, success, error).await;
        result.map_err(redact)
    }

    /// Sends the request and upgrades the connection.
    ///
    /// # Errors
    /// As [`Self::send`]; also the response is no upgrade.
    pub async fn upgrade<E>(
        self,
        error: fn(Payload) -> Result<E, PayloadError>,
    ) -> Result<ResponseValue<Upgraded>, Error<E>> {
        let operation = self.operation;
        let (response, _) = self.execute().await.map_err(retype)?;
        if response.status() == reqwest::StatusCode::SWITCHING_PROTOCOLS {
            let upgraded = ResponseValue::upgrade::<()>(response).await;
            return upgraded.map_err(|error| redact(retype(error.into())));
        }
        match response::read(operation, response, None, payload::empty, error).await {
            Ok(value) => Err(Error::Custom(format!(
                "the connection is not upgraded: status {}",
                value.status()
            ))),
            Err(error) => Err(redact(error)),
        }
    }

    /// Sends the request. If the response may be a stream of items, there is a function that sends it again.
    async fn execute(self) -> Result<(Response, Option<Resume>), Error> {
        let (client, operation) = (self.client, self.operation);
        let request = self.build().map_err(Error::InvalidRequest)?;
        let mut forms = operation.success.iter();
        let is_stream = forms.any(|form| form.content == Content::Items);
        // A body that is a stream cannot be sent again.
        let copy = is_stream.then(|| request.try_clone()).flatten();
        let resume = copy.map(|request| resume_by(client.clone(), operation, request));
        let response = execute_once(client, operation, request, None).await?;
        Ok((response, resume))
    }

    fn build(self) -> Result<Request, String> {
        let operation = self.operation;
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let own = self.client.credentials();
        let credentials = match own.choose(operation.security) {
            Some(chosen) => chosen,
            // The service, or the HTTP client below, decides what that means.
            None if own.is_empty() || operation.security.is_empty() => Credentials::default(),
            None => return Err(describe_missing(own, operation, C::CREDENTIAL_METHODS)),
        };
        let parameters = operation.parameters.iter().zip(&self.values);
        let parameters = parameters.filter(|(it, _)| !credentials.replace(it.location, it.name));
        let is_key = |parameter: &Parameter<'_>| {
            parameter.location == Location::Header
                && parameter
                    .name
                    .eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str())
        };
        // A caller who gives a key repeats requests by it.
        let mut own_key = parameters
            .clone()
            .filter(|(parameter, value)| is_key(parameter) && value.is_none());
        let makes_key = self.client.retries() && own_key.next().is_some();
        let mut missing = parameters.clone().filter(|(parameter, value)| {
            parameter.required && value.is_none() && !(makes_key && is_key(parameter))
        });
        if let Some((parameter, _)) = missing.next() {
            return Err(format!("`{}` is required", parameter.name));
        }
        if operation.body_required && self.body.is_none() {
            return Err("the body is required".to_owned());
        }
        let given = parameters.filter_map(|(parameter, value)| Some((parameter, value.as_ref()?)));
        for (parameter, value) in given.clone() {
            check_members(parameter, value, |location, name| {
                let mut all = operation.parameters.iter();
                all.any(|it| (it.location, it.name) == (location, name))
            })?;
        }
        let parts = encode_parameters(operation.path, given)?;
        let mut request = build_request(operation.method, self.client.base_url(), &parts)?;
        let headers = request.headers_mut();
        // A version that no header can contain is one that no server reads. A parameter of this name has its own meaning.
        let version = HeaderValue::from_str(C::VERSION).ok();
        let version = version.filter(|_| !operation.has_header(API_VERSION.as_str()));
        headers.extend(version.map(|it| (API_VERSION, it)));
        insert_accept(operation, headers)?;
        if makes_key {
            headers.insert(IDEMPOTENCY_KEY, new_idempotency_key());
        }
        if operation.channel {
            insert_handshake(headers)?;
        }
        credentials.apply(&mut request)?;
        if let Some(body) = self.body {
            body.put_into(&mut request)?;
        }
        Ok(request)
    }
}

/// A request whose parameters are written.
///
/// # Errors
/// They are no URL, or no headers.
pub fn build_request(method: &str, base_url: &str, parts: &Parts) -> Result<Request, String> {
    // What errors show; the query may contain credentials.
    let shown = format!("{}{}", base_url.trim_end_matches('/'), parts.path);
    let mut url = shown.clone();
    if !parts.query.is_empty() {
        url.push('?');
        url.push_str(&parts.query);
    }
    let url = Url::parse(&url).map_err(|error| format!("{shown:?} is no URL: {error}"))?;
    let method = Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
    let mut request = Request::new(method, url);
    let cookies = Some(("cookie", &parts.cookies)).filter(|(_, it)| !it.is_empty());
    let headers = parts.headers.iter().map(|(name, value)| (&name[..], value));
    for (name, value) in headers.chain(cookies) {
        let header = HeaderName::from_bytes(name.as_bytes());
        let header = header.map_err(|_| format!("`{name}` is no name of a header"))?;
        let value = HeaderValue::from_str(value);
        let mut value = value
            .map_err(|_| format!("the value of `{name}` has characters that a header cannot"))?;
        // Logs do not show cookies.
        value.set_sensitive(header == COOKIE);
        request.headers_mut().append(header, value);
    }
    Ok(request)
}

/// Why a client with some credentials cannot send a request. `methods` set them, by the positions of their schemes.
pub(crate) fn describe_missing(
    credentials: &Credentials,
    operation: &Operation,
    methods: &[&str],
) -> String {
    let name = |position: usize| match methods.get(position) {
        Some(method) => format!("`{method}`"),
        None => format!("those of the security scheme {position}"),
    };
    format!(
        "the client has not all credentials that `{}` requires: set {}",
        operation.id,
        credentials.describe_missing(operation.security, name)
    )
}

/// Names the media types of all responses, successes first, in the order of the document.
fn insert_accept(operation: &Operation, headers: &mut HeaderMap) -> Result<(), String> {
    let mut accepted: Vec<&str> = Vec::new();
    for form in operation.success.iter().chain(operation.errors) {
        if let Some(media_type) = form.media_type
            && !accepted.contains(&media_type)
        {
            accepted.push(media_type);
        }
    }
    if !accepted.is_empty() {
        let value = HeaderValue::from_str(&accepted.join(", "));
        headers.insert(ACCEPT, value.map_err(|error| error.to_string())?);
    }
    Ok(())
}

/// An error of a request whose response was not read, as one of any type of error.
fn retype<E>(error: Error) -> Error<E> {
    // Only hooks could make an error response before the response is read, and it would have no body.
    error.map_response(|response| Error::Custom(response.summary()))
}
