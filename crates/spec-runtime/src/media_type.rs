//! Parses the `Content-Type` header (RFC 9110, section 8.3), as far as JSON needs it.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Why a `Content-Type` header is rejected. The text is a sentence for the client, without its full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ContentTypeError {
    #[error("the content type is given twice")]
    Repeated,
    #[error("the content type is not a media type")]
    Invalid,
    #[error("the charset \"{0}\" is not supported, only utf-8 is")]
    Charset(String),
}

/// The media type of a message in lower case, without its parameters. None if there is no header.
pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Option<String>, ContentTypeError> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(ContentTypeError::Repeated);
    }
    parse(value.to_str().map_err(|_| ContentTypeError::Invalid)?).map(Some)
}

/// The media type in lower case, without its parameters.
pub(crate) fn parse(text: &str) -> Result<String, ContentTypeError> {
    let mut parts = text.split(';');
    let media_type = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    match media_type.split_once('/') {
        Some((kind, subtype)) if !kind.is_empty() && !subtype.is_empty() => {}
        _ => return Err(ContentTypeError::Invalid),
    }
    for parameter in parts {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        if name.trim().eq_ignore_ascii_case("charset") && !value.eq_ignore_ascii_case("utf-8") {
            let value = crate::message::truncate(value).into_owned();
            return Err(ContentTypeError::Charset(value));
        }
    }
    Ok(media_type)
}

/// Whether a media type is JSON: `application/json`, or one with the suffix `+json` (RFC 6839).
pub(crate) fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
