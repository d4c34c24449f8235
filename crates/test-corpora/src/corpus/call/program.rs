//! Writes the program that calls a document's operations: a crate beside those of its interface and its client.

use anyhow::Context;
use dropspec::project;
use dropspec_codegen::Part;
use dropspec_codegen::planned::{ClientPlan, ident, plan};
use dropspec_model::Spec;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::{client, server};
use crate::corpus::generated::Generated;

/// The crates that a program uses beside the generated ones.
pub const DEPENDENCIES: &[&str] = &[
    "anyhow",
    "chrono",
    "dropshot",
    "http",
    "serde",
    "serde_json",
    "dropspec-client",
    "test-echo",
    "dropspec-runtime",
    "uuid",
];

/// The manifest and the files of a program.
pub struct Program {
    pub manifest: String,
    pub files: Vec<(&'static str, String)>,
}

/// Writes the program of a document.
pub fn render(document: &Generated) -> anyhow::Result<Program> {
    let name = &document.name;
    let crate_name = |end: &str| format_ident!("{}_{end}", name.replace('-', "_"));
    let (api_crate, client_crate) = (crate_name("api"), crate_name("client"));
    let text = project::read_text(&document.path)?;
    let spec = Spec::parse_with_errors(&document.settings.source, &text).ok();
    let spec = spec.context("the document cannot be read again")?;
    let api = plan(&spec, &document.settings).ok();
    let api = api.context("the document cannot be planned again")?;
    let mut of_api = document.files.iter().filter(|it| it.part == Part::Api);
    // A file for the trait of each tag.
    let by_tag = of_api.any(|it| it.name.starts_with("api/"));
    let service = with_root(server::render(&api, by_tag), &quote!(#api_crate));
    let client_plan = ClientPlan::new(&spec, &api, &document.settings);
    let calls = with_root(client::render(&client_plan), &quote!(#client_crate::client));
    let interface = ident(&api.interface_name);
    let main = quote! {
        //! Calls every operation of a generated interface through the generated client.

        mod calls;
        mod echo;

        fn main() -> anyhow::Result<std::process::ExitCode> {
            test_echo::run::<#api_crate::interface::#interface::<echo::Service>, _>(&calls::OPERATIONS, calls::connect, calls::connect_anonymously)
        }
    };
    let dependencies = DEPENDENCIES
        .iter()
        .map(|name| format!("{name}.workspace = true\n"));
    let dependencies: String = dependencies.collect();
    let manifest = format!(
        "[package]\nname = \"{name}-call\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{name}-api.workspace = true\n{name}-client.workspace = true\n{dependencies}"
    );
    Ok(Program {
        manifest,
        files: vec![
            ("src/main.rs", print(main)?),
            ("src/echo.rs", print(service)?),
            ("src/calls.rs", print(calls)?),
        ],
    })
}

/// The code with the path of a module of another crate for `crate`.
fn with_root(tokens: TokenStream, root: &TokenStream) -> TokenStream {
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "crate" => root.clone(),
        TokenTree::Group(group) => {
            let inner = with_root(group.stream(), root);
            TokenTree::from(Group::new(group.delimiter(), inner)).into()
        }
        token => token.into(),
    });
    tokens.collect()
}

fn print(tokens: TokenStream) -> anyhow::Result<String> {
    let file = syn::parse2(tokens).context("the program is not Rust")?;
    Ok(prettyplease::unparse(&file))
}
