//! Conditional requests (RFC 9110, section 13): entity tags of records, and the precondition of a write.
//!
//! Handlers send the tags and check the preconditions, inside the transaction of the write. The gate itself compares
//! `If-None-Match` with the `ETag` of a response.

use headers::{ETag, Header, HeaderValue, IfMatch};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The strong entity tag of a record or a list, with its quotation marks (RFC 9110, section 8.8.3).
///
/// It depends on the content alone: servers that share a database send the same tag, before and after a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityTag(String);

impl EntityTag {
    /// Computes the tag from the JSON of a record or a list: half of its SHA-256, in hexadecimal digits.
    ///
    /// # Panics
    ///
    /// If `content` cannot be written as JSON, such as a map with keys that are no strings.
    pub fn of(content: &impl Serialize) -> EntityTag {
        let json = serde_json::to_vec(content).expect("records can be written as JSON");
        let hash = Sha256::digest(json);
        let (half, _) = hash.as_chunks::<16>();
        EntityTag(format!("\"{:032x}\"", u128::from_be_bytes(half[0])))
    }
}

impl From<EntityTag> for String {
    fn from(tag: EntityTag) -> String {
        tag.0
    }
}

/// What a request demands of the current record before it is changed: the header `If-Match` (RFC 9110, section 13.1.1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Precondition(Option<IfMatch>);

impl Precondition {
    /// The precondition of a request without `If-Match`, which every record meets.
    pub const NONE: Precondition = Precondition(None);

    /// Whether the current record meets the precondition: it has one of the tags, by the strong comparison. `*` is met
    /// by every record.
    pub fn is_met_by(&self, record: &impl Serialize) -> bool {
        self.0.as_ref().is_none_or(|if_match| {
            let tag = EntityTag::of(record).0.parse::<ETag>();
            tag.is_ok_and(|tag| if_match.precondition_passes(&tag))
        })
    }
}

/// Parses the value of the header `If-Match`. A malformed tag equals no tag.
impl From<Option<String>> for Precondition {
    fn from(if_match: Option<String>) -> Precondition {
        Precondition(if_match.map(|text| {
            let value = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
            IfMatch::decode(&mut std::iter::once(&value)).expect("every text is a list of tags")
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tag_is_a_function_of_the_content_alone() {
        // A running client may hold this tag across an upgrade of the server.
        let tag = String::from(EntityTag::of(&json!({ "id": 1, "name": "Nemo" })));
        assert_eq!(tag, r#""850486d41fdf774deaf6dc9855454c3f""#);
        let renamed = String::from(EntityTag::of(&json!({ "id": 1, "name": "Dory" })));
        assert_ne!(tag, renamed);
    }

    #[test]
    fn precondition_is_met_by_strong_comparison() {
        let record = json!({ "id": 1 });
        let tag = String::from(EntityTag::of(&record));
        let cases = [
            (None, true, "no header"),
            (Some(tag.clone()), true, "the tag of the record"),
            (Some("*".to_owned()), true, "any record"),
            (Some(format!("\"a\", {tag}")), true, "one of several"),
            (Some("\"a,b\"".to_owned()), false, "another tag"),
            (Some(format!("W/{tag}")), false, "a weak tag"),
            (Some(tag.replace('"', "")), false, "no quotation marks"),
            (Some(String::new()), false, "an empty list"),
            (Some("\n".to_owned()), false, "not a header"),
        ];
        for (if_match, met, reason) in cases {
            let precondition = Precondition::from(if_match);
            assert_eq!(precondition.is_met_by(&record), met, "{reason}");
        }
    }
}
