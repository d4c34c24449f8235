//! Each rule is seen to find something; the repository's own document is clean.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use chrono::NaiveDate;

use super::lint;

pub(super) const TODAY: NaiveDate = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();

/// The repository's own document.
fn own() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/petstore.yaml");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn our_own_document_is_clean() {
    let found = lint("petstore.yaml", &own(), TODAY);
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

/// Our own document with a choice of one schema that inherits from a hundred others, the last of which is `end`.
fn inheriting(end: &str) -> String {
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
    own().replacen("\n  schemas:\n", &format!("\n  schemas:{schemas}\n"), 1)
}

#[test]
fn a_property_is_found_however_far_it_is_inherited() {
    let declared = inheriting("{ type: object, properties: { kind: { type: string } } }");
    assert_eq!(lint("petstore.yaml", &declared, TODAY), []);
    let circle = inheriting("{ allOf: [{ $ref: '#/components/schemas/Step0' }] }");
    let found = lint("petstore.yaml", &circle, TODAY);
    let said = "the property `kind`, which tells the schemas apart, is not in all of them";
    assert!(
        found.iter().any(|finding| finding.message == said),
        "{found:?}"
    );
}

/// Edits of our own document, the first place each, with what lint says of them.
const EDITS: &[(&str, &str, &str)] = &[
    (
        "openapi: 3.0.3",
        "openapi: 3.0.1",
        "written in OpenAPI 3.0.1",
    ),
    (
        "operationId: listPets",
        "operationId: list_pets",
        "not in camelCase",
    ),
    (
        "      operationId: listCategories\n",
        "",
        "needs an `operationId`",
    ),
    ("tags: [Pets]", "tags: [Pets, Store]", "has 2 tags"),
    ("tags: [Pets]", "tags: [Birds]", "not in the list `tags`"),
    ("      summary: List pets\n", "", "needs a `summary`"),
    (
        "description: Only pets with this status.",
        "description: ''",
        "`status` needs a `description`",
    ),
    (
        "            example: { name: Mittens, categoryId: 1 }\n",
        "",
        "has no example",
    ),
    (
        "example: { name: Mittens, categoryId: 1 }",
        "example: { name: '', categoryId: 1 }",
        "not valid",
    ),
    (
        "x-stability: beta",
        "x-stability: perhaps",
        "not a stability",
    ),
    (
        "x-stability: beta",
        "x-stabilty: beta",
        "nothing reads the extension",
    ),
    (
        "x-required-access: write",
        "x-required-access: admin",
        "not an access",
    ),
    (
        "x-hideTryItPanel: true",
        "x-hideTryItPanel: maybe",
        "not a boolean",
    ),
    (
        "x-deprecated-sunset: \"2027-06-30\"",
        "x-deprecated-sunset: soon",
        "not a date",
    ),
    (
        "x-deprecated-sunset: \"2027-06-30\"",
        "x-deprecated-sunset: \"2026-11-20\"",
        "not after 2026-11-21",
    ),
    (
        "x-deprecated-sunset: \"2027-06-30\"",
        "x-deprecated-sunset: \"2026-11-20\"",
        "has passed",
    ),
    (
        "      x-deprecated-sunset: \"2027-06-30\"\n",
        "",
        "has no `x-deprecated-sunset`",
    ),
    ("      deprecated: true\n", "", "not deprecated"),
    (
        "x-successor: listPets",
        "x-successor: listBirds",
        "names no operation",
    ),
    (
        "      x-supplied-by: gate",
        "      x-supplied-by: nobody",
        "names nobody",
    ),
    (
        "    per-minute: 60\n",
        "    per-minute: 0\n",
        "a whole number from 1",
    ),
    (
        "    per-minute: 60\n",
        "    per-minute: 2000\n",
        "more in a minute",
    ),
    (
        "    custom: true",
        "    custom: true\n    per-day: 5",
        "custom and has figures",
    ),
    (
        "x-rate-limit-cost: 0",
        "x-rate-limit-cost: 61",
        "smallest limit is 60",
    ),
    (
        "x-rate-limit-cost: 0",
        "x-rate-limit-cost: -1",
        "not a whole number",
    ),
    (
        "  pet_not_found: 404",
        "  petNotFound: 404",
        "not in snake_case",
    ),
    (
        "  pet_not_found: 404",
        "  pet_not_found: 200",
        "no status of an error",
    ),
    (
        "  pet_not_found: 404",
        "  pet_not_found: 410",
        "comes with 410, and stands under 404",
    ),
    ("code: pet_not_found", "code: pet_lost", "another `code`"),
    (
        "            X-Request-Id: { $ref: \"#/components/headers/RequestId\" }\n",
        "",
        "does not declare `X-Request-Id`",
    ),
    (
        "        \"401\": { $ref: \"#/components/responses/Unauthorized\" }\n",
        "",
        "the operation does not declare 401",
    ),
    (
        "        \"429\": { $ref: \"#/components/responses/TooManyRequests\" }\n",
        "",
        "the operation does not declare 429",
    ),
    (
        "            Link: { $ref: \"#/components/headers/Successor\" }\n",
        "",
        "the answer 200 does not declare `Link`",
    ),
];

#[test]
fn every_rule_finds_its_mistake() {
    for (from, to, expected) in EDITS {
        let text = own();
        assert!(text.contains(from), "{from} is not in the document");
        let found = lint("petstore.yaml", &text.replacen(from, to, 1), TODAY);
        let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
        let told = shown.iter().any(|finding| finding.contains(expected));
        assert!(
            told,
            "{from} → {to}: no finding says {expected:?}\n{}",
            shown.join("\n")
        );
    }
}

#[test]
fn findings_name_line_and_column() {
    let text = own().replacen("operationId: listPets", "operationId: list_pets", 1);
    let line = text
        .lines()
        .position(|line| line.contains("list_pets"))
        .unwrap()
        + 1;
    let found = lint("petstore.yaml", &text, TODAY);
    let first = found
        .iter()
        .find(|f| f.message.contains("camelCase"))
        .unwrap();
    assert_eq!(
        (first.location.line as usize, first.location.column),
        (line, 20)
    );
}
