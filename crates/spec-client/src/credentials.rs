//! The credentials of a client, by the security schemes of the document.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use wire_codec::{Location, Parameter, Parts};

use crate::operation::Operation;

/// How a security scheme sends its credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityScheme {
    /// In a header of this name.
    Header(&'static str),
    /// In the query, under this name.
    Query(&'static str),
    /// In a cookie of this name.
    Cookie(&'static str),
    /// In `Authorization`, after the name of an authentication scheme such as `Bearer` (RFC 9110, section 11.6.2).
    Authorization(&'static str),
}

impl SecurityScheme {
    /// HTTP Basic (RFC 7617).
    pub(crate) const BASIC: Self = Self::Authorization("Basic");

    /// What its credentials are, for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Header(name) => format!("the key in the header `{name}`"),
            Self::Query(name) => format!("the key in the query parameter `{name}`"),
            Self::Cookie(name) => format!("the key in the cookie `{name}`"),
            &Self::BASIC => "user and password, as USER:PASSWORD".to_owned(),
            Self::Authorization(name) => format!("the token in `Authorization: {name} …`"),
        }
    }

    /// Whether the credentials are sent in the place of a parameter: some documents declare them as both.
    fn replaces(&self, parameter: &Parameter<'_>) -> bool {
        let name = parameter.name;
        match (self, parameter.location) {
            (Self::Header(header), Location::Header) => header.eq_ignore_ascii_case(name),
            (Self::Query(own), Location::Query) | (Self::Cookie(own), Location::Cookie) => {
                *own == name
            }
            _ => false,
        }
    }
}

/// The credentials that a client has, by the positions of their schemes. Debugging shows no values.
#[derive(Clone, Default)]
pub struct Credentials(Vec<(usize, SecurityScheme, String)>);

impl Credentials {
    /// Sets what is sent by the scheme at a position of the document.
    pub fn set(&mut self, position: usize, scheme: SecurityScheme, value: impl Into<String>) {
        self.0.retain(|(known, ..)| *known != position);
        self.0.push((position, scheme, value.into()));
    }

    /// Sets user and password of HTTP Basic (RFC 7617).
    pub fn set_basic(&mut self, position: usize, user: &str, password: &str) {
        let value = BASE64_STANDARD.encode(format!("{user}:{password}"));
        self.set(position, SecurityScheme::BASIC, value);
    }

    /// Whether there is something to send by the scheme at a position.
    pub(crate) fn has(&self, position: usize) -> bool {
        self.0.iter().any(|(known, ..)| *known == position)
    }

    /// The position of the first credentials that cannot be sent.
    pub(crate) fn find_unsendable(&self) -> Option<usize> {
        let in_header = |scheme: &SecurityScheme| {
            matches!(
                scheme,
                SecurityScheme::Header(_) | SecurityScheme::Authorization(_)
            )
        };
        let mut entries = self.0.iter();
        let found = entries.find(|(_, scheme, value)| in_header(scheme) && secret(value).is_err());
        found.map(|(position, ..)| *position)
    }

    /// Chooses what a request is sent with: the credentials of the first alternative that the client has all of. A client
    /// without any credentials sends none; the service, or the HTTP client below it, decides what that means.
    ///
    /// # Errors
    /// The client has credentials, but not all of any alternative. `methods` are those that set the credentials, by the
    /// positions of their schemes.
    pub(crate) fn choose(
        &self,
        operation: &Operation,
        methods: &[&str],
    ) -> Result<Chosen<'_>, String> {
        let find = |position: &usize| self.0.iter().find(|(known, ..)| known == position);
        let alternatives = operation.security.iter();
        let mut complete = alternatives
            .clone()
            .filter_map(|schemes| schemes.iter().map(find).collect::<Option<Vec<_>>>());
        match complete.next() {
            Some(of) => Ok(Chosen(of.into_iter().map(|(_, s, v)| (*s, &**v)).collect())),
            None if self.0.is_empty() || operation.security.is_empty() => Ok(Chosen::default()),
            None => {
                let missing = alternatives.map(|schemes| {
                    let missing = schemes.iter().filter(|position| find(position).is_none());
                    let names = missing.map(|position| match methods.get(*position) {
                        Some(method) => format!("`{method}`"),
                        None => format!("those of the security scheme {position}"),
                    });
                    names.collect::<Vec<_>>().join(" and ")
                });
                let missing: Vec<String> = missing.collect();
                Err(format!(
                    "the client has not all credentials that `{}` requires: set {}",
                    operation.id,
                    missing.join(", or ")
                ))
            }
        }
    }
}

/// The credentials of one request.
#[derive(Default)]
pub(crate) struct Chosen<'c>(Vec<(SecurityScheme, &'c str)>);

