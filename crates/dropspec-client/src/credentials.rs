//! The credentials of a client, by the security schemes of the document.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use dropspec_schema::SecurityScheme;
use dropspec_schema::wire::{Location, Parts};
use reqwest::Request;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue};

/// The header with credentials, if they are sent in one.
fn header(
    scheme: SecurityScheme<'_>,
    value: &str,
) -> Option<Result<(HeaderName, HeaderValue), String>> {
    let (name, text) = match scheme {
        SecurityScheme::Query(_) | SecurityScheme::Cookie(_) => return None,
        SecurityScheme::Header(name) => (
            HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| format!("`{name}` is no name of a header")),
            value.to_owned(),
        ),
        SecurityScheme::BASIC => {
            let text = format!("Basic {}", BASE64_STANDARD.encode(value));
            (Ok(AUTHORIZATION), text)
        }
        SecurityScheme::Authorization(name) => (Ok(AUTHORIZATION), format!("{name} {value}")),
    };
    Some(name.and_then(|name| Ok((name, secret(&text)?))))
}

/// The credentials that a client has, or those of a request, by the positions of their schemes. Debugging shows no values.
#[derive(Clone, Default)]
pub struct Credentials(Vec<(usize, SecurityScheme<'static>, String)>);

impl Credentials {
    /// Sets what is sent by the scheme at a position of the document.
    pub fn set(
        &mut self,
        position: usize,
        scheme: SecurityScheme<'static>,
        value: impl Into<String>,
    ) {
        self.0.retain(|(known, ..)| *known != position);
        self.0.push((position, scheme, value.into()));
    }

    /// Sets user and password of HTTP Basic (RFC 7617).
    pub fn set_basic(&mut self, position: usize, user: &str, password: &str) {
        self.set(
            position,
            SecurityScheme::BASIC,
            format!("{user}:{password}"),
        );
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The positions and the schemes.
    pub fn schemes(&self) -> impl Iterator<Item = (usize, SecurityScheme<'static>)> {
        self.0
            .iter()
            .map(|(position, scheme, _)| (*position, *scheme))
    }

    fn find(&self, position: usize) -> Option<&(usize, SecurityScheme<'static>, String)> {
        self.0.iter().find(|(known, ..)| *known == position)
    }

    /// The position of the first credentials that cannot be sent.
    pub(crate) fn find_unsendable(&self) -> Option<usize> {
        let mut entries = self.0.iter();
        let found = entries.find(|(_, scheme, value)| {
            let header = header(*scheme, value);
            header.is_some_and(|it| it.is_err())
        });
        found.map(|(position, ..)| *position)
    }

    /// What a request is sent with: the credentials of the first alternative of which there are all.
    pub fn choose(&self, alternatives: &[impl AsRef<[usize]>]) -> Option<Credentials> {
        alternatives.iter().find_map(|schemes| {
            let schemes = schemes.as_ref().iter();
            let found: Option<Vec<_>> = schemes.map(|it| self.find(*it).cloned()).collect();
            found.map(Credentials)
        })
    }

    /// What is missing of each alternative, such as `a and b, or c`.
    pub fn describe_missing(
        &self,
        alternatives: &[impl AsRef<[usize]>],
        name: impl Fn(usize) -> String,
    ) -> String {
        let missing = alternatives.iter().filter_map(|schemes| {
            let missing = schemes.as_ref().iter().copied();
            let missing = missing.filter(|position| self.find(*position).is_none());
            let names: Vec<String> = missing.map(&name).collect();
            (!names.is_empty()).then(|| names.join(" and "))
        });
        missing.collect::<Vec<_>>().join(", or ")
    }

    /// Whether a parameter is left out, because credentials are sent in its place.
    pub(crate) fn replace(&self, location: Location, name: &str) -> bool {
        let mut schemes = self.0.iter();
        schemes.any(|(_, scheme, _)| scheme.replaces(location, name))
    }

    /// Adds the credentials to a request.
    ///
    /// # Errors
    /// They cannot be sent, or two of them stand in `Authorization`.
    pub fn apply(&self, request: &mut Request) -> Result<(), String> {
        let cookies = request.headers().get(COOKIE);
        let mut parts = Parts {
            query: request.url().query().unwrap_or_default().to_owned(),
            cookies: cookies
                .and_then(|it| it.to_str().ok())
                .unwrap_or_default()
                .to_owned(),
            ..Parts::default()
        };
        for (_, scheme, value) in &self.0 {
            match scheme {
                SecurityScheme::Query(name) => {
                    parts.push_query(name, value);
                    request.url_mut().set_query(Some(&parts.query));
                }
                SecurityScheme::Cookie(name) => {
                    parts.push_cookie(name, value);
                    let cookies = secret(&parts.cookies)?;
                    request.headers_mut().insert(COOKIE, cookies);
                }
                SecurityScheme::Header(_) | SecurityScheme::Authorization(_) => {
                    let Some((name, value)) = header(*scheme, value).transpose()? else {
                        continue;
                    };
                    let before = request.headers_mut().insert(&name, value.clone());
                    if name == AUTHORIZATION && before.is_some_and(|before| before != value) {
                        return Err("the operation requires two credentials in `Authorization`, which has room for one".to_owned());
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
    use reqwest::Method;

    use super::*;

    /// The URL and the `Authorization` of a request of an operation with these alternatives.
    fn apply(credentials: &Credentials, alternatives: &[&[usize]]) -> Result<String, String> {
        let url = "http://a/?x=1".parse().unwrap();
        let mut request = Request::new(Method::GET, url);
        let cookie = HeaderValue::from_static("y=2");
        request.headers_mut().insert(COOKIE, cookie);
        let chosen = credentials
            .choose(alternatives)
            .ok_or_else(|| credentials.describe_missing(alternatives, |it| format!("`{it}`")))?;
        chosen.apply(&mut request)?;
        let text = |name: &str| match request.headers().get(name) {
            Some(value) => value.to_str().unwrap(),
            None => "none",
        };
        let (query, cookie) = (request.url().query().unwrap(), text("cookie"));
        assert!(!format!("{credentials:?} {request:?}").contains("secret"));
        Ok(format!("{query} {cookie} {}", text("authorization")))
    }

    #[test]
    fn first_alternative_with_all_credentials_is_sent() {
        let either: &[&[usize]] = &[&[0, 1], &[2]];
        let mut credentials = Credentials::default();
        credentials.set(1, SecurityScheme::Query("key"), "a&b");
        assert_eq!(apply(&credentials, either).unwrap_err(), "`0`, or `2`");
        let missing = apply(&credentials, &[&[0, 2]]).unwrap_err();
        assert_eq!(missing, "`0` and `2`");
        let optional = apply(&credentials, &[&[0, 1], &[]]);
        assert_eq!(optional.unwrap(), "x=1 y=2 none");
        credentials.set_basic(2, "ada", "secret");
        let basic = "x=1 y=2 Basic YWRhOnNlY3JldA==";
        assert_eq!(apply(&credentials, either).unwrap(), basic);
        credentials.set(0, SecurityScheme::Cookie("session"), "1");
        let sent = apply(&credentials, either).unwrap();
        assert_eq!(sent, "x=1&key=a%26b y=2; session=1 none");
    }

    #[test]
    fn two_different_credentials_in_one_header_are_refused() {
        let mut credentials = Credentials::default();
        credentials.set(0, SecurityScheme::Authorization("Bearer"), "token");
        credentials.set(1, SecurityScheme::Authorization("Bearer"), "token");
        credentials.set_basic(2, "ada", "secret");
        let same = apply(&credentials, &[&[0, 1]]).unwrap();
        assert_eq!(same, "x=1 y=2 Bearer token");
        let refused = apply(&credentials, &[&[0, 2]]).unwrap_err();
        assert!(refused.contains("room for one"), "{refused}");
    }
}
