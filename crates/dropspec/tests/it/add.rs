//! `add resource`: the document is edited in place, and stays as good as it was.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use crate::checkout::Checkout;

/// A document with a resource, and things of its own that a new resource must not take over.
const BOOKS: &str = "# The books.
openapi: 3.0.3
info: {title: Books, version: 1.0.0}   # not yet
tags: [{name: Books, description: The books.}]

paths:
  /books:
    get:
      operationId: listBooks
      tags: [Books]
      summary: List books
      description: Sorted by title.
      responses:
        '200': {description: All., content: {application/json: {schema: {$ref: '#/components/schemas/Book'}, example: {id: 1}}}}

  # One book.
  /books/{bookId}:
    parameters: [{name: bookId, in: path, required: true, description: The book., schema: {type: integer}}]
    get:
      operationId: getBook
      tags: [Books]
      summary: Get a book
      description: The book.
      responses:
        '200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Book'}, example: {id: 1}}}}
        '404': {$ref: '#/components/responses/BookNotFound'}
        '409': {$ref: '#/components/responses/BookExists'}

components:
  responses:
    BookNotFound:
      description: There is no such book.
      content: &problem
        application/json:
          schema: {$ref: '#/components/schemas/Problem'}
          example: {code: none}
    BookExists:
      description: A book has this title.
      content: *problem
  schemas:
    Book:   # with its id
      type: object
      properties:
        id: {type: integer, minimum: 1, description: The id.}
    Problem: {type: object, properties: {code: {type: string}}}
# The end.
";

fn checkout(document: &str) -> Checkout {
    let checkout = Checkout::new();
    checkout.write("spec/petstore.yaml", document);
    checkout
}

fn document(checkout: &Checkout) -> String {
    checkout.read("spec/petstore.yaml")
}

/// Whether a text is another one with insertions only, line by line.
fn has_all_lines_of(new: &str, old: &str) -> bool {
    let mut lines = new.split_inclusive('\n');
    old.split_inclusive('\n')
        .all(|line| lines.any(|it| it == line))
}

