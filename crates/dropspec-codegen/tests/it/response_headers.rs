//! How the values of response headers become text.

use crate::{formatted, generate_files};

const DOCUMENT: &str = include_str!("../documents/headers.yaml");

#[test]
fn header_is_written_by_its_style_explode_and_content() {
    let text = formatted(&generate_files(DOCUMENT), "parameters.rs");
    let (structs, _) = text
        .split_once("\nparameter_schemas!")
        .unwrap_or((&text, ""));
    let fields: Vec<&str> = structs
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("serialize_with") || line.starts_with("pub "))
        .collect();
    insta::assert_snapshot!(fields.join("\n"), @r#"
    pub struct ListBooksResponseHeaders {
    serialize_with = "dropspec_runtime::as_text"
    pub x_count: Option<i64>,
    pub x_name: Option<String>,
    serialize_with = "dropspec_runtime::as_text"
    pub x_pairs: Option<Pairs>,
    serialize_with = "dropspec_runtime::as_exploded_text"
    pub x_exploded: Option<Pairs>,
    serialize_with = "dropspec_runtime::as_json_text"
    pub x_json: Option<String>,
    pub x_text: Option<String>,
    pub struct LogInOkHeaders {
    pub set_cookie: Vec<String>,
    pub fn new(set_cookie: Vec<String>) -> Self {
    "#);
}

#[test]
fn each_cookie_is_a_header_of_its_own_which_dropshot_types_cannot_send() {
    let files = generate_files(DOCUMENT);
    let api = formatted(&files, "api.rs");
    assert!(api.contains("-> Result<LogInResponse, HttpError>"), "{api}");
    let responses = formatted(&files, "responses.rs");
    assert!(
        responses.contains("with_headers(json(200, &body)?, &headers)"),
        "{responses}"
    );
    let parameters = formatted(&files, "parameters.rs");
    assert!(
        parameters.contains("    pub set_cookie: Vec<String>,"),
        "{parameters}"
    );
}
