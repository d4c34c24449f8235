//! What generated code cannot express is reported: everything at once, each with its location and help.

use crate::{diagnose, try_generate};

/// The diagnostics of a document.

/// A document with one operation.
fn operation(yaml: &str) -> String {
    let indented: String = yaml.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    post:\n{indented}"
    )
}

/// A document with one schema.
fn schema(yaml: &str) -> String {
    let indented: String = yaml.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n    A:\n{indented}"
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
    insta::assert_snapshot!(diagnose(&document), @r#"
    api.yaml:5:5: the operation has no `operationId`, so that its method has no name (/paths/~1a/post)
      help: add one, for example `operationId: postA`
    api.yaml:7:11: `tags` is no scalar, and dropshot takes only scalars here (/paths/~1a/post/parameters/0)
      help: send a list or an object in the body, or as a string
    api.yaml:8:11: dropshot does not read cookies, so `session` cannot be received (/paths/~1a/post/parameters/1)
      help: send it in a header or in the query
    api.yaml:9:7: dropshot has no optional bodies (/paths/~1a/post/requestBody)
      help: add `required: true` to the body
    api.yaml:9:31: a body with the media type `text/plain` is not decoded (/paths/~1a/post/requestBody/content/text~1plain)
      help: offer `application/json` alone
    api.yaml:11:44: dropshot sends JSON or bytes, not `text/html` (/paths/~1a/post/responses/200/content/text~1html)
      help: declare `application/json`, or `*/*` for bytes
    api.yaml:12:9: a method has one success response, `200`; `201` is a second one (/paths/~1a/post/responses/201)
      help: keep one of them, or make two operations of it
    "#);
}

#[test]
fn reports_304_with_a_body_or_without_an_etag() {
    let document = operation(
        "operationId: a
responses:
  '200': {description: ok, content: {application/json: {schema: {type: string}}}}
  '304': {description: as it was, content: {application/json: {schema: {type: string}}}}",
    );
    insta::assert_snapshot!(diagnose(&document), @r#"
    api.yaml:9:9: 304 stands for the success of a GET, and this is another method (/paths/~1a/post/responses/304)
      help: remove the response
    api.yaml:9:51: a response with status 304 has no body, but `application/json` is declared (/paths/~1a/post/responses/304/content/application~1json)
      help: remove `content`
    "#);
}

#[test]
fn reports_errors_without_body_or_with_different_bodies() {
    let document = operation(
        "operationId: a
responses:
  '204': {description: ok}
  '400': {description: no body}
  '404': {description: a string, content: {application/json: {schema: {type: string}}}}
  '500': {description: a number, content: {application/json: {schema: {type: number}}}}
  default: {description: a problem, content: {application/problem+json: {schema: {type: string}}}}",
    );
    insta::assert_snapshot!(diagnose(&document), @r#"
    api.yaml:9:9: the error `400` has no body, but dropshot writes one for every error (/paths/~1a/post/responses/400)
      help: declare the body, the same for all errors
    api.yaml:11:9: the body of `500` differs from that of `404`, but a method has one type of error (/paths/~1a/post/responses/500)
      help: give both the same schema
    api.yaml:12:53: errors are sent as `application/json`, not as `application/problem+json` (/paths/~1a/post/responses/default/content/application~1problem+json)
      help: declare `application/json` alone
    "#);
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
fn reports_operations_that_become_the_same_method() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a: {get: {operationId: getA, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: get_a, responses: {'204': {description: ok}}}}
";
    insta::assert_snapshot!(diagnose(document), @r#"
    api.yaml:5:8: `get_a` and `getA` would both be the method `get_a` (/paths/~1b/get)
      help: rename one of the two operations
    "#);
}

#[test]
fn reports_paths_that_dropshot_cannot_route() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /pets/{id}:
    get:
      operationId: a
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: ok}}
  /pets/{petId}/toys:
    get:
      operationId: b
      parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: ok}}
  /pets/mine: {get: {operationId: c, responses: {'204': {description: ok}}}}
  /toys/: {get: {operationId: d, responses: {'204': {description: ok}}}}
";
    insta::assert_snapshot!(diagnose(document), @r#"
    api.yaml:9:3: `/pets/{petId}/toys` calls `{petId}` what `/pets/{id}` calls `{id}` (/paths/~1pets~1{petId}~1toys)
      help: name the parameter `id` in both
    api.yaml:14:3: `/pets/mine` and `/pets/{id}` differ in a text where the other has a parameter, which dropshot cannot route (/paths/~1pets~1mine)
      help: give one of the two another path
    api.yaml:15:3: the path `/toys/` ends with a slash (/paths/~1toys~1)
      help: remove the slash
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
fn reports_array_as_path_parameter() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a/{ids}:
    get:
      operationId: a
      parameters: [{name: ids, in: path, required: true, style: label, schema: {type: array, items: {type: integer}}}]
      responses: {'204': {description: ok}}
";
    insta::assert_snapshot!(diagnose(document), @r#"
    api.yaml:7:20: `ids` is written in a style that is not decoded (/paths/~1a~1{ids}/get/parameters/0)
      help: leave `style` out, which means `simple`
    api.yaml:7:20: `ids` is no scalar, and dropshot takes only scalars here (/paths/~1a~1{ids}/get/parameters/0)
      help: send a list or an object in the body, or as a string
    "#);
}

#[test]
fn reports_operation_named_like_a_client_method() {
    let document = operation("operationId: new\nresponses: {'204': {description: done}}");
    let errors = diagnose(&document);
    let expected = "`new` is already a method of every client";
    assert!(errors.contains(expected), "{errors}");
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

#[test]
fn reports_names_that_become_the_same_name_in_the_client() {
    let properties =
        schema("type: object\nproperties: {fooBar: {type: string}, foo_bar: {type: string}}");
    insta::assert_snapshot!(diagnose(&properties), @r"
    api.yaml:6:5: the client cannot express the schema `A`: `foo_bar` would be a field of `A` twice (/components/schemas/A)
      help: give one of them another name
    ");
    let parameter = operation(
        "operationId: a
parameters: [{name: send, in: query, schema: {type: string}}]
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(diagnose(&parameter), @r"
    api.yaml:5:5: the client cannot express this operation: `send` would be a method of `A<'a>` twice (/paths/~1a/post)
      help: give one of them another name
    ");
    let parameter = operation(
        "operationId: a
parameters: [{name: body, in: query, schema: {type: string}}]
requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {b: {type: string}}}}}}
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(diagnose(&parameter), @r"
    api.yaml:5:5: the client cannot express this operation: `body` would be a field of `A` twice (/paths/~1a/post)
      help: give one of them another name
    ");
    let parameter = operation(
        "operationId: a
parameters: [{name: Header-Map, in: query, schema: {type: string}}]
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(diagnose(&parameter), @r#"
    api.yaml:7:20: `header_map` is already a variable of the client (/paths/~1a/post/parameters/0)
      help: rename the parameter
    "#);
}
