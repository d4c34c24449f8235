//! A request: its parts, its credentials and its body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use spec_client::Parts;
use wire_codec::{encode_parts, find_boundary};

use crate::failure::Failure;
use crate::schemes::Kind;

/// A request that is ready to be sent or shown.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) base_url: String,
    pub(crate) parts: Parts,
    /// Not in the parts, because they are not shown.
    pub(crate) credentials: Vec<Credential>,
    pub(crate) body: Option<Content>,
}

/// Credentials of one security scheme.
#[derive(Debug, Clone)]
pub(crate) struct Credential {
    pub(crate) kind: Kind,
    pub(crate) value: String,
    /// The environment variable that stands for the value where it is shown.
    pub(crate) variable: String,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Bytes { media_type: String, bytes: Vec<u8> },
    Multipart(Vec<Part>),
}

/// A part of a multipart body.
#[derive(Debug, Clone)]
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

    fn url_of(&self, parts: &Parts) -> String {
        let base = self.base_url.trim_end_matches('/');
        if parts.query.is_empty() {
            format!("{base}{}", parts.path)
        } else {
            format!("{base}{}?{}", parts.path, parts.query)
        }
    }

    /// The request with its credentials, as it is sent. Headers with credentials are marked as sensitive.
    ///
    /// # Errors
    /// The URL, a header or a media type is invalid.
    pub(crate) fn to_http(&self) -> Result<reqwest::Request, Failure> {
        let method = Method::from_bytes(self.method.as_bytes());
        let method = method.map_err(|error| Failure::Usage(error.to_string()))?;
        let parts = self.parts_with_credentials();
        let url = Url::parse(&self.url_of(&parts)).map_err(|error| {
            Failure::Usage(format!("the URL {} is invalid: {error}", self.url()))
        })?;
        let mut request = reqwest::Request::new(method, url);
        let headers = request.headers_mut();
        for (index, (name, value)) in parts.headers.iter().enumerate() {
            append_header(headers, name, value, index >= self.parts.headers.len())?;
        }
        if !parts.cookies.is_empty() {
            append_header(headers, "Cookie", &parts.cookies, true)?;
        }
        if let Some(content) = &self.body {
            let (media_type, bytes) = content.encode();
            append_header(headers, CONTENT_TYPE.as_str(), &media_type, false)?;
            *request.body_mut() = Some(bytes.into());
        }
        Ok(request)
    }

    fn parts_with_credentials(&self) -> Parts {
        let mut parts = self.parts.clone();
        for Credential { kind, value, .. } in &self.credentials {
            let authorization = |value: String| ("Authorization".to_owned(), value);
            match kind {
                Kind::Header(name) => parts.headers.push((name.clone(), value.clone())),
                Kind::Query(name) => parts.push_query(name, value),
                Kind::Cookie(name) => parts.push_cookie(name, value),
                Kind::Basic => {
                    let value = BASE64_STANDARD.encode(value);
                    parts.headers.push(authorization(format!("Basic {value}")));
                }
                Kind::Token(word) => {
                    parts.headers.push(authorization(format!("{word} {value}")));
                }
            }
        }
        parts
    }
}

impl Content {
    /// The media type and the bytes. They are in memory, so that a request can be sent again.
    fn encode(&self) -> (String, Vec<u8>) {
        let parts = match self {
            Content::Bytes { media_type, bytes } => return (media_type.clone(), bytes.clone()),
            Content::Multipart(parts) => parts,
        };
        let parts: Vec<wire_codec::Part> = parts.iter().map(Part::to_written).collect();
        let boundary = find_boundary(&parts);
        let bytes = encode_parts(&boundary, &parts);
        let media_type = format!("multipart/form-data; boundary={boundary}");
        (media_type, bytes)
    }
}

impl Part {
    fn to_written(&self) -> wire_codec::Part {
        let file_name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
        wire_codec::Part {
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            file_name: self.file.as_ref().map(file_name),
            content: self.bytes.clone(),
        }
    }
}

fn append_header(
    headers: &mut HeaderMap,
    name: &str,
    value: &str,
    is_secret: bool,
) -> Result<(), Failure> {
    let header = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| Failure::Usage(format!("`{name}` is not the name of a header")))?;
    let mut value = HeaderValue::from_str(value).map_err(|_| {
        Failure::Usage(format!(
            "the value for the header {name} has characters that a header cannot have, such as a line break: copy it again"
        ))
    })?;
    value.set_sensitive(is_secret);
    headers.append(header, value);
    Ok(())
}
