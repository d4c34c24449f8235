//! The values of examples, and what is changed in those that are made.

use std::borrow::Cow;

use dropspec_schema::{BodyKind, media_type};
use serde_json::Value;

use super::tables::Tables;
use crate::letters::letters;

/// Writes the status into the members of an error that are called like it. A `code` beyond all statuses is another one.
pub(super) fn set_status(error: &mut Value, status: u16) {
    for (name, value) in error.as_object_mut().into_iter().flatten() {
        let is_status = match letters(name).as_str() {
            "status" | "statuscode" | "httpstatus" => value.is_i64(),
            "code" => value.as_i64().is_some_and(|it| it < 600),
            _ => false,
        };
        if is_status {
            *value = status.into();
        }
        set_status(value, status);
    }
}

/// The value of an example of a media type by its name.
pub(super) fn named_example(
    (media_type, content): (&str, &'static Value),
    name: &str,
) -> Option<Cow<'static, Value>> {
    value_of(content.get("examples")?.get(name)?, media_type)
}

/// The value of an Example Object: of JSON as data, of anything else as it is serialized, if the document says it.
pub(super) fn value_of(example: &'static Value, media_type: &str) -> Option<Cow<'static, Value>> {
    let example = Tables::document().resolve(example)?;
    let is_json = BodyKind::of(&concrete(media_type)) == BodyKind::Json;
    let serialized = || match example.get("serializedValue")? {
        Value::String(text) if is_json => Some(Cow::Owned(serde_json::from_str(text).ok()?)),
        text => Some(Cow::Borrowed(text)),
    };
    let own = example.get("value").map(Cow::Borrowed);
    let own = own.or_else(|| serialized().filter(|_| !is_json));
    let own = own.or_else(|| example.get("dataValue").map(Cow::Borrowed));
    own.or_else(serialized)
}

/// A media type that a range covers.
pub(super) fn concrete(range: &str) -> String {
    match media_type::essence(range).as_str() {
        "*/*" | "*" | "application/*" => "application/json".to_owned(),
        "text/*" => "text/plain".to_owned(),
        "image/*" => "image/png".to_owned(),
        essence if essence.contains('*') => essence.replace('*', "octet-stream"),
        _ => range.to_owned(),
    }
}
