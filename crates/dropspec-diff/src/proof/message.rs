//! The texts of messages: targets, headers and credentials.

use std::borrow::Cow;

use dropspec_schema::SecurityScheme;
use dropspec_schema::wire::{Location, split_cookies, split_query};
use serde_json::Value;

use super::Request;
use super::parameters::{self, Parameter};

/// The value of a header, whatever the case of its name.
pub(super) fn header<'m>(headers: &'m [(String, String)], name: &str) -> Option<&'m str> {
    let found = headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// Where a request has a credential, under which name, and its value.
pub(super) type Credential<'d> = (Location, &'d str, &'static str);

/// The credential of a scheme; `None` if a request does not show it.
pub(super) fn credential(scheme: &Value) -> Option<Credential<'_>> {
    let (location, name, value) = match SecurityScheme::of_definition(scheme)? {
        SecurityScheme::Header(name) => (Location::Header, name, "key"),
        SecurityScheme::Query(name) => (Location::Query, name, "key"),
        SecurityScheme::Cookie(name) => (Location::Cookie, name, "key"),
        SecurityScheme::BASIC => (Location::Header, "Authorization", "Basic dXNlcjpzZWNyZXQ="),
        SecurityScheme::BEARER => (Location::Header, "Authorization", "Bearer token"),
        SecurityScheme::Authorization(_) => return None,
    };
    Some((location, name, value))
}

/// The media type and the text of a body; none if there is no body.
pub(super) type Body = Option<(String, String)>;

/// The credentials of one alternative with their scopes.
#[derive(Default)]
pub(super) struct Granted<'d> {
    pub(super) credentials: Vec<Credential<'d>>,
    pub(super) scopes: Vec<String>,
}

impl<'d> Granted<'d> {
    /// Both credentials. A request has one value of a name.
    pub(super) fn and(&self, other: &Granted<'d>) -> Granted<'d> {
        let mut credentials = self.credentials.clone();
        for added in &other.credentials {
            let mut own = self.credentials.iter();
            if !own.any(|it| it.0 == added.0 && it.1.eq_ignore_ascii_case(added.1)) {
                credentials.push(*added);
            }
        }
        Granted {
            credentials,
            scopes: [&self.scopes[..], &other.scopes].concat(),
        }
    }
}

impl Request {
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The names and values of the query or the cookies; the values are still encoded.
    pub(super) fn pairs(&self, location: Location) -> Vec<(Cow<'_, str>, &str)> {
        match location {
            Location::Query => {
                let query = self.target.split_once('?').map_or("", |(_, query)| query);
                split_query(query).unwrap_or_default()
            }
            Location::Cookie => {
                split_cookies(&[header(&self.headers, "Cookie").unwrap_or_default()])
            }
            Location::Path | Location::Header => Vec::new(),
        }
    }

    /// Whether the request shows a credential.
    pub(super) fn shows(&self, (location, name, value): Credential<'_>) -> bool {
        let kind = value.split_once(' ').map_or("", |(kind, _)| kind);
        let in_header = header(&self.headers, name).filter(|_| location == Location::Header);
        in_header.is_some_and(|found| found.starts_with(kind))
            || self.pairs(location).iter().any(|(found, _)| found == name)
    }
}

/// Adds the header of a body; returns its text.
pub(super) fn write_body(headers: &mut Vec<(String, String)>, body: &Body) -> Option<String> {
    let (media_type, text) = body.clone()?;
    headers.push(("Content-Type".to_owned(), media_type));
    Some(text)
}

/// Writes a request; none if a parameter cannot be written.
pub(super) fn write_request(
    method: &str,
    template: &str,
    parameters: &[(Parameter<'_>, Value)],
    granted: &Granted<'_>,
    body: &Body,
) -> Option<Request> {
    let given = parameters
        .iter()
        .map(|(parameter, value)| (parameter, value));
    let mut parts = parameters::write(template, given)?;
    for (location, name, value) in &granted.credentials {
        match location {
            Location::Query => parts.push_query(name, value),
            Location::Cookie => parts.push_cookie(name, value),
            _ => parts
                .headers
                .push(((*name).to_owned(), (*value).to_owned())),
        }
    }
    let mut headers = parts.headers;
    if !parts.cookies.is_empty() {
        headers.push(("Cookie".to_owned(), parts.cookies));
    }
    let mut target = parts.path;
    if !parts.query.is_empty() {
        target = format!("{target}?{}", parts.query);
    }
    let body = write_body(&mut headers, body);
    Some(Request {
        method: method.to_owned(),
        target,
        headers,
        body,
        scopes: granted.scopes.clone(),
    })
}
