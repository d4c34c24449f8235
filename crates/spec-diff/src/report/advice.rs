//! Advice: what to do about a finding.

use crate::finding::Finding;
use crate::rules::Level;

/// Parts of rule ids with the advice for them. The first match applies.
const ADVICE: &[(&str, &str)] = &[
    (
        "acknowledgement-unused",
        "remove the entry from the settings",
    ),
    (
        "acknowledgement-expired",
        "correct the change, or acknowledge it again with a later date",
    ),
    ("-version-", "set `info.version` as the message says"),
    (
        "removed-without-deprecation",
        "restore it with `deprecated: true` and an `x-deprecated-sunset`, and remove it after that day",
    ),
    (
        "removed-before-sunset",
        "restore it until its sunset has passed",
    ),
    (
        "sunset-passed",
        "remove the operation, or move its sunset to a later day",
    ),
    (
        "sunset",
        "set a sunset that gives the required notice, and keep it",
    ),
    ("stability-decreased", "keep the stability"),
    (
        "new-required",
        "make it optional, or accept requests without it for some time",
    ),
    (
        "became-required",
        "keep it optional, or add a new operation that requires it",
    ),
    ("request-body-added-required", "make the body optional"),
    (
        "api-security-tightened",
        "add the new requirement as an alternative, and remove the old one after a notice",
    ),
    (
        "rate-limit",
        "announce it, and apply it from a new major version or in a new plan",
    ),
    (
        "server-removed",
        "keep the old server until its clients have moved",
    ),
    (
        "component-renamed",
        "keep the name: generated clients use it",
    ),
    (
        "operation-id",
        "keep the operationId: generated clients use it",
    ),
    ("property-case-changed", "keep the spelling"),
    ("request-", "keep accepting what was valid before"),
    (
        "response-",
        "keep the old form, or add the new one beside it",
    ),
];

/// Advice for an error or warning.
pub fn advice(finding: &Finding) -> Option<&'static str> {
    if finding.level == Level::Info {
        return None;
    }
    let id = finding.id.as_str();
    let matching = ADVICE.iter().find(|(part, _)| id.contains(part));
    matching.map(|(_, advice)| *advice)
}
