//! What generated code cannot express is refused: each thing with its place and a way out, all of them at once.
#![allow(clippy::unwrap_used)]

use spec_codegen::{Settings, generate};
use spec_model::Spec;

fn refused(document: &str) -> String {
    let settings = Settings {
        command: "make".to_owned(),
        source: "api.yaml".to_owned(),
    };
    let spec = Spec::parse("api.yaml", document).unwrap();
    let errors = generate(&spec, &settings).unwrap_err();
    errors.iter().map(|error| format!("{error}\n")).collect()
}

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
fn everything_is_told_at_once() {
    let document = operation(
        "parameters:
  - {name: tags, in: query, schema: {type: array, items: {type: string}}}
  - {name: session, in: cookie, schema: {type: string}}
requestBody: {content: {text/plain: {schema: {type: string}}}}
responses:
  '200': {description: ok, content: {text/html: {schema: {type: string}}}}
  '201': {description: also ok}",
    );
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:5:5: the operation has no `operationId`, so that its method has no name (/paths/~1a/post)
      help: add one, for example `operationId: postA`
    api.yaml:7:11: `tags` is no scalar, and dropshot takes only scalars here (/paths/~1a/post/parameters/0)
      help: send a list or an object in the body, or as a string
    api.yaml:8:11: dropshot reads no cookies, so that `session` has no place (/paths/~1a/post/parameters/1)
      help: send it in a header or in the query
    api.yaml:9:7: dropshot has no body that may be left out (/paths/~1a/post/requestBody)
      help: add `required: true` to the body
    api.yaml:9:31: a body of `text/plain` is not decoded (/paths/~1a/post/requestBody/content/text~1plain)
      help: offer `application/json` alone
    api.yaml:11:44: dropshot answers with JSON or bytes, not with `text/html` (/paths/~1a/post/responses/200/content/text~1html)
      help: declare `application/json`, or `*/*` for bytes
    api.yaml:12:9: a method answers with one success, `200`; `201` is a second one (/paths/~1a/post/responses/201)
      help: keep one of them, or make two operations of it
    "#);
}

#[test]
fn errors_without_a_body_or_with_different_ones() {
    let document = operation(
        "operationId: a
responses:
  '204': {description: ok}
  '400': {description: no body}
  '404': {description: a string, content: {application/json: {schema: {type: string}}}}
  '500': {description: a number, content: {application/json: {schema: {type: number}}}}
  default: {description: a problem, content: {application/problem+json: {schema: {type: string}}}}",
    );
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:9:9: the error `400` has no body, but dropshot writes one for every error (/paths/~1a/post/responses/400)
      help: declare the body, the same for all errors
    api.yaml:11:9: the body of `500` differs from that of `404`, but a method has one type of error (/paths/~1a/post/responses/500)
      help: give both the same schema
    api.yaml:12:53: errors are answered as `application/json`, not as `application/problem+json` (/paths/~1a/post/responses/default/content/application~1problem+json)
      help: declare `application/json` alone
    "#);
}

