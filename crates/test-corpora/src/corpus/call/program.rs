//! Writes the program that calls a document's operations: a crate beside those of its interface and its client.

use anyhow::Context;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use spec_codegen::Part;

use super::source::Source;
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
    "spec-client",
    "test-echo",
    "spec-runtime",
    "uuid",
];

/// The manifest and the files of a program.
pub struct Program {
    pub manifest: String,
    pub files: Vec<(&'static str, String)>,
}

/// Writes the program of a document.
///
/// # Errors
/// The generated code has a form that is not known here.
pub fn render(document: &Generated) -> anyhow::Result<Program> {
    let name = &document.name;
    let crate_name = |end: &str| format!("{}_{end}", name.replace('-', "_"));
    let files = |part| document.files.iter().filter(move |file| file.part == part);
    let api = Source::read(&crate_name("api"), files(Part::Api))?;
    let own_client = Source::read(&crate_name("client"), files(Part::Client))?;
    let service = server::render(&api).context("the interface")?;
    let calls = client::render(&own_client, &service.methods).context("the client")?;
    let (interface, echo) = (&service.interface, format_ident!("echo"));
    let main = quote! {
        //! Calls every operation of a generated interface through the generated client.

        mod calls;
        mod #echo;

        fn main() -> anyhow::Result<std::process::ExitCode> {
            test_echo::run::<#interface, _>(&calls::OPERATIONS, calls::connect, calls::connect_anonymously)
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
            ("src/echo.rs", print(service.code)?),
            ("src/calls.rs", print(calls)?),
        ],
    })
}

fn print(tokens: TokenStream) -> anyhow::Result<String> {
    let file = syn::parse2(tokens).context("the program is not Rust")?;
    Ok(prettyplease::unparse(&file))
}
