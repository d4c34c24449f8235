//! A small document and its operations, for the unit tests of this crate.

use std::sync::LazyLock;

use crate::{Decoder, Document, Method, OperationInfo};

pub(crate) static DOCUMENT: LazyLock<Document> =
    LazyLock::new(|| Document::from_json(include_str!("example.json")));

pub(crate) static OPERATIONS: [OperationInfo; 3] = [
    OperationInfo::new("listWidgets", Method::Get, "/widgets"),
    OperationInfo::new("createWidget", Method::Post, "/widgets"),
    OperationInfo::new("changeWidget", Method::Patch, "/widgets/{widgetId}"),
];

pub(crate) static DECODER: LazyLock<Decoder> =
    LazyLock::new(|| Decoder::new(&DOCUMENT, &OPERATIONS).expect("the definitions are supported"));

pub(crate) const LIST: usize = 0;
pub(crate) const CREATE: usize = 1;
pub(crate) const CHANGE: usize = 2;

/// A document that is never dropped, as tests need it.
pub(crate) fn document(json: serde_json::Value) -> &'static Document {
    let text: &'static str = Box::leak(json.to_string().into_boxed_str());
    Box::leak(Box::new(Document::from_json(text)))
}

/// The rows of a table in text: an input and its expected result, separated by `->`.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| {
        let (input, expected) = line.split_once("->").expect("a row needs `->`");
        (input.trim(), expected.trim())
    })
}
