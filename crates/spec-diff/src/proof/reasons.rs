//! Why some rules have no exchange.

use crate::rules::{Category, RuleId};

/// Rules whose breaks refuse no message: a part of the id, and why.
const SILENT: [(&str, &str); 5] = [
    (
        "default-value",
        "no message is refused: without the value, the server does something else",
    ),
    (
        "-renamed",
        "no message is refused: who reads it does not find the value under the old name",
    ),
    (
        "server-removed",
        "no message is refused: the address of the server is gone",
    ),
    (
        "sunset",
        "no message changes: the rule is about the announced end",
    ),
    (
        "stability",
        "no message changes: the rule is about what is promised",
    ),
];

/// Whether a rule is about something else than messages.
pub(super) fn changes_no_message(id: RuleId) -> bool {
    id.rule().category != Category::Interface
}

/// Why most breaks of a rule have no exchange; `None` if most have one.
pub(super) fn why_silent(id: RuleId) -> Option<&'static str> {
    // An operation that is removed before its sunset refuses requests.
    let is_removal = id.as_str().contains("-removed-");
    let mut rules = SILENT.iter().filter(|_| !is_removal);
    rules
        .find(|(part, _)| id.as_str().contains(part))
        .map(|(_, reason)| *reason)
}
