//! A request: its parts, its credentials and its body.

use dropspec_client::{Credentials, Parts, build_request};
use dropspec_schema::wire::{encode_parts, find_boundary};
use reqwest::header::{CONTENT_TYPE, HeaderValue};

use crate::console::Failure;

/// A request that is ready to be sent or shown.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) base_url: String,
    pub(crate) parts: Parts,
    /// Not in the parts, because they are not shown.
    pub(crate) credentials: Credentials,
    pub(crate) body: Option<Content>,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Bytes {
        media_type: String,
        bytes: Vec<u8>,
    },
    /// The parts, and the path of the file that each is read from.
    Multipart(Vec<(dropspec_schema::wire::Part, Option<String>)>),
}

impl Request {
    /// The URL with path and query, without credentials.
    pub(crate) fn url(&self) -> String {
        let base = self.base_url.trim_end_matches('/');
        let Parts { path, query, .. } = &self.parts;
        if query.is_empty() {
            format!("{base}{path}")
        } else {
            format!("{base}{path}?{query}")
        }
    }

    /// The request with its credentials, as it is sent. Headers with credentials are marked as sensitive. The body is in memory, so
    /// that it can be sent again.
    pub(crate) fn to_http(&self) -> Result<reqwest::Request, Failure> {
        let request = build_request(&self.method, &self.base_url, &self.parts);
        let mut request = request.map_err(Failure::Usage)?;
        self.credentials
            .apply(&mut request)
            .map_err(Failure::Usage)?;
        let (media_type, bytes) = match &self.body {
            None => return Ok(request),
            Some(Content::Bytes { media_type, bytes }) => (media_type.clone(), bytes.clone()),
            Some(Content::Multipart(parts)) => {
                let parts: Vec<_> = parts.iter().map(|(part, _)| part.clone()).collect();
                let boundary = find_boundary(&parts);
                let media_type = format!("multipart/form-data; boundary={boundary}");
                (media_type, encode_parts(&boundary, &parts))
            }
        };
        let value = HeaderValue::from_str(&media_type);
        let value =
            value.map_err(|_| Failure::Usage(format!("{media_type:?} is no media type")))?;
        request.headers_mut().insert(CONTENT_TYPE, value);
        *request.body_mut() = Some(bytes.into());
        Ok(request)
    }
}
