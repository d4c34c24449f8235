//! Parses the `Content-Type` header (RFC 9110, section 8.3).

use http::HeaderMap;
use http::header::CONTENT_TYPE;

const INVALID: &str = "the content type is not a media type";

/// The `Content-Type` of a message.
pub(crate) struct ContentType {
    /// The media type in lower case, without parameters.
    pub(crate) essence: String,
    /// Why a text of this type cannot be read: its charset is not UTF-8. A sentence for the client, without its full
    /// stop.
    pub(crate) charset_problem: Option<String>,
}

/// Parses the `Content-Type` of a message. None if there is no such header. The error is a sentence for the client,
/// without its full stop.
pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Option<ContentType>, String> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err("the content type is given twice".to_owned());
    }
    parse(value.to_str().map_err(|_| INVALID)?).map(Some)
}

fn parse(text: &str) -> Result<ContentType, String> {
    let essence = dropspec_schema::media_type::essence(text);
    match essence.split_once('/') {
        Some((kind, subtype)) if !kind.is_empty() && !subtype.is_empty() => {}
        _ => return Err(INVALID.to_owned()),
    }
    let parameters = text.split(';').skip(1);
    let mut values = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"'))
    });
    let is_readable = |value: &str| {
        let readable = ["utf-8", "utf8", "us-ascii"];
        readable.iter().any(|name| value.eq_ignore_ascii_case(name))
    };
    let charset_problem = values.find(|value| !is_readable(value)).map(|value| {
        let value = dropspec_schema::wire::quote::truncate(value);
        format!("the charset \"{value}\" is not supported, only utf-8 is")
    });
    Ok(ContentType {
        essence,
        charset_problem,
    })
}
