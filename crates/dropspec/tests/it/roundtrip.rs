//! `roundtrip` as a process: what dropshot emits equals the document that it made, and differs from others.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

use serde_json::{Value, json};

/// A document as dropshot writes it.
fn document() -> Value {
    let errors = json!({ "$ref": "#/components/responses/Error" });
    let text = json!({ "type": "string" });
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Shelf", "version": "1.2.3" },
        "paths": { "/books/{isbn}": { "get": {
            "summary": "Get a book.",
            "operationId": "book_get",
            "parameters": [{ "in": "path", "name": "isbn", "required": true, "schema": text }],
            "responses": {
                "200": {
                    "description": "successful operation",
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Book" } } }
                },
                "4XX": errors,
                "5XX": errors
            }
        } } },
        "components": {
            "schemas": {
                "Book": {
                    "description": "A book.",
                    "type": "object",
                    "properties": { "title": text, "pages": { "type": "integer", "format": "uint32", "minimum": 0 } },
                    "required": ["pages", "title"]
                },
                "Error": {
                    "description": "Error information from a response.",
                    "type": "object",
                    "properties": { "error_code": text, "message": text, "request_id": text },
                    "required": ["message", "request_id"]
                }
            },
            "responses": { "Error": {
                "description": "Error",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } }
            } }
        }
    })
}

/// Runs `roundtrip` for a text. Returns the exit code and both outputs.
fn roundtrip(text: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openapi.json");
    std::fs::write(&file, text).unwrap();
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_dropspec"))
        .args(["roundtrip", "openapi.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn document_of_dropshot_is_equal() {
    let (code, output, errors) = roundtrip(&document().to_string());
    assert_eq!((code, output.as_str()), (Some(0), "equal\n"), "{errors}");
}

#[test]
fn document_of_an_older_dropshot_is_equal_and_its_forms_are_listed() {
    let mut document = document();
    let operation = &mut document["paths"]["/books/{isbn}"]["get"];
    operation["parameters"][0]["style"] = json!("simple");
    operation["description"] = operation["summary"].take();
    operation.as_object_mut().unwrap().remove("summary");
    let (code, output, errors) = roundtrip(&document.to_string());
    let expected = "as older versions of dropshot wrote it in 1 place: a description without a summary\n\
                    as older versions of dropshot wrote it in 1 place: a style that is the default\n\
                    equal\n";
    assert_eq!((code, output.as_str()), (Some(0), expected), "{errors}");
}

#[test]
fn what_dropshot_cannot_emit_is_listed_with_its_place() {
    let mut document = document();
    document["servers"] = json!([{ "url": "https://books.example" }]);
    let operation = &mut document["paths"]["/books/{isbn}"]["get"];
    operation["responses"]["200"]["description"] = json!("The book.");
    operation["x-stability"] = json!("beta");
    let (code, output, errors) = roundtrip(&document.to_string());
    let expected = "/paths/~1books~1{isbn}/get/responses/200/description: \"The book.\" became \"successful operation\"\n\
                    The following does not matter: dropshot emits no security, servers, examples, links, callbacks and extensions. \
                    The generated code and the reference page take them from the document itself.\n  \
                    /paths/~1books~1{isbn}/get/x-stability: \"beta\" is missing\n  \
                    /servers: [{\"url\":\"https://books.example\"}] is missing\n\
                    1 difference, and 2 parts that dropshot emits for no document\n";
    assert_eq!((code, output.as_str()), (Some(1), expected), "{errors}");
}

#[test]
fn unusable_document_is_an_error_with_its_place() {
    let broken = document().to_string().replace("\"path\"", "\"road\"");
    let (code, output, errors) = roundtrip(&broken);
    assert_eq!((code, output.as_str()), (Some(2), ""), "{errors}");
    assert!(errors.contains("openapi.json:1:"), "{errors}");
    assert!(errors.contains("road"), "{errors}");
}
