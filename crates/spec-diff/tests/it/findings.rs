//! The parts of a finding: operations, locations, fingerprint, instance.
#![allow(clippy::unwrap_used)]

use spec_diff::{Finding, Level};

use crate::common::{self, ids, parse, petstore, policy};

/// Compares the released document with itself after a replacement.
fn edited(from: &str, to: &str) -> Vec<Finding> {
    let base = petstore();
    assert!(base.contains(from), "{from}");
    let revision = base.replacen(from, to, 1);
    spec_diff::diff(&parse(&base), &parse(&revision), &policy())
}

fn compare(base: &str, revision: &str) -> Vec<Finding> {
    common::compare(base, revision, &policy())
}

/// A document whose one operation has a schema in its request and response bodies.
fn both_ways(schema: &str) -> String {
    format!(
        "paths:
  /a:
    post:
      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}
      responses:
        '200': {{description: a, content: {{application/json: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}
components:
  schemas:
    A: {schema}
"
    )
}

#[test]
fn edit_of_a_shared_schema_has_a_level_at_each_operation() {
    let document = |maximum: u32| {
        format!(
            "paths: {{/a: {{post: {{requestBody: {{content: {{a/json: {{schema: {{$ref: '#/components/schemas/S'}}}}}}}}}},
  get: {{responses: {{'200': {{content: {{a/json: {{schema: {{$ref: '#/components/schemas/S'}}}}}}}}}}}}}}}}
components: {{schemas: {{S: {{type: integer, maximum: {maximum}}}}}}}"
        )
    };
    let found = crate::common::compare(&document(5), &document(4), &crate::common::policy());
    let levels: Vec<_> = found[0]
        .reach
        .iter()
        .map(|it| (it.operation.as_str(), it.level.as_str()))
        .collect();
    assert_eq!(levels, [("GET /a", "info"), ("POST /a", "error")]);
    let reports = [
        (
            spec_diff::report::render_text(&found),
            "GET /a (info), POST /a (error)",
        ),
        (
            spec_diff::report::render_github(&found),
            "GET /a (info), POST /a (error)",
        ),
        (
            spec_diff::report::render_markdown(&found),
            "also affects: `GET /a (info)`",
        ),
        (
            spec_diff::report::render_sarif(&found),
            "GET /a (info), POST /a (error)",
        ),
        (
            spec_diff::report::render_json(&found),
            "\"level\": \"info\"",
        ),
    ];
    for (report, expected) in reports {
        assert!(report.contains(expected), "{expected}: {report}");
    }
}

#[test]
fn locates_removed_operation_at_its_next_sibling() {
    let base = "paths:
  /a:
    get: {responses: {}}
    put: {responses: {}}
    post: {responses: {}}
";
    let found = compare(base, &base.replace("    put: {responses: {}}\n", ""));
    assert_eq!(ids(&found), ["api-removed-without-deprecation"]);
    assert_eq!(found[0].pointer, "/paths/~1a/put");
    assert_eq!((found[0].base.line, found[0].base.column), (6, 5));
    // `post` is in line 6 of the revision, as `put` was in the base.
    assert_eq!((found[0].revision.line, found[0].revision.column), (6, 5));
}

#[test]
fn fingerprint_depends_on_the_value_and_not_on_other_edits() {
    let one = edited("    per-minute: 60\n", "    per-minute: 30\n");
    let base = petstore().replacen("title: Petstore", "title: Petstore\n  # a line more", 1);
    let revision = base.replacen("    per-minute: 60\n", "    per-minute: 30\n", 1);
    let other = spec_diff::diff(&parse(&base), &parse(&revision), &policy());
    assert_eq!(one[0].fingerprint, other[0].fingerprint);
    assert_ne!(one[0].revision.line, other[0].revision.line);
    let further = edited("    per-minute: 60\n", "    per-minute: 10\n");
    assert_ne!(
        one[0].fingerprint, further[0].fingerprint,
        "another value has another fingerprint"
    );
}

#[test]
fn compares_recursive_schemas() {
    let schema = |maximum: u8| {
        both_ways(&format!(
            "
      type: object
      properties:
        next: {{$ref: '#/components/schemas/A'}}
        others: {{type: array, items: {{$ref: '#/components/schemas/A'}}}}
        either: {{oneOf: [{{$ref: '#/components/schemas/A'}}, {{type: string, maxLength: {maximum}}}]}}"
        ))
    };
    let found = compare(&schema(5), &schema(4));
    assert_eq!(ids(&found)[0], "request-property-max-length-decreased");
    assert_eq!(found.len(), 1);
}

#[test]
fn compares_schemas_with_exponentially_many_paths() {
    let document = |maximum: u8| {
        let mut schemas = format!("{{S60: {{type: string, maxLength: {maximum}}}");
        for step in 0..60 {
            let next = format!("{{$ref: '#/components/schemas/S{}'}}", step + 1);
            schemas += &format!(", S{step}: {{allOf: [{next}, {{title: a, allOf: [{next}]}}]}}");
        }
        format!(
            "paths: {{/a: {{put: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/S0'}}}}}}}}}}}}}}
components: {{schemas: {schemas}}}}}"
        )
    };
    let found = compare(&document(5), &document(4));
    assert_eq!(ids(&found), ["request-body-max-length-decreased"]);
}

