//! Parses the `Content-Type` header (RFC 9110, section 8.3), as far as JSON needs it.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

const INVALID: &str = "the content type is not a media type";

/// The media type in the `Content-Type` of a message, in lower case and without parameters. None if there is no such
/// header. The error is a sentence for the client, without its full stop.
pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Option<String>, String> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err("the content type is given twice".to_owned());
    }
    parse(value.to_str().map_err(|_| INVALID)?).map(Some)
}

/// Parses a `Content-Type`: returns the media type in lower case, without its parameters. Errors as [`from_headers`].
pub(crate) fn parse(text: &str) -> Result<String, String> {
    let mut parts = text.split(';');
    let media_type = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    match media_type.split_once('/') {
        Some((kind, subtype)) if !kind.is_empty() && !subtype.is_empty() => {}
        _ => return Err(INVALID.to_owned()),
    }
    for parameter in parts {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        if name.trim().eq_ignore_ascii_case("charset") && !value.eq_ignore_ascii_case("utf-8") {
            let value = crate::message::truncate(value);
            return Err(format!(
                "the charset \"{value}\" is not supported, only utf-8 is"
            ));
        }
    }
    Ok(media_type)
}

/// Whether a media type is JSON: `application/json`, or one with the suffix `+json` (RFC 6839).
pub(crate) fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
