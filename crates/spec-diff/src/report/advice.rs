//! Advice: what to do about a finding.

use crate::finding::Finding;
use crate::rules::Level;

/// Advice for an error or warning, by its rule. The first match applies.
pub fn advice(finding: &Finding) -> Option<&'static str> {
    if finding.level == Level::Info {
        return None;
    }
    let is = |part: &str| finding.id.as_str().contains(part);
    Some(match () {
        () if is("acknowledgement-unused") => "remove the entry from the settings",
        () if is("acknowledgement-expired") => {
            "correct the change, or acknowledge it again with a later date"
        }
        () if is("-version-") => "set `info.version` as the message says",
        () if is("removed-without-deprecation") => {
            "restore it with `deprecated: true` and an `x-deprecated-sunset`, and remove it after that day"
        }
        () if is("removed-before-sunset") => "restore it until its sunset has passed",
        () if is("sunset-passed") => "remove the operation, or move its sunset to a later day",
        () if is("sunset") => "set a sunset that gives the required notice, and keep it",
        () if is("stability-decreased") => "keep the stability",
        () if is("new-required") => "make it optional, or accept requests without it for some time",
        () if is("became-required") => "keep it optional, or add a new operation that requires it",
        () if is("request-body-added-required") => "make the body optional",
        () if is("api-security-tightened") => {
            "add the new requirement as an alternative, and remove the old one after a notice"
        }
        () if is("rate-limit") => {
            "announce it, and apply it from a new major version or in a new plan"
        }
        () if is("server-removed") => "keep the old server until its clients have moved",
        () if is("component-renamed") => "keep the name: generated clients use it",
        () if is("operation-id") => "keep the operationId: generated clients use it",
        () if is("property-case-changed") => "keep the spelling",
        () if is("request-") => "keep accepting what was valid before",
        () if is("response-") => "keep the old form, or add the new one beside it",
        () => return None,
    })
}
