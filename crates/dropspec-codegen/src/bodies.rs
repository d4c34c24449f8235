//! `bodies.rs`: the enums of request bodies that have several media types, and of the parts of multipart bodies; and how
//! the trait takes a body.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{
    Api, BodyContent, BodyForm, MultipartParts, Operation, Part, PartContent, RequestBody, Type,
};
use crate::source::{docs, ident};
use crate::spelling;

pub(crate) fn render(api: &Api) -> TokenStream {
    let choices = api.generated();
    let choices = choices.filter_map(|operation| write_choice(operation, spell_form));
    let bodies = api
        .generated()
        .filter_map(|operation| operation.body.as_ref());
    let parts = bodies.flat_map(RequestBody::multiparts);
    let parts = parts.filter(|of| !of.parts.is_empty()).map(write_parts);
    quote! {
        //! Request bodies that have several media types or parts.

        #(#choices)*
        #(#parts)*
    }
}

/// Writes the type of the argument that a method of the trait has for a body.
pub(crate) fn spell(body: &RequestBody) -> TokenStream {
    let content = spell_content(body);
    match body.required {
        false => quote!(dropspec_runtime::Body<Option<#content>>),
        true if !is_wrapped(body) => content,
        true if content_type(body).is_some() => quote!(dropshot::TypedBody<#content>),
        true => quote!(dropspec_runtime::Body<#content>),
    }
}

/// Whether the type of the argument is a wrapper around the body. Text, bytes and parts are arguments themselves.
pub fn is_wrapped(body: &RequestBody) -> bool {
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
        // Where the document names no parts, dropshot's own type takes them.
        BodyContent::Multipart(of) if of.parts.is_empty() => quote!(dropshot::MultipartBody),
        BodyContent::Multipart(of) => {
            let parts = ident(&of.name);
            quote!(dropspec_runtime::Multipart<crate::bodies::#parts>)
        }
        BodyContent::Text => quote!(dropspec_runtime::Text),
        BodyContent::Bytes => quote!(dropspec_runtime::RawBody),
    }
}

/// Writes the enum of the media types of a body, if there are several, with these fields of each variant.
pub(crate) fn write_choice(
    operation: &Operation,
    fields: impl Fn(&BodyForm) -> TokenStream,
) -> Option<TokenStream> {
    let body = operation.body.as_ref()?;
    let about = format!("The body of `{}`, by its media type.", operation.id);
    let (about, name) = (docs(&about), ident(body.choice.as_ref()?));
    let variants = body.forms.iter().map(|form| {
        let docs = docs(&format!("`{}`", form.media_type));
        let (variant, fields) = (ident(&form.variant), fields(form));
        quote!(#docs #variant(#fields))
    });
    Some(quote! {
        #about
        #[derive(Debug)]
        pub enum #name {
            #(#variants,)*
        }
    })
}

/// Writes the enum of the parts of a body, with another variant.
pub(crate) fn write_part_enum(parts: &MultipartParts, other: Option<TokenStream>) -> TokenStream {
    let (about, name) = (docs(&parts.docs), ident(&parts.name));
    let variants = parts.parts.iter().map(|part| {
        let (docs, variant, content) = (docs(&part.docs), ident(&part.variant), spell_part(part));
        quote!(#docs #variant(#content))
    });
    quote! {
        #about
        #[derive(Debug)]
        pub enum #name {
            #(#variants,)*
            #other
        }
    }
}

fn write_parts(parts: &MultipartParts) -> TokenStream {
    let (definition, name) = (write_part_enum(parts, None), ident(&parts.name));
    // The run time skips parts that the document does not name.
    let rows = parts.parts.iter().map(|part| {
        let (wire, variant) = (&part.wire, ident(&part.variant));
        let read = match &part.content {
            PartContent::Text(_) | PartContent::Json(_) => quote!(part.value()),
            PartContent::File => quote!(part.file()),
        };
        quote!(#wire => #read.map(Self::#variant))
    });
    quote! {
        #definition

        impl dropspec_runtime::FromPart for #name {
            fn from_part(part: dropspec_runtime::Part) -> Result<Self, dropspec_runtime::Rejection> {
                match part.name() {
                    #(#rows,)*
                    _ => Err(part.unknown()),
                }
            }
        }
    }
}

/// Writes the type of a part. That of a file has the same name for servers and clients.
fn spell_part(part: &Part) -> TokenStream {
    match &part.content {
        PartContent::Text(ty) | PartContent::Json(ty) => spelling::spell(ty),
        PartContent::File => quote!(dropspec_runtime::File),
    }
}