impl Chosen<'_> {
    /// Whether a parameter is left out, because credentials are sent in its place.
    pub(crate) fn replace(&self, parameter: &Parameter<'_>) -> bool {
        self.0.iter().any(|(scheme, _)| scheme.replaces(parameter))
    }

    /// Adds the credentials to a request.
    pub(crate) fn apply(&self, parts: &mut Parts, headers: &mut HeaderMap) -> Result<(), String> {
        for (scheme, value) in &self.0 {
            match scheme {
                SecurityScheme::Query(name) => parts.push_query(name, value),
                SecurityScheme::Cookie(name) => parts.push_cookie(name, value),
                SecurityScheme::Header(name) => {
                    let header = HeaderName::from_bytes(name.as_bytes());
                    let header = header.map_err(|_| format!("`{name}` is no name of a header"))?;
                    headers.insert(header, secret(value)?);
                }
                SecurityScheme::Authorization(name) => {
                    let value = secret(&format!("{name} {value}"))?;
                    let before = headers.insert(AUTHORIZATION, value.clone());
                    if before.is_some_and(|before| before != value) {
                        return Err(
                            "the operation requires two credentials in `Authorization`, which has room for one"
                                .to_owned(),
                        );
                    }
                }
            }
        }
        Ok(())
    }
}

/// The value of a header that logs do not show.
fn secret(text: &str) -> Result<HeaderValue, String> {
    let value = HeaderValue::from_str(text);
    let mut value =
        value.map_err(|_| "the credentials contain characters that a header cannot".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schemes = self.0.iter().map(|(_, scheme, _)| scheme);
        f.debug_list().entries(schemes).finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const EITHER: Operation = Operation::new("a", "GET", "/").security(&[&[0, 1], &[2]]);

    const METHODS: [&str; 3] = ["with_session", "with_key", "with_user"];

    fn apply(credentials: &Credentials, operation: &Operation) -> (Parts, HeaderMap) {
        let (mut parts, mut headers) = (Parts::default(), HeaderMap::new());
        let chosen = credentials.choose(operation, &METHODS).unwrap();
        chosen.apply(&mut parts, &mut headers).unwrap();
        (parts, headers)
    }

    fn refuse(credentials: &Credentials, operation: &Operation) -> String {
        let chosen = credentials.choose(operation, &METHODS);
        chosen.err().unwrap()
    }

    #[test]
    fn first_alternative_with_all_credentials_is_sent() {
        let mut credentials = Credentials::default();
        assert_eq!(apply(&credentials, &EITHER), Default::default());
        credentials.set(1, SecurityScheme::Query("key"), "a&b");
        assert_eq!(
            refuse(&credentials, &EITHER),
            "the client has not all credentials that `a` requires: set `with_session`, or `with_user`"
        );
        let both = Operation::new("b", "GET", "/").security(&[&[0, 2]]);
        assert!(refuse(&credentials, &both).ends_with(": set `with_session` and `with_user`"));
        let optional = Operation::new("c", "GET", "/").security(&[&[0, 1], &[]]);
        assert_eq!(apply(&credentials, &optional), Default::default());
        credentials.set_basic(2, "ada", "secret");
        let (parts, headers) = apply(&credentials, &EITHER);
        assert_eq!(parts, Parts::default());
        assert_eq!(headers[AUTHORIZATION], "Basic YWRhOnNlY3JldA==");
        credentials.set(0, SecurityScheme::Cookie("session"), "1");
        let (parts, headers) = apply(&credentials, &EITHER);
        assert_eq!(
            (parts.query.as_str(), parts.cookies.as_str()),
            ("key=a%26b", "session=1")
        );
        assert!(headers.is_empty());
    }

    #[test]
    fn two_different_credentials_in_one_header_are_refused() {
        let mut credentials = Credentials::default();
        credentials.set(0, SecurityScheme::Authorization("Bearer"), "token");
        credentials.set(1, SecurityScheme::Authorization("Bearer"), "token");
        credentials.set_basic(2, "ada", "secret");
        let same = Operation::new("a", "GET", "/").security(&[&[0, 1]]);
        assert_eq!(apply(&credentials, &same).1[AUTHORIZATION], "Bearer token");
        let two = Operation::new("a", "GET", "/").security(&[&[0, 2]]);
        let chosen = credentials.choose(&two, &METHODS).unwrap();
        let error = chosen.apply(&mut Parts::default(), &mut HeaderMap::new());
        assert!(error.unwrap_err().contains("room for one"));
    }

    #[test]
    fn credentials_are_neither_shown_nor_sent_without_need() {
        let mut credentials = Credentials::default();
        credentials.set(0, SecurityScheme::Header("X-Key"), "secret");
        assert!(!format!("{credentials:?}").contains("secret"));
        let public = Operation::new("a", "GET", "/");
        assert_eq!(apply(&credentials, &public), Default::default());
        let keyed = Operation::new("a", "GET", "/").security(&[&[0]]);
        assert!(!format!("{:?}", apply(&credentials, &keyed)).contains("secret"));
    }
}
