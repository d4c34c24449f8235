//! A request: its parts, its credentials and its body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use spec_client::Parts;

use crate::schemes::Kind;
use crate::tail::Source;

/// A request that is ready to be sent or shown.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) base_url: String,
    pub(crate) parts: Parts,
    /// Not in the parts, because they are not shown.
    pub(crate) credentials: Vec<Credential>,
    pub(crate) body: Option<Content>,
}

/// Credentials of one security scheme.
#[derive(Debug)]
pub(crate) struct Credential {
    pub(crate) kind: Kind,
    pub(crate) value: String,
    /// The environment variable that stands for the value where it is shown.
    pub(crate) variable: String,
}

/// The body of a request.
#[derive(Debug)]
pub(crate) enum Content {
    Bytes { media_type: String, bytes: Vec<u8> },
    Multipart(Vec<Part>),
}

/// A part of a multipart body.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    /// The path of the file that it is read from.
    pub(crate) file: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

impl Request {
    /// The URL with path and query, without credentials.
    pub(crate) fn url(&self) -> String {
        self.url_of(&self.parts)
    }

    /// The URL with these parts.
    pub(crate) fn url_of(&self, parts: &Parts) -> String {
        let base = self.base_url.trim_end_matches('/');
        if parts.query.is_empty() {
            format!("{base}{}", parts.path)
        } else {
            format!("{base}{}?{}", parts.path, parts.query)
        }
    }

    /// Where a stream is, with the credentials.
    pub(crate) fn as_source(&self) -> Source {
        let parts = self.parts_with_credentials();
        let mut headers = parts.headers;
        if !parts.cookies.is_empty() {
            headers.push(("Cookie".to_owned(), parts.cookies));
        }
        Source {
            url: self.url(),
            query: parts.query,
            headers,
        }
    }

    /// The parts with the credentials.
    pub(crate) fn parts_with_credentials(&self) -> Parts {
        let mut parts = self.parts.clone();
        for Credential { kind, value, .. } in &self.credentials {
            let mut add_header = |name: &str, value: String| {
                parts.headers.push((name.to_owned(), value));
            };
            match kind {
                Kind::Header(name) => add_header(name, value.clone()),
                Kind::Query(name) => parts.push_query(name, value),
                Kind::Cookie(name) => parts.push_cookie(name, value),
                Kind::Basic => {
                    add_header(
                        "Authorization",
                        format!("Basic {}", BASE64_STANDARD.encode(value)),
                    );
                }
                Kind::Token(word) => add_header("Authorization", format!("{word} {value}")),
            }
        }
        parts
    }
}
