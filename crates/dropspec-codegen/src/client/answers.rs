//! The responses of an operation as the client reads them: a table of forms, and the type that they become.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{ErrorType, Operation, ResponseContent, ResponseForm, StatusSet, Success, Type};
use crate::source::{ident, length};
use crate::spelling::spell;

/// The success statuses, where the document declares nothing but a `default`.
const ANY_SUCCESS: StatusSet = StatusSet::Class(2);

/// The successes or the errors of an operation.
pub struct Answer {
    pub forms: Vec<ResponseForm>,
    pub reader: Reader,
}

/// What a body becomes.
#[derive(Debug, Clone, PartialEq)]
pub enum Reader {
    Empty,
    Json(Type),
    Text,
    /// Bytes, read to their end: an error.
    Bytes,
    /// Bytes as a stream: a success.
    Stream,
    /// A stream of items.
    Items(Type),
    /// One of the enums in `responses.rs`.
    Enum(String),
}

/// The successes and the errors of an operation.
pub fn read(operation: &Operation) -> (Answer, Answer) {
    let success_enum = match &operation.success {
        Success::Responses(of) => Some(of.name.as_str()),
        _ => None,
    };
    let mut error_enum = match &operation.error {
        ErrorType::Responses(of) => Some(of.name.as_str()),
        _ => None,
    };
    let mut successes = operation.success.forms();
    let mut errors = operation.errors.clone();
    if successes
        .iter()
        .all(|form| form.status == StatusSet::Default)
    {
        // A lone `default` describes successes and errors alike.
        if errors.is_empty() {
            errors.clone_from(&successes);
            error_enum = success_enum;
        }
        for form in &mut successes {
            form.status = ANY_SUCCESS;
        }
    }
    if operation.channel {
        successes.clear();
    }
    // Responses to HEAD have no bodies (RFC 9110, section 9.3.2).
    if operation.method == "HEAD" {
        for form in successes.iter_mut().chain(&mut errors) {
            form.media_type = None;
            form.content = ResponseContent::Empty;
        }
    }
    (
        Answer::new(successes, success_enum, Reader::Stream),
        Answer::new(errors, error_enum, Reader::Bytes),
    )
}

impl Answer {
    /// `name` is the enum of these responses, and `bytes` what bytes become. If all have the same content, the enum adds
    /// nothing to the status of the response, and the content stands alone.
    fn new(forms: Vec<ResponseForm>, name: Option<&str>, bytes: Reader) -> Answer {
        let mut readers = forms
            .iter()
            .map(|form| Reader::of(&form.content, bytes.clone()));
        let first = readers.next().unwrap_or(Reader::Empty);
        let reader = match name {
            Some(name) if !readers.all(|other| other == first) => Reader::Enum(name.to_owned()),
            _ => first,
        };
        Answer { forms, reader }
    }

    /// Whether a redirection is declared.
    pub fn has_redirection(&self) -> bool {
        let is_redirection =
            |status| matches!(status, StatusSet::Exact(300..400) | StatusSet::Class(3));
        self.forms.iter().any(|form| is_redirection(form.status))
    }

    /// The list of forms, as `dropspec-client` has it.
    pub fn write_forms(&self) -> TokenStream {
        let forms = self.forms.iter().map(write_form);
        quote!(&[#(#forms),*])
    }
}

fn write_form(form: &ResponseForm) -> TokenStream {
    let kind = ident(match &form.content {
        ResponseContent::Empty => "empty",
        ResponseContent::Json(_) => "json",
        ResponseContent::Text => "text",
        ResponseContent::Bytes => "bytes",
        ResponseContent::Items(_) => "items",
    });
    let status = match form.status {
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
    let media_type = form.media_type.iter();
    quote!(dropspec_client::DeclaredResponse::#kind(dropspec_client::Status::#status #(, #media_type)*))
}

impl Reader {
    /// What a content becomes; `bytes` is what bytes become.
    pub fn of(content: &ResponseContent, bytes: Reader) -> Reader {
        match content {
            ResponseContent::Empty => Reader::Empty,
            ResponseContent::Json(ty) => Reader::Json(ty.clone()),
            ResponseContent::Text => Reader::Text,
            ResponseContent::Bytes => bytes,
            ResponseContent::Items(ty) => Reader::Items(ty.clone()),
        }
    }

    /// The type that a body becomes, and the function that reads it.
    pub fn spell(&self) -> (TokenStream, TokenStream) {
        match self {
            Reader::Empty => (quote!(()), quote!(dropspec_client::empty)),
            Reader::Json(ty) => (spell(ty), quote!(dropspec_client::json)),
            Reader::Text => (quote!(String), quote!(dropspec_client::text)),
            Reader::Bytes => (
                quote!(dropspec_client::Bytes),
                quote!(dropspec_client::bytes),
            ),
            Reader::Stream => (
                quote!(dropspec_client::ByteStream),
                quote!(dropspec_client::stream),
            ),
            Reader::Items(ty) => {
                let item = spell(ty);
                (
                    quote!(dropspec_client::ItemStream<#item>),
                    quote!(dropspec_client::items),
                )
            }
            Reader::Enum(name) => {
                let name = crate::responses::spell(name);
                (quote!(#name), quote!(#name::read))
            }
        }
    }
}
