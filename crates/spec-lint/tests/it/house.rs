//! The rules of a house, which settings turn on.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use spec_lint::{LintSettings, lint};

use crate::{assert_findings_of_edits, findings};

const DOCUMENT: &str = r##"openapi: 3.0.3
info: { title: Books, version: 1.0.0 }
x-rate-limits:
  free: { per-minute: 60, per-day: 1000 }
  partner: { custom: true }
x-error-codes:
  book_not_found: 404
  too_many: 429
tags: [{ name: Books, description: Books and their authors. }]
security: [{ Key: [] }]
paths:
  /books/{id}:
    get:
      operationId: getBook
      tags: [Books]
      summary: Get a book
      description: Returns the book.
      deprecated: true
      x-deprecated-since: "2026-11-21"
      x-deprecated-sunset: "2027-06-30"
      x-successor: putBook
      x-rate-limit-cost: 2
      parameters:
        - { name: id, in: path, required: true, description: Which book., schema: { type: integer } }
      responses:
        "200":
          description: The book.
          headers:
            X-Id: { $ref: "#/components/headers/Id" }
            Sunset: { schema: { type: string } }
            Link: { schema: { type: string } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Book" }, example: { title: a } } }
        "404": { $ref: "#/components/responses/NotFound" }
        "429": { $ref: "#/components/responses/TooMany" }
        "401": { $ref: "#/components/responses/Key" }
    put:
      operationId: putBook
      security: []
      x-stability: beta
      x-private: true
      tags: [Books]
      summary: Put a book
      description: Replaces the book.
      parameters:
        - { name: id, in: path, required: true, description: Which book., schema: { type: integer } }
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Book" }, example: { title: b } } }
      responses:
        "204": { description: Done., headers: { X-Id: { $ref: "#/components/headers/Id" } } }
        "429": { $ref: "#/components/responses/TooMany" }
components:
  headers:
    Id: { description: Identifies the response., x-supplied-by: gate, schema: { type: string } }
  schemas:
    Book: { type: object, properties: { title: { type: string, x-stability: beta } } }
    Error: { type: object, properties: { code: { type: string }, status: { type: integer } } }
  responses:
    Key:
      description: The key is missing.
      headers: { x-id: { $ref: "#/components/headers/Id" } }
      content: { text/plain: { schema: { type: string }, examples: { too_many: { externalValue: a } } } }
    NotFound:
      description: There is no such book.
      headers: { X-Id: { $ref: "#/components/headers/Id" } }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/Error" }
          examples: { book_not_found: { value: { code: book_not_found, status: 404 } } }
    TooMany:
      description: Too many requests.
      headers: { X-Id: { $ref: "#/components/headers/Id" }, Retry-After: { schema: { type: integer } } }
      content:
        application/json:
          schema: { $ref: "#/components/schemas/Error" }
          examples: { too_many: { value: { code: too_many, status: 429 } } }
  securitySchemes:
    Key: { type: apiKey, in: header, name: X-Key }
"##;

/// Edits that break a rule of the house.
const EDITS: &str = r##"
openapi: 3.0.3 => openapi: 3.0.1 => 1:1: the document is written in OpenAPI 3.0.1
operationId: getBook => operationId: get_book => 14:20: the operationId `get_book` is not in camelCase
      operationId: getBook\n =>  => 13:5: the operation has no `operationId`
tags: [Books] => tags: [Books, Store] => the operation has 2 tags
tags: [Books] => tags: [Birds] => the tag `Birds` is not in the list `tags`
, description: Books and their authors. =>  => the tag `Books` has no description
      summary: Get a book\n =>  => the operation has no `summary`
description: Replaces the book. => description: ' ' => the operation has no `description`
description: Which book. => description: '' => the parameter `id` has no `description`
, example: { title: a } =>  => the response 200 `application/json` has no example
, example: { title: b } =>  => the request body `application/json` has no example
schema: { $ref: "#/components/schemas/Book" }, example: { title: b } => example: { title: b } => has no `schema`
"204": { description: Done. => "201": { description: Done. => the response 201 has no body
"204": => "304": => the operation has no success response
x-stability: beta => x-stability: perhaps => the value of `x-stability` is not `experimental` or `beta`
x-stability: beta => x-stabilty: beta => the extension `x-stabilty` has no meaning here
x-supplied-by: gate => x-supplied-by: nobody => the value of `x-supplied-by` is not `gate`
x-supplied-by: gate => x-stability: beta => the extensions here are x-supplied-by
title: { type: string, => title: { type: string, x-colour: red, => the extension `x-colour` has no meaning here
title: { type: string, x-stability: beta => title: { type: string, x-stability: 1 => the value of `x-stability` is not
description: Which book. => description: Which book., x-stability: beta => the extension `x-stability` has no meaning here
x-private: true => x-private: maybe => the value of `x-private` is not a boolean
x-deprecated-sunset: "2027-06-30" => x-deprecated-sunset: soon => the value of `x-deprecated-sunset` is not a date
x-deprecated-sunset: "2027-06-30" => x-deprecated-sunset: "2026-11-20" => 20:7: the sunset 2026-11-20 is not after the deprecation on 2026-11-21
x-deprecated-sunset: "2027-06-30" => x-deprecated-sunset: "2026-11-20" => 20:7: the sunset 2026-11-20 has passed
      x-deprecated-sunset: "2027-06-30"\n =>  => the deprecated operation has no `x-deprecated-sunset`
      deprecated: true\n =>  => `x-successor` without `deprecated: true`
      deprecated: true\n =>  => `x-deprecated-since` without `deprecated: true`
x-successor: putBook => x-successor: getBirds => `x-successor` names no operation
x-successor: putBook => x-successor: getBook => `x-successor` names a deprecated operation
description: Which book. => description: Which book., x-deprecated-sunset: "2027-06-30" => `x-deprecated-sunset` without `deprecated: true`
description: Which book. => description: Which book., deprecated: true, x-deprecated-sunset: "2027-06-30" => none
description: Which book. => description: Which book., deprecated: true, x-deprecated-sunset: "2026-11-20" => the sunset 2026-11-20 has passed
title: { type: string, => title: { type: string, deprecated: true, x-deprecated-sunset: "2026-11-20", => remove the schema, or choose a later sunset
per-minute: 60 => per-minute: 0 => 4:3: the plan `free` needs `per-minute`, a whole number from 1
per-minute: 60 => per-minute: 2000 => the plan `free` allows more in a minute than in a day
per-minute: 60 => per-minute: 60, per-hour: 100 => the plan `free` has an unknown window `per-hour`
custom: true => custom: true, per-day: 5 => the plan `partner` is custom and has limits
{ custom: true } => 5 => the plan `partner` is not an object
x-rate-limits:\n  free: { per-minute: 60, per-day: 1000 }\n  partner: { custom: true } => x-rate-limits: {} => `x-rate-limits` has no plans
x-rate-limit-cost: 2 => x-rate-limit-cost: 61 => the operation costs 61, but the smallest limit is 60
x-rate-limit-cost: 2 => x-rate-limit-cost: -1 => the value of `x-rate-limit-cost` is not a whole number from 0
x-error-codes:\n  book_not_found: 404\n  too_many: 429 => x-error-codes: 5 => `x-error-codes` is not an object
  book_not_found: 404 =>   bookNotFound: 404 => the code `bookNotFound` is not in snake_case
  book_not_found: 404 =>   bookNotFound: 404 => the code `book_not_found` is not in `x-error-codes`
  book_not_found: 404 =>   book_not_found: 200 => the code `book_not_found` has no error status
  book_not_found: 404 =>   book_not_found: 410 => the code `book_not_found` has the status 410, not 404
  too_many: 429 =>   too_many: 429\n  too_few: 429 => 9:3: no operation can answer with the code `too_few`
  too_many: 429 =>   too_many: 429\n  lost: 404 => none
components:\n  headers: => components:\n  headers:\n    Old: { description: Nobody sends it., schema: { type: string } } => nothing refers to the component `Old`
  securitySchemes:\n =>   securitySchemes:\n    Old: { type: apiKey, in: header, name: X-Old }\n => nothing refers to the component `Old`
tags: [{ => tags: [{ name: Old, description: Old things. }, { => no operation has the tag `Old`
code: book_not_found => code: book_lost => the example `book_not_found` has another `code`
status: 404 => status: 410 => the example `book_not_found` has another `status`
          examples: { too_many: { value: { code: too_many, status: 429 } } }\n =>  => the response 429 does not list its error codes
            X-Id: { $ref: "#/components/headers/Id" }\n =>  => 26:9: the response 200 does not declare `X-Id`
            Sunset: { schema: { type: string } }\n =>  => the response 200 does not declare `Sunset`
            Link: { schema: { type: string } }\n =>  => the response 200 does not declare `Link`
, Retry-After: { schema: { type: integer } } =>  => the response 429 does not declare `Retry-After`
        "401": { $ref: "#/components/responses/Key" }\n =>  => 13:5: the operation does not declare the status 401
        "429": { $ref: "#/components/responses/TooMany" }\n        "401" =>         "401" => the operation does not declare the status 429
security: [] => security: [{}] => none
security: [] => security: [{ Key: [] }] => the operation does not declare the status 401
"##;

const SETTINGS: &str = r#"
openapi-version = "3.0.3"
documentation = true
deprecations = true
rate-limits = true
error-properties = { code = "code", status = "status" }
codes-without-operation = ["lost"]
no-unused-parts = true
required-statuses = ["401", "429"]

[extensions]
document = { x-rate-limits = "any", x-error-codes = "any" }
parameter = { x-deprecated-sunset = "date" }
schema = { x-deprecated-sunset = "date", x-stability = { one-of = ["experimental", "beta"] } }
header = { x-supplied-by = { one-of = ["gate"] } }

[extensions.operation]
x-deprecated-since = "date"
x-deprecated-sunset = "date"
x-successor = "any"
x-rate-limit-cost = "count"
x-stability = { one-of = ["experimental", "beta"] }
x-private = "boolean"

[required-headers]
X-Id = ["all"]
Retry-After = ["429"]
Sunset = ["deprecated"]
Link = ["replaced"]
"#;

fn settings() -> LintSettings {
    LintSettings {
        today: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
        ..toml::from_str(SETTINGS).unwrap()
    }
}

#[test]
fn reports_each_violation_of_house_rules() {
    assert_findings_of_edits(DOCUMENT, &settings(), EDITS);
}

#[test]
fn default_settings_check_no_house_rules() {
    for row in EDITS.lines().filter(|row| !row.is_empty()) {
        let row = row.replace("\\n", "\n");
        let mut columns = row.split(" => ");
        let (from, to) = (columns.next().unwrap(), columns.next().unwrap());
        let text = DOCUMENT.replacen(from, to, 1);
        assert_eq!(findings(&text, &LintSettings::default()), "", "{row}");
    }
}

#[test]
fn headers_and_statuses_are_required_only_with_rate_limits() {
    let text = DOCUMENT.replace("x-rate-limits:", "x-plans:");
    let settings = LintSettings {
        extensions: BTreeMap::new(),
        ..settings()
    };
    let without_headers = text.replace("X-Id:", "X-Other:");
    assert_eq!(lint("a.yaml", &without_headers, &settings), []);
}

#[test]
fn semantic_version_is_required_only_by_its_setting() {
    let text = DOCUMENT.replace("version: 1.0.0", "version: v3");
    let settings = LintSettings {
        semantic_version: true,
        ..LintSettings::default()
    };
    assert_eq!(findings(&text, &LintSettings::default()), "");
    assert_eq!(
        findings(&text, &settings),
        "a.yaml:2:23: `v3` is not a semantic version (/info/version)\n  help: write it as `1.2.0`: changes are judged by it"
    );
}

#[test]
fn unknown_settings_and_responses_are_errors() {
    for (text, message) in [
        ("documentaton = true", "unknown field `documentaton`"),
        ("[extensions]\npage = {}", "unknown variant `page`"),
        (
            "[required-headers]\nETag = [\"sometimes\"]",
            "`sometimes` names no responses",
        ),
    ] {
        let error = toml::from_str::<LintSettings>(text).unwrap_err();
        assert!(error.message().contains(message), "{error}");
    }
}
