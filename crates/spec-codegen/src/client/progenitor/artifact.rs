//! The files that progenitor generates, with its settings for each.

use openapiv3::OpenAPI;
use proc_macro2::TokenStream;
use progenitor_impl::{
    Error, GenerationSettings, Generator, HooksMode, InterfaceStyle, Result, TagStyle,
};
use syn::{File, parse_quote};

use crate::client::progenitor::{documentation, errors, layered, methods, mock};
use crate::model::Api;

/// A file that progenitor generates, with what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Artifact {
    /// The client. If a crate adds a layer by hand, its hooks keep their state in the type `hooks_state`, and it writes
    /// the constructors itself. `error`: the type that the layer makes of progenitor's errors.
    Client {
        hooks_state: Option<String>,
        error: Option<String>,
    },
    /// Typed expectations for `httpmock`, for the client of this crate.
    Mock { crate_name: String },
}

impl Artifact {
    /// The code that progenitor generates for a document.
    pub(super) fn generate_tokens(&self, document: &OpenAPI) -> Result<TokenStream> {
        let mut settings = GenerationSettings::new();
        settings
            .with_interface(InterfaceStyle::Builder)
            .with_tag(TagStyle::Merged);
        if let Artifact::Client {
            hooks_state: Some(state),
            ..
        } = self
        {
            let state = state
                .parse()
                .map_err(|_| Error::InternalError(format!("`{state}` is no Rust type")))?;
            settings
                .with_inner_type(state)
                .with_hooks(HooksMode::Expected);
        }
        let mut generator = Generator::new(&settings);
        match self {
            Artifact::Client { .. } => generator.generate_tokens(document),
            Artifact::Mock { crate_name } => generator.httpmock(document, crate_name),
        }
    }

    /// Changes the code that progenitor generated so that it fits the crate that it belongs to.
    pub(super) fn adapt(&self, file: &mut File, api: &Api) {
        let docs = match self {
            Artifact::Client { hooks_state, error } => {
                if hooks_state.is_some() {
                    layered::open_to_layer(file);
                }
                if let Some(error) = error {
                    errors::convert_errors(file, error);
                }
                methods::adapt_methods(file, api);
                documentation::follow_document(file, api);
                "The client: a method and a builder for each operation."
            }
            Artifact::Mock { .. } => {
                file.attrs.insert(0, parse_quote!(#![allow(missing_docs)]));
                mock::adapt_mock(file);
                "Typed expectations for `httpmock`: a method of `MockServer` for each operation."
            }
        };
        file.attrs
            .insert(0, parse_quote!(#![allow(clippy::all, clippy::unwrap_used)]));
        file.attrs.insert(0, parse_quote!(#![doc = #docs]));
    }
}
