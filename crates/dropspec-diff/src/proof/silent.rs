//! Breaks that no exchange can show, and why.

use crate::rules::RuleId;

/// Rules whose breaks refuse no message: a part of the id, and why.
const SILENT: [(&str, &str); 7] = [
    (
        "default-value",
        "no message is refused: without the value, the server does something else",
    ),
    (
        "property-renamed",
        "no message is refused: who reads it does not find the value under the old name",
    ),
    (
        "server-removed",
        "no message is refused: the address of the server is gone",
    ),
    (
        "rate-limit",
        "no message is refused before the limit is reached",
    ),
    (
        "error-code",
        "no message is refused: an error has another code",
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

/// Why most breaks of a rule have no exchange; `None` if most have one.
pub(crate) fn why_silent(id: RuleId) -> Option<&'static str> {
    // An operation that is removed before its sunset refuses requests.
    let is_removal = id.as_str().contains("-removed-");
    let mut rules = SILENT.iter().filter(|_| !is_removal);
    let found = rules.find(|(part, _)| id.as_str().contains(part));
    found.map(|(_, reason)| *reason)
}
