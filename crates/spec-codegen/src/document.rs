//! `openapi.json` and `document.rs`: the document itself, compiled into the code that was generated from it.

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::Spec;

/// Prints the document as the text of `openapi.json`; keys keep their order.
pub(crate) fn json(spec: &Spec) -> String {
    format!("{:#}\n", spec.document.root().to_json())
}

/// Writes `document.rs`, which contains the document as constants. `source_path` is the path of the document, relative
/// to the module.
pub(crate) fn render(source_path: &str) -> TokenStream {
    quote! {
        //! The OpenAPI document that this interface was generated from.

        /// The document, parsed.
        pub static DOCUMENT: std::sync::LazyLock<spec_runtime::Document> =
            std::sync::LazyLock::new(|| spec_runtime::Document::from_json(include_str!("openapi.json")));

        /// The text of the document.
        pub const DOCUMENT_SOURCE: &str = include_str!(#source_path);
    }
}
