//! Bodies of requests.

use std::fmt;

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Body, multipart};
use serde::Serialize;

/// The body of a request.
#[derive(Debug)]
pub struct RequestBody {
    pub(crate) media_type: String,
    pub(crate) content: BodyContent,
}

#[derive(Debug)]
pub(crate) enum BodyContent {
    Full(Bytes),
    Stream(Body),
    Multipart(multipart::Form),
}

/// A body of JSON. `value` is what a conversion to the type of the document gave.
///
/// # Errors
/// The conversion failed, or the value is no JSON.
pub fn json_body<T: Serialize, E>(
    media_type: &str,
    value: Result<T, E>,
) -> Result<RequestBody, String> {
    let value = converted(value, "the body")?;
    let text = serde_json::to_vec(&value);
    let text = text.map_err(|error| format!("the body is not JSON: {error}"))?;
    Ok(full(media_type, text))
}

/// A body of text.
///
/// # Errors
/// None.
pub fn text_body(media_type: &str, text: impl Into<String>) -> Result<RequestBody, String> {
    Ok(full(media_type, text.into()))
}

/// A body of bytes, which may be a stream.
///
/// # Errors
/// None.
pub fn bytes_body(media_type: &str, content: impl Into<Body>) -> Result<RequestBody, String> {
    Ok(RequestBody {
        media_type: media_type.to_owned(),
        content: BodyContent::Stream(content.into()),
    })
}

pub(crate) fn full(media_type: &str, content: impl Into<Bytes>) -> RequestBody {
    RequestBody {
        media_type: media_type.to_owned(),
        content: BodyContent::Full(content.into()),
    }
}

/// The result of a conversion to the type of the document, with a message that says what was converted.
pub(crate) fn converted<T, E>(value: Result<T, E>, what: impl fmt::Display) -> Result<T, String> {
    value.map_err(|_| {
        let ty = std::any::type_name::<T>();
        format!("{what} cannot be converted to `{ty}`")
    })
}

impl RequestBody {
    /// Makes it the body of a request.
    pub(crate) fn put_into(self, request: &mut reqwest::Request) -> Result<(), String> {
        let mut media_type = self.media_type;
        let body = match self.content {
            BodyContent::Full(bytes) => bytes.into(),
            BodyContent::Stream(body) => body,
            BodyContent::Multipart(form) => {
                media_type.push_str(&format!("; boundary={}", form.boundary()));
                Body::wrap_stream(form.into_stream())
            }
        };
        let value = HeaderValue::from_str(&media_type);
        let value = value.map_err(|_| format!("{media_type:?} is no media type"))?;
        request.headers_mut().insert(CONTENT_TYPE, value);
        *request.body_mut() = Some(body);
        Ok(())
    }
}
