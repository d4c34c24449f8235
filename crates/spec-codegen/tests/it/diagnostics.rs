//! What generated code cannot express is reported: everything at once, each with its location and help.

use crate::{diagnose, try_generate};

/// A document with one operation.
fn operation(yaml: &str) -> String {
    let indented: String = yaml.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    post:\n{indented}"
    )
}

#[test]
fn all_problems_are_reported_at_once() {
    let document = operation(
        "parameters:
  - {name: tags, in: query, schema: {type: array, items: {type: string}}}
  - {name: session, in: cookie, schema: {type: string}}
requestBody: {content: {text/plain: {schema: {type: string}}}}
responses:
  '200': {description: ok, content: {text/html: {schema: {type: string}}}}
  '201': {description: also ok}",
    );
    insta::assert_snapshot!(diagnose(&document), @r"
    api.yaml:5:5: the operation has no `operationId`, so that it is called `postA` (/paths/~1a/post)
      help: add `operationId: postA`
    ");
}

#[test]
fn reports_invalid_values_of_extensions() {
    let document = operation(
        "operationId: a
deprecated: true
x-stability: gamma
x-deprecated-sunset: '2027-02-30'
x-successor: nobody
x-rate-limit-cost: -1
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(diagnose(&document), @r#"
    api.yaml:8:7: `gamma` is not a stability (/paths/~1a/post/x-stability)
      help: write `beta` or `experimental`, or leave it out
    api.yaml:9:7: `2027-02-30` is not a date (YYYY-MM-DD) (/paths/~1a/post/x-deprecated-sunset)
      help: write it as "2027-06-30"
    api.yaml:10:7: there is no operation `nobody` (/paths/~1a/post/x-successor)
      help: name an operationId
    api.yaml:11:7: the cost is not a number of requests (/paths/~1a/post/x-rate-limit-cost)
      help: write 0, 1, 2, …
    "#);
}

#[test]
fn reports_paths_with_query_or_fragment() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /pets?sold=true: {get: {operationId: a, responses: {'204': {description: ok}}}}
  '/pets#top': {get: {operationId: b, responses: {'204': {description: ok}}}}
";
    insta::assert_snapshot!(diagnose(document), @r#"
    api.yaml:4:3: the path `/pets?sold=true` holds a `?`, which no path of a request does (/paths/~1pets?sold=true)
      help: declare what follows as parameters in the query
    api.yaml:5:3: the path `/pets#top` holds a `#`, which no path of a request does (/paths/~1pets#top)
      help: remove what follows; a client keeps it to itself
    "#);
}

#[test]
fn keywords_and_numbers_become_identifiers() {
    for id in ["self", "Self", "123", "crate"] {
        let document = operation(&format!(
            "operationId: '{id}'\nresponses: {{'204': {{description: done}}}}"
        ));
        let files = try_generate(&document).unwrap();
        for file in files.iter().filter(|file| file.name.ends_with(".rs")) {
            let parsed = syn::parse_file(&file.content);
            assert!(parsed.is_ok(), "{id}: {} does not parse", file.name);
        }
    }
}
