//! The value of a `Content-Type` header (RFC 9110, section 8.3), as far as JSON needs it.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Why the header says nothing usable. Each is a sentence without its end, for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("the content type is given twice")]
    Twice,
    #[error("the content type is not readable")]
    Unreadable,
    #[error("the charset \"{0}\" is not supported, only utf-8 is")]
    Charset(String),
}

/// The media type of a message in lower case, without its parameters. None if there is no header.
pub(crate) fn of(headers: &HeaderMap) -> Result<Option<String>, Unusable> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Unusable::Twice);
    }
    essence(value.to_str().map_err(|_| Unusable::Unreadable)?).map(Some)
}

/// The media type in lower case, without its parameters.
pub(crate) fn essence(text: &str) -> Result<String, Unusable> {
    let mut parts = text.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.split_once('/') {
        Some((kind, subtype)) if !kind.is_empty() && !subtype.is_empty() => {}
        _ => return Err(Unusable::Unreadable),
    }
    for parameter in parts {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        if name.trim().eq_ignore_ascii_case("charset") && !value.eq_ignore_ascii_case("utf-8") {
            let value = crate::message::shorten(value).into_owned();
            return Err(Unusable::Charset(value));
        }
    }
    Ok(essence)
}

/// Whether bodies of this type are JSON: `application/json`, or any type with the suffix `+json` (RFC 6839).
pub(crate) fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.ends_with("+json")
}
