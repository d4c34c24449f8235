//! A small document for the tests of this crate.

use std::sync::LazyLock;

use crate::{Decoder, Document, Method, OperationInfo, Stability};

pub(crate) static DOCUMENT: LazyLock<Document> =
    LazyLock::new(|| Document::from_json(include_str!("example.json")));

pub(crate) static OPERATIONS: [OperationInfo; 3] = [
    operation("listThings", Method::Get, "/things"),
    operation("createThing", Method::Post, "/things"),
    operation("changeThing", Method::Patch, "/things/{thingId}"),
];

pub(crate) static DECODER: LazyLock<Decoder> = LazyLock::new(|| {
    Decoder::new(&DOCUMENT, &OPERATIONS).expect("the example is within what can be decoded")
});

pub(crate) const LIST: usize = 0;
pub(crate) const CREATE: usize = 1;
pub(crate) const CHANGE: usize = 2;

/// An operation of which only the route matters.
pub(crate) const fn operation(
    operation_id: &'static str,
    method: Method,
    path: &'static str,
) -> OperationInfo {
    OperationInfo {
        operation_id,
        method,
        path,
        tag: None,
        stability: Stability::Stable,
        deprecation: None,
        required_access: None,
        rate_limit_cost: 1,
        public: false,
    }
}

/// A document that lives as long as the test run.
pub(crate) fn document(json: serde_json::Value) -> &'static Document {
    let text: &'static str = Box::leak(json.to_string().into_boxed_str());
    Box::leak(Box::new(Document::from_json(text)))
}
