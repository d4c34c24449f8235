//! Media types (RFC 9110, section 8.3): which range covers which, and how the body of each is decoded. The generator and
//! the run time use the same rules, so that a generated argument always fits its body.

use serde_json::Value;

/// How a body of a media type is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// One JSON value: `application/json`, `text/json`, `application/problem+json`, `application/vnd.v3.json`.
    Json,
    /// Name-value pairs: `application/x-www-form-urlencoded`.
    Form,
    /// Named parts: `multipart/form-data`.
    Multipart,
    /// A text: `text/plain`, XML, YAML and others.
    Text,
    /// Bytes, read as a stream: everything else, also `*/*`, streams of events, and JSON in lines.
    Bytes,
}

/// How a stream of items is written, each with the schema `itemSchema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Server-sent events: `text/event-stream`.
    Events,
    /// A line of JSON for each item: `application/jsonl`.
    Lines,
    /// JSON between record separators (RFC 7464): `application/json-seq`.
    Sequence,
    /// A part of JSON for each item: `multipart/mixed`.
    Parts,
}

impl Framing {
    /// The framing of a media type; `None` if it is no stream of items.
    pub fn of(media_type: &str) -> Option<Self> {
        match essence(media_type).as_str() {
            "text/event-stream" => Some(Self::Events),
            "application/jsonl"
            | "application/x-jsonl"
            | "application/x-jsonlines"
            | "application/ndjson"
            | "application/x-ndjson" => Some(Self::Lines),
            "application/json-seq" => Some(Self::Sequence),
            "multipart/mixed" => Some(Self::Parts),
            _ => None,
        }
    }
}

/// The keys of the schema of the items of a stream in a media type object: that of OpenAPI 3.2, and the extension for older documents.
pub const ITEM_SCHEMA_KEYS: [&str; 2] = ["itemSchema", "x-item-schema"];

/// The fields of a server-sent event, by which a schema of events names them.
pub const EVENT_FIELDS: [&str; 4] = ["data", "event", "id", "retry"];

/// The schema of the items of a media type object: `itemSchema` of OpenAPI 3.2, or the extension that stands for it in older
/// documents. `None` if the items are parts of another media type than JSON.
pub fn item_schema(media_type: &Value) -> Option<&Value> {
    let mut keys = ITEM_SCHEMA_KEYS.into_iter();
    let encoding = media_type.pointer("/itemEncoding/contentType");
    let of_parts = encoding.and_then(Value::as_str);
    let is_json = of_parts.is_none_or(|name| BodyKind::of(name) == BodyKind::Json);
    keys.find_map(|key| media_type.get(key)).filter(|_| is_json)
}

/// Media types beside `text/*`, `*+xml` and `*+yaml` that are text.
const TEXT: [&str; 12] = [
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/pgp-keys",
    "application/sql",
    "application/toml",
    "application/x-javascript",
    "application/x-pem-file",
    "application/x-yaml",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
];

/// Media types whose names look like JSON or text, but which are streams of values without an end.
const STREAMS: [&str; 6] = [
    "application/jsonl",
    "application/ndjson",
    "application/stream+json",
    "application/x-jsonl",
    "application/x-ndjson",
    "text/event-stream",
];

impl BodyKind {
    /// How a body of this media type, or of a range such as `text/*`, is decoded.
    pub fn of(media_type: &str) -> Self {
        let media_type = essence(media_type);
        let (kind, subtype) = media_type.split_once('/').unwrap_or((&media_type, ""));
        let ends_with = |name: &str| {
            let start = subtype.strip_suffix(name);
            start.is_some_and(|start| start.is_empty() || start.ends_with(['+', '.', '-']))
        };
        match kind {
            _ if STREAMS.contains(&media_type.as_str()) => Self::Bytes,
            _ if media_type == "application/x-www-form-urlencoded" => Self::Form,
            _ if media_type == "multipart/form-data" => Self::Multipart,
            _ if ends_with("json") => Self::Json,
            "text" => Self::Text,
            _ if TEXT.contains(&media_type.as_str()) => Self::Text,
            "application" if subtype.ends_with("+xml") || subtype.ends_with("+yaml") => Self::Text,
            _ => Self::Bytes,
        }
    }
}

