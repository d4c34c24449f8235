//! The integration tests of the crate, one module a subject, in one binary.
#![allow(clippy::unwrap_used)]

mod any_operation;
mod corpus;
mod diagnostics;
mod layer;
mod own_client;
mod response_headers;
mod streams;
mod support_page;
mod traits;
mod types;

use dropspec_codegen::{
    ErrorProperties, GeneratedFile, ServerMark, Settings, Traits, generate, rustfmt,
};
use dropspec_model::{Diagnostic, Spec};

/// Settings for the documents of these tests.
fn settings() -> Settings {
    Settings {
        variables: None,
        command: "make".to_owned(),
        source: "api.yaml".to_owned(),
        source_path: "../api.yaml".to_owned(),
        error: Some(ErrorProperties {
            status: "status".to_owned(),
            message: "message".to_owned(),
            code: "code".to_owned(),
        }),
        server_headers: Some(ServerMark {
            extension: "x-supplied-by".to_owned(),
            value: "gate".to_owned(),
        }),
        server_parameters: Some(ServerMark {
            extension: "x-handled-by".to_owned(),
            value: "gate".to_owned(),
        }),
        client_layer: None,
        client_kind: None,
        traits: Traits::BySize,
        partial: false,
    }
}

/// The files of a document, or what is wrong with it.
fn try_generate(document: &str) -> Result<Vec<GeneratedFile>, Vec<Diagnostic>> {
    let spec = Spec::parse_with_errors("api.yaml", document)?;
    Ok(generate(&spec, &settings())?.files)
}

/// What is wrong with a document, or else what its generated code loses or changes.
fn diagnose(document: &str) -> String {
    let spec = Spec::parse_with_errors("api.yaml", document);
    match spec.and_then(|spec| generate(&spec, &settings())) {
        Ok(generated) => list(&generated.warnings),
        Err(errors) => list(&errors),
    }
}

/// The files of a document that is generated without errors.
fn generate_files(document: &str) -> Vec<GeneratedFile> {
    try_generate(document).unwrap_or_else(|errors| panic!("{}", list(&errors)))
}

/// The text of one of the files, formatted if it is Rust.
fn formatted(files: &[GeneratedFile], name: &str) -> String {
    let file = files.iter().find(|file| file.name == name).unwrap();
    if name.ends_with(".rs") {
        rustfmt(&file.content).unwrap()
    } else {
        file.content.clone()
    }
}

fn list(errors: &[Diagnostic]) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}
