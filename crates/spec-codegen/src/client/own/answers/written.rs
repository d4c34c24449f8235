//! The responses of an operation as rows of its table, and the functions that read them.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Form, Reader};
use crate::model::{ResponseContent, ResponseVariant, StatusSet};
use crate::source::{ident, length};
use crate::spelling::spell;

impl Form {
    pub(super) fn new(status: StatusSet, media_type: Option<String>, kind: &'static str) -> Form {
        Form {
            status,
            media_type,
            kind,
        }
    }

    pub(super) fn of_variant(variant: &ResponseVariant) -> Form {
        let kind = match &variant.content {
            ResponseContent::Empty => "empty",
            ResponseContent::Json(_) => "json",
            ResponseContent::Text => "text",
            ResponseContent::Bytes => "bytes",
        };
        let media_type = variant.media_type.clone();
        Form::new(variant.status, media_type.filter(|_| kind != "empty"), kind)
    }

    pub(super) fn write(&self) -> TokenStream {
        let kind = ident(self.kind);
        let status = match self.status {
            StatusSet::Exact(status) => {
                let status = length(status.into());
                quote!(Exact(#status))
            }
            StatusSet::Class(class) => {
                let class = length(class.into());
                quote!(Class(#class))
            }
            StatusSet::Default => quote!(Default),
        };
        let media_type = self.media_type.iter();
        quote!(spec_client::Form::#kind(spec_client::Status::#status #(, #media_type)*))
    }
}

impl Reader {
    /// The type that a body becomes.
    pub(in crate::client::own) fn spell(&self) -> TokenStream {
        match self {
            Reader::Empty => quote!(()),
            Reader::Json(ty) => spell(ty),
            Reader::Text => quote!(String),
            Reader::Bytes => quote!(spec_client::Bytes),
            Reader::Stream => quote!(spec_client::ByteStream),
            Reader::Enum(name) => {
                let name = ident(name);
                quote!(crate::responses::#name)
            }
        }
    }

    /// The function that reads a body.
    pub(in crate::client::own) fn function(&self) -> TokenStream {
        match self {
            Reader::Empty => quote!(spec_client::empty),
            Reader::Json(_) => quote!(spec_client::json),
            Reader::Text => quote!(spec_client::text),
            Reader::Bytes => quote!(spec_client::bytes),
            Reader::Stream => quote!(spec_client::stream),
            Reader::Enum(name) => {
                let name = ident(name);
                quote!(crate::responses::#name::read)
            }
        }
    }
}
