//! What a new service begins with: an implementation of the interface in which every operation answers 501.

use dropspec_model::{Diagnostic, Spec};
use proc_macro2::TokenStream;
use quote::quote;

use crate::client::{Call, ClientPlan};
use crate::imports::import_paths;
use crate::model::{ErrorType, Operation, ParameterKind};
use crate::settings::Settings;
use crate::source::{ident, print};
use crate::{api, plan, tags};

/// The first implementation of an interface, which people write from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implementation {
    /// The names and texts of its files, not formatted: one for each trait.
    pub files: Vec<(String, String)>,
    /// The generated type that implements `dropspec_runtime::Interface`.
    pub interface_name: String,
    /// The client's method for an example: of the first operation whose parameters are all in the query, or else of the
    /// first one. `None` if there are no operations.
    pub example_method: Option<String>,
}

/// What stands around the operations, as Rust. Paths below `crate::here` are those of the crate of the implementation.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The crate of the interface.
    pub api_crate: &'a str,
    /// The type that implements the traits.
    pub implementor: &'a str,
    /// The type of the context.
    pub context: &'a str,
    /// The path of a function that makes the error of an operation which is not filled in: an `HttpError` with status 501.
    pub not_implemented: &'a str,
}

/// Implements the interface of a document.
///
/// # Errors
///
/// Those of [`generate`](crate::generate).
pub fn implement(
    spec: &Spec,
    settings: &Settings,
    frame: Frame<'_>,
) -> Result<Implementation, Vec<Diagnostic>> {
    let api = plan::plan(spec, settings)?;
    let api_crate = frame.api_crate;
    let file = |name: String, tokens: TokenStream| {
        let module = name.trim_end_matches(".rs").replace('/', "::");
        let text = print(import_paths(tokens, &module, None));
        // What stands in the crate of the interface, and what beside the file.
        let text = text.replace("crate::", &format!("{api_crate}::"));
        let text = text.replace(&format!("{api_crate}::here::"), "crate::");
        (name, text)
    };
    let files = if api::files(&api, settings).len() > 1 {
        let tags = tags::group(&api);
        let modules = tags.iter().map(|tag| ident(&tag.module));
        let sum = write_impl(&api.trait_name, &[], frame);
        let (name, text) = file(
            "operations.rs".to_owned(),
            quote! {
                //! The operations, in a module for each tag.

                #(mod #modules;)*
                #sum
            },
        );
        // A module of the same name would hide a crate.
        let sum = tags.iter().fold(text, |text, tag| {
            let root = format!("{}::", tag.module);
            ["use ", "<"].iter().fold(text, |text, before| {
                text.replace(&format!("{before}{root}"), &format!("{before}::{root}"))
            })
        });
        let sum = (name, sum);
        let parts = tags.iter().map(|tag| {
            let name = format!("operations/{}.rs", tag.module.trim_start_matches("r#"));
            file(name, write_file(&tag.trait_name, &tag.operations, frame))
        });
        std::iter::once(sum).chain(parts).collect()
    } else {
        let operations: Vec<&Operation> = api.generated().collect();
        let tokens = write_file(&api.trait_name, &operations, frame);
        vec![file("operations.rs".to_owned(), tokens)]
    };
    let calls = ClientPlan::new(spec, &api, settings).calls;
    let is_simple = |call: &&Call<'_>| {
        let mut parameters = call.operation.parameters.iter();
        let in_query = parameters.all(|(kind, _)| *kind == ParameterKind::Query);
        in_query && call.operation.body.is_none() && !call.operation.channel
    };
    let example = calls.iter().find(is_simple).or(calls.first());
    Ok(Implementation {
        files,
        example_method: example.map(|call| call.method.clone()),
        interface_name: api.interface_name.clone(),
    })
}

/// Writes the file that implements a trait with these methods.
fn write_file(trait_name: &str, operations: &[&Operation], frame: Frame<'_>) -> TokenStream {
    let implementation = write_impl(trait_name, operations, frame);
    let not_implemented = parse(frame.not_implemented);
    let import = (!operations.is_empty()).then(|| quote!(use #not_implemented;));
    quote! {
        //! The operations. Each unpacks its arguments, calls what does the work, and wraps the result.
        #![allow(unused_variables, reason = "operations that are not implemented yet use none of their arguments")]

        #import

        #implementation
    }
}

fn write_impl(trait_name: &str, operations: &[&Operation], frame: Frame<'_>) -> TokenStream {
    let name = ident(trait_name);
    let (implementor, context) = (parse(frame.implementor), parse(frame.context));
    let function = ident(
        frame
            .not_implemented
            .rsplit("::")
            .next()
            .unwrap_or_default(),
    );
    let methods = operations.iter().map(|operation| {
        let name = ident(&operation.method_name);
        let (arguments, result) = api::write_signature(operation);
        // Only dropshot's own error needs no conversion.
        let is_own = matches!(operation.error, ErrorType::HttpError) && !operation.channel;
        let conversion = (!is_own).then(|| quote!(.into()));
        quote! {
            async fn #name(#arguments) -> #result {
                Err(#function() #conversion)
            }
        }
    });
    quote! {
        impl crate::api::#name for #implementor {
            type Context = #context;

            #(#methods)*
        }
    }
}

fn parse(rust: &str) -> TokenStream {
    rust.parse().expect("a frame is Rust")
}
