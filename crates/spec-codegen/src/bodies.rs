//! `bodies.rs`: the enums of request bodies that have several media types, and of the parts of multipart bodies; and how
//! the trait takes a body.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{
    Api, BodyChoice, BodyContent, BodyForm, MultipartParts, Part, PartContent, RequestBody, Type,
};
use crate::source::{docs, ident};
use crate::spelling;

pub(crate) fn render(api: &Api) -> TokenStream {
    let choices = api.body_choices.iter();
    let choices = choices.map(|choice| write_choice(api, choice));
    let parts = api
        .multiparts
        .iter()
        .filter(|parts| !parts.parts.is_empty());
    let parts = parts.map(write_parts);
    quote! {
        //! Request bodies that have several media types or parts.

        #(#choices)*
        #(#parts)*
    }
}

/// Writes the type of the argument that a method of the trait has for a body.
pub(crate) fn spell(api: &Api, body: &RequestBody) -> TokenStream {
    let content = spell_content(api, body);
    match body.required {
        false => quote!(spec_runtime::Body<Option<#content>>),
        true if !is_wrapped(body) => content,
        true if content_type(body).is_some() => quote!(dropshot::TypedBody<#content>),
        true => quote!(spec_runtime::Body<#content>),
    }
}

/// Whether the type of the argument is a wrapper around the body. Text, bytes and parts are arguments themselves.
pub(crate) fn is_wrapped(body: &RequestBody) -> bool {
    let is_value =
        |form: &BodyForm| matches!(form.content, BodyContent::Json(_) | BodyContent::Form(_));
    !body.required || body.only().is_none_or(is_value)
}

/// The media type of a body that dropshot can declare.
pub(crate) fn content_type(body: &RequestBody) -> Option<&'static str> {
    const TYPES: [&str; 3] = [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ];
    let form = body.only().filter(|_| body.required)?;
    let mut types = TYPES.into_iter();
    types.find(|name| form.media_type.eq_ignore_ascii_case(name))
}

/// Writes the type of a body that is there.
pub(crate) fn spell_content(api: &Api, body: &RequestBody) -> TokenStream {
    match (&body.choice, body.only()) {
        (Some(choice), _) => {
            let choice = ident(choice);
            quote!(crate::bodies::#choice)
        }
        (None, Some(form)) => spell_form(api, form),
        (None, None) => spelling::spell(&Type::Any),
    }
}

/// Whether the document names the parts of a multipart body. If not, dropshot's own type takes it.
pub(crate) fn has_parts(api: &Api, form: &BodyForm) -> bool {
    let BodyContent::Multipart(name) = &form.content else {
        return false;
    };
    let mut multiparts = api.multiparts.iter();
    multiparts.any(|parts| parts.name == *name && !parts.parts.is_empty())
}

fn spell_form(api: &Api, form: &BodyForm) -> TokenStream {
    match &form.content {
        BodyContent::Json(ty) | BodyContent::Form(ty) => spelling::spell(ty),
        BodyContent::Multipart(_) if !has_parts(api, form) => quote!(dropshot::MultipartBody),
        BodyContent::Multipart(parts) => {
            let parts = ident(parts);
            quote!(spec_runtime::Multipart<crate::bodies::#parts>)
        }
        BodyContent::Text => quote!(spec_runtime::Text),
        BodyContent::Bytes => quote!(spec_runtime::RawBody),
    }
}

fn write_choice(api: &Api, choice: &BodyChoice) -> TokenStream {
    let (docs, name) = (docs(&choice.docs), ident(&choice.name));
    let variants = choice.forms.iter().map(|form| {
        let docs = crate::source::docs(&format!("`{}`", form.media_type));
        let (variant, content) = (ident(&form.variant), spell_form(api, form));
        quote!(#docs #variant(#content))
    });
    quote! {
        #docs
        #[derive(Debug)]
        pub enum #name {
            #(#variants,)*
        }
    }
}

fn write_parts(parts: &MultipartParts) -> TokenStream {
    let (docs, name) = (docs(&parts.docs), ident(&parts.name));
    let variants = parts.parts.iter().map(|part| {
        let (docs, variant) = (crate::source::docs(&part.docs), ident(&part.variant));
        let content = spell_part(part);
        quote!(#docs #variant(#content))
    });
    let conversion = write_conversion(parts);
    quote! {
        #docs
        #[derive(Debug)]
        pub enum #name {
            #(#variants,)*
        }

        #conversion
    }
}

fn spell_part(part: &Part) -> TokenStream {
    match &part.content {
        PartContent::Text(ty) | PartContent::Json(ty) => spelling::spell(ty),
        PartContent::File => quote!(spec_runtime::File),
    }
}

/// Writes how the parts of a request become variants. The run time skips parts that the document does not name.
fn write_conversion(parts: &MultipartParts) -> TokenStream {
    let name = ident(&parts.name);
    let rows = parts.parts.iter().map(|part| {
        let (wire, variant) = (&part.wire, ident(&part.variant));
        let read = match &part.content {
            PartContent::Text(_) | PartContent::Json(_) => quote!(part.value()),
            PartContent::File => quote!(part.file()),
        };
        quote!(#wire => #read.map(Self::#variant))
    });
    quote! {
        impl spec_runtime::FromPart for #name {
            fn from_part(part: spec_runtime::Part) -> Result<Self, spec_runtime::Rejection> {
                match part.name() {
                    #(#rows,)*
                    _ => Err(part.unknown()),
                }
            }
        }
    }
}
