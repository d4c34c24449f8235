//! What to do about a finding.

use crate::finding::Finding;
use crate::rules::Level;

/// The end, the beginning or a part of a rule's id, with what helps. The first that fits holds.
const ADVICE: &[(&str, &str)] = &[
    (
        "acknowledgement-unused",
        "remove the entry from the settings",
    ),
    (
        "acknowledgement-expired",
        "mend the finding, or agree to it anew with a later date",
    ),
    ("-version-", "set `info.version` as the message says"),
    (
        "removed-without-deprecation",
        "bring it back with `deprecated: true` and an `x-deprecated-sunset`, and remove it after that day",
    ),
    (
        "removed-before-sunset",
        "bring it back until its sunset has passed",
    ),
    (
        "sunset-passed",
        "remove the operation, or move its sunset to a later day",
    ),
    (
        "sunset",
        "name a sunset that leaves the notice its days, and keep it",
    ),
    (
        "stability-decreased",
        "leave the stability as it is; what is promised cannot be taken back",
    ),
    (
        "new-required",
        "make it optional, or take what comes without it for some time",
    ),
    (
        "became-required",
        "keep taking what comes without it, or give a new operation the stricter form",
    ),
    ("request-body-added-required", "make the body optional"),
    (
        "api-security-tightened",
        "add the new way in beside the old one, and remove the old one after a notice",
    ),
    (
        "rate-limit",
        "announce it, and let it apply from a new major version or a new plan",
    ),
    (
        "server-removed",
        "serve the old address as well until its callers have moved",
    ),
    (
        "component-renamed",
        "keep the name; generated clients have it in their code",
    ),
    (
        "operation-id",
        "keep the operationId; generated clients have it in their code",
    ),
    ("property-case-changed", "keep the spelling"),
    ("request-", "keep taking what was taken until now"),
    (
        "response-",
        "keep to what was promised, or offer the new form beside the old one",
    ),
];

/// What a person can do about a finding that matters; nothing about the others.
pub fn advice(finding: &Finding) -> Option<&'static str> {
    if finding.level == Level::Info {
        return None;
    }
    let id = finding.id.as_str();
    let fitting = ADVICE.iter().find(|(part, _)| id.contains(part));
    fitting.map(|(_, advice)| *advice)
}
