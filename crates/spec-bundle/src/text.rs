//! The text of a bundle.

use serde_saphyr::SerializerOptions;
use spec_model::Document;

/// Prints a document as JSON; keys keep their order.
pub(crate) fn json(document: &Document) -> String {
    format!("{:#}\n", document.root().to_json())
}

/// Prints a document as YAML; keys keep their order.
pub(crate) fn yaml(document: &Document) -> String {
    let options = SerializerOptions::default();
    serde_saphyr::to_string_with_options(&document.root().to_json(), options).unwrap_or_default()
}
