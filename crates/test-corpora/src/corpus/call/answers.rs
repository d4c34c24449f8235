//! Writes the responses that a method of a trait can return.

use dropspec_codegen::planned::{
    Api, ErrorType, Operation, ResponseContent, ResponseEnum, ResponseVariant, StatusSet, Success,
    fields, ident,
};
use proc_macro2::TokenStream;
use quote::quote;

/// The variants of a result, and for each the expression that makes it of `answer`.
#[derive(Default)]
pub struct Answers {
    pub variants: Vec<TokenStream>,
    pub arms: Vec<TokenStream>,
}

/// What the program is told of a variant, besides its kind.
#[derive(Default)]
struct Described<'a> {
    is_error: bool,
    status: Option<u16>,
    media_type: Option<&'a str>,
    content: Option<&'static str>,
}

impl Answers {
    /// The answers of the method of an operation.
    pub fn of(api: &Api, operation: &Operation) -> Answers {
        let mut answers = Answers::default();
        if operation.channel {
            answers.push("Channel", Described::default(), quote!(Ok(())));
        } else {
            answers.add_success(api, &operation.success);
            answers.add_error(api, &operation.error);
        }
        answers
    }

    fn push(&mut self, kind: &str, described: Described<'_>, arm: TokenStream) {
        let Described {
            is_error,
            status,
            media_type,
            content,
        } = described;
        let (kind, content) = (ident(kind), ident(content.unwrap_or("Empty")));
        let status = status.map_or_else(|| quote!(None), |status| quote!(Some(#status)));
        let media_type = media_type.map_or_else(|| quote!(None), |name| quote!(Some(#name)));
        self.variants.push(quote! {
            test_echo::Variant {
                kind: test_echo::VariantKind::#kind,
                is_error: #is_error,
                status: #status,
                media_type: #media_type,
                content: test_echo::Content::#content,
            }
        });
        self.arms.push(arm);
    }

    fn add_success(&mut self, api: &Api, success: &Success) {
        let of = match success {
            Success::Dropshot(of) => of,
            Success::Responses(of) => return self.add_enum(api, of),
            Success::Freeform => {
                return self.push("Free", Described::default(), quote!(Ok(answer.response()?)));
            }
        };
        let redirect = match of.wrapper {
            "HttpResponseFound" => Some("http_response_found"),
            "HttpResponseSeeOther" => Some("http_response_see_other"),
            "HttpResponseTemporaryRedirect" => Some("http_response_temporary_redirect"),
            _ => None,
        };
        let wrapper = ident(redirect.unwrap_or(of.wrapper));
        let (media_type, content, made) = match &of.form.content {
            _ if redirect.is_some() => (
                None,
                None,
                quote!(dropshot::#wrapper(answer.location()).map_err(|error| error.to_string())?),
            ),
            ResponseContent::Empty => (None, None, quote!(dropshot::#wrapper())),
            ResponseContent::Json(_) => (
                Some("application/json"),
                Some("Json"),
                quote!(dropshot::#wrapper(answer.body.json()?)),
            ),
            ResponseContent::Text | ResponseContent::Bytes | ResponseContent::Items(_) => (
                Some("application/octet-stream"),
                Some("Bytes"),
                quote!(dropshot::#wrapper(dropshot::FreeformBody(answer.body.bytes()?.into()))),
            ),
        };
        let headers = of.headers.as_ref().map(|name| make_headers(api, name));
        let arm = match headers {
            Some(headers) => quote!(Ok(dropshot::HttpResponseHeaders::new(#made, #headers))),
            None => quote!(Ok(#made)),
        };
        let described = Described {
            is_error: false,
            status: exact(of.form.status),
            media_type,
            content,
        };
        self.push("One", described, arm);
    }

    fn add_error(&mut self, api: &Api, error: &ErrorType) {
        let json = Described {
            is_error: true,
            media_type: Some("application/json"),
            content: Some("Json"),
            ..Described::default()
        };
        match error {
            ErrorType::Responses(of) => self.add_enum(api, of),
            ErrorType::HttpError => {
                let described = Described {
                    is_error: true,
                    ..Described::default()
                };
                self.push("ServerError", described, quote!(Err(answer.http_error()?)));
            }
            ErrorType::Failure(_) => {
                let made = quote!(dropspec_runtime::OperationError::new(
                    answer.error_status()?,
                    answer.body.json()?
                ));
                self.push("AnyError", json, quote!(Err(#made)));
            }
            ErrorType::Itself(_) => self.push("AnyError", json, quote!(Err(answer.body.json()?))),
        }
    }

    /// Adds the variants of an enum of responses.
    fn add_enum(&mut self, api: &Api, of: &ResponseEnum) {
        let result = ident(if of.is_error { "Err" } else { "Ok" });
        for variant in &of.variants {
            let fields = fields(variant, of.is_error);
            let media_type = variant.form.media_type.as_deref();
            let has_own = fields.iter().any(|(name, ..)| *name == "media_type");
            let is_plain = matches!(media_type, Some("*/*" | "application/*"));
            let described = Described {
                is_error: of.is_error,
                status: exact(variant.form.status),
                media_type: match &variant.form.content {
                    ResponseContent::Json(_) if is_plain => Some("application/json"),
                    _ => media_type.filter(|_| !has_own),
                },
                content: match &variant.form.content {
                    ResponseContent::Empty => None,
                    ResponseContent::Json(_) => Some("Json"),
                    ResponseContent::Text => Some("Text"),
                    ResponseContent::Bytes => Some("Bytes"),
                    ResponseContent::Items(_) => Some("Items"),
                },
            };
            let (name, variant_name) = (ident(&of.name), ident(&variant.name));
            let names = fields.iter().map(|(name, ..)| ident(name));
            let mut values = fields
                .iter()
                .map(|(name, ..)| make_field(api, variant, of.is_error, name));
            let made = match fields.as_slice() {
                [] => None,
                [("body", ..)] => values.next().map(|body| quote!((#body))),
                _ => Some(quote!({ #(#names: #values),* })),
            };
            let arm = quote!(#result(crate::responses::#name::#variant_name #made));
            self.push("One", described, arm);
        }
    }
}

fn exact(status: StatusSet) -> Option<u16> {
    match status {
        StatusSet::Exact(status) => Some(status),
        StatusSet::Class(_) | StatusSet::Default => None,
    }
}

/// Writes the value of a field of a variant.
fn make_field(api: &Api, of: &ResponseVariant, is_error: bool, field: &str) -> TokenStream {
    match (field, &of.form.content, &of.headers) {
        ("status", ..) if is_error => quote!(answer.error_status()?),
        ("status", ..) => quote!(answer.status),
        ("media_type", ..) => quote!(answer.media_type()),
        ("headers", _, Some(headers)) => make_headers(api, headers),
        (_, ResponseContent::Json(_), _) => quote!(answer.body.json()?),
        (_, ResponseContent::Text, _) => quote!(answer.body.text()?),
        (_, ResponseContent::Items(_), _) => quote!(answer.body.items()?),
        _ => quote!(answer.body.bytes()?.into()),
    }
}

fn make_headers(api: &Api, name: &str) -> TokenStream {
    let found = api.parameters.iter().find(|of| of.name == name);
    let fields = found.into_iter().flat_map(|of| &of.fields).map(|of| {
        let (wire, field) = (&of.field.wire, ident(&of.field.name));
        quote!(#field: answer.header(#wire)?)
    });
    let name = ident(name);
    quote!(crate::parameters::#name { #(#fields),* })
}
