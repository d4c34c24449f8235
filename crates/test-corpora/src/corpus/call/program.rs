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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::corpus::generated::generate_all;

    use super::*;

    const DOCUMENT: &str = r#"
openapi: 3.0.3
info: {title: Shelf, version: 1.0.0}
paths:
  /books/{isbn}:
    put:
      operationId: putBook
      parameters:
        - {name: isbn, in: path, required: true, schema: {type: string}}
        - {name: page-size, in: query, schema: {type: integer}}
      requestBody:
        required: true
        content:
          application/json: {schema: {type: object, properties: {title: {type: string}}}}
          text/csv: {schema: {type: string}}
      responses:
        "200": {description: Stored., headers: {X-Count: {schema: {type: integer}}}, content: {application/json: {schema: {type: string}}}}
        "202": {description: Later.}
        4XX: {description: Wrong., content: {text/plain: {schema: {type: string}}}}
"#;

    #[test]
    fn program_sets_and_records_every_argument_and_gives_every_response() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shelf.yaml");
        std::fs::write(&path, DOCUMENT).unwrap();
        let documents = generate_all(&[path], false).unwrap();
        let program = render(&documents[0]).unwrap();
        let has = |name: &str, part: &str| {
            let (_, text) = program
                .files
                .iter()
                .find(|(file, _)| *file == name)
                .unwrap();
            let dense = |text: &str| text.split_whitespace().collect::<String>();
            // A call in several lines ends with a comma.
            let is_there = dense(text).replace(",)", ")").contains(&dense(part));
            assert!(is_there, "{part} is not in {text}");
        };
        for part in [
            r#"arrived.parameter("path", "isbn", &path.isbn)"#,
            r#"arrived.parameter("query", "page-size", &query.page_size)"#,
            "::PutBookBody::Csv(body) => { arrived.text(body.into_inner()); }",
            r#"headers: "#,
            r#"answer.header("X-Count")?"#,
            "::PutBookResponse::Accepted)",
            "status: answer.error_status()?",
        ] {
            has("src/echo.rs", part);
        }
        for part in [
            r#"given.parameter::<i64>("query", "page-size")?"#,
            "request = request.page_size(value)",
            "::PutBookBody::Csv(given.text()?)",
            r#"status: Some(200u16), media_type: Some("application/json"), content: test_echo::Content::Json"#,
            "status: Some(202u16), media_type: None, content: test_echo::Content::Empty",
            r#"is_error: true, status: None, media_type: Some("text/plain"), content: test_echo::Content::Text"#,
        ] {
            has("src/calls.rs", part);
        }
    }
}
