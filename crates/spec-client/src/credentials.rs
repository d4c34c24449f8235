//! The credentials of a client, by the security schemes of the document.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::operation::Operation;
use crate::request::Parts;

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
        self.set(position, SecurityScheme::Authorization("Basic"), value);
    }

    /// Adds to a request what the first alternative demands that the client has all credentials of; nothing if there is
    /// none.
    pub(crate) fn apply(
        &self,
        operation: &Operation,
        parts: &mut Parts,
        headers: &mut HeaderMap,
    ) -> Result<(), String> {
        let find = |position: &usize| self.0.iter().find(|(known, ..)| known == position);
        let alternatives = operation.security.iter();
        let mut satisfied =
            alternatives.filter_map(|schemes| schemes.iter().map(find).collect::<Option<Vec<_>>>());
        for (_, scheme, value) in satisfied.next().into_iter().flatten() {
            match scheme {
                SecurityScheme::Query(name) => parts.push_query(name, value),
                SecurityScheme::Cookie(name) => parts.push_cookie(name, value),
                SecurityScheme::Header(name) => {
                    let header = HeaderName::from_bytes(name.as_bytes());
                    let header = header.map_err(|_| format!("`{name}` is no name of a header"))?;
                    headers.insert(header, secret(value)?);
                }
                SecurityScheme::Authorization(name) => {
                    headers.insert(AUTHORIZATION, secret(&format!("{name} {value}"))?);
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

    fn apply(credentials: &Credentials, operation: &Operation) -> (Parts, HeaderMap) {
        let (mut parts, mut headers) = (Parts::default(), HeaderMap::new());
        credentials
            .apply(operation, &mut parts, &mut headers)
            .unwrap();
        (parts, headers)
    }

    #[test]
    fn first_alternative_with_all_credentials_is_sent() {
        let mut credentials = Credentials::default();
        assert_eq!(apply(&credentials, &EITHER), Default::default());
        credentials.set(1, SecurityScheme::Query("key"), "a&b");
        assert_eq!(apply(&credentials, &EITHER), Default::default());
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
