//! Writes the responses that a method of a trait can return.

use anyhow::{Context, bail};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::field_ident;
use crate::corpus::call::source::{
    Source, arguments, flatten, last_name, path_text, strings, variant_arms, wire_name,
};

/// The variants of a result, and for each the expression that makes it of `answer`.
pub struct Answers {
    pub variants: Vec<TokenStream>,
    pub arms: Vec<TokenStream>,
}

/// Writes the answers of a method that returns this `Result`.
pub fn render(source: &Source, result: &Type) -> anyhow::Result<Answers> {
    let types = arguments(result);
    let [success, error] = types.as_slice() else {
        bail!("a method returns no `Result`");
    };
    let mut answers = Answers {
        variants: Vec::new(),
        arms: Vec::new(),
    };
    answers.add_success(source, success)?;
    answers.add_error(source, error)?;
    Ok(answers)
}

/// The variants of a method that opens a WebSocket.
pub fn channel() -> TokenStream {
    let channel = variant("Channel", false, None, None, "Empty");
    quote!(&[#channel])
}

fn variant(
    kind: &str,
    is_error: bool,
    status: Option<u16>,
    media_type: Option<&str>,
    content: &str,
) -> TokenStream {
    let (kind, content) = (
        quote::format_ident!("{kind}"),
        quote::format_ident!("{content}"),
    );
    let status = status.map_or_else(|| quote!(None), |status| quote!(Some(#status)));
    let media_type = media_type.map_or_else(|| quote!(None), |name| quote!(Some(#name)));
    quote! {
        test_echo::Variant {
            kind: test_echo::VariantKind::#kind,
            is_error: #is_error,
            status: #status,
            media_type: #media_type,
            content: test_echo::Content::#content,
        }
    }
}

impl Answers {
    fn push(&mut self, variant: TokenStream, arm: TokenStream) {
        self.variants.push(variant);
        self.arms.push(arm);
    }

    fn add_success(&mut self, source: &Source, ty: &Type) -> anyhow::Result<()> {
        let inner = arguments(ty);
        if path_text(ty) == "dropshot::HttpResponseHeaders" {
            let [response, headers] = inner.as_slice() else {
                bail!("`HttpResponseHeaders` has two types");
            };
            let before = self.arms.len();
            self.add_success(source, response)?;
            let headers = make_headers(source, headers)?;
            for arm in &mut self.arms[before..] {
                let body = arm.clone();
                *arm = quote!(match #body {
                    Ok(body) => Ok(dropshot::HttpResponseHeaders::new(body, #headers)),
                    Err(error) => Err(error),
                });
            }
            return Ok(());
        }
        if source.find_enum(ty, "responses").is_some() {
            return self.add_enum(source, ty, false);
        }
        let name = last_name(ty).unwrap_or_default();
        let wrapper = quote::format_ident!("{}", if name.is_empty() { "Empty" } else { &name });
        let redirect = |function: &str| {
            let function = quote::format_ident!("{function}");
            quote!(Ok(dropshot::#function(answer.location()).map_err(|error| error.to_string())?))
        };
        let (status, arm) = match name.as_str() {
            "HttpResponseOk" | "HttpResponseCreated" | "HttpResponseAccepted" => {
                let status = match name.as_str() {
                    "HttpResponseOk" => 200,
                    "HttpResponseCreated" => 201,
                    _ => 202,
                };
                let is_free = inner
                    .first()
                    .is_some_and(|ty| path_text(ty) == "dropshot::FreeformBody");
                let (media_type, content, body) = if is_free {
                    (
                        "application/octet-stream",
                        "Bytes",
                        quote!(dropshot::FreeformBody(answer.body.bytes()?.into())),
                    )
                } else {
                    ("application/json", "Json", quote!(answer.body.json()?))
                };
                self.push(
                    variant("One", false, Some(status), Some(media_type), content),
                    quote!(Ok(dropshot::#wrapper(#body))),
                );
                return Ok(());
            }
            "HttpResponseDeleted" | "HttpResponseUpdatedNoContent" => {
                (204, quote!(Ok(dropshot::#wrapper())))
            }
            "HttpResponseFound" => (302, redirect("http_response_found")),
            "HttpResponseSeeOther" => (303, redirect("http_response_see_other")),
            "HttpResponseTemporaryRedirect" => (307, redirect("http_response_temporary_redirect")),
            "Response" => {
                self.push(
                    variant("Free", false, None, None, "Empty"),
                    quote!(Ok(answer.response()?)),
                );
                return Ok(());
            }
            other => bail!("no answer is written for `{other}`"),
        };
        self.push(variant("One", false, Some(status), None, "Empty"), arm);
        Ok(())
    }

    fn add_error(&mut self, source: &Source, ty: &Type) -> anyhow::Result<()> {
        if source.find_enum(ty, "responses").is_some() {
            return self.add_enum(source, ty, true);
        }
        match path_text(ty).as_str() {
            "dropshot::HttpError" => self.push(
                variant("ServerError", true, None, None, "Empty"),
                quote!(Err(answer.http_error()?)),
            ),
            "spec_runtime::OperationError" => self.push(
                variant("AnyError", true, None, Some("application/json"), "Json"),
                quote!(Err(spec_runtime::OperationError::new(
                    answer.error_status()?,
                    answer.body.json()?
                ))),
            ),
            _ => self.push(
                variant("AnyError", true, None, Some("application/json"), "Json"),
                quote!(Err(answer.body.json()?)),
            ),
        }
        Ok(())
    }

    /// Adds the variants of a generated enum, by the arms that write them as responses.
    fn add_enum(&mut self, source: &Source, ty: &Type, is_error: bool) -> anyhow::Result<()> {
        let name = last_name(ty).unwrap_or_default();
        let arms = source
            .find_method(ty, "respond")
            .map(variant_arms)
            .unwrap_or_default();
        let found = source
            .find_enum(ty, "responses")
            .context("an enum of responses")?;
        for of in found.variants.iter().filter(|of| of.ident != "Dropshot") {
            let of_variant = |(found, _): &&(String, TokenStream)| of.ident == found;
            let (_, arm) = arms
                .iter()
                .find(of_variant)
                .with_context(|| format!("no arm writes {name}::{}", of.ident))?;
            let written = Written::read(arm);
            let described = variant(
                "One",
                is_error,
                written.status,
                written.media_type.as_deref(),
                written.content,
            );
            let made = make_variant(source, ty, of, is_error, written.content)?;
            let result = if is_error {
                quote!(Err(#made))
            } else {
                quote!(Ok(#made))
            };
            self.push(described, result);
        }
        Ok(())
    }
}

/// How an arm writes a response.
struct Written {
    status: Option<u16>,
    media_type: Option<String>,
    content: &'static str,
}

impl Written {
    fn read(arm: &TokenStream) -> Written {
        let tokens = flatten(arm.clone());
        let words: Vec<String> = tokens.iter().map(ToString::to_string).collect();
        let arrow = words
            .iter()
            .position(|word| word == "=>" || word == "=")
            .unwrap_or(0);
        let body = &words[arrow..];
        let calls = |name: &str| body.iter().any(|word| word == name);
        let content = match () {
            () if calls("json") || calls("json_as") => "Json",
            () if calls("text") => "Text",
            () if calls("bytes") => "Bytes",
            () => "Empty",
        };
        let media_type = strings(arm).into_iter().next();
        Written {
            status: body.iter().find_map(|word| word.parse().ok()),
            media_type: media_type.or_else(|| calls("json").then(|| "application/json".to_owned())),
            content,
        }
    }
}

/// Writes the expression that makes a variant of an enum of responses.
fn make_variant(
    source: &Source,
    ty: &Type,
    of: &syn::Variant,
    is_error: bool,
    content: &str,
) -> anyhow::Result<TokenStream> {
    let name = &of.ident;
    let body = match content {
        "Json" => quote!(answer.body.json()?),
        "Text" => quote!(answer.body.text()?),
        _ => quote!(answer.body.bytes()?.into()),
    };
    Ok(match &of.fields {
        syn::Fields::Unit => quote!(#ty::#name),
        syn::Fields::Unnamed(_) => quote!(#ty::#name(#body)),
        syn::Fields::Named(fields) => {
            let mut values = Vec::new();
            for field in &fields.named {
                let ident = field_ident(field);
                let value = match ident.to_string().as_str() {
                    "status" if is_error => quote!(answer.error_status()?),
                    "status" => quote!(answer.status),
                    "media_type" => quote!(answer.media_type()),
                    "headers" => make_headers(source, &field.ty)?,
                    _ => body.clone(),
                };
                values.push(quote!(#ident: #value));
            }
            quote!(#ty::#name { #(#values),* })
        }
    })
}

fn make_headers(source: &Source, ty: &Type) -> anyhow::Result<TokenStream> {
    let found = source.find_struct(ty).context("a struct of headers")?;
    let fields = found.fields.iter().map(|field| {
        let (wire, ident) = (wire_name(field), field_ident(field));
        quote!(#ident: answer.header(#wire)?)
    });
    Ok(quote!(#ty { #(#fields),* }))
}
