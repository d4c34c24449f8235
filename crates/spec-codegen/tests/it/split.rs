//! Files that would be too long are divided by tag, in a way that stays as the document grows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use spec_codegen::{Settings, Traits, generate};
use spec_model::Spec;

use crate::{formatted, generate_files, settings};

/// A document with four tags. Operations of `books` are in two resources, and all use the schema `Page`.
fn document(operations: usize) -> String {
    let mut text = "openapi: 3.0.3
info: {title: Library, version: 1.0.0}
components:
  schemas:
    Page: {type: object, properties: {size: {type: integer}}}
    Book: {type: object, properties: {title: {type: string}, pages: {type: array, items: {$ref: '#/components/schemas/Page'}}}}
paths:
"
    .to_owned();
    for index in 0..operations {
        for (tag, path, schema) in [
            ("books", "/v1/books/{id}/authors", "Book"),
            ("books", "/v1/books/{id}/editions", "Book"),
            ("Open Shelves", "/v1/library/shelves", "Page"),
            ("type", "/v1/library/types", "Page"),
            ("people", "/v1/library/people", "Page"),
        ] {
            add(&mut text, tag, &format!("{path}/a{index}/{{b}}"), schema);
        }
    }
    text
}

fn add(text: &mut String, tag: &str, path: &str, schema: &str) {
    let parameters = path.split('{').skip(1).map(|part| {
        let name = part.split('}').next().unwrap_or_default();
        format!("{{name: {name}, in: path, required: true, schema: {{type: string}}}}")
    });
    let parameters: Vec<String> = parameters.collect();
    writeln!(
        text,
        "  {path}:
    get:
      tags: [{tag}]
      summary: Reads it
      parameters:
        - {}
        - {{name: limit, in: query, schema: {{type: integer}}}}
      responses:
        '200': {{description: ok, content: {{application/json: {{schema: {{$ref: '#/components/schemas/{schema}'}}}}}}}}
        '404': {{description: none}}
        '409': {{description: other, content: {{text/plain: {{schema: {{type: string}}}}}}}}",
        parameters.join("\n        - ")
    )
    .unwrap();
}

fn by_name(document: &str) -> BTreeMap<String, String> {
    let files = generate_files(document).into_iter();
    files.map(|file| (file.name, file.content)).collect()
}

#[test]
fn long_files_are_divided_by_tag_and_resource() {
    let files = by_name(&document(60));

    let text = |name: &str| files.get(name).unwrap_or_else(|| panic!("no {name}"));
    assert!(text("api/books.rs").contains("pub trait BooksApi {"));
    assert!(text("api/open_shelves.rs").contains("pub trait OpenShelvesApi {"));
    assert!(text("api/type.rs").contains("pub trait TypeApi {"));
    let api = formatted(&generate_files(&document(60)), "api.rs");
    assert!(
        api.contains("mod books;\nmod open_shelves;\nmod people;\nmod r#type;\n"),
        "{api}"
    );
    assert!(
        api.contains("BooksApi<Context = <Self as LibraryApi>::Context>"),
        "{api}"
    );
    assert!(text("interface/books.rs").contains("<A: BooksApi>"));
    assert!(text("interface.rs").contains("type Context = <A as LibraryApi>::Context;"));
    assert!(
        text("operations/open_shelves.rs")
            .contains("pub(crate) const GET_V1_LIBRARY_SHELVES_A0B: OperationInfo")
    );
    for part in ["client/builder/books", "responses/books"] {
        assert!(text(&format!("{part}.rs")).contains("pub use authors::*;"));
        assert!(
            text(&format!("{part}/authors.rs"))
                .contains("operations with the tag `books`, for `authors`")
        );
        files.get(&format!("{part}/editions.rs")).expect("editions");
    }
    assert!(
        !files.contains_key("types/books.rs"),
        "two types are no reason to divide"
    );
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".rs")) {
        assert!(text.lines().count() <= 5_000, "{name}");
    }
}

#[test]
fn one_more_operation_changes_only_files_of_its_tag_and_the_lists() {
    let before = document(60);
    let mut after = before.clone();
    add(&mut after, "books", "/v1/books/{id}/authors/more", "Book");

    let (before, after) = (by_name(&before), by_name(&after));

    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    let changed = after
        .iter()
        .filter(|(name, text)| before.get(*name) != Some(text));
    let changed: Vec<&str> = changed.map(|(name, _)| name.as_str()).collect();
    let others = changed.iter().filter(|name| !name.contains("books"));
    let others: Vec<&&str> = others.collect();
    let expected = ["interface.rs", "openapi.json", "operations.rs"];
    // The struct of the new path is in a file that is short enough.
    assert_eq!(
        others,
        expected
            .iter()
            .chain([&"parameters.rs"])
            .collect::<Vec<_>>()
    );
    assert!(
        !changed.iter().any(|name| name.contains("editions")),
        "{changed:?}"
    );
}

