//! `openapi.json` and `document.rs`: the document itself, carried by the code that was made of it.

use spec_model::Spec;

use crate::source::Source;

/// The document as JSON, its keys in their order.
pub(crate) fn json(spec: &Spec) -> String {
    format!("{:#}\n", spec.document.root().to_json())
}

/// The module that reads it, without its header.
pub(crate) fn render() -> String {
    let mut source = Source::default();
    source.line("//! The OpenAPI document that this interface was generated from.");
    source.blank();
    source.line("use std::sync::LazyLock;");
    source.blank();
    source.line("use spec_runtime::Document;");
    source.blank();
    source.docs("The document, read once.");
    source.line("pub static DOCUMENT: LazyLock<Document> =");
    source.indented(|source| {
        source.line("LazyLock::new(|| Document::from_json(include_str!(\"openapi.json\")));");
    });
    source.into_text()
}
