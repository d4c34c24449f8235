//! Compares two OpenAPI 3.0 documents and reports how the change affects those who use the interface.
//!
//! [`diff`] compares the meaning of the documents: the order of keys, `$ref`s, the names of components and the way in
//! which schemas are combined make no difference. A change without a rule of its own is an `unclassified-change`, so that
//! no finding means no difference. The crate does no I/O and does not read the clock.

mod canonical;
mod document;
mod edit;
mod finding;
mod instance;
mod lifecycle;
mod policy;
pub mod report;
pub mod rules;
mod schema;
mod schema_diff;
mod session;
mod tree;
mod version;

use std::cmp::Reverse;

use spec_model::Document;

pub use finding::{Consequence, Finding, Instance, Side, SourceLocation};
pub use lifecycle::parse_stability;
pub use policy::{Acknowledged, Policy, SettingsError, Versions};
pub use rules::{Bump, Level, RuleId};

use crate::session::Session;
use crate::tree::Tree;

/// Compares the document before a change (`base`) with the document after it (`revision`).
///
/// The documents need not be valid: invalid parts are compared as plain values. One edit gives one finding. Findings are
/// ordered by level, the highest first, then by their location in the revision.
pub fn diff(base: &Document, revision: &Document, policy: &Policy) -> Vec<Finding> {
    let mut session = Session::new(Tree::new(base), Tree::new(revision), policy);
    document::compare(&mut session);
    version::check_readable(&mut session);
    let mut findings = session.into_findings();
    findings.sort_by_key(|f| (Reverse(f.level), f.revision.line, f.revision.column));
    policy::mark_acknowledged(&mut findings, policy);
    if policy.versions != Versions::Off {
        let (base, revision) = (Tree::new(base), Tree::new(revision));
        if let Some(found) = version::check_version(&base, &revision, &findings, policy) {
            let mut session = Session::new(base, revision, policy);
            session.report(found.rule, found.edit, found.message);
            let mut found = session.into_findings();
            policy::mark_acknowledged(&mut found, policy);
            findings.extend(found);
        }
    }
    policy::check_acknowledgements(&mut findings, policy, revision);
    // Stable: findings about versions and acknowledgements come after the others of their level.
    findings.sort_by_key(|finding| Reverse(finding.level));
    findings
}
