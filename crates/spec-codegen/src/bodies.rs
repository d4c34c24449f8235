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
    let choices = api.body_choices.iter().map(write_choice);
    let parts = api.multiparts.iter().map(write_parts);
    quote! {
        //! Request bodies that have several media types or parts.

        #(#choices)*
        #(#parts)*
    }
}

/// Writes the type of the argument that a method of the trait has for a body.
pub(crate) fn spell(body: &RequestBody) -> TokenStream {
    let content = spell_content(body);
    match (body.forms.as_slice(), body.required) {
        (_, false) => quote!(spec_runtime::Body<Option<#content>>),
        ([form], true) => match &form.content {
            _ if content_type(body).is_some() => quote!(dropshot::TypedBody<#content>),
            BodyContent::Json(_) | BodyContent::Form(_) => quote!(spec_runtime::Body<#content>),
            BodyContent::Multipart(_) | BodyContent::Text | BodyContent::Bytes => content,
        },
        (_, true) => quote!(spec_runtime::Body<#content>),
    }
}

/// The media type of a body that dropshot's `TypedBody` can take.
pub(crate) fn content_type(body: &RequestBody) -> Option<&'static str> {
    const TYPES: [&str; 2] = ["application/json", "application/x-www-form-urlencoded"];
    let form = body.only().filter(|_| body.required)?;
    let mut types = TYPES.into_iter();
    types.find(|name| form.media_type.eq_ignore_ascii_case(name))
}

/// Writes the type of a body that is there.
pub(crate) fn spell_content(body: &RequestBody) -> TokenStream {
    match (&body.choice, body.only()) {
        (Some(choice), _) => {
            let choice = ident(choice);
            quote!(crate::bodies::#choice)
        }
        (None, Some(form)) => spell_form(form),
        (None, None) => spelling::spell(&Type::Any),
    }
}

fn spell_form(form: &BodyForm) -> TokenStream {
    match &form.content {
        BodyContent::Json(ty) | BodyContent::Form(ty) => spelling::spell(ty),
        BodyContent::Multipart(parts) => {
            let parts = ident(parts);
            quote!(spec_runtime::Multipart<crate::bodies::#parts>)
        }
        BodyContent::Text => quote!(spec_runtime::Text),
        BodyContent::Bytes => quote!(spec_runtime::RawBody),
    }
}

fn write_choice(choice: &BodyChoice) -> TokenStream {
    let (docs, name) = (docs(&choice.docs), ident(&choice.name));
    let variants = choice.forms.iter().map(|form| {
        let docs = crate::source::docs(&format!("`{}`", form.media_type));
        let (variant, content) = (ident(&form.variant), spell_form(form));
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
    let other = parts.other.iter().map(|variant| {
        let variant = ident(variant);
        quote!(
            /// A part that the document does not name.
            #variant(spec_runtime::File)
        )
    });
    let variants = variants.chain(other);
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

/// Writes how the parts of a request become variants.
fn write_conversion(parts: &MultipartParts) -> TokenStream {
    let name = ident(&parts.name);
    let rows = parts.parts.iter().map(|part| {
        let (wire, variant) = (&part.wire, ident(&part.variant));
        let read = match &part.content {
            PartContent::Text(_) => quote!(part.text_value().await?),
            PartContent::Json(_) => quote!(part.json().await?),
            PartContent::File => quote!(part.into_file()),
        };
        quote!(#wire => Self::#variant(#read))
    });
    let other = match &parts.other {
        Some(variant) => {
            let variant = ident(variant);
            quote!(Self::#variant(part.into_file()))
        }
        None => quote!(return Err(part.reject_unknown())),
    };
    let required = parts.parts.iter().filter(|part| part.required);
    let required = required.map(|part| &part.wire);
    let single = parts.parts.iter().filter(|part| !part.repeated);
    let single = single.map(|part| &part.wire);
    quote! {
        impl spec_runtime::FromPart for #name {
            const REQUIRED: &'static [&'static str] = &[#(#required),*];
            const SINGLE: &'static [&'static str] = &[#(#single),*];

            async fn from_part(part: spec_runtime::RawPart) -> Result<Self, spec_runtime::Rejection> {
                Ok(match part.name() {
                    #(#rows,)*
                    _ => #other,
                })
            }
        }
    }
}
