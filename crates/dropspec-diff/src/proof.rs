//! Proves breaks: for each, the HTTP exchange that worked before and fails now, as far as it can be printed. Every message
//! is checked by both documents; none is sent.

mod checker;
mod discriminators;
mod drafts;
mod message;
mod parameters;
mod search;
mod silent;
pub(crate) mod undo;

use std::cell::LazyCell;

use dropspec_model::Document;

use self::search::Search;
pub(crate) use self::silent::why_silent;
use crate::finding::{Exchange, Finding, MessageKind, Proof, Refused, Request, Response};
use crate::policy::Policy;
use crate::rules::{Category, Level, RuleId};

/// The most breaks that are proved in one comparison.
pub(crate) const MOST_PROVED: usize = 200;

/// Parts of the ids of rules whose edit leaves no doubt: every request of the base, or every one that does without the new
/// part, is refused.
const CERTAIN: [&str; 5] = [
    "api-path-removed",
    "api-removed",
    "new-required-request",
    "request-body-added-required",
    "request-body-became-required",
];

/// Looks for a proof of each break, and says of which breaks there is none. If the policy asks for exchanges, adds them. The
/// documents are those that were compared, in the terms of OpenAPI 3.0.
pub(crate) fn prove(
    base: &Document,
    revision: &Document,
    findings: &mut [Finding],
    policy: &Policy,
) {
    let search = LazyCell::new(|| Search::new(base.root().to_json(), revision.root().to_json()));
    let breaks = findings.iter_mut().filter(|it| it.level == Level::Error);
    for (index, finding) in breaks.enumerate() {
        let may_be_false = finding.instance.is_none() && may_be_false(finding.id);
        if !policy.prove && !may_be_false {
            continue;
        }
        let proof = if index < MOST_PROVED {
            search.prove(finding)
        } else {
            Proof::None(format!("only {MOST_PROVED} breaks are proved"))
        };
        if let Proof::None(reason) = &proof
            && may_be_false
        {
            finding.unproven = Some(reason.clone());
            finding.lower(policy.unproven_breaks);
        }
        finding.proof = Some(proof).filter(|_| policy.prove);
    }
}

/// Whether a break of a rule needs a proof, because some edits that trigger it break nobody.
fn may_be_false(id: RuleId) -> bool {
    id.rule().category == Category::Interface
        && why_silent(id).is_none()
        && !CERTAIN.iter().any(|part| id.as_str().contains(part))
}
