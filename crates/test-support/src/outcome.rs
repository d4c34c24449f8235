//! What an operation may end in, as the document declares it.

use std::collections::BTreeSet;
use std::fmt;

use petstore_api::{DOCUMENT, Operation};
use serde_json::Value;

/// One way in which a call may end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The operationId.
    pub operation: String,
    /// The HTTP status.
    pub status: u16,
    /// The code of the error, or nothing for a success.
    pub code: Option<String>,
}

impl Outcome {
    /// Every outcome that the document declares for an operation: the codes of an error are the names of its examples.
    pub fn declared(operation: Operation) -> BTreeSet<Outcome> {
        let info = operation.info();
        let responses = responses(operation);
        let outcomes = responses.keys().flat_map(|status| {
            let pointer = pointer(operation, status);
            let examples = DOCUMENT.find(&format!("{pointer}/content/application~1json/examples"));
            let codes: Vec<Option<String>> = match examples.and_then(Value::as_object) {
                Some(examples) => examples.keys().cloned().map(Some).collect(),
                None => vec![None],
            };
            let status: u16 = status
                .parse()
                .expect("this document declares plain statuses");
            codes.into_iter().map(move |code| Outcome {
                operation: info.operation_id.to_owned(),
                status,
                code,
            })
        });
        outcomes.collect()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.as_deref().unwrap_or("success");
        write!(f, "{} {} {code}", self.operation, self.status)
    }
}

fn responses(operation: Operation) -> &'static serde_json::Map<String, Value> {
    let responses = DOCUMENT.find(&format!("{}/responses", of(operation)));
    responses.and_then(Value::as_object).unwrap()
}

fn pointer(operation: Operation, status: &str) -> String {
    format!("{}/responses/{status}", of(operation))
}

/// The JSON pointer of an operation.
fn of(operation: Operation) -> String {
    let info = operation.info();
    let path = info.path.replace('~', "~0").replace('/', "~1");
    format!("/paths/{path}/{}", info.method.key())
}
