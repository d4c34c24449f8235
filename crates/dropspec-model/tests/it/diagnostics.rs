//! The errors of invalid documents: all at once, each with location and help.
#![allow(clippy::unwrap_used)]

use dropspec_model::{Diagnostic, Spec};

const HEAD: &str = "openapi: 3.0.3\ninfo: {title: Pets, version: 1.0.0}\n";

fn errors(text: &str) -> String {
    let errors = Spec::parse("pets.yaml", text).unwrap_err();
    let lines: Vec<String> = errors.iter().map(Diagnostic::to_string).collect();
    lines.join("\n")
}

fn errors_after_head(text: &str) -> String {
    errors(&format!("{HEAD}{text}"))
}

#[test]
fn rejects_versions_that_are_not_supported() {
    let rows = [
        "openapi: 4.0.0\n",
        "swagger: '2.0'\n",
        "openapi: 3.0\n",
        "info: {}\n",
        "[]\n",
        "hello\n",
    ];
    let all: Vec<String> = rows.iter().map(|text| errors(text)).collect();
    insta::assert_snapshot!(all.join("\n"), @r##"
    pets.yaml:1:10: OpenAPI version "4.0.0" is not supported, only 3.0, 3.1 and 3.2 (/openapi)
      help: write `openapi: 3.1.0`
    pets.yaml:1:10: this is a Swagger 2.0 document: only OpenAPI 3.0, 3.1 and 3.2 are supported (/swagger)
      help: convert it, for instance by `npx swagger2openapi pets.yaml --outfile openapi.json` or in Swagger Editor (Edit, Convert to OpenAPI 3), and name the result
    pets.yaml:1:10: the version of OpenAPI has three numbers (/openapi)
      help: write `openapi: 3.0.3`
    pets.yaml:1:1: the document has no `openapi` version
      help: begin it with `openapi: 3.1.0`, if it is an OpenAPI document
    pets.yaml:1:1: expected an OpenAPI document (an object), found an array
      help: name an OpenAPI document: it begins with `openapi: 3.1.0`
    pets.yaml:1:1: expected an OpenAPI document (an object), found a string
      help: name an OpenAPI document: it begins with `openapi: 3.1.0`
    "##);
}

#[test]
fn reports_errors_of_operations() {
    let text = r#"
paths:
  pets: {}
  /pets/{petId}/{: {}
  /pets/{petId}:
    get:
      operationId: pet
      responses: {200: {description: ok}, 2xx: {description: ok}}
    put:
      operationId: pet
      deprecated: "yes"
      parameters:
        - {name: petId, in: path, schema: {type: integer}}
        - {name: other, in: path, required: true, schema: {type: integer}}
        - {name: q, in: query, required: yes}
        - {name: b, in: body}
        - {name: l, in: query, style: loose}
        - {name: l, in: query}
        - 7
      requestBody: {}
      tags: Pets
  /pets/{id}:
    summary: [a]
"#;
    insta::assert_snapshot!(errors_after_head(text), @r#"
    pets.yaml:5:3: the path `pets` does not begin with `/` (/paths/pets)
    pets.yaml:6:3: the path `/pets/{petId}/{` has a `{` without a `}` (/paths/~1pets~1{petId}~1{)
    pets.yaml:10:43: `2xx` is not a status (/paths/~1pets~1{petId}/get/responses/2xx)
      help: write a status such as `200`, a class such as `4XX`, or `default`
    pets.yaml:11:5: the operation has no `responses` (/paths/~1pets~1{petId}/put)
      help: list each status that it can have, such as `"200": {description: …}`
    pets.yaml:13:19: `deprecated` must be a boolean (`true` or `false`), found a string (/paths/~1pets~1{petId}/put/deprecated)
      help: write a boolean (`true` or `false`) here
    pets.yaml:16:11: the path `/pets/{petId}` has no `{other}` (/paths/~1pets~1{petId}/put/parameters/1)
      help: remove the parameter, or add it to the path
    pets.yaml:17:42: `required` must be a boolean (`true` or `false`), found a string (/paths/~1pets~1{petId}/put/parameters/2/required)
      help: write a boolean (`true` or `false`) here
    pets.yaml:18:25: a parameter cannot be in `body` (/paths/~1pets~1{petId}/put/parameters/3/in)
      help: OpenAPI 3.0 describes bodies in `requestBody`
    pets.yaml:19:39: `loose` is not a style (/paths/~1pets~1{petId}/put/parameters/4/style)
      help: write one of matrix, label, form, simple, spaceDelimited, pipeDelimited, deepObject, cookie
    pets.yaml:20:11: the query parameter `l` is declared twice (/paths/~1pets~1{petId}/put/parameters/5)
    pets.yaml:21:11: expected a parameter (an object), found a number (/paths/~1pets~1{petId}/put/parameters/6)
    pets.yaml:22:7: a request body needs `content` (/paths/~1pets~1{petId}/put/requestBody)
      help: add a media type, such as `application/json`
    pets.yaml:23:13: `tags` must be an array, found a string (/paths/~1pets~1{petId}/put/tags)
      help: write an array here
    pets.yaml:24:3: the path matches the same requests as `/pets/{petId}` (/paths/~1pets~1{id})
      help: put the operations under one path
    pets.yaml:25:5: `summary` must be a string, found an array (/paths/~1pets~1{id}/summary)
      help: write a string here
    "#);
}

#[test]
fn reports_errors_of_references() {
    let text = r##"
paths:
  /a:
    get:
      parameters:
        - $ref: '#/components/parameters/Gone'
        - $ref: '#/components/schemas/A'
        - $ref: '#/components/parameters/Loop'
        - $ref: 5
      responses:
        200: {$ref: 'responses.yaml#/Ok'}
  /b: {$ref: '#/paths/~1b'}
components:
  parameters:
    Loop: {$ref: '#/components/parameters/Back'}
    Back: {$ref: '#/components/parameters/Loop'}
  schemas:
    A: {$ref: '#/components/schemas/B'}
    B: {$ref: '#/components/schemas/A'}
    C: {properties: {d: {$ref: '#/components/schemas/C/properties/d'}}}
    E: {properties: {f: {items: {$ref: '#/components/schemas/E/properties/f'}}}}
    G: {items: {$ref: '#/components/schemas/Gone'}}
    H: {items: {$ref: 'Gone'}}
"##;
    insta::assert_snapshot!(errors_after_head(text), @r##"
    pets.yaml:8:17: the target of the `$ref` to `#/components/parameters/Gone` does not exist (/paths/~1a/get/parameters/0/$ref)
      help: write the place of a part of this document, such as `#/components/schemas/Pet`
    pets.yaml:9:17: the `$ref` must refer to `components/parameters`, but `A` is in `components/schemas` (/paths/~1a/get/parameters/1/$ref)
    pets.yaml:11:17: `$ref` must be a string, found a number (/paths/~1a/get/parameters/3/$ref)
    pets.yaml:13:21: the `$ref` to `responses.yaml#/Ok` refers to another document (/paths/~1a/get/responses/200/$ref)
      help: move the target into `components` and refer to it as `#/components/…`
    pets.yaml:14:14: the `$ref` refers to itself (/paths/~1b/$ref)
    pets.yaml:17:18: the `$ref` refers to itself (/components/parameters/Loop/$ref)
    pets.yaml:18:18: the `$ref` refers to itself (/components/parameters/Back/$ref)
    pets.yaml:20:15: the schema `A` refers to itself (/components/schemas/A/$ref)
    pets.yaml:21:15: the schema `B` refers to itself (/components/schemas/B/$ref)
    pets.yaml:22:32: the schema `d` refers to itself (/components/schemas/d/$ref)
    pets.yaml:24:23: the target of the `$ref` to `#/components/schemas/Gone` does not exist (/components/schemas/G/items/$ref)
      help: write the place of a part of this document, such as `#/components/schemas/Pet`
    pets.yaml:25:23: the `$ref` to `Gone` refers to another document (/components/schemas/H/items/$ref)
      help: move the target into `components` and refer to it as `#/components/…`
    "##);
}

#[test]
fn reports_errors_of_schemas() {
    let text = r#"
paths: {}
components:
  schemas:
    A:
      type: [string, "null"]
      format: 3
      nullable: "true"
      exclusiveMinimum: 5
      maxLength: -1
      minLength: 1.5
      maxItems: 10.0
      required: true
      items: [{}]
      enum: one
    B:
      type: text
      properties: []
      additionalProperties: no
      allOf: {}
      oneOf: []
      not: 5
      discriminator: {mapping: {a: 1}}
      required: [a, 1]
      title:
"#;
    insta::assert_snapshot!(errors_after_head(text), @r"
    pets.yaml:8:7: a list of types is OpenAPI 3.1 (/components/schemas/A/type)
      help: write one of array, boolean, integer, number, object, string; `nullable: true` allows null, `oneOf` several types, and no `type` any value
    pets.yaml:9:15: `format` must be a string, found a number (/components/schemas/A/format)
      help: put it in quotes
    pets.yaml:10:17: `nullable` must be a boolean (`true` or `false`), found a string (/components/schemas/A/nullable)
      help: write a boolean (`true` or `false`) here
    pets.yaml:11:25: a number as `exclusiveMinimum` is OpenAPI 3.1 (/components/schemas/A/exclusiveMinimum)
      help: write `minimum: 5` and `exclusiveMinimum: true`
    pets.yaml:12:18: `maxLength` must be a whole number from 0, found -1 (/components/schemas/A/maxLength)
      help: write a whole number from 0 here
    pets.yaml:13:18: `minLength` must be a whole number from 0, found 1.5 (/components/schemas/A/minLength)
      help: write a whole number from 0 here
    pets.yaml:15:17: `required` of a schema must be a list of property names, found a boolean (/components/schemas/A/required)
      help: list the property under `required` of the object that has it
    pets.yaml:16:7: a list of schemas as `items` is not part of OpenAPI 3.0 (/components/schemas/A/items)
      help: write one schema, with `oneOf` if the items differ
    pets.yaml:17:13: `enum` must be an array, found a string (/components/schemas/A/enum)
      help: write an array here
    pets.yaml:19:13: `text` is not a type (/components/schemas/B/type)
      help: write one of array, boolean, integer, number, object, string; `nullable: true` allows null, `oneOf` several types, and no `type` any value
    pets.yaml:20:7: `properties` must be an object, found an array (/components/schemas/B/properties)
      help: write an object here
    pets.yaml:21:29: expected a schema (an object), found a string (/components/schemas/B/additionalProperties)
    pets.yaml:22:7: `allOf` must be an array, found an object (/components/schemas/B/allOf)
      help: write an array here
    pets.yaml:23:7: `oneOf` is empty (/components/schemas/B/oneOf)
      help: list a schema, or remove it
    pets.yaml:24:12: expected a schema (an object), found a number (/components/schemas/B/not)
    pets.yaml:25:7: a discriminator needs `propertyName` (/components/schemas/B/discriminator)
      help: add `propertyName`
    pets.yaml:25:36: `a` must be a string, found a number (/components/schemas/B/discriminator/mapping/a)
      help: put it in quotes
    pets.yaml:26:21: an item of `required` must be a string, found a number (/components/schemas/B/required/1)
      help: put it in quotes
    ");
}

#[test]
fn reports_keywords_of_json_schema_that_no_validator_takes() {
    let text = r#"openapi: 3.1.0
info: {title: T, version: '1'}
components:
  schemas:
    A:
      multipleOf: 0
      minContains: -1
      maxContains: "2"
      if: []
      contains: []
      propertyNames: 5
      dependentSchemas: []
      dependentRequired: {a: b, c: [1], d: [e, e]}
    Closed: {additionalProperties: false, then: [], dependentSchemas: {a: 1}}
    Misspelt: {type: text}
    Valid: {if: true, then: false, contains: true, multipleOf: 0.5, maxContains: 2.0, dependentSchemas: {a: true}}
"#;
    insta::assert_snapshot!(errors(text), @r"
    pets.yaml:6:19: `multipleOf` must be a number above 0, found 0 (/components/schemas/A/multipleOf)
      help: write a number above 0 here
    pets.yaml:7:20: `minContains` must be a whole number from 0, found -1 (/components/schemas/A/minContains)
      help: write a whole number from 0 here
    pets.yaml:8:20: `maxContains` must be a whole number from 0, found a string (/components/schemas/A/maxContains)
      help: write a whole number from 0 here
    pets.yaml:9:7: expected a schema (an object), found an array (/components/schemas/A/if)
    pets.yaml:10:7: expected a schema (an object), found an array (/components/schemas/A/contains)
    pets.yaml:11:22: expected a schema (an object), found a number (/components/schemas/A/propertyNames)
    pets.yaml:12:7: `dependentSchemas` must be an object, found an array (/components/schemas/A/dependentSchemas)
      help: write an object here
    pets.yaml:13:30: `a` must be an array, found a string (/components/schemas/A/dependentRequired/a)
      help: write an array here
    pets.yaml:13:37: an item of `c` must be a string, found a number (/components/schemas/A/dependentRequired/c/0)
      help: put it in quotes
    pets.yaml:14:43: expected a schema (an object), found an array (/components/schemas/Closed/then)
    pets.yaml:14:75: expected a schema (an object), found a number (/components/schemas/Closed/dependentSchemas/a)
    pets.yaml:15:22: `text` is not a type (/components/schemas/Misspelt/type)
      help: write one of array, boolean, integer, number, object, string; a list allows several types and `null`, and no `type` any value
    ");
}

#[test]
fn reports_errors_of_servers_tags_and_security() {
    let text = r#"
servers: [{}]
tags: [{description: a}]
security: [{key: []}, {other: read}]
components:
  securitySchemes:
    key: {type: apiKey, in: body, name: a}
    other: {type: magic}
    oauth: {type: oauth2}
    nameless: {type: http}
"#;
    insta::assert_snapshot!(errors_after_head(text), @r##"
    pets.yaml:1:1: the document has no `paths`
      help: write `paths: {}` if there are none
    pets.yaml:4:11: a server needs `url` (/servers/0)
      help: add `url`
    pets.yaml:5:8: a tag needs `name` (/tags/0)
      help: add `name`
    pets.yaml:6:31: `other` must be an array, found a string (/security/1/other)
      help: write an array here
    pets.yaml:9:29: an API key cannot be sent in `body` (/components/securitySchemes/key/in)
      help: write one of query, header, cookie
    pets.yaml:10:19: `magic` is not a type of security scheme (/components/securitySchemes/other/type)
      help: write one of apiKey, http, oauth2, openIdConnect
    pets.yaml:11:5: OAuth 2 needs `flows` (/components/securitySchemes/oauth)
    pets.yaml:12:5: HTTP security needs `scheme` (/components/securitySchemes/nameless)
      help: add `scheme`
    "##);
}

#[test]
fn reports_names_that_no_request_can_have() {
    let text = r#"
paths:
  /a:
    get:
      parameters:
        - {name: a b, in: cookie}
        - {name: '', in: query}
        - {name: a b, in: query}
      responses:
        200: {description: ok, headers: {'X:Id': {schema: {type: string}}}}
components:
  securitySchemes:
    header: {type: apiKey, in: header, name: X Key}
    cookie: {type: apiKey, in: cookie, name: 'sid;'}
    query: {type: apiKey, in: query, name: ''}
    spaced: {type: apiKey, in: query, name: my key}
    number: {type: apiKey, in: header, name: 1}
    other: {type: http, scheme: Digest Token}
"#;
    insta::assert_snapshot!(errors_after_head(text), @r##"
    pets.yaml:9:18: the name of a parameter is empty (/paths/~1a/get/parameters/1/name)
      help: name it
    pets.yaml:12:42: `X:Id` cannot be the name of a header: it contains ':' (/paths/~1a/get/responses/200/headers/X:Id)
      help: write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)
    pets.yaml:15:46: `X Key` cannot be the name of a header: it contains ' ' (/components/securitySchemes/header/name)
      help: write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)
    pets.yaml:16:46: `sid;` cannot be the name of a cookie: it contains ';' (/components/securitySchemes/cookie/name)
      help: write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)
    pets.yaml:17:44: the name of a query parameter is empty (/components/securitySchemes/query/name)
      help: name it
    pets.yaml:19:46: `name` must be a string, found a number (/components/securitySchemes/number/name)
      help: put it in quotes
    pets.yaml:20:33: `Digest Token` cannot be the name of an authentication scheme: it contains ' ' (/components/securitySchemes/other/scheme)
      help: write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)
    "##);
}