#[test]
fn compares_chain_of_3000_references() {
    let document = |maximum: u8| {
        let chain: Vec<String> = (0..3000)
            .map(|step| format!("C{step}: {{$ref: '#/components/schemas/C{}'}}", step + 1))
            .collect();
        format!(
            "paths: {{/a: {{put: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/C0'}}}}}}}}}}}}}}
components: {{schemas: {{{}, C3000: {{type: string, maxLength: {maximum}}}}}}}",
            chain.join(", ")
        )
    };
    let found = compare(&document(5), &document(4));
    assert_eq!(ids(&found), ["request-body-max-length-decreased"]);
}

#[test]
fn additional_scheme_in_a_requirement_is_an_error() {
    let document = |security: &str| {
        format!("security: {security}\npaths:\n  /a:\n    get: {{responses: {{}}}}\n")
    };
    let key = document("[{Key: []}]");
    let found = compare(&key, &document("[{Key: [], Token: []}]"));
    assert_eq!(found[0].id, "api-security-tightened");
    assert_eq!(found[0].operations, ["GET /a"]);
    let found = compare(&key, &document("[{Key: []}, {Token: []}]"));
    assert_eq!(ids(&found), ["api-global-security-added"]);
    let found = compare(&document("[{Key: []}, {Token: []}]"), &key);
    assert!(
        ids(&found).contains(&"api-security-tightened".to_owned()),
        "{found:?}"
    );
}

#[test]
fn requirements_of_the_same_schemes_are_compared_with_the_most_similar_one() {
    let compare_lists = |old: &str, new: &str| -> Vec<String> {
        let document = |security: &str| {
            format!("security: {security}\npaths:\n  /a:\n    get: {{responses: {{}}}}\n")
        };
        let found = compare(&document(old), &document(new));
        let messages = found.iter().map(|finding| finding.message.clone());
        messages.collect()
    };
    let two = "[{O: [read]}, {O: [write, all]}]";
    assert_eq!(
        compare_lists(two, "[{O: [write]}, {O: [read]}]"),
        ["the required scope `all` of O was removed"]
    );
    assert_eq!(
        compare_lists(two, "[{O: [read]}, {O: [write, all]}, {O: [admin]}]"),
        ["the requirement of O with `admin` was added"]
    );
    assert_eq!(
        compare_lists("[{O: [admin]}]", "[]"),
        ["the requirement of O was removed"]
    );
}

#[test]
fn property_removed_from_an_object_that_becomes_closed_is_forbidden() {
    let open = "{type: object, properties: {a: {}, b: {}}}";
    let closed = "{type: object, properties: {a: {}}, additionalProperties: false}";
    let found = compare(&both_ways(open), &both_ways(closed));
    assert!(
        ids(&found).contains(&"request-property-forbidden".to_owned()),
        "{found:?}"
    );
}

#[test]
fn schema_that_joins_a_choice_is_an_added_member() {
    let plain = both_ways("{type: string}");
    let choice = both_ways("{anyOf: [{type: integer}, {type: string}]}");
    let found = compare(&plain, &choice);
    assert_eq!(
        ids(&found),
        ["response-body-any-of-added", "request-body-any-of-added"]
    );
    let found = compare(&choice, &plain);
    assert_eq!(
        ids(&found),
        [
            "request-body-any-of-removed",
            "response-body-any-of-removed"
        ]
    );
    assert_eq!(found[0].level, Level::Error);
    let typed = both_ways("{type: string, anyOf: [{maxLength: 2}, {pattern: '^a'}]}");
    let found = compare(&plain, &typed);
    assert_eq!(
        ids(&found),
        [
            "request-body-any-of-introduced",
            "response-body-any-of-introduced"
        ]
    );
    assert!(found[0].instance.is_some());
}

/// No request contains a property of a `readOnly` object, and no response one of a `writeOnly` object.
#[test]
fn changes_inside_read_only_and_write_only_objects_are_infos() {
    let document = |schema: &str, flag: &str| {
        both_ways(&format!(
            "{{properties: {{o: {{{flag}: true, allOf: [{{properties: {{p: {schema}}}}}]}}}}}}"
        ))
    };
    let edits = [
        ("{type: string}", "{type: string, maxLength: 5}"),
        ("{type: string}", "{type: boolean}"),
        ("{required: [a]}", "{}"),
        ("{}", "{required: [a], properties: {a: {}}}"),
        ("{required: [a], properties: {a: {}}}", "{}"),
        (
            "{properties: {a: {}}}",
            "{required: [a], properties: {a: {}}}",
        ),
    ];
    for (flag, way) in [("readOnly", "request"), ("writeOnly", "response")] {
        for (old, new) in edits {
            let found = compare(&document(old, flag), &document(new, flag));
            assert!(!found.is_empty(), "{flag}: {old} → {new}");
            for finding in &found {
                let own = (finding.id, finding.level);
                let also = finding.also.iter().map(|also| (also.id, also.level));
                let found = also.chain([own]);
                for (id, level) in found.filter(|(id, _)| id.as_str().contains(way)) {
                    assert_eq!(level, Level::Info, "{flag}: {old} → {new}: {id}");
                }
            }
        }
    }
}
