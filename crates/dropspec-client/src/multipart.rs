//! Bodies of several parts (RFC 7578): texts, JSON and files.

use std::fmt;

use bytes::Bytes;
use dropspec_schema::wire::plain;
use futures::{Stream, StreamExt};
use reqwest::Body;
use reqwest::multipart;
use serde::Serialize;

use crate::body::{BodyContent, RequestBody, full};

/// A file to send: its content, and what is said about it.
pub struct File {
    name: String,
    content_type: Option<String>,
    content: Body,
}

/// A part of a body.
#[derive(Debug)]
pub struct Part {
    name: String,
    part: multipart::Part,
}

impl File {
    /// A file of these bytes. Recipients use the name with care, and many refuse a file without one.
    pub fn from_bytes(name: impl Into<String>, content: impl Into<Bytes>) -> Self {
        Self::new(name.into(), Body::from(content.into()))
    }

    /// A file that is read while it is sent.
    pub fn from_stream<S, E>(name: impl Into<String>, content: S) -> Self
    where
        S: Stream<Item = Result<Bytes, E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>> + 'static,
    {
        let content = content.map(|chunk| chunk.map_err(Into::into));
        Self::new(name.into(), Body::wrap_stream(content))
    }

    fn new(name: String, content: Body) -> Self {
        Self {
            name,
            content_type: None,
            content,
        }
    }

    /// The file with this media type.
    #[must_use]
    pub fn content_type(mut self, media_type: impl Into<String>) -> Self {
        self.content_type = Some(media_type.into());
        self
    }

    /// The file with this media type, unless it has one.
    #[must_use]
    pub fn or_content_type(mut self, media_type: &str) -> Self {
        self.content_type
            .get_or_insert_with(|| media_type.to_owned());
        self
    }
}

impl From<Vec<u8>> for File {
    fn from(content: Vec<u8>) -> Self {
        Self::from_bytes("file", content)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("name", &self.name)
            .field("content_type", &self.content_type)
            .finish_non_exhaustive()
    }
}

/// A part that is text: a string, a number, a boolean.
///
/// # Errors
/// The value is no JSON.
pub fn text_part<T: Serialize>(name: &str, value: &T) -> Result<Part, String> {
    let value = serde_json::to_value(value);
    let value = value.map_err(|error| format!("the part `{name}` is no text: {error}"))?;
    Ok(part(name, multipart::Part::text(plain(&value))))
}

/// A part that is JSON.
///
/// # Errors
/// The value is no JSON.
pub fn json_part<T: Serialize>(name: &str, value: &T) -> Result<Part, String> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| format!("the part `{name}` is no JSON: {error}"))?;
    let content = multipart::Part::text(text).mime_str("application/json");
    let content = content.map_err(|error| error.to_string())?;
    Ok(part(name, content))
}

/// A part that is a file. Without a media type it is `application/octet-stream`.
///
/// # Errors
/// The file has an invalid media type.
pub fn file_part(name: &str, file: File) -> Result<Part, String> {
    let media_type = file
        .content_type
        .as_deref()
        .unwrap_or("application/octet-stream");
    let content = multipart::Part::stream(file.content).file_name(file.name);
    part(name, content).media_type(media_type)
}

impl Part {
    /// The part with this media type.
    ///
    /// # Errors
    /// The media type is invalid.
    pub fn media_type(self, media_type: &str) -> Result<Self, String> {
        let Self { name, part } = self;
        let part = part.mime_str(media_type);
        let part =
            part.map_err(|_| format!("the media type {media_type:?} of `{name}` is invalid"))?;
        Ok(Self { name, part })
    }
}

fn part(name: &str, part: multipart::Part) -> Part {
    let name = name.to_owned();
    Part { name, part }
}

/// A body of these parts.
///
/// # Errors
/// A part could not be made, or a required one is missing.
pub fn multipart_body(
    media_type: &str,
    required: &[&str],
    parts: impl IntoIterator<Item = Result<Part, String>>,
) -> Result<RequestBody, String> {
    let parts: Vec<Part> = parts.into_iter().collect::<Result<_, _>>()?;
    let given = |name: &str| parts.iter().any(|part| part.name == name);
    if let Some(missing) = required.iter().find(|name| !given(name)) {
        return Err(format!("the part `{missing}` is required"));
    }
    let mut form = multipart::Form::new();
    // The media type is written without parameters: the boundary is the form's.
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if parts.is_empty() {
        // Of no parts, the form would write nothing, which is no multipart body (RFC 2046, section 5.1.1).
        let boundary = form.boundary();
        let media_type = format!("{essence}; boundary={boundary}");
        return Ok(full(&media_type, format!("--{boundary}--\r\n")));
    }
    for part in parts {
        form = form.part(part.name, part.part);
    }
    Ok(RequestBody {
        media_type: essence.to_owned(),
        content: BodyContent::Multipart(form),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_without_parts_has_its_end() {
        let body = multipart_body("multipart/form-data; charset=utf-8", &[], []).unwrap();
        let boundary = body
            .media_type
            .strip_prefix("multipart/form-data; boundary=");
        let BodyContent::Full(bytes) = body.content else {
            panic!("nothing is streamed");
        };
        assert_eq!(bytes, format!("--{}--\r\n", boundary.unwrap()));
    }
}
