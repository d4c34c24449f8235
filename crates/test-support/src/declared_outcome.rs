//! The outcomes of an operation that the document declares.

use std::collections::BTreeSet;
use std::fmt;

use petstore_api::{DOCUMENT, Operation};
use serde_json::Value;

/// A status that the document declares for an operation and, if it is an error, one of its error codes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredOutcome {
    /// The operationId.
    pub operation: String,
    /// The HTTP status.
    pub status: u16,
    /// The error code; `None` for a success, and for 304.
    pub code: Option<String>,
}

impl DeclaredOutcome {
    /// Returns the outcomes that the document declares for an operation. The codes of an error status are the names of
    /// its examples.
    pub fn of_operation(operation: Operation) -> BTreeSet<DeclaredOutcome> {
        let info = operation.info();
        let pointer = format!("{}/responses", info.pointer());
        let responses = DOCUMENT.find(&pointer).and_then(Value::as_object);
        let outcomes = responses.unwrap().keys().flat_map(|status| {
            let examples = format!("{pointer}/{status}/content/application~1json/examples");
            let examples = DOCUMENT.find(&examples);
            let codes: Vec<Option<String>> = match examples.and_then(Value::as_object) {
                Some(examples) => examples.keys().cloned().map(Some).collect(),
                None => vec![None],
            };
            let status: u16 = status.parse().expect("a status without wildcards");
            codes.into_iter().map(move |code| DeclaredOutcome {
                operation: info.operation_id.to_owned(),
                status,
                code,
            })
        });
        outcomes.collect()
    }
}

impl DeclaredOutcome {
    /// What happened: the error code, `not_modified`, or `success`.
    pub fn name(&self) -> &str {
        match (&self.code, self.status) {
            (Some(code), _) => code,
            (None, 304) => "not_modified",
            (None, _) => "success",
        }
    }
}

impl fmt::Display for DeclaredOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.operation, self.status, self.name())
    }
}
