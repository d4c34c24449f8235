//! Each rule of the standard is seen to find its mistake, with line and column.
#![allow(clippy::unwrap_used)]

use crate::lint;
use crate::lint::tests::TODAY;

/// A valid document that uses what the repository's own does not.
const DOCUMENT: &str = r##"openapi: 3.0.3
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

/// Edits of the first place each, with the line and column and what is said.
const EDITS: &[(&str, &str, &str)] = &[
    (
        "Shown: { value: 1 }",
        "Shown: { summary: a }",
        "either a `value` or an `externalValue`",
    ),
    (
        "Shown: { value: 1 }",
        "Shown: { value: 1, externalValue: a }",
        "either a `value` or an `externalValue`",
    ),
    (
        "license: { name: MIT }",
        "license: { }",
        "5:3: the license has no `name`",
    ),
    (
        "license: { name: MIT }",
        "license: { name: MIT, url: a b }",
        "`a b` is no URL",
    ),
    (
        "email: a@example.com",
        "email: nobody",
        "6:14: this is no address",
    ),
    (
        "version: 1.0.0",
        "version: spring",
        "4:3: `spring` is no version",
    ),
    (
        "default: a, enum",
        "default: c, enum",
        "the default is none of `enum`",
    ),
    (
        "url: \"{host}\"",
        "url: \"{port}\"",
        "8:5: the variable `port`",
    ),
    (
        "{ Key: [] }",
        "{ Key: [read] }",
        "11:14: the scheme `Key` has no scopes",
    ),
    (
        "OAuth: [read]",
        "OAuth: [write]",
        "no flow of `OAuth` has the scope `write`",
    ),
    (
        "authorizationUrl: \"https://a\", ",
        "",
        "the flow `implicit` has no `authorizationUrl`",
    ),
    (", scopes: { read: Reads. }", "", "the flow has no `scopes`"),
    (
        "style: simple",
        "style: form",
        "nothing in a path is written in the style `form`",
    ),
    ("style: form", "style: form, allowReserved: true", "CLEAN"),
    (
        "style: simple",
        "allowReserved: true",
        "`allowReserved` means something in a query only",
    ),
    (
        "description: What., schema: { type: integer }",
        "description: What.",
        "either a `schema` or a `content`",
    ),
    (
        "description: What., schema: { type: integer }",
        "description: What., content: { a/b: {}, c/d: {} }",
        "in one media type",
    ),
    (
        "description: What., schema",
        "description: What., deprecated: true, x-deprecated-sunset: \"2027-06-30\", schema",
        "CLEAN",
    ),
    (
        "description: What., schema",
        "description: What., deprecated: true, x-deprecated-sunset: \"2026-11-20\", schema",
        "the sunset 2026-11-20 has passed",
    ),
    (
        "description: What., schema",
        "description: What., x-stability: beta, schema",
        "nothing reads the extension `x-stability`",
    ),
    (
        "name: q, in: query",
        "name: Accept, in: header",
        "`Accept` is not a parameter",
    ),
    (
        "          description: It.\n",
        "",
        "23:9: the response has no `description`",
    ),
    (
        "X-A: {",
        "Content-Type: {",
        "`Content-Type` is ignored here",
    ),
    (
        "application/json:",
        "json:",
        "27:13: `json` is no media type",
    ),
    (
        "example: { kind: Cat }",
        "example: { kind: Cat }\n              examples: { a: { value: { kind: Cat } } }",
        "stand side by side",
    ),
    (
        "example: { kind: Cat }",
        "example: { kind: Cat }\n              encoding: { color: {} }",
        "the encoding is for `color`",
    ),
    (
        "operationId: getA }",
        "operationId: getB }",
        "the link leads to `getB`",
    ),
    (
        "again: { operationId: getA }",
        "again: { }",
        "a link leads to one operation",
    ),
    (
        "    get:\n",
        "    get:\n      requestBody: { content: { a/b: { schema: {}, example: 1 } } }\n",
        "14:5: the body of a GET",
    ),
    (
        "  /a/{id}:\n",
        "  /a?b: {}\n  /a/{id}:\n",
        "holds a query or a fragment",
    ),
    ("example: 1 }", "example: x }", "the example is not valid"),
    (
        "name: u,",
        "name: u, colour: red,",
        "does not define `colour`",
    ),
    (
        "    Unused:",
        "    Not used:",
        "`Not used` cannot be the name of a component",
    ),
    (
        "mapping: { Cat: \"#/components/schemas/Cat\" }",
        "mapping: { Cat: Dog }",
        "stands for `Dog`, which is no schema",
    ),
    (
        "propertyName: kind,",
        "propertyName: sort,",
        "the property `sort`",
    ),
    (
        "required: [kind]",
        "required: []",
        "`required` names nothing",
    ),
    (
        "required: [kind]",
        "required: [kind, kind]",
        "`kind` is required twice",
    ),
    (
        "kind: { type: string }",
        "kind: { nullable: true }",
        "beside a `type` only",
    ),
    (
        "kind: { type: string }",
        "kind: { type: string, readOnly: true, writeOnly: true }",
        "only read and only written",
    ),
    (
        "kind: { type: string }",
        "kind: { type: string, x-colour: red }",
        "nothing reads the extension `x-colour`",
    ),
    (
        "kind: { type: string }",
        "kind: { type: string, xml: { attribute: 'yes' } }",
        "here stands a boolean",
    ),
    (
        "kind: { type: string }",
        "kind: { $ref: \"#/components/schemas/Cat\", description: a }",
        "`description` beside a `$ref` is ignored",
    ),
    (
        ", items: { type: string, pattern: \"^a\" }",
        "",
        "the array has no `items`",
    ),
    (
        "pattern: \"^a\"",
        "pattern: \"(\"",
        "`(` is no regular expression",
    ),
];

#[test]
fn a_valid_document_is_clean() {
    let found = lint("a.yaml", DOCUMENT, TODAY);
    assert_eq!(found, []);
}

#[test]
fn every_rule_finds_its_mistake() {
    for (from, to, expected) in EDITS {
        assert!(DOCUMENT.contains(from), "{from} is not in the document");
        let text = DOCUMENT.replacen(from, to, 1);
        let found = lint("a.yaml", &text, TODAY);
        let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
        let told = match *expected {
            "CLEAN" => shown.is_empty(),
            expected => shown.iter().any(|finding| finding.contains(expected)),
        };
        assert!(told, "{from} → {to}: {expected:?}\n{}", shown.join("\n"));
        let helped = found.iter().all(|finding| finding.help.is_some());
        assert!(helped, "what to do is not said:\n{}", shown.join("\n"));
    }
}
