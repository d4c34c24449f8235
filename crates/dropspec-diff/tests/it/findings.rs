//! The parts of a finding: operations, locations, fingerprint, instance.
#![allow(clippy::unwrap_used)]

use dropspec_diff::{Finding, Level};

use crate::common::{self, ids, parse, petstore, policy};

/// Compares the released document with itself after a replacement.
fn edited(from: &str, to: &str) -> Vec<Finding> {
    let base = petstore();
    assert!(base.contains(from), "{from}");
    let revision = base.replacen(from, to, 1);
    dropspec_diff::diff(&parse(&base), &parse(&revision), &policy())
}

fn compare(base: &str, revision: &str) -> Vec<Finding> {
    common::compare(base, revision, &policy())
}

/// A document whose one operation has a schema, the component `A`, in its request and response bodies.
fn both_ways(schema: &str) -> String {
    let content = "content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}";
    let operation = format!("{{requestBody: {{{content}}}, responses: {{'200': {{{content}}}}}}}");
    format!("paths: {{/a: {{post: {operation}}}}}\ncomponents: {{schemas: {{A: {schema}}}}}\n")
}

#[test]
fn path_parameter_that_gains_or_loses_several_segments_is_one_finding() {
    let document = |path: &str| {
        let parameters = "[{name: name, in: path, required: true, schema: {type: string}}]";
        let operation = "{responses: {'204': {description: x}}}";
        format!(
            "paths: {{'{path}': {{parameters: {parameters}, get: {operation}, delete: {operation}}}}}"
        )
    };
    let found = |base: &str, revision: &str| {
        let found = compare(&document(base), &document(revision));
        let found = found.iter().map(|it| {
            let (rule, level) = (it.id, it.level.as_str());
            format!("{rule} {level} {:?} {}", it.operations, it.message)
        });
        found.collect::<Vec<_>>()
    };
    assert_eq!(
        found("/a/{name}", "/a/{+name}"),
        [
            "request-parameter-reserved-allowed info [\"GET /a/{+name}\", \"DELETE /a/{+name}\"] the path parameter of `/a/{+name}` became one of several segments (`{+name}`)"
        ]
    );
    assert_eq!(
        found("/a/{+name}", "/a/{name}"),
        [
            "request-parameter-reserved-forbidden error [\"GET /a/{name}\", \"DELETE /a/{name}\"] the path parameter of `/a/{name}` is no longer one of several segments (`{+name}`)"
        ]
    );
    assert!(found("/a/{+name}", "/a/{+name}").is_empty());
}

#[test]
fn edit_of_a_shared_schema_has_a_level_at_each_operation() {
    let document = |maximum: u32| {
        let content = "{content: {a/json: {schema: {$ref: '#/components/schemas/S'}}}}";
        let path = format!(
            "{{post: {{requestBody: {content}}}, get: {{responses: {{'200': {content}}}}}}}"
        );
        format!(
            "paths: {{/a: {path}}}\ncomponents: {{schemas: {{S: {{type: integer, maximum: {maximum}}}}}}}"
        )
    };
    let found = compare(&document(5), &document(4));
    let levels: Vec<_> = found[0]
        .reach
        .iter()
        .map(|it| (it.operation.as_str(), it.level.as_str()))
        .collect();
    assert_eq!(levels, [("GET /a", "info"), ("POST /a", "error")]);
    use dropspec_diff::report::{
        render_github, render_json, render_markdown, render_sarif, render_text,
    };
    for text in [
        render_text(&found),
        render_github(&found),
        render_sarif(&found),
    ] {
        assert!(text.contains("GET /a (info), POST /a (error)"), "{text}");
    }
    let text = render_markdown(&found);
    assert!(text.contains("also affects: `GET /a (info)`"), "{text}");
    assert!(render_json(&found).contains("\"level\": \"info\""));
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
    let other = dropspec_diff::diff(&parse(&base), &parse(&revision), &policy());
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
            "{{type: object, properties: {{next: {A}, others: {{type: array, items: {A}}}, either: {{oneOf: [{A}, {{type: string, maxLength: {maximum}}}]}}}}}}"
        ))
    };
    const A: &str = "{$ref: '#/components/schemas/A'}";
    let found = compare(&schema(5), &schema(4));
    assert_eq!(ids(&found)[0], "request-property-max-length-decreased");
    assert_eq!(found.len(), 1);
}

