//! `bodies.rs`: the enums of bodies with several media types and of the parts of multipart bodies, and the setters of
//! bodies.

use dropspec_model::{MediaType, ParameterStyle};
use proc_macro2::TokenStream;
use quote::quote;

use crate::bodies;
use crate::client::calls::{Call, ClientPlan};
use crate::markdown::code;
use crate::model::{BodyContent, BodyForm, MultipartParts, Part, PartContent, RequestBody};
use crate::source::{docs, ident};
use crate::spelling::spell;

pub(super) fn render(plan: &ClientPlan<'_>) -> TokenStream {
    let choices = plan.calls.iter().filter_map(write_choice);
    let bodies = plan
        .calls
        .iter()
        .filter_map(|call| call.operation.body.as_ref());
    let multiparts = bodies.flat_map(RequestBody::multiparts).map(write_parts);
    quote! {
        //! Bodies with several media types, and the parts of multipart bodies.

        #(#choices)*
        #(#multiparts)*
    }
}

/// Writes the setter of a body.
pub(super) fn write_setter(call: &Call<'_>, body: &RequestBody) -> TokenStream {
    let media_types: Vec<String> = body
        .forms
        .iter()
        .map(|form| code(&form.media_type))
        .collect();
    let docs = docs(&format!("Sets the body: {}.", media_types.join(" or ")));
    if let Some(choice) = &body.choice {
        let choice = ident(choice);
        return quote! {
            #docs
            pub fn body(mut self, value: impl Into<crate::bodies::#choice>) -> Self {
                self.call.set_body(value.into().into_body());
                self
            }
        };
    }
    let Some(form) = body.forms.first() else {
        return TokenStream::new();
    };
    let (argument, value) = match &form.content {
        BodyContent::Json(ty) | BodyContent::Form(ty) => {
            let ty = spell(ty);
            (quote!(impl TryInto<#ty>), quote!(value.try_into()))
        }
        BodyContent::Text => (quote!(impl Into<String>), quote!(value)),
        BodyContent::Bytes => (
            quote!(impl Into<dropspec_client::reqwest::Body>),
            quote!(value),
        ),
        BodyContent::Multipart(parts) => {
            let part = ident(&parts.name);
            (
                quote!(impl IntoIterator<Item = crate::bodies::#part>),
                quote!(value),
            )
        }
    };
    let media_type_argument = is_range(form).then(|| quote!(media_type: &str,));
    let made = make_body(call, form, value);
    quote! {
        #docs
        pub fn body(mut self, #media_type_argument value: #argument) -> Self {
            self.call.set_body(#made);
            self
        }
    }
}

/// Whether the caller must say the media type, because the document has only a range.
fn is_range(form: &BodyForm) -> bool {
    form.media_type.contains('*')
}

/// Writes the expression that makes a body in one media type.
fn make_body(call: &Call<'_>, form: &BodyForm, value: TokenStream) -> TokenStream {
    let media_type = if is_range(form) {
        quote!(media_type)
    } else {
        let media_type = &form.media_type;
        quote!(#media_type)
    };
    match &form.content {
        BodyContent::Json(_) => quote!(dropspec_client::json_body(#media_type, #value)),
        BodyContent::Form(_) => {
            let body = call.declared.request_body.as_ref();
            let declared = body.and_then(|body| body.content.get(&form.media_type));
            let styles = declared.map(write_styles);
            quote!(dropspec_client::form_body(#media_type, #styles, #value))
        }
        BodyContent::Text => quote!(dropspec_client::text_body(#media_type, #value)),
        BodyContent::Bytes => quote!(dropspec_client::bytes_body(#media_type, #value)),
        BodyContent::Multipart(parts) => {
            let part = ident(&parts.name);
            quote!(crate::bodies::#part::into_body(#media_type, #value))
        }
    }
}

/// The name of a style in `dropspec-client`.
pub(super) fn spell_style(style: ParameterStyle) -> TokenStream {
    let style = ident(&format!("{style:?}"));
    quote!(dropspec_client::Style::#style)
}

/// Writes the list of the properties of a form that are not in the default style.
fn write_styles(media_type: &MediaType) -> TokenStream {
    let styles = media_type.encoding.iter().filter_map(|(name, encoding)| {
        if encoding.style.is_some() || encoding.explode.is_some() {
            let style = encoding.style.unwrap_or(ParameterStyle::Form);
            let explode = encoding.explode.unwrap_or(style.explodes_by_default());
            let style = spell_style(style);
            return Some(quote!(dropspec_client::FieldStyle::style(#name, #style, #explode)));
        }
        let media_type = encoding.content_type.as_deref().unwrap_or_default();
        let is_json = media_type.contains("json");
        is_json.then(|| quote!(dropspec_client::FieldStyle::json(#name)))
    });
    quote!(&[#(#styles),*])
}

fn write_choice(call: &Call<'_>) -> Option<TokenStream> {
    let body = call.operation.body.as_ref()?;
    let name = ident(body.choice.as_ref()?);
    let definition = bodies::write_choice(call.operation, |form| {
        let content = match &form.content {
            BodyContent::Json(ty) | BodyContent::Form(ty) => spell(ty),
            BodyContent::Text => quote!(String),
            BodyContent::Bytes => quote!(dropspec_client::reqwest::Body),
            BodyContent::Multipart(parts) => {
                let part = ident(&parts.name);
                quote!(Vec<crate::bodies::#part>)
            }
        };
        let media_type = is_range(form).then(|| quote!(String,));
        quote!(#media_type #content)
    });
    let arms = body.forms.iter().map(|form| {
        let variant = ident(&form.variant);
        let value = match &form.content {
            BodyContent::Json(_) | BodyContent::Form(_) => {
                quote!(Ok::<_, std::convert::Infallible>(value))
            }
            _ => quote!(value),
        };
        let made = make_body(call, form, value);
        if is_range(form) {
            quote!(Self::#variant(media_type, value) => {
                let media_type = media_type.as_str();
                #made
            })
        } else {
            quote!(Self::#variant(value) => #made)
        }
    });
    Some(quote! {
        #definition

        impl #name {
            /// The body of a request.
            pub(crate) fn into_body(self) -> Result<dropspec_client::RequestBody, String> {
                match self { #(#arms),* }
            }
        }
    })
}

fn write_parts(parts: &MultipartParts) -> TokenStream {
    let arms = parts.parts.iter().map(write_arm);
    let (other, other_arm) = parts
        .other
        .as_ref()
        .map(|other| {
            let other = ident(other);
            (
                quote! {
                    /// A part that the document does not name: its name and content.
                    #other(String, dropspec_client::File),
                },
                quote!(Self::#other(name, file) => dropspec_client::file_part(&name, file),),
            )
        })
        .unzip();
    let definition = bodies::write_part_enum(parts, other);
    let required = parts.parts.iter().filter(|part| part.required);
    let required = required.map(|part| &part.wire);
    let name = ident(&parts.name);
    quote! {
        #definition

        impl #name {
            /// The body of these parts.
            pub(crate) fn into_body(
                media_type: &str,
                parts: impl IntoIterator<Item = Self>,
            ) -> Result<dropspec_client::RequestBody, String> {
                let parts = parts.into_iter().map(Self::into_part);
                dropspec_client::multipart_body(media_type, &[#(#required),*], parts)
            }

            fn into_part(self) -> Result<dropspec_client::Part, String> {
                match self { #(#arms,)* #other_arm }
            }
        }
    }
}

fn write_arm(part: &Part) -> TokenStream {
    let (variant, name) = (ident(&part.variant), &part.wire);
    let declared = part.media_type.iter();
    match &part.content {
        PartContent::Text(_) => {
            let typed = declared.map(|it| quote!(.and_then(|part| part.media_type(#it))));
            quote!(Self::#variant(value) => dropspec_client::text_part(#name, &value)#(#typed)*)
        }
        PartContent::Json(_) => {
            let other = declared.filter(|it| *it != "application/json");
            let typed = other.map(|it| quote!(.and_then(|part| part.media_type(#it))));
            quote!(Self::#variant(value) => dropspec_client::json_part(#name, &value)#(#typed)*)
        }
        PartContent::File => {
            let typed = declared.map(|it| quote!(.or_content_type(#it)));
            quote!(Self::#variant(file) => dropspec_client::file_part(#name, file #(#typed)*))
        }
    }
}
