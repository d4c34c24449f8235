//! Requests that the document gives examples of, for tests that call every operation.

use dropspec_runtime::OperationInfo;
use petstore_api::DOCUMENT;
use serde_json::Value;

/// The path of an operation, with 1 for each id.
pub fn path_with_ids(operation: &OperationInfo) -> String {
    let segments = operation.path.split('/');
    let segments = segments.map(|it| if it.starts_with('{') { "1" } else { it });
    segments.collect::<Vec<_>>().join("/")
}

/// The example of the body of an operation; `None` if it has no body.
pub fn example_of_body(operation: &OperationInfo) -> Option<Value> {
    let pointer = operation.pointer() + "/requestBody/content/application~1json/example";
    DOCUMENT.find(&pointer).cloned()
}
