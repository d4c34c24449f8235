//! The rules of a house, which settings turn on.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use dropspec::linting::LintSettings;

use crate::{assert_findings_of_edits, findings, lint};

pub const DOCUMENT: &str = r##"openapi: 3.0.3
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
x-deprecated-sunset: "2027-06-30" => x-deprecated-sunset: "2026-11-21" => 20:7: the sunset 2026-11-21 is not after the deprecation on 2026-11-21
x-deprecated-sunset: "2027-06-30" => x-deprecated-sunset: "2026-11-20" => 20:7: the sunset 2026-11-20 has passed
description: Which book. => description: Which book., deprecated: true, x-deprecated-sunset: "2027-06-30" => none
per-minute: 60 => per-minute: 2000 => 4:3: the plan `free` allows more in a minute than in a day
  too_many: 429 =>   too_many: 429\n  too_few: 429 => 9:3: no operation can answer with the code `too_few`
  too_many: 429 =>   too_many: 429\n  lost: 404 => none
            X-Id: { $ref: "#/components/headers/Id" }\n =>  => 26:9: the response 200 does not declare `X-Id`
        "401": { $ref: "#/components/responses/Key" }\n =>  => 13:5: the operation does not declare the status 401
security: [] => security: [{}] => none
"##;

const SETTINGS: &str = r#"
openapi-version = "3.0.3"
documentation = true
semantic-version = true
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

pub fn settings() -> LintSettings {
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
fn unknown_settings_are_errors() {
    for (text, message) in [
        ("documentaton = true", "unknown field `documentaton`"),
        ("[extensions]\npage = {}", "unknown variant `page`"),
    ] {
        let error = toml::from_str::<LintSettings>(text).unwrap_err();
        assert!(error.message().contains(message), "{error}");
    }
}
