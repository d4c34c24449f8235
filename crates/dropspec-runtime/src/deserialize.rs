//! Deserializes values that a document's schema accepts, and says where a Rust type rejects one.

use dropspec_schema::pointer;
use dropspec_schema::wire::quote::truncate;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::rejection::Rejection;

/// Deserializes a value that is at `parent` in the body.
pub(crate) fn deserialize_with_pointer<T: DeserializeOwned>(
    value: &Value,
    parent: &str,
) -> Result<T, Rejection> {
    // Tracking the pointer costs time, so it is left to a second attempt.
    T::deserialize(value).or_else(|_| {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().iter();
            let pointer = path.fold(parent.to_owned(), |parent, segment| match segment {
                Segment::Seq { index } => pointer::join(&parent, &index.to_string()),
                Segment::Map { key } => pointer::join(&parent, key),
                _ => parent,
            });
            Rejection::invalid(pointer, describe_type_error(error.inner()))
        })
    })
}

/// Describes why a Rust type rejects a value that the document's schema accepts.
pub(crate) fn describe_type_error(error: &serde_json::Error) -> String {
    format!("is not acceptable: {}", truncate(&error.to_string()))
}
