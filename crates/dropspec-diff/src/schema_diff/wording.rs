//! Words changes of keywords for messages.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::SchemaContext;
use crate::rules::Role;

/// A change of a keyword in a message. It is also part of the fingerprint.
pub(super) fn describe_change<V: Display>(keyword: &str, old: Option<V>, new: Option<V>) -> String {
    let show = |value: Option<V>| value.map_or_else(|| "none".to_owned(), |v| v.to_string());
    format!("`{keyword}` {} → {}", show(old), show(new))
}

/// Shows the first of several values of a keyword in a message.
pub(super) fn show_first(values: &BTreeSet<String>) -> Option<String> {
    let first = values.first()?;
    Some(format!("`{}`", shorten(first)))
}

/// Shortens a value for a message.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start}…")
}

/// Names a schema in messages.
pub(super) fn name_schema(context: SchemaContext, place: &str) -> String {
    let message = match (context.role.is_request(), context.sent_as) {
        (true, None) => "request".to_owned(),
        (false, None) => "response".to_owned(),
        // What clients receive of a webhook has the rules of responses.
        (false, Some(sent)) => sent.to_owned(),
        (true, Some(sent)) => format!("{sent} response"),
    };
    match context.role {
        Role::RequestBody | Role::ResponseBody => format!("the {message} body"),
        Role::RequestProperty | Role::ResponseProperty => {
            format!("the {message} property `{place}`")
        }
        _ => format!("the {place}"),
    }
}

/// A longer path to a schema is cut off in messages, in bytes.
const LONGEST_PLACE: usize = 120;

/// Appends a step, such as the name of a property, to the path to a schema in messages.
pub(super) fn join_place(role: Role, place: &str, step: &str) -> String {
    let at_root = matches!(role, Role::RequestBody | Role::ResponseBody);
    if at_root || place.is_empty() {
        return step.to_owned();
    }
    if place.len() > LONGEST_PLACE {
        return format!("…/{step}");
    }
    format!("{place}/{step}")
}