#[test]
fn compares_chain_of_3000_references_and_schemas_with_exponentially_many_paths() {
    let document = |schemas: &str| {
        let body = "{content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}";
        let path = format!("{{put: {{requestBody: {body}}}}}");
        format!("paths: {{/a: {path}}}\ncomponents: {{schemas: {{{schemas}}}}}")
    };
    let chain = |last: u32, maximum: u8, step: &dyn Fn(String) -> String| {
        let links = (0..last).map(|from| {
            let next = format!("{{$ref: '#/components/schemas/S{}'}}", from + 1);
            format!("S{from}: {}, ", step(next))
        });
        let links: String = links.collect();
        document(&format!(
            "{links}S{last}: {{type: string, maxLength: {maximum}}}"
        ))
    };
    let twice = |next: String| format!("{{allOf: [{next}, {{title: a, allOf: [{next}]}}]}}");
    let steps: [(u32, &dyn Fn(String) -> String); 2] = [(3000, &|next| next), (60, &twice)];
    for (last, step) in steps {
        let found = compare(&chain(last, 5, step), &chain(last, 4, step));
        assert_eq!(ids(&found), ["request-body-max-length-decreased"]);
    }
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
    let introduced = [
        "request-body-any-of-introduced",
        "response-body-any-of-introduced",
    ];
    assert_eq!(ids(&found), introduced);
    assert!(found[0].instance.is_some());
}

/// They are those that are printed first, not those that the comparison meets first; searches for values that two members of a
/// choice accept are counted apart.
#[test]
fn first_200_breaks_have_a_value_that_shows_them() {
    let reference = |n: usize| format!("{{$ref: '#/components/schemas/S{n}'}}");
    let document = |longest: usize| {
        let property = |n: usize| format!("p{n}: {}", reference(n));
        let properties: Vec<String> = (0..=200).rev().map(property).collect();
        let body = format!("{{properties: {{{}}}}}", properties.join(", "));
        let schemas = (0..=200).map(|n| {
            let name = format!("{{type: string, maxLength: {longest}}}");
            let choice = format!(
                "{{oneOf: [{}, {{type: integer}}]}}",
                reference((n + 1) % 201)
            );
            format!("S{n}: {{type: object, properties: {{name: {name}, choice: {choice}}}}}")
        });
        format!(
            "paths: {{/a: {{post: {{requestBody: {{content: {{application/json: {{schema: {body}}}}}}}}}}}}}\ncomponents: {{schemas: {{{}}}}}\n",
            Vec::from_iter(schemas).join(", ")
        )
    };
    let found = compare(&document(9), &document(8));
    let has_value: Vec<bool> = found.iter().map(|it| it.instance.is_some()).collect();
    assert_eq!(has_value, [vec![true; 200], vec![false]].concat());
}

/// No request contains a property of a `readOnly` object, and no response one of a `writeOnly` object.
#[test]
fn changes_inside_read_only_and_write_only_objects_are_infos() {
    let document = |schema: &str, flag: &str| {
        both_ways(&format!(
            "{{properties: {{o: {{{flag}: true, allOf: [{{properties: {{p: {schema}}}}}]}}}}}}"
        ))
    };
    let with = "{required: [a], properties: {a: {}}}";
    let edits = [
        ("{type: string}", "{type: string, maxLength: 5}"),
        ("{type: string}", "{type: boolean}"),
        ("{required: [a]}", "{}"),
        ("{}", with),
        (with, "{}"),
        ("{properties: {a: {}}}", with),
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

#[test]
fn names_the_status_of_the_response_and_says_what_to_do() {
    let document = |required: &str| {
        let response = |schema: &str| format!("{{content: {{a/json: {{schema: {schema}}}}}}}");
        let (found, error) = (
            response(&format!("{{required: [{required}]}}")),
            response("{}"),
        );
        format!("paths: {{/a: {{get: {{responses: {{'200': {found}, '404': {error}}}}}}}}}")
    };
    let found = compare(&document("a"), &document(""));
    let message = "the 200 response body: the property `a` became optional";
    assert_eq!(found[0].message, message);
    assert_eq!(found[0].reach[0].statuses, ["200"]);
    let advice = "keep `a` required in the 200 response body, or acknowledge it and release 2.0.0";
    assert_eq!(found[0].advice().as_deref(), Some(advice));
    let json = dropspec_diff::report::render_json(&found);
    assert!(json.contains("\"statuses\""), "{json}");
}
