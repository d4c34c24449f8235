//! Compares two OpenAPI 3.0 documents and says what the change does to everyone who uses the interface.
//!
//! [`diff`] compares what the documents mean, not how they are written: the order of keys, `$ref`s, the names of
//! components and the way schemas are joined make no difference. What differs and no rule knows is reported as
//! `unclassified-change`, so that silence means equal. Nothing here does I/O or reads the clock.

mod canonical;
mod document;
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

use spec_model::Document;

pub use finding::{Consequence, Finding, Instance, Place, Side};
pub use policy::{Acknowledged, Policy, SettingsError, Stability, Versions};
pub use rules::{Bump, Level};

use crate::session::Session;
use crate::tree::Tree;

/// Compares `base`, which was promised, with `revision`, which is to be.
///
/// The documents need not be valid: what has no meaning is compared as it stands. One edit gives one finding; the
/// findings come worst first, then in the order of the revision.
pub fn diff(base: &Document, revision: &Document, policy: &Policy) -> Vec<Finding> {
    let mut session = Session::new(Tree::new(base), Tree::new(revision), policy);
    document::compare(&mut session);
    policy::check_readable(&mut session);
    let mut findings = session.findings();
    findings.sort_by(|a, b| {
        let place = |finding: &Finding| (finding.revision.line, finding.revision.column);
        b.level.cmp(&a.level).then(place(a).cmp(&place(b)))
    });
    policy::acknowledge(&mut findings, policy);
    if policy.versions != Versions::Off {
        let (base, revision) = (Tree::new(base), Tree::new(revision));
        if let Some(verdict) = policy::check_version(&base, &revision, &findings, policy) {
            let mut session = Session::new(base, revision, policy);
            session.report(verdict.rule, verdict.edit, verdict.message);
            let mut verdict = session.findings();
            policy::acknowledge(&mut verdict, policy);
            findings.extend(verdict);
        }
    }
    policy::check_acknowledged(&mut findings, policy, revision);
    // What the findings imply comes after them.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}
