//! Compares two OpenAPI documents (3.0, 3.1 or 3.2) and reports how the change affects those who use the interface.
//!
//! [`diff`] compares the meaning of the documents: the order of keys, `$ref`s, the names of components and the way in
//! which schemas are combined make no difference. A change without a rule of its own is an `unclassified-change`, so that
//! no finding means no difference. The crate does no I/O and does not read the clock.

mod canonical;
mod checker;
mod counts;
mod document;
mod edit;
mod finding;
mod instance;
mod lifecycle;
mod listed;
mod policy;
mod proof;
pub mod report;
pub mod rules;
mod schema;
mod schema_diff;
mod session;
mod set;
mod template;
mod tree;
mod usage;
mod version;

use std::cmp::Reverse;

pub use counts::{Usage, UsageError};
use dropspec_model::Document;
pub use finding::{
    Consequence, Exchange, Finding, FindingUsage, Instance, MessageKind, Proof, Reached, Refused,
    Request, Response, Side,
};
pub use lifecycle::parse_stability;
pub use listed::{ListedOperation, list_operations};
pub use policy::{Acknowledged, Policy, SettingsError, VersionCheck};
pub use rules::{Bump, Level, RuleId};
pub use set::diff_sets;

use crate::session::Session;
use crate::tree::Tree;

/// Compares the document before a change (`base`) with the document after it (`revision`).
///
/// The documents need not be valid: invalid parts are compared as plain values. One edit gives one finding. Findings are
/// ordered by level, the highest first, then by their location in the revision.
pub fn diff(base: &Document, revision: &Document, policy: &Policy) -> Vec<Finding> {
    let mut findings = compare(base, revision, policy);
    policy::check_acknowledgements(&mut findings, policy, revision);
    // Stable: findings about versions and acknowledgements come after the others of their level.
    findings.sort_by_key(|finding| Reverse(finding.level));
    findings
}

/// Compares two documents, and does not ask which acknowledgements are used.
fn compare(base: &Document, revision: &Document, policy: &Policy) -> Vec<Finding> {
    let (old, new) = (base.in_terms_of_3_0(), revision.in_terms_of_3_0());
    let trees = (Tree::new(&old, base), Tree::new(&new, revision));
    let mut session = Session::new(trees.0, trees.1, policy);
    document::compare(&mut session);
    version::check_readable(&mut session);
    let mut findings = session.take_findings();
    usage::apply(&mut findings, policy);
    findings.sort_by_key(|f| (Reverse(f.level), f.revision.line, f.revision.column));
    session.find_instances(&mut findings);
    policy::mark_acknowledged(&mut findings, policy);
    proof::prove(&old, &new, &mut findings, policy);
    version::check_version(&mut session, &findings);
    findings.extend(session.take_findings());
    policy::mark_acknowledged(&mut findings, policy);
    findings
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
