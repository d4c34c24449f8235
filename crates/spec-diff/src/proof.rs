//! Proves breaks: for each, the HTTP exchange that worked before and fails now, as far as it can be printed. Every message
//! is checked by both documents; none is sent.

mod checker;
mod discriminators;
mod drafts;
mod message;
mod parameters;
mod search;
pub(crate) mod undo;

use spec_model::Document;

use crate::finding::{Exchange, Finding, MessageKind, Proof, Refused, Request, Response};
use crate::rules::Level;

use self::search::Search;
pub(crate) use self::search::why_silent;

/// The most breaks that are proved in one comparison.
const MOST_PROVED: usize = 200;

/// Adds a proof to each break. The documents are those that were compared, in the terms of OpenAPI 3.0.
pub(crate) fn prove(base: &Document, revision: &Document, findings: &mut [Finding]) {
    let search = Search::new(base.root().to_json(), revision.root().to_json());
    let breaks = findings.iter_mut().filter(|it| it.level == Level::Error);
    for (index, finding) in breaks.enumerate() {
        finding.proof = Some(if index < MOST_PROVED {
            search.prove(finding)
        } else {
            Proof::None(format!("only {MOST_PROVED} breaks are proved"))
        });
    }
}
