//! The traits of large interfaces: one for each tag, or one for all; and the dispatch to many operations.

use std::fmt::Write;

use dropspec_codegen::{Frame, GeneratedFile, Settings, Traits, generate, implement, rustfmt};
use dropspec_model::Spec;

use crate::{formatted, settings};

/// A document with operations of four tags.
fn document(operations: usize) -> String {
    let mut text = "openapi: 3.0.3
info: {title: Library, version: 1.0.0}
components:
  schemas:
    Book: {type: object, properties: {title: {type: string}}}
paths:
"
    .to_owned();
    for index in 0..operations {
        for tag in ["books", "Open Shelves", "type", "mod"] {
            add(&mut text, tag, &format!("/{}/a{index}/{{b}}", tag.len()));
        }
    }
    text
}

fn add(text: &mut String, tag: &str, path: &str) {
    writeln!(
        text,
        "  {path}:
    get:
      tags: [{tag}]
      summary: Reads it
      parameters: [{{name: b, in: path, required: true, schema: {{type: string}}}}]
      responses:
        '200': {{description: ok, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Book'}}}}}}}}"
    )
    .unwrap();
}

fn generate_with(traits: Traits, document: &str) -> Vec<GeneratedFile> {
    let spec = Spec::parse_with_errors("api.yaml", document).unwrap();
    let settings = Settings {
        traits,
        ..settings()
    };
    generate(&spec, &settings).unwrap().files
}

#[test]
fn module_of_a_trait_whose_name_begins_with_a_digit_has_a_name_that_rust_takes() {
    let document = document(1).replace("title: Library", "title: 2fa");
    let api = formatted(&generate_with(Traits::One, &document), "api.rs");
    let expected =
        "#[dropshot::api_description {\n    module = \"_2fa_api_mod\",\n}]\npub trait _2faApi {";
    assert!(api.contains(expected), "{api}");
}

#[test]
fn trait_for_each_tag_is_a_file() {
    let files = generate_with(Traits::ByTag, &document(1));
    let api = formatted(&files, "api.rs");
    assert!(
        api.contains("mod books;\nmod mod_;\nmod open_shelves;\nmod r#type;\n"),
        "{api}"
    );
    assert!(
        api.contains("BooksApi<Context = <Self as LibraryApi>::Context>"),
        "{api}"
    );
    for (name, part) in [
        ("api/books.rs", "pub trait BooksApi {"),
        ("api/mod_.rs", "pub trait ModApi {"),
        (
            "api/open_shelves.rs",
            "//! The methods of operations with the tag `Open Shelves`.",
        ),
        ("api/type.rs", "pub trait TypeApi {"),
        ("interface.rs", "type Context = <A as LibraryApi>::Context;"),
        ("interface.rs", "<A: OpenShelvesApi>("),
    ] {
        let text = formatted(&files, name);
        assert!(text.contains(part), "{name} has no {part}: {text}");
    }
}

#[test]
fn operations_without_tags_have_a_trait_beside_those_of_tags() {
    let text = document(1).replace("tags: [books]", "x-a: 1");
    let files = generate_with(Traits::ByTag, &text);
    assert!(formatted(&files, "api/untagged.rs").contains("pub trait UntaggedApi {"));
}

#[test]
fn settings_decide_how_many_traits_there_are() {
    for (traits, operations, expected) in [
        (Traits::ByTag, 1, true),
        (Traits::One, 120, false),
        (Traits::BySize, 1, false),
        (Traits::BySize, 120, true),
    ] {
        let files = generate_with(traits, &document(operations));
        let has_file = files.iter().any(|file| file.name == "api/books.rs");
        assert_eq!(
            has_file, expected,
            "{traits:?} with {operations} operations"
        );
    }
    let one_tag = document(2).replace("tags: [", "tags: [all, ");
    let files = generate_with(Traits::ByTag, &one_tag);
    assert!(
        formatted(&files, "api.rs").contains("pub trait LibraryApi {"),
        "one tag is no reason"
    );
}

#[test]
fn first_implementation_has_a_file_for_each_trait_and_answers_501() {
    // A tag with the name of the crate, and a type with that of the service's state.
    let text = document(1)
        .replace("tags: [Open Shelves]", "tags: [library_api]")
        .replace("tags: [books]", "tags: [gate]")
        .replace("Book", "App");
    let spec = Spec::parse_with_errors("api.yaml", &text).unwrap();
    let implement_with = |traits| {
        let settings = Settings {
            traits,
            ..settings()
        };
        let frame = Frame {
            api_crate: "library_api",
            implementor: "crate::here::App",
            context: "std::sync::Arc<gate::Gate<crate::here::App>>",
            not_implemented: "service::not_implemented",
        };
        let mut implementation = implement(&spec, &settings, frame).unwrap();
        for (_, text) in &mut implementation.files {
            *text = rustfmt(text).unwrap();
        }
        implementation
    };
    let implementation = implement_with(Traits::ByTag);
    let names = implementation.files.iter().map(|(name, _)| name.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(
        names,
        [
            "operations.rs",
            "operations/gate.rs",
            "operations/library_api.rs",
            "operations/mod_.rs",
            "operations/type.rs"
        ]
    );
    for (file, part) in [
        (0, "use ::library_api::api::LibraryApi;"),
        (0, "mod r#type;\n"),
        (
            0,
            "impl LibraryApi for App {\n    type Context = Arc<::gate::Gate<App>>;\n}",
        ),
        (1, "use crate::App;\nuse library_api::api::GateApi;"),
        (1, "use service::not_implemented;"),
        (
            1,
            "-> Result<HttpResponseOk<library_api::types::App>, HttpError> {\n        Err(not_implemented())\n",
        ),
        (4, "impl TypeApi for App {"),
    ] {
        let (name, text) = &implementation.files[file];
        assert!(text.contains(part), "{name} has no {part}: {text}");
    }
    let one = implement_with(Traits::One);
    assert_eq!(one.files.len(), 1);
    assert_eq!(one.files[0].1.matches("Err(not_implemented())").count(), 4);
    assert_eq!(one.interface_name, "LibraryInterface");
    assert_eq!(one.example_method.unwrap(), "get5_a0b");
}
