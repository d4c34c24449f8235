//! The rules of OpenAPI, which need no settings.

use dropspec::linting::LintSettings;

use crate::{assert_findings_of_edits, findings};

/// A valid document that uses most objects of OpenAPI.
pub const DOCUMENT: &str = r##"openapi: 3.0.3
info:
  title: a
  version: 1.0.0
  license: { name: MIT }
  contact: { email: a@example.com }
servers:
  - url: "{host}"
    variables: { host: { default: a, enum: [a, b] } }
tags: [{ name: A, description: All of it. }]
security: [{ Key: [] }, { OAuth: [read] }]
paths:
  /a/{id}:
    get:
      operationId: getA
      tags: [A]
      summary: Get it
      description: Gets it.
      parameters:
        - { name: id, in: path, required: true, style: simple, description: Which., schema: { type: integer } }
        - { name: q, in: query, style: form, description: What., schema: { type: integer } }
        - { name: q, in: header, description: Same name elsewhere., schema: { type: integer } }
      responses:
        "200":
          description: It.
          headers: { X-A: { schema: { type: integer } } }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Animal" }
              example: { kind: Cat }
          links: { again: { operationId: getA } }
components:
  examples:
    Shown: { value: 1 }
  parameters:
    Unused: { name: u, in: query, schema: { type: integer }, example: 1 }
  schemas:
    Animal:
      oneOf: [{ $ref: "#/components/schemas/Cat" }]
      discriminator: { propertyName: kind, mapping: { Cat: "#/components/schemas/Cat" } }
    Cat:
      type: object
      required: [kind]
      properties: { kind: { type: string }, tags: { type: array, items: { type: string, pattern: "^a" } } }
  securitySchemes:
    Key: { type: apiKey, in: header, name: X-Key }
    OAuth: { type: oauth2, flows: { implicit: { authorizationUrl: "https://a", scopes: { read: Reads. } } } }
"##;

/// Edits that break a rule of OpenAPI.
const EDITS: &str = r##"
example: { kind: Cat } => examples: { one: { value: { kind: Cat } }, two: { value: { kind: 1 } } } => 30:72: the example is not valid: {"kind":1}
license: { name: MIT } => license: { } => 5:3: the license has no `name`
email: a@example.com => email: nobody => 6:14: `nobody` is not an e-mail address
version: 1.0.0 => version: spring => none
url: "{host}" => url: "{port}" => 8:5: the variable `port` of the server is not defined
{ Key: [] } => { Key: [read] } => 11:14: the scheme `Key` has no scope `read`
name: id, in: path, required: true, => name: id, in: path, => 20:11: the path parameter `id` is not required
  /a/{id}:\n =>   /a/{id}/{b}:\n => 14:5: the path parameter `{b}` is not declared, so that it is a string
    get:\n =>     put: { operationId: getA, responses: { "204": { description: It. } } }\n    get:\n => 16:20: the operationId `getA` is not unique
style: form => style: form, allowReserved: true => none
description: What., schema => description: What., x-anything: true, schema => none
          description: It.\n =>  => 24:9: the response has no `description`
application/json: => json: => 28:13: `json` is not a media type
operationId: getA } => operationId: gtA } => help: did you mean `getA`?
    get:\n =>     get:\n      requestBody: { content: { a/b: { schema: {}, example: 1 } } }\n => 14:5: the request body of GET has no meaning
name: u, => name: u, requried: true, => 36:24: OpenAPI 3.0.3 does not define `requried` here: did you mean `required`?
name: u, => name: u, minimum: 1, => help: move it into `schema`
    get:\n =>     gett: {}\n    get:\n => 14:5: OpenAPI 3.0.3 does not define `gett` here: did you mean `get`?
license: { name: MIT } => license: { name: MIT, identifier: MIT } => help: write the `url` of the license
kind: { type: string } => kind: { type: string, const: a } => help: write `enum` with the one value
kind: { type: string } => kind: { type: strin } => help: did you mean `string`?
  title: a\n =>   title: a\n  summary: b\n => help: write it into `description`
required: [kind] => required: [kind, tag] => 43:24: `required` names `tag`, which is no property
required: [kind] => required: [kind, tag] => help: did you mean `tags`? name one of
items: { type: string, pattern: "^a" } => items: { required: [a], properties: { b: {} }, additionalProperties: true } => none
items: { type: string, pattern: "^a" } => items: { allOf: [{ required: [a], properties: { b: {} } }, {}] } => none
kind: { type: string } => kind: { nullable: true, allOf: [{ type: string }] } => none
"##;

#[test]
fn reports_each_violation_of_openapi() {
    assert_findings_of_edits(DOCUMENT, &LintSettings::default(), EDITS);
}

/// The document with a schema that inherits through a hundred others, the last of which is `end`.
fn document_with_inheritance(end: &str) -> String {
    let mut schemas = format!(
        "
    Choice:
      oneOf: [{{ $ref: '#/components/schemas/Step0' }}]
      discriminator: {{ propertyName: kind }}
    Step100: {end}"
    );
    for step in 0..100 {
        let next = step + 1;
        schemas += &format!(
            "
    Step{step}:
      allOf: [{{ $ref: '#/components/schemas/Step{next}' }}]"
        );
    }
    DOCUMENT.replacen("\n  schemas:\n", &format!("\n  schemas:{schemas}\n"), 1)
}

#[test]
fn finds_inherited_property_at_any_depth_and_in_cycles() {
    let settings = LintSettings::default();
    let declared =
        document_with_inheritance("{ type: object, properties: { kind: { type: string } } }");
    assert_eq!(findings(&declared, &settings), "");
    let cycle = document_with_inheritance("{ allOf: [{ $ref: '#/components/schemas/Step0' }] }");
    let found = findings(&cycle, &settings);
    assert!(
        found.contains("the discriminator's property `kind` is missing in a schema"),
        "{found}"
    );
}
