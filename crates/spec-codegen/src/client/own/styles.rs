//! The styles of parameters and of fields of forms, as `spec-client` names them.

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::ParameterStyle;

use crate::source::ident;

/// The name of a style in `spec-client`.
pub(super) fn spell_style(style: ParameterStyle) -> TokenStream {
    let style = ident(match style {
        ParameterStyle::Matrix => "Matrix",
        ParameterStyle::Label => "Label",
        ParameterStyle::Form => "Form",
        ParameterStyle::Simple => "Simple",
        ParameterStyle::SpaceDelimited => "SpaceDelimited",
        ParameterStyle::PipeDelimited => "PipeDelimited",
        ParameterStyle::DeepObject => "DeepObject",
    });
    quote!(spec_client::Style::#style)
}