/// The media type without parameters and white space, in lower case.
pub fn essence(text: &str) -> String {
    let essence = text.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether a media type or range (`*/*`, `text/*`, `application/*+json`) includes a media type. Both are an [`essence`].
pub fn covers(range: &str, media_type: &str) -> bool {
    if range == media_type || range == "*/*" || range == "*" {
        return true;
    }
    let (Some((kind, subtype)), Some((found_kind, found_subtype))) =
        (range.split_once('/'), media_type.split_once('/'))
    else {
        return false;
    };
    let suffix = subtype.strip_prefix('*');
    kind == found_kind && suffix.is_some_and(|suffix| found_subtype.ends_with(suffix))
}

/// How exactly a range names its media types: a larger number is more exact. The most exact range that covers a media
/// type decides.
pub fn exactness(range: &str) -> usize {
    match range.split_once('/') {
        Some((_, subtype)) if !subtype.starts_with('*') => usize::MAX,
        Some(("*", _)) | None => 0,
        Some((_, subtype)) => subtype.len(),
    }
}

/// The index of the media type or range that covers a media type most exactly; of equal ones, the first.
pub fn find_most_exact<'r>(
    ranges: impl DoubleEndedIterator<Item = &'r str> + ExactSizeIterator,
    media_type: &str,
) -> Option<usize> {
    let covering = ranges
        .enumerate()
        .rev()
        .filter(|(_, range)| covers(range, media_type));
    let best = covering.max_by_key(|(_, range)| (*range == media_type, exactness(range)));
    best.map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_follows_from_the_media_type() {
        let rows = [
            ("application/json", BodyKind::Json),
            ("Application/JSON; charset=utf-8", BodyKind::Json),
            ("text/json", BodyKind::Json),
            ("application/*+json", BodyKind::Json),
            ("application/merge-patch+json", BodyKind::Json),
            ("application/vnd.github.v3.json", BodyKind::Json),
            ("application/x-json", BodyKind::Json),
            ("application/x-ndjson", BodyKind::Bytes),
            ("application/geojson", BodyKind::Bytes),
            ("application/json-seq", BodyKind::Bytes),
            ("application/x-www-form-urlencoded", BodyKind::Form),
            ("multipart/form-data; boundary=x", BodyKind::Multipart),
            ("multipart/mixed", BodyKind::Bytes),
            ("text/plain", BodyKind::Text),
            ("text/*", BodyKind::Text),
            ("application/xml", BodyKind::Text),
            ("application/atom+xml", BodyKind::Text),
            ("image/svg+xml", BodyKind::Bytes),
            ("text/event-stream", BodyKind::Bytes),
            ("application/octet-stream", BodyKind::Bytes),
            ("*/*", BodyKind::Bytes),
            ("", BodyKind::Bytes),
        ];
        for (media_type, expected) in rows {
            assert_eq!(BodyKind::of(media_type), expected, "{media_type}");
        }
    }

    #[test]
    fn most_exact_range_that_covers_a_media_type_wins() {
        let ranges = [
            "*/*",
            "application/*",
            "application/*+json",
            "application/a+json",
        ];
        let rows = [
            ("application/a+json", 3),
            ("application/b+json", 2),
            ("application/pdf", 1),
            ("text/plain", 0),
        ];
        for (media_type, expected) in rows {
            let best = find_most_exact(ranges.into_iter(), media_type);
            assert_eq!(best, Some(expected), "{media_type}");
        }
        assert!(!covers("text/*", "textual/x"));
        assert!(!covers("application/json", "application/json5"));
    }
}