#[test]
fn resource_is_like_that_of_the_document_and_every_other_byte_stays() {
    let checkout = checkout(BOOKS);
    let (code, said, error) = checkout.run(&["add", "resource", "pet-reviews"]);
    assert_eq!((code, error.as_str()), (0, ""), "{said}");
    for line in [
        "  GET    /pet-reviews                listPetReviews\n",
        "  POST   /pet-reviews                createPetReview\n",
        "  GET    /pet-reviews/{petReviewId}  getPetReview\n",
        "  PUT    /pet-reviews/{petReviewId}  replacePetReview\n",
        "  DELETE /pet-reviews/{petReviewId}  deletePetReview\n",
        "cargo check",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
    let new = document(&checkout);
    let tag = "{\"name\":\"PetReviews\",\"description\":\"The pet reviews.\"}, ";
    assert!(has_all_lines_of(&new.replace(tag, ""), BOOKS), "{new}");
    let part = "\n    PetReviewNotFound:\n      description: There is no such pet review.\n";
    assert!(new.contains(part), "{new}");
    let words = ["ample item", "ampleItem", "ample-item", "ample_item"];
    assert!(!words.iter().any(|it| new.contains(it)), "{new}");
    // The plain template knows no schema of errors.
    let (_, said, _) = checkout.run(&["lint"]);
    assert!(
        said.contains("the response 404 has no body") && said.ends_with("\n1 error\n"),
        "{said}"
    );
    let (code, _, error) =
        checkout.run(&["generate", "--spec", "spec/petstore.yaml", "--out", "made"]);
    assert_eq!(code, 0, "{error}");
    let api = checkout.read("made/api.rs");
    assert!(api.contains("fn replace_pet_review("), "{api}");
}

/// What CONTRIBUTING.md shows, with the template of this repository.
#[test]
fn resource_of_the_petstore_follows_the_rules_of_the_house() {
    let checkout = Checkout::of_this_repository();
    for arguments in [
        &["test-notes"][..],
        &["test-media", "--singular", "test-medium"],
        &["appointments"],
    ] {
        let (code, _, error) = checkout.run(&[&["add", "resource"][..], arguments].concat());
        assert_eq!((code, error.as_str()), (0, ""));
    }
    let new = document(&checkout);
    for part in [
        "\n  test_note_not_found: 404\n",
        "/test-media/{testMediumId}",
        "What an appointment is created from",
        "What a test note is created from",
    ] {
        assert!(new.contains(part), "{new}");
    }
    assert_eq!(checkout.run(&["lint"]), (0, String::new(), String::new()));
}

#[test]
fn resource_that_is_there_is_refused_with_all_clashes_and_nothing_is_written() {
    let checkout = checkout(BOOKS);
    let (code, said, error) = checkout.run(&["add", "resource", "books"]);
    assert_eq!((code, said.as_str()), (2, ""));
    for clash in [
        "spec/petstore.yaml was not changed: the document already has `/books` in paths",
        "`/books/{bookId}` in paths",
        "`Book` in components.schemas",
        "the operationId `getBook`",
        "the tag \"Books\"",
    ] {
        assert!(error.contains(clash), "{clash}: {error}");
    }
    assert_eq!(document(&checkout), BOOKS);
}

#[test]
fn document_without_resources_gets_one_with_defaults() {
    let text = "{\n    \"openapi\": \"3.0.3\",\n    \"info\": {\"title\": \"a\", \"version\": \"1\"},\n    \"paths\": {}\n}";
    let checkout = Checkout::empty();
    checkout.write("empty.json", text);
    let (code, said, error) = checkout.run(&["add", "resource", "reviews", "--spec", "empty.json"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(said.contains("has a new resource"), "{said}");
    let new = checkout.read("empty.json");
    let mut rest = new.bytes();
    assert!(text.bytes().all(|byte| rest.any(|it| it == byte)), "{new}");
    let json: serde_json::Value = serde_json::from_str(&new).unwrap();
    assert_eq!(
        json["components"]["responses"]["ReviewNotFound"]["description"],
        "There is no such review."
    );
    assert_eq!(
        json["components"]["schemas"]["NewReview"]["required"][0],
        "name"
    );
    let (code, said, _) = checkout.run(&["add", "resource", "orders", "--spec", "empty.json"]);
    assert_eq!(code, 0, "{said}");
    let (code, said, error) = checkout.run(&["lint", "empty.json"]);
    assert_eq!((code, error.as_str()), (0, ""), "{said}");
}

#[test]
fn what_cannot_be_edited_is_explained() {
    let checkout = checkout(BOOKS);
    let info = "info: {title: a, version: 1.0.0}\n";
    checkout.write("tags.yaml", &format!("overlay: 1.1.0\n{info}actions: []\n"));
    checkout.write("none.yaml", &format!("openapi: 3.0.3\n{info}"));
    checkout.write("old.yaml", &format!("swagger: '2.0'\n{info}paths: {{}}\n"));
    checkout.write(
        "many.yaml",
        &format!("openapi: 3.0.3\n{info}paths: {{$ref: paths.yaml}}\n"),
    );
    let rows = "
add resource reviews --spec tags.yaml => tags.yaml:1:1: 
add resource reviews --spec none.yaml => the document has no `paths`
add resource reviews --spec old.yaml => old.yaml
add resource reviews --spec many.yaml => the `paths` of many.yaml are in paths.yaml
add resource reviews --spec lost.yaml => invalid value 'lost.yaml' for '--spec <FILE>': there is no such file
add resource review => name the resource in the plural, such as `reviews`
add resource 2nd => a letter first
add resource s => name the resource in the plural
add resource status => add --singular
";
    checkout.assert_refused(rows);
    assert_eq!(document(&checkout), BOOKS);
}

#[test]
fn documents_of_others_get_a_resource_that_is_no_worse_than_they_are() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    }
    let checkout = Checkout::empty();
    for file in [
        "dropshot/printy.json",
        "others/firecracker.json",
        "others/giphy.yaml",
        "others/petstore.yml",
        "others/problemjson.yml",
        "others/techempower.json",
        "more-others/complex-model.json",
        "more-others/petstore-oauth2.yml",
    ] {
        let old = fs::read_to_string(corpus.join(file)).unwrap();
        let name = file.rsplit('/').next().unwrap();
        checkout.write(name, &old);
        // Without new errors of `lint` or breaks of `diff`, or nothing would be written.
        let (code, said, error) = checkout.run(&["add", "resource", "zebras", "--spec", name]);
        assert_eq!(code, 0, "{file}: {said}{error}");
        let new = checkout.read(name);
        let mut rest = new.bytes();
        assert!(old.bytes().all(|byte| rest.any(|it| it == byte)), "{file}");
        let generate = ["generate", "--partial", "--spec", name, "--out", "made"];
        let operations = |document: &str| {
            checkout.write(name, document);
            let (_, _, said) = checkout.run(&generate);
            let left_out = said.matches(" is left out, ").count();
            let table = checkout.read("made/operations.rs");
            (table.matches(" operation_id: ").count(), left_out)
        };
        let ((before, left_out), after) = (operations(&old), operations(&new));
        assert_eq!((before + 5, left_out), after, "{file}");
    }
}
