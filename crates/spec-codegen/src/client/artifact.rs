//! The files that progenitor makes of a document, with its settings for each.

use openapiv3::OpenAPI;
use proc_macro2::TokenStream;
use progenitor_impl::{
    Error, GenerationSettings, Generator, HooksMode, InterfaceStyle, Result, TagStyle,
};
use syn::File;

use crate::client::{command_line, layered, mock};

/// One of progenitor's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Artifact {
    /// The client without a hand-written layer, ready to use.
    Client,
    /// The client for a crate that writes constructors and hooks by hand. The hooks keep their state in this type.
    LayeredClient { state: String },
    /// Typed expectations for `httpmock`, for the client of this crate.
    Mock { crate_name: String },
    /// A clap command for each operation of this client crate. The operations in `lists` have streams over all pages.
    CommandLine {
        crate_name: String,
        lists: Vec<String>,
    },
}

impl Artifact {
    /// The tokens that progenitor makes.
    pub(super) fn tokens(&self, document: &OpenAPI) -> Result<TokenStream> {
        let mut settings = GenerationSettings::new();
        settings
            .with_interface(InterfaceStyle::Builder)
            .with_tag(TagStyle::Merged);
        if let Artifact::LayeredClient { state } = self {
            let state = state
                .parse()
                .map_err(|_| Error::InternalError(format!("`{state}` is no Rust type")))?;
            settings
                .with_inner_type(state)
                .with_hooks(HooksMode::Expected);
        }
        let mut generator = Generator::new(&settings);
        match self {
            Artifact::Client | Artifact::LayeredClient { .. } => {
                generator.generate_tokens(document)
            }
            Artifact::Mock { crate_name } => generator.httpmock(document, crate_name),
            Artifact::CommandLine { crate_name, .. } => generator.cli(document, crate_name),
        }
    }

    /// Changes the code to fit the crate that it belongs to.
    pub(super) fn adapt(&self, file: &mut File) {
        match self {
            Artifact::Client => {}
            Artifact::LayeredClient { .. } => layered::adapt(file),
            Artifact::Mock { .. } => mock::adapt(file),
            Artifact::CommandLine { lists, .. } => command_line::adapt(file, lists),
        }
    }
}