#[test]
fn files_without_tags_are_divided_by_resource_and_keep_one_trait() {
    let untagged = document(60).replace("tags: [books]", "x-a: 1");
    let untagged = untagged.replace("tags: [Open Shelves]", "x-a: 1");
    let untagged = untagged.replace("tags: [people]", "x-a: 1");
    let files = by_name(&untagged.replace("tags: [type]", "x-a: 1"));

    for resource in ["authors", "editions", "people", "shelves", "types"] {
        let text = &files[&format!("client/builder/{resource}.rs")];
        let docs = format!("//! Requests of operations for `{resource}`.");
        assert!(text.contains(&docs), "{resource}");
    }
    assert!(files["interface/authors.rs"].contains("<A: LibraryApi>"));
    assert!(files["api.rs"].contains("pub trait LibraryApi {"));
}

#[test]
fn tags_and_resources_with_names_of_rust_have_files_of_their_own() {
    let document = document(60);
    let document = document.replace("tags: [Open Shelves]", "tags: [mod]");
    let document = document.replace("tags: [people]", "tags: [Mod]");
    let document = document.replace("tags: [type]", "tags: ['']");
    let files = generate_files(&document.replace("/authors", "/mod"));

    let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    for name in [
        "api/mod_",
        "api/mod2",
        "api/untagged",
        "client/builder/books/mod_",
    ] {
        let name = format!("{name}.rs");
        assert!(names.contains(&*name), "{name}: {names:?}");
    }
    assert!(
        !names.iter().any(|name| name.ends_with("/mod.rs")),
        "{names:?}"
    );
    let small: BTreeSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(
        small.len(),
        files.len(),
        "names differ only by case: {names:?}"
    );
    for file in &files {
        let modules = file
            .content
            .lines()
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        for module in modules {
            let folder = file.name.trim_end_matches(".rs");
            let path = format!("{folder}/{}.rs", module.trim_start_matches("r#"));
            assert!(names.contains(&*path), "{} has no {path}", file.name);
        }
    }
}

#[test]
fn operations_of_one_resource_are_divided_where_their_names_differ() {
    let mut document = document(0);
    for index in 0..60 {
        for verb in ["cancel", "create", "list"] {
            let path = format!("/books/loans/{verb}{index}/{{b}}");
            add(&mut document, "books", &path, "Book");
        }
    }

    let files = generate_files(&document);

    let builders = files.iter().map(|file| file.name.as_str());
    let builders: Vec<&str> = builders
        .filter_map(|name| name.strip_prefix("client/builder"))
        .collect();
    assert_eq!(
        builders,
        [".rs", "/c.rs", "/c/a.rs", "/c/r.rs", "/l.rs"],
        "all names begin with `GetBooksLoans`"
    );
    let text = formatted(&files, "client/builder/c/r.rs");
    assert!(text.contains("whose names begin with `GetBooksLoansCr`"));
    for file in files.iter().filter(|file| file.name.ends_with(".rs")) {
        assert!(file.content.lines().count() <= 4_000, "{}", file.name);
    }
}

#[test]
fn many_operations_are_dispatched_to_functions_whose_futures_are_in_boxes() {
    let dispatch = |operations: usize| {
        let mut document = document(0);
        for index in 0..operations {
            add(&mut document, "books", &format!("/a{index}/{{b}}"), "Book");
        }
        formatted(&generate_files(&document), "interface.rs")
    };
    let arm = "Operation::GetA39b => self::get_a39b::<A>,\n";
    assert!(!dispatch(40).contains(arm));
    let text = dispatch(41);
    assert!(text.contains(arm), "{text}");
    assert!(text.contains("pub(crate) fn get_a39b<A: LibraryApi>("));
    assert!(text.contains("Box::pin(async move {"), "{text}");
}

#[test]
fn short_files_stay_whole() {
    let files = by_name(&document(2));
    let divided = files
        .keys()
        .filter(|name| name.contains('/') && !name.starts_with("client/"));
    assert_eq!(divided.count(), 0);
    assert!(files["api.rs"].contains("pub trait LibraryApi {"));
}

#[test]
fn settings_decide_how_many_traits_there_are() {
    let has_module = |traits: Traits, operations: usize| {
        let spec = Spec::parse_with_errors("api.yaml", &document(operations)).unwrap();
        let settings = Settings {
            traits,
            ..settings()
        };
        let files = generate(&spec, &settings).unwrap().files;
        files.iter().any(|file| file.name == "api/books.rs")
    };
    assert!(has_module(Traits::ByTag, 1));
    assert!(!has_module(Traits::One, 60));
}