#[test]
fn extensions_with_a_wrong_value() {
    let document = operation(
        "operationId: a
deprecated: true
x-stability: gamma
x-deprecated-sunset: '2027-02-30'
x-successor: nobody
x-rate-limit-cost: -1
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:8:7: `gamma` is no stability (/paths/~1a/post/x-stability)
      help: write `beta` or `experimental`, or leave it out
    api.yaml:9:7: `2027-02-30` is no date (/paths/~1a/post/x-deprecated-sunset)
      help: write it as "2027-06-30"
    api.yaml:10:7: there is no operation `nobody` (/paths/~1a/post/x-successor)
      help: name an operationId
    api.yaml:11:7: the cost is no count of requests (/paths/~1a/post/x-rate-limit-cost)
      help: write 0, 1, 2, …
    "#);
}

#[test]
fn an_all_of_over_a_closed_schema() {
    let document = schema(
        "allOf:
  - {type: object, additionalProperties: false, properties: {a: {type: string}}}
  - {type: object, properties: {b: {type: string}}}",
    );
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:8:11: this schema is closed, so that nothing can be added to it by an `allOf` (/components/schemas/A/allOf/0)
      help: spell all properties out in one schema, or remove `additionalProperties: false`
    "#);
}

#[test]
fn variants_that_cannot_be_told_apart() {
    let document = schema(
        "oneOf:
  - {type: object, properties: {a: {type: string}}}
  - {type: object, properties: {a: {type: string}, b: {type: string}}}",
    );
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:6:5: the variants of this union cannot be told apart: an earlier one also fits what is meant for a later one (/components/schemas/A)
      help: give each a required property with one value of its own, or close the earlier ones with `additionalProperties: false`
    "#);
}

#[test]
fn names_that_collide() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a: {get: {operationId: getA, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: get_a, responses: {'204': {description: ok}}}}
components:
  schemas:
    my-type: {type: object, properties: {a: {type: string}}}
    MyType: {type: string}
    '???': {type: string}
";
    insta::assert_snapshot!(refused(document), @r#"
    api.yaml:5:8: `get_a` and `getA` would both be the method `get_a` (/paths/~1b/get)
      help: rename one of the two operations
    api.yaml:9:5: `MyType` and `my-type` would both be the Rust type `MyType` (/components/schemas/MyType)
      help: rename one of the two schemas
    api.yaml:10:5: no Rust name can be made of the schema name `???` (/components/schemas/???)
      help: name the schema in ASCII letters
    "#);
}

#[test]
fn paths_that_dropshot_cannot_route() {
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
    insta::assert_snapshot!(refused(document), @r#"
    api.yaml:9:3: `/pets/{petId}/toys` calls `{petId}` what `/pets/{id}` calls `{id}` (/paths/~1pets~1{petId}~1toys)
      help: name the parameter `id` in both
    api.yaml:14:3: `/pets/mine` and `/pets/{id}` differ in a text where the other has a parameter, which dropshot cannot route (/paths/~1pets~1mine)
      help: give one of the two another path
    api.yaml:15:3: the path `/toys/` ends with a slash (/paths/~1toys~1)
      help: remove the slash
    "#);
}

#[test]
fn paths_that_no_request_can_have() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /pets?sold=true: {get: {operationId: a, responses: {'204': {description: ok}}}}
  '/pets#top': {get: {operationId: b, responses: {'204': {description: ok}}}}
";
    insta::assert_snapshot!(refused(document), @r#"
    api.yaml:4:3: the path `/pets?sold=true` holds a `?`, which no path of a request does (/paths/~1pets?sold=true)
      help: declare what follows as parameters in the query
    api.yaml:5:3: the path `/pets#top` holds a `#`, which no path of a request does (/paths/~1pets#top)
      help: remove what follows; a client keeps it to itself
    "#);
}

#[test]
fn unknown_keywords() {
    let document = schema("type: string\nconst: a");
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:8:7: `const` has no meaning here in OpenAPI 3.0 (/components/schemas/A/const)
      help: remove it; beside a `$ref`, wrap the `$ref` in an `allOf`
    "#);
}

#[test]
fn an_array_among_path_parameters() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a/{ids}:
    get:
      operationId: a
      parameters: [{name: ids, in: path, required: true, style: label, schema: {type: array, items: {type: integer}}}]
      responses: {'204': {description: ok}}
";
    insta::assert_snapshot!(refused(document), @r#"
    api.yaml:7:20: `ids` is written in a style that is not decoded (/paths/~1a~1{ids}/get/parameters/0)
      help: leave `style` out, which means `simple`
    api.yaml:7:20: `ids` is no scalar, and dropshot takes only scalars here (/paths/~1a~1{ids}/get/parameters/0)
      help: send a list or an object in the body, or as a string
    "#);
}

#[test]
fn schemas_that_are_only_names_for_each_other() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a:
    get:
      operationId: a
      parameters: [{name: q, in: query, schema: {$ref: '#/components/schemas/A'}}]
      responses: {'204': {description: ok}}
components:
  schemas:
    A: {allOf: [{$ref: '#/components/schemas/B'}]}
    B: {oneOf: [{$ref: '#/components/schemas/A'}]}
";
    insta::assert_snapshot!(refused(document), @r#"
    api.yaml:7:20: `q` is no scalar, and dropshot takes only scalars here (/paths/~1a/get/parameters/0)
      help: send a list or an object in the body, or as a string
    api.yaml:11:5: the schema is only a name for itself (/components/schemas/A)
      help: say what it is
    api.yaml:12:5: the schema is only a name for itself (/components/schemas/B)
      help: say what it is
    "#);
}

#[test]
fn an_all_of_that_leads_back_to_itself() {
    let document = schema(
        "allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {b: {type: string}}}]",
    );
    insta::assert_snapshot!(refused(&document), @r#"
    api.yaml:6:5: an `allOf` leads back to this schema (/components/schemas/A)
      help: break the circle
    "#);
}

#[test]
fn an_operation_that_the_client_cannot_name() {
    let document = operation("operationId: new\nresponses: {'204': {description: done}}");
    let told = refused(&document);
    assert!(
        told.contains("the client has a method `new` of its own"),
        "{told}"
    );
}

#[test]
fn names_that_are_no_identifiers_become_some() {
    for id in ["self", "Self", "123", "crate"] {
        let document = operation(&format!(
            "operationId: '{id}'\nresponses: {{'204': {{description: done}}}}"
        ));
        let settings = Settings {
            command: "make".to_owned(),
            source: "api.yaml".to_owned(),
        };
        let spec = Spec::parse("api.yaml", &document).unwrap();
        let files = generate(&spec, &settings).unwrap();
        for file in files.iter().filter(|file| file.name.ends_with(".rs")) {
            let parsed = syn::parse_file(&file.content);
            assert!(parsed.is_ok(), "{id}: {} does not parse", file.name);
        }
    }
}

#[test]
fn names_that_become_one_in_the_client() {
    let properties =
        schema("type: object\nproperties: {fooBar: {type: string}, foo_bar: {type: string}}");
    insta::assert_snapshot!(refused(&properties), @r"
    api.yaml:6:5: the client cannot express the schema `A`: `foo_bar` would be a field of `A` twice (/components/schemas/A)
      help: give one of them another name
    ");
    let parameter = operation(
        "operationId: a
parameters: [{name: send, in: query, schema: {type: string}}]
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(refused(&parameter), @r"
    api.yaml:5:5: the client cannot express this operation: `send` would be a method of `A<'a>` twice (/paths/~1a/post)
      help: give one of them another name
    ");
    let parameter = operation(
        "operationId: a
parameters: [{name: body, in: query, schema: {type: string}}]
requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {b: {type: string}}}}}}
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(refused(&parameter), @r"
    api.yaml:5:5: the client cannot express this operation: `body` would be a field of `A` twice (/paths/~1a/post)
      help: give one of them another name
    ");
    let parameter = operation(
        "operationId: a
parameters: [{name: Header-Map, in: query, schema: {type: string}}]
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(refused(&parameter), @r"
    api.yaml:7:20: the client has a variable `header_map` of its own (/paths/~1a/post/parameters/0)
      help: rename the parameter
    ");
}
