//! `openapi.json`, `written.json` and `document.rs`: the document itself, compiled into the code that was generated from it.

use dropspec_model::{Document, Spec};
use proc_macro2::TokenStream;
use quote::quote;

/// Prints the document in the terms that the code reads as the text of `openapi.json`; keys keep their order.
pub(crate) fn json(spec: &Spec) -> String {
    print(&spec.document)
}

/// Prints the document in the author's terms as the text of `written.json`. `None` if `openapi.json` has the same.
pub(crate) fn written_json(spec: &Spec) -> Option<String> {
    let is_changed = spec.source.uses_json_schema() || spec.source != spec.document;
    is_changed.then(|| print(&spec.source))
}

fn print(document: &Document) -> String {
    format!("{:#}\n", document.root().to_json())
}

/// Writes `document.rs`, which contains the document as constants. `source_path` is the path of the document, relative
/// to the module.
pub(crate) fn render(source_path: &str, has_written: bool) -> TokenStream {
    let written = has_written.then(|| {
        quote! {
            /// The text of the document in JSON, as its author wrote it.
            pub const DOCUMENT_JSON: &str = include_str!("written.json");
        }
    });
    quote! {
        //! The OpenAPI document that this interface was generated from.

        /// The document, parsed.
        pub static DOCUMENT: std::sync::LazyLock<dropspec_runtime::Document> =
            std::sync::LazyLock::new(|| dropspec_runtime::Document::from_json(include_str!("openapi.json")));

        #written

        /// The text of the document.
        pub const DOCUMENT_SOURCE: &str = include_str!(#source_path);
    }
}
