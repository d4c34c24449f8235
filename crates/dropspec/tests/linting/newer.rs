//! Documents of OpenAPI 3.1.

use dropspec::linting::LintSettings;

use crate::{assert_findings_of_edits, findings};

/// A valid document with what OpenAPI 3.1 adds.
pub const DOCUMENT: &str = r##"openapi: 3.1.0
info:
  title: a
  version: 1.0.0
  summary: A summary.
  license: { name: MIT, identifier: MIT }
jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base
webhooks:
  petSold:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Pet", description: The pet. }
      responses: { "204": { description: Thanks. } }
components:
  pathItems:
    Shared: { get: { responses: { "204": { description: Nothing. } } } }
  responses:
    None: { description: Nothing. }
  securitySchemes:
    Certificate: { type: mutualTLS }
  schemas:
    Anything: true
    Pet:
      $comment: An animal.
      type: object
      required: []
      properties:
        name: { type: [string, "null"], examples: [Rex] }
        kind: { const: cat }
        age: { type: integer, exclusiveMinimum: 0, default: 1 }
        tags: { type: array, prefixItems: [{ type: string }], items: false, contains: { type: string }, minContains: 1, default: [a] }
        size: { type: [integer, string] }
        none: { type: "null" }
      patternProperties: { ^x-: { $ref: "#/components/schemas/Pet/$defs/Note" } }
      propertyNames: { maxLength: 20 }
      dependentRequired: { name: [kind] }
      dependentSchemas: { age: { required: [name] } }
      if: { required: [kind] }
      then: { required: [name] }
      unevaluatedProperties: false
      $defs: { Note: { type: string, contentMediaType: text/plain } }
"##;

/// A valid document with what OpenAPI 3.2 adds.
pub const DOCUMENT_OF_3_2: &str = r##"openapi: 3.2.0
info: { title: a, version: 1.0.0 }
tags: [{ name: goods }, { name: toys, parent: goods, kind: nav, summary: Toys }]
components:
  securitySchemes:
    Login:
      type: oauth2
      deprecated: true
      oauth2MetadataUrl: "https://a/metadata"
      flows: { deviceAuthorization: { deviceAuthorizationUrl: "https://a", tokenUrl: "https://b", scopes: { read: Reads. } } }
  parameters:
    Name: { name: n, in: query, schema: { type: string }, examples: { one: { dataValue: "x", serializedValue: "x" } } }
  schemas:
    Any:
      oneOf: [{ $ref: "#/components/schemas/Letter" }, { $ref: "#/components/schemas/Note" }]
      discriminator: { propertyName: kind, defaultMapping: Note }
    Letter: { type: object, properties: { kind: { type: string }, to: { type: string } } }
    Note: { type: object, properties: { kind: { type: string }, text: { type: string } } }
    Other:
      oneOf: [{ $ref: "#/components/schemas/Letter" }, { $ref: "#/components/schemas/Plain" }]
      discriminator: { propertyName: kind, defaultMapping: "#/components/schemas/Plain" }
    Plain: { type: object, properties: { text: { type: string } } }
"##;

/// Edits that break a rule of OpenAPI 3.1.
const EDITS: &str = r##"
  summary: A summary. =>   subtitle: a => 5:3: OpenAPI 3.1 does not define `subtitle` here
kind: { const: cat } => kind: { type: string, nullable: true } => OpenAPI 3.1 does not define `nullable` here
kind: { const: cat } => kind: { const: cat, default: dog } => the default is not valid: "dog" is not one of "cat"
exclusiveMinimum: 0, default: 1 => exclusiveMinimum: 0, default: 0 => the default is not valid: 0 is less than or equal to the minimum of 0
exclusiveMinimum: 0, default: 1 => exclusiveMinimum: true => expected a number, found a boolean
default: [a] => default: [1] => the default is not valid
default: [a] => default: [a, b] => the default is not valid
examples: [Rex] => examples: [1] => the example is not valid
prefixItems: [{ type: string }] => prefixItems: { type: string } => `prefixItems` must be an array, found an object
"##;

#[test]
fn edits_of_a_document_of_3_1_that_break_a_rule_are_found() {
    assert_findings_of_edits(DOCUMENT, &LintSettings::default(), EDITS);
}

#[test]
fn document_of_3_2_is_valid() {
    let found = findings(DOCUMENT_OF_3_2, &LintSettings::default());
    assert_eq!(found, "");
}

#[test]
fn document_without_paths_webhooks_and_components_is_found() {
    let text = "openapi: 3.1.0\ninfo: { title: a, version: 1.0.0 }\n";
    let found = findings(text, &LintSettings::default());
    assert!(found.contains("neither `paths` nor `webhooks`"), "{found}");
}
